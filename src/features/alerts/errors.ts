/** What error responses mean: the three of doc 1 §7, and those of real servers and proxies. */
import { SvcError } from '../../errors.ts';
import { answerFailure, credentialFailure, type FailedAnswer, serviceMessage } from '../../http/answers.ts';
import type { EndpointShape } from '../../http/endpoint.ts';

type Call = Pick<EndpointShape, 'method' | 'path' | 'effect'>;

const CHECK_PATH = 'check the path of --base-url: svc adds /api/v2 to it';

const CREDENTIAL = 'SVC_ALERTS_TOKEN, or SVC_ALERTS_USER and SVC_ALERTS_PASSWORD';

/** Cortex and Mimir have one Alertmanager for each tenant. */
const TENANT = "name the tenant: svc config set alerts.headers 'X-Scope-OrgID: <tenant>'";
const UNCONFIGURED =
  'upload a configuration, for example with mimirtool alertmanager load, or name another tenant: X-Scope-OrgID in alerts.headers';

export function explainAlertmanager(answer: FailedAnswer, endpoint: Call): SvcError | undefined {
  const reason = serviceMessage(answer);
  return explainTenant(reason, answer.status) ?? explainStatus(answer, reason, endpoint);
}

function explainTenant(reason: string, httpStatus: number): SvcError | undefined {
  if (/\bno org ?id\b/i.test(reason)) {
    const message = `the server needs to know the tenant: ${reason}`;
    return new SvcError('unauthorized', message, { httpStatus, hint: TENANT });
  }
  if (!reason.includes('Alertmanager is not configured')) return undefined;
  const message = `this tenant has no Alertmanager configuration: ${reason}`;
  return new SvcError('refused', message, { httpStatus, hint: UNCONFIGURED });
}

function explainStatus(answer: FailedAnswer, reason: string, endpoint: Call): SvcError | undefined {
  switch (answer.status) {
    case 401:
      return explainCredential(answer, reason);
    case 404:
    case 410:
      return explainNotFound(answer, reason, endpoint);
    case 400:
      return explainLimit(answer, reason, endpoint) ?? explainRefusal(answer, reason, endpoint);
    case 405:
    case 406:
    case 415:
    case 422:
    case 431:
      return explainRefusal(answer, reason, endpoint);
    case 500:
      return explainServerError(answer, reason, endpoint);
    case 503:
      return explainOverload(answer, reason, endpoint);
    default:
      return undefined;
  }
}

function explainCredential(answer: FailedAnswer, reason: string): SvcError {
  const { credentialSent, credentialSource = CREDENTIAL } = answer;
  const hint = credentialSent ? `check ${credentialSource}` : `set ${CREDENTIAL}`;
  return credentialFailure(answer, 'Alertmanager', reason, hint);
}

function explainNotFound(answer: FailedAnswer, reason: string, endpoint: Call): SvcError {
  if (answer.status === 404 && isMissingSilence(answer, endpoint)) return missingSilence(answer);
  const { method, path } = endpoint;
  const message = `the server does not know ${method} ${path}: ${reason || 'no reason given'}`;
  return answerFailure(answer, 'wrong_path', message, CHECK_PATH);
}

function missingSilence(answer: FailedAnswer): SvcError {
  return answerFailure(answer, 'not_found', 'no silence has this id', 'svc silences list -a shows all silences');
}

function explainLimit(answer: FailedAnswer, reason: string, { method, path }: Call): SvcError | undefined {
  if (method !== 'POST' || path !== '/silences' || !/^(?:silence )?exceeded maximum /.test(reason)) return undefined;
  const hint = 'the limits are --silences.max-silences and --silences.max-silence-size-bytes of the server';
  return answerFailure(answer, 'limited', `Alertmanager has a limit: ${reason}`, hint);
}

function explainRefusal(answer: FailedAnswer, reason: string, endpoint: Call): SvcError {
  const message = `Alertmanager refused the request: ${reason || `status ${answer.status}`}`;
  return answerFailure(answer, 'refused', message, refusalHint(answer, reason, endpoint));
}

function explainServerError(answer: FailedAnswer, reason: string, { method }: Call): SvcError | undefined {
  // Before 0.26, deleting a missing silence is a server error.
  if (method === 'DELETE' && reason === 'silence not found') return missingSilence(answer);
  if (!reason.includes('multiple matcher sets')) return undefined;
  return answerFailure(
    answer,
    'refused',
    `Alertmanager cannot show this silence in its API v2: ${reason}`,
    'exclude the silence with matchers; to expire it, pass its full id',
  );
}

function explainOverload(answer: FailedAnswer, reason: string, { effect }: Call): SvcError | undefined {
  if (reason.startsWith('Limit of concurrent GET')) {
    const hint = 'try again, or raise --web.get-concurrency of the server';
    return answerFailure(answer, 'server_error', `Alertmanager is busy: ${reason}`, hint);
  }
  if (!reason.startsWith('Exceeded configured timeout')) return undefined;
  if (effect === 'read') {
    const hint = 'add matchers, or raise --web.timeout of the server';
    return answerFailure(answer, 'server_error', `Alertmanager timed out: ${reason}`, hint);
  }
  return answerFailure(
    answer,
    'outcome_unknown',
    `Alertmanager timed out: ${reason}; it has probably applied the write`,
    'check with svc silences list or svc alerts list before you repeat it',
  );
}

/** Any other body than a JSON string or an empty one is from a router or a proxy. */
function isMissingSilence({ contentType, text }: FailedAnswer, { method, path }: Call): boolean {
  if (!path.startsWith('/silence/') && !(method === 'POST' && path === '/silences')) return false;
  if (text.trim() === '') return contentType === '' || contentType.includes('json');
  return contentType.includes('json') && text.trimStart().startsWith('"');
}

function refusalHint({ status, text: body }: FailedAnswer, reason: string, { method, path }: Call): string | undefined {
  if (status === 405) return CHECK_PATH;
  if (status === 431) return 'the request is too long: use fewer or shorter matchers';
  // An object means that the server refused the body; a string is about some of the alerts.
  if (status === 400 && method === 'POST' && path === '/alerts' && body.startsWith('"')) {
    return 'if you sent several alerts, the valid ones were stored';
  }
  if (reason.includes('parsing regexp')) return 'regular expressions are RE2: no look-around, no back-references';
  if (reason.startsWith('bad matcher format') || reason.includes('invalid label name')) {
    return 'before 0.27, label names can have only letters, digits and _, and no digit at the beginning';
  }
  return reason.includes('must not match the empty string')
    ? 'add a matcher that requires a value, such as team=db'
    : undefined;
}
