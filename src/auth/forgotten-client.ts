/** The service does not know a stored client any more, or not with this secret: whatever uses it fails again and again. */
import { SvcError } from '../errors.ts';
import type { ClientRecord } from '../store/credentials.ts';

/** The errors of RFC 6749 §5.2 that are about the client and not about the login. */
const OF_CLIENT = /\b(?:invalid|unauthorized)_client\b/;

export function isOfClient(error: string): boolean {
  return OF_CLIENT.test(error);
}

/** No sign-in uses it again: the next one registers anew, by the same method. A refresh may still try it. */
export function endedClient(client: ClientRecord, now: number): ClientRecord {
  return { ...client, client_secret_expires_at: now };
}

/**
 * The failure with what happened and what to do, where it is of that kind; else as it was. Without `clientId` it is of a sign-in,
 * which does not tell which client it used.
 */
export function explainClient(failure: SvcError, clientId?: string): SvcError {
  const { code, message, httpStatus } = failure;
  if (code !== 'unauthorized' || !isOfClient(message)) return failure;
  const which = clientId === undefined ? 'the stored client' : `the stored client ${clientId}`;
  return new SvcError(code, `${message}; the service may have forgotten ${which}, or its secret has ended`, {
    // An id is the service's text, and a hint holds none.
    hint:
      clientId === undefined
        ? 'svc oauth clients list shows it; svc oauth clients forget <client-id> --force, then sign in again: a new one is registered'
        : 'sign in again with: svc oauth login, which registers a new client',
    cause: failure,
    ...(httpStatus === undefined ? {} : { httpStatus }),
  });
}
