/** The recording service: every endpoint of doc 2 §4 below /v1, and its client. */
import { type ErrorCode, SvcError } from '../../errors.ts';
import { type FailedAnswer, serviceMessage } from '../../http/answers.ts';
import { Client } from '../../http/client.ts';
import { type Confirmed, type EndpointShape, endpoint, Plan } from '../../http/endpoint.ts';
import { CHECK_FIRST } from '../../http/failures.ts';
import type { ReceivedList } from '../../http/json.ts';
import { redactText } from '../../http/redact.ts';
import type { Target } from '../../http/target.ts';
import { isObject, tryParseJson } from '../../json-object.ts';
import type { LogItem, Sample, Subscription } from './schema.ts';

type Schemas = typeof import('./schema.ts');

function schema<N extends keyof Schemas>(name: N): () => Promise<Schemas[N]> {
  return async () => (await import('./schema.ts'))[name];
}

const BY_ID = '/webhooks/{endpoint_id}';
const ENDPOINTS = {
  subscriptions: endpoint({ method: 'GET', path: '/webhooks', effect: 'read', answer: schema('subscriptionList') }),
  /** Not retryable: each success creates a subscription, and only this response has its secret. */
  create: endpoint({ method: 'POST', path: '/webhooks', effect: 'write', answer: schema('createdSubscription') }),
  /** The service clears `events` where it is missing, so it is always sent (doc 2 §4 rule 4). */
  update: endpoint({ method: 'PATCH', path: BY_ID, effect: 'write', answer: schema('updatedSubscription') }),
  delete: endpoint({ method: 'DELETE', path: BY_ID, effect: 'destroy', answer: schema('deletion') }),
  /** Of a subscription that the same run created, so that nobody has to confirm it. */
  takeBack: endpoint({ method: 'DELETE', path: BY_ID, effect: 'write', answer: schema('deletion') }),
  test: endpoint({ method: 'POST', path: `${BY_ID}/test`, effect: 'write', answer: schema('queuedTest') }),
  deliveries: endpoint({ method: 'GET', path: `${BY_ID}/deliveries`, effect: 'read', answer: schema('deliveryLog') }),
  samples: endpoint<Sample[]>({
    method: 'GET',
    path: '/webhook-events/samples',
    effect: 'read',
    item: schema('sample'),
  }),
};

export interface SubscriptionDraft {
  readonly url: string;
  readonly events: readonly string[];
}

export interface SubscriptionChange {
  readonly url?: string | undefined;
  /** Never omitted: the service would clear the list (doc 2 §4 rule 4). */
  readonly events: readonly string[];
}

export type Recordings = ReturnType<typeof openRecordings>;

export function openRecordings(target: Target) {
  const client = new Client(target, { basePath: '/v1', explain: explainRecordings });
  const byId = (id: string) => ({ params: { endpoint_id: id } });
  return {
    subscriptions: async (): Promise<readonly Subscription[]> => (await client.call(ENDPOINTS.subscriptions)).rows,
    create: async ({ url, events }: SubscriptionDraft) => client.send(ENDPOINTS.create, { body: { url, events } }),
    update: async (id: string, change: SubscriptionChange): Promise<Subscription | Plan> => {
      const answer = await client.send(ENDPOINTS.update, { ...byId(id), body: { ...change } });
      return answer instanceof Plan ? answer : answer.item;
    },
    delete: async (id: string, confirmed: Confirmed) => client.send(ENDPOINTS.delete, byId(id), confirmed),
    takeBack: async (id: string) => client.send(ENDPOINTS.takeBack, byId(id)),
    test: async (id: string) => client.send(ENDPOINTS.test, byId(id)),
    deliveries: async (
      id: string,
      { page, size }: { readonly page: number; readonly size: number },
    ): Promise<ReceivedList<LogItem>> =>
      client.call(ENDPOINTS.deliveries, { ...byId(id), query: { page, page_size: size } }),
    samples: (query: { readonly event?: string | undefined; readonly limit?: number | undefined }) =>
      client.items(ENDPOINTS.samples, { query }),
    answer: client.answer.bind(client),
    /** The service's clock minus ours, from the latest response with a date. */
    get clockSkewMs(): number | undefined {
      return client.clockSkewMs;
    },
    close: () => client.close(),
  };
}

