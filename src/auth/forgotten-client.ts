/** The service does not know a stored client any more, or not with this secret: a sign-in that uses it fails again and again. */
import { SvcError } from '../errors.ts';

/** The errors of RFC 6749 §5.2 that are about the client and not about the login. */
const OF_CLIENT = /\b(?:invalid|unauthorized)_client\b/;

/** The failure with what happened and what to do, where it is of that kind; else as it was. */
export function explainClient(failure: SvcError, clientId: string | undefined): SvcError {
  const { code, message, httpStatus } = failure;
  if (code !== 'unauthorized' || !OF_CLIENT.test(message)) return failure;
  const which = clientId === undefined ? 'the stored client' : `the stored client ${clientId}`;
  return new SvcError(code, `${message}; the service may have forgotten ${which}, or its secret has ended`, {
    // An id is the service's text, and a hint holds none.
    hint: 'svc oauth clients list shows it; svc oauth clients forget <client-id>, then svc oauth login: it registers anew',
    cause: failure,
    ...(httpStatus === undefined ? {} : { httpStatus }),
  });
}
