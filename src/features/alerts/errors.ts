/** What error responses mean: the three of doc 1 §7, and those of real servers and proxies. */
import type { SvcError } from '../../errors.ts';
import { answerFailure, credentialFailure, type FailedAnswer, serviceMessage } from '../../http/answers.ts';
import type { EndpointShape } from '../../http/endpoint.ts';

type Call = Pick<EndpointShape, 'method' | 'path'>;

const CHECK_PATH = 'check the path of --base-url: svc adds /api/v2 to it';
const CREDENTIAL = 'SVC_ALERTS_TOKEN, or SVC_ALERTS_USER and SVC_ALERTS_PASSWORD';
/** Cortex and Mimir have one Alertmanager for each tenant. */
const TENANT = "name the tenant: svc config set alerts.headers 'X-Scope-OrgID: <tenant>'";

/** Undefined for what means the same from any service. */
export function explainAlertmanager(answer: FailedAnswer, endpoint: Call): SvcError | undefined {
  const { status } = answer;
  const reason = serviceMessage(answer);
  if (status === 401) return explainCredential(answer, reason);
  if (isMissingSilence(answer, reason, endpoint))
    return answerFailure(answer, 'not_found', 'no silence has this id', 'svc silences list -a shows all silences');
  if (status === 400 && /^(?:silence )?exceeded maximum /.test(reason)) {
    const hint = 'the limits are --silences.max-silences and --silences.max-silence-size-bytes of the server';
    return answerFailure(answer, 'limited', `Alertmanager has a limit: ${reason}`, hint);
  }
  if (isRefusal(status, reason)) {
    const message = `Alertmanager refused the request: ${reason || `status ${status}`}`;
    return answerFailure(answer, 'refused', message, refusalHint(status, reason));
  }
  if (status !== 404 && status !== 410) return undefined;
  const message = `the server does not know ${endpoint.method} ${endpoint.path}: ${reason || 'no reason given'}`;
  return answerFailure(answer, 'wrong_path', message, CHECK_PATH);
}

function explainCredential(answer: FailedAnswer, reason: string): SvcError {
  const { credentialSent, credentialSource = CREDENTIAL } = answer;
  const hint = credentialSent ? `check ${credentialSource}` : `set ${CREDENTIAL}`;
  return credentialFailure(answer, 'Alertmanager', reason, /\bno org ?id\b/i.test(reason) ? TENANT : hint);
}

function isMissingSilence({ status, contentType, text }: FailedAnswer, reason: string, { method, path }: Call) {
  // Before 0.26, deleting a missing silence is a server error.
  if (status === 500) return method === 'DELETE' && reason === 'silence not found';
  if (status !== 404 || !(path.startsWith('/silence/') || (method === 'POST' && path === '/silences'))) return false;
  // Any other body than a JSON string or an empty one is from a router or a proxy.
  if (text.trim() === '') return contentType === '' || contentType.includes('json');
  return contentType.includes('json') && text.trimStart().startsWith('"');
}

function isRefusal(status: number, reason: string): boolean {
  if ([400, 405, 406, 415, 422, 431].includes(status)) return true;
  return (
    reason.includes('Alertmanager is not configured') || (status === 500 && reason.includes('multiple matcher sets'))
  );
}

const HINTS: readonly (readonly [reason: RegExp, hint: string])[] = [
  [/parsing regexp/, 'regular expressions are RE2: no look-around, no back-references'],
  [
    /^bad matcher format|invalid label name/,
    'before 0.27, label names can have only letters, digits and _, and no digit at the beginning',
  ],
  [/must not match the empty string/, 'add a matcher that requires a value, such as team=db'],
  [/multiple matcher sets/, 'exclude the silence with matchers; to expire it, pass its full id'],
  [/is not configured/, `upload a configuration of this tenant (mimirtool alertmanager load), or ${TENANT}`],
];

function refusalHint(status: number, reason: string): string | undefined {
  if (status === 405) return CHECK_PATH;
  if (status === 431) return 'the request is too long: use fewer or shorter matchers';
  return HINTS.find(([pattern]) => pattern.test(reason))?.[1];
}
