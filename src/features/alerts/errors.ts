/**
 * What the alert manager's answers of 400 and above mean. Doc 1 §7 has three of them; the others are what real servers and
 * the proxies in front of them answer. The transport reads all others in the common way.
 */
import { type ErrorCode, SvcError } from '../../errors.ts';
import { type FailedAnswer, serviceMessage } from '../../http/answers.ts';
import type { EndpointShape } from '../../http/endpoint.ts';

type Call = Pick<EndpointShape, 'method' | 'path' | 'effect'>;

const CHECK_PATH = 'check the path of --base-url: svc adds /api/v2 to it';

export function explainAlertmanager(answer: FailedAnswer, endpoint: Call): SvcError | undefined {
  const { status, credentialSent } = answer;
  const { method, path, effect } = endpoint;
  const text = serviceMessage(answer);
  const failure = (code: ErrorCode, message: string, hint?: string) =>
    new SvcError(code, message, { httpStatus: status, hint });
  const missing = () =>
    failure('not_found', 'there is no silence with this id', 'svc silences list -a shows all, expired ones too');

  switch (status) {
    case 401:
      return failure(
        'unauthorized',
        `the alert manager, or a proxy in front of it, ${credentialSent ? 'refused the credential' : 'wants a credential'}${text && `: ${text}`}`,
        credentialSent
          ? 'it is wrong or has expired: check SVC_ALERTS_TOKEN, or SVC_ALERTS_USER and SVC_ALERTS_PASSWORD'
          : 'set SVC_ALERTS_TOKEN, or SVC_ALERTS_USER and SVC_ALERTS_PASSWORD',
      );
    case 404:
    case 410:
      if (status === 404 && isMissingSilence(answer, endpoint)) return missing();
      return failure('wrong_path', `${method} ${path} is not known there: ${text || 'no reason given'}`, CHECK_PATH);
    case 400:
    case 405:
    case 406:
    case 415:
    case 422:
    case 431:
      return failure(
        'refused',
        `the alert manager refused: ${text || `status ${status}`}`,
        refusalHint(answer, text, endpoint),
      );
    case 500:
      // Before 0.26 a missing silence is a failure of the server when it is deleted.
      if (method === 'DELETE' && text === 'silence not found') return missing();
      if (!text.includes('multiple matcher sets')) return undefined;
      return failure(
        'refused',
        `the alert manager cannot show this in its API v2: ${text}`,
        'list with matchers that leave this silence out; it can be expired by its whole id',
      );
    case 503:
      if (text.startsWith('Limit of concurrent GET')) {
        const hint = 'repeat it; its --web.get-concurrency raises the limit';
        return failure('server_error', `the alert manager is busy: ${text}`, hint);
      }
      if (!text.startsWith('Exceeded configured timeout')) return undefined;
      if (effect === 'read') {
        const hint = 'ask for less, or raise its --web.timeout';
        return failure('server_error', `the alert manager gave up: ${text}`, hint);
      }
      return failure(
        'outcome_unknown',
        `the alert manager gave up waiting for itself: ${text}; it mostly applies the write all the same`,
        'look with svc silences list or svc alerts list before you repeat it',
      );
    default:
      return undefined;
  }
}

/**
 * The service itself says "no such silence" with a JSON string, or with nothing at all. Text, HTML and JSON objects come
 * from its router or from a proxy: the address is wrong then, and nothing is known of the silence.
 */
function isMissingSilence({ contentType, text }: FailedAnswer, { method, path }: Call): boolean {
  if (!path.startsWith('/silence/') && !(method === 'POST' && path === '/silences')) return false;
  if (text.trim() === '') return contentType === '' || contentType.includes('json');
  return contentType.includes('json') && text.trimStart().startsWith('"');
}

function refusalHint({ status, text: body }: FailedAnswer, text: string, { method, path }: Call): string | undefined {
  if (status === 405) return CHECK_PATH;
  if (status === 431) return 'the request is too long: use fewer or shorter matchers';
  // A body that is no JSON or fails its schema is refused whole, with an object; a string speaks of some of the alerts.
  if (status === 400 && method === 'POST' && path === '/alerts' && body.startsWith('"')) {
    return 'where several alerts were sent, the valid ones were stored';
  }
  if (text.includes('parsing regexp')) return 'its regular expressions are RE2: no look-around, no back-references';
  if (text.startsWith('bad matcher format') || text.includes('invalid label name')) {
    return 'before 0.27, and in its classic mode, label names have letters, digits and _ only, and begin with no digit';
  }
  return text.includes('must not match the empty string')
    ? 'add a matcher that an alert without the label does not match'
    : undefined;
}
