/**
 * What the alert manager's answers of 400 and above mean. Doc 1 §7 has three of them; the others are what real servers and
 * the proxies before them answer. What is not here the transport reads in the common way.
 */
import { type ErrorCode, SvcError } from '../../errors.ts';
import { type FailedAnswer, serviceMessage } from '../../http/answers.ts';
import type { EndpointShape } from '../../http/endpoint.ts';

type Call = Pick<EndpointShape, 'method' | 'path' | 'effect'>;

export function explainAlertmanager(answer: FailedAnswer, endpoint: Call): SvcError | undefined {
  const words = serviceMessage(answer);
  const failure = (code: ErrorCode, message: string, hint?: string): SvcError =>
    new SvcError(code, message, { httpStatus: answer.status, ...(hint === undefined ? {} : { hint }) });

  switch (answer.status) {
    case 401:
      return failure(
        'unauthorized',
        `the alert manager, or a proxy in front of it, ${answer.credentialSent ? 'refused the credential' : 'wants a credential'}${words === '' ? '' : `: ${words}`}`,
        answer.credentialSent
          ? 'it is wrong or has expired: check SVC_ALERTS_TOKEN, or SVC_ALERTS_USER and SVC_ALERTS_PASSWORD'
          : 'set SVC_ALERTS_TOKEN, or SVC_ALERTS_USER and SVC_ALERTS_PASSWORD',
      );
    case 404:
      if (isMissingSilence(answer, endpoint)) return failure('not_found', NO_SILENCE, LIST_SILENCES);
      return failure(
        'wrong_path',
        `${endpoint.method} ${endpoint.path} is not known there: ${words || 'no reason given'}`,
        CHECK_PATH,
      );
    case 410:
      return failure('wrong_path', `the interface is gone there: ${words || 'no reason given'}`, CHECK_PATH);
    case 400:
    case 405:
    case 406:
    case 415:
    case 422:
    case 431:
      return failure(
        'refused',
        `the alert manager refused: ${words || `status ${answer.status}`}`,
        refusalHint(answer, words, endpoint),
      );
    case 500:
      // Before 0.26 a missing silence is a failure of the server when it is deleted.
      if (endpoint.method === 'DELETE' && words === 'silence not found')
        return failure('not_found', NO_SILENCE, LIST_SILENCES);
      if (words.includes('multiple matcher sets')) {
        return failure('refused', `the alert manager cannot show this in its API v2: ${words}`, MATCHER_SETS);
      }
      return undefined;
    case 503:
      return unavailable(words, endpoint, failure);
    default:
      return undefined;
  }
}

const NO_SILENCE = 'there is no silence with this id';
const LIST_SILENCES = 'svc silences list -a shows all, expired ones too';
const CHECK_PATH = 'check the path of --base-url: svc adds /api/v2 to it';
const MATCHER_SETS = 'list with matchers that leave this silence out; it can be expired by its whole id';

/**
 * The service itself says "no such silence" with a JSON string, or with nothing at all. Text, HTML and JSON objects come
 * from its router or from a proxy: the address is wrong then, and nothing is known of the silence.
 */
function isMissingSilence({ contentType, text }: FailedAnswer, { method, path }: Call): boolean {
  if (!path.startsWith('/silence/') && !(method === 'POST' && path === '/silences')) return false;
  if (text.trim() === '') return contentType === '' || contentType.includes('json');
  return contentType.includes('json') && text.trimStart().startsWith('"');
}

function refusalHint({ status, text }: FailedAnswer, words: string, { method, path }: Call): string | undefined {
  if (status === 405) return CHECK_PATH;
  if (status === 431) return 'the request is too long: use fewer or shorter matchers';
  // A body that is no JSON or fails its schema is refused whole, with an object; a string speaks of some of the alerts.
  if (status === 400 && method === 'POST' && path === '/alerts' && text.startsWith('"')) {
    return 'where several alerts were sent, the valid ones were stored';
  }
  if (words.includes('parsing regexp')) return 'its regular expressions are RE2: no look-around, no back-references';
  if (words.startsWith('bad matcher format') || words.includes('invalid label name')) {
    return 'before 0.27, and in its classic mode, label names have letters, digits and _ only, and begin with no digit';
  }
  if (words.includes('must not match the empty string')) {
    return 'add a matcher that an alert without the label does not match';
  }
  return undefined;
}

function unavailable(
  words: string,
  { effect }: Call,
  failure: (code: ErrorCode, message: string, hint: string) => SvcError,
): SvcError | undefined {
  if (words.startsWith('Limit of concurrent GET')) {
    return failure(
      'server_error',
      `the alert manager is busy: ${words}`,
      'repeat it; its --web.get-concurrency raises the limit',
    );
  }
  if (!words.startsWith('Exceeded configured timeout')) return undefined;
  if (effect === 'read') {
    return failure('server_error', `the alert manager gave up: ${words}`, 'ask for less, or raise its --web.timeout');
  }
  return failure(
    'outcome_unknown',
    `the alert manager gave up waiting for itself: ${words}; it mostly applies the write all the same`,
    'look with svc silences list or svc alerts list before you repeat it',
  );
}