type Call = Pick<EndpointShape, 'method' | 'path' | 'effect'>;

/** The cause of a failure that the service itself reported, and not a proxy. */
class ServiceMessage extends Error {
  override readonly name = 'ServiceMessage';
}

/** The service's own message about a failure; undefined if the failure is not the service's. */
export function messageOfService({ cause }: SvcError): string | undefined {
  return cause instanceof ServiceMessage ? cause.message : undefined;
}

/** A write whose response was lost. `found`: what the list shows of it. */
export function stillUnknown(error: SvcError, found: string, hint: string): SvcError {
  return new SvcError('outcome_unknown', `${error.message}; ${found}`, {
    hint,
    httpStatus: error.httpStatus,
    cause: error,
  });
}

/** Likewise if the list lacks the change or is unreadable. Only the service itself can say no. */
export function unresolved(
  error: SvcError,
  what: 'created' | 'updated' | 'deleted',
  listed: boolean,
  hint: string,
): SvcError {
  if (!listed) return stillUnknown(error, 'the list could not be read either', hint);
  const message = messageOfService(error);
  // Behind a proxy, or after a cut, a request may still be carried out.
  if (message === undefined) return stillUnknown(error, `the list does not show it as ${what} yet`, hint);
  const details = { httpStatus: error.httpStatus, cause: error };
  return new SvcError('server_error', `${message}; not ${what} (list checked)`, details);
}

export function explainRecordings(answer: FailedAnswer, { method, path, effect }: Call): SvcError | undefined {
  const { status } = answer;
  const own = serviceError(answer);
  const reason = own ?? serviceMessage(answer);
  const failure = (code: ErrorCode, message: string, hint?: string): SvcError =>
    new SvcError(code, message, { httpStatus: status, hint, cause: own && new ServiceMessage(own) });

  switch (status) {
    case 400:
    case 409:
    case 415:
    case 422:
      return failure('refused', reason || `the recording service refused the request: status ${status}`);
    case 401:
      return failure(
        'unauthorized',
        `the recording service rejected the credential${reason === '' ? '' : `: ${reason}`}`,
        answer.credentialSource === undefined
          ? 'sign in with svc oauth login, or set SVC_WEBHOOKS_TOKEN to a valid token'
          : `check ${answer.credentialSource}`,
      );
    case 404:
      if (own !== undefined && path.startsWith('/webhooks/')) {
        return failure('not_found', 'there is no subscription with this id', 'svc webhooks list shows them');
      }
      return failure(
        'wrong_path',
        `the service does not know ${method} ${path}: ${reason || 'no reason given'}`,
        'check the path of --base-url: svc adds /v1 to it',
      );
    case 429:
      return failure('limited', reason || 'the recording service answered 429', retryHint(answer));
  }
  // Failures of a proxy say nothing about the service, and are reported with the address.
  if (status < 500 || own === undefined) return undefined;
  const failed = `${method} ${path} answered ${status}: ${reason}`;
  if (effect === 'read') return failure('server_error', failed);
  return failure('outcome_unknown', `${failed}; it may have been applied`, CHECK_FIRST);
}

function retryHint({ headers }: FailedAnswer): string {
  const after = headers['retry-after'];
  return after !== undefined && /^\d{1,6}$/.test(after)
    ? `the service asks you to wait ${after} s before you try again`
    : 'wait before you try again';
}

const LONGEST = 300;

/** `code: message` if the body has the documented shape `{error: {code, message}}`. */
function serviceError({ text }: FailedAnswer): string | undefined {
  const value = tryParseJson(text);
  const error = isObject(value) ? value['error'] : undefined;
  if (!isObject(error) || typeof error['code'] !== 'string' || error['code'] === '') return undefined;
  const { code, message } = error;
  const reason = typeof message === 'string' && message !== '' ? `${code}: ${message}` : code;
  return redactText([...reason].slice(0, LONGEST).join(''));
}
