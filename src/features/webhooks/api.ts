/** The recording service: every endpoint of doc 2 §4 below /v1, and its client. */
import { openClient } from '../../http/client.ts';
import { type Confirmed, endpoint, Plan } from '../../http/endpoint.ts';
import type { Target } from '../../http/target.ts';
import { explainRecordings } from './failed-answer.ts';
import type { LogItem, Sample, Subscription } from './schema.ts';

type Schemas = typeof import('./schema.ts');

/** Loads with the first response. */
function schema<N extends keyof Schemas>(name: N): () => Promise<Schemas[N]> {
  return async () => (await import('./schema.ts'))[name];
}

const ENDPOINTS = {
  subscriptions: endpoint({ method: 'GET', path: '/webhooks', effect: 'read', answer: schema('subscriptionList') }),
  /** Not retryable: each success creates a subscription, and only this response has its secret. */
  create: endpoint({ method: 'POST', path: '/webhooks', effect: 'write', answer: schema('createdSubscription') }),
  /** The service clears `events` where it is missing, so it is always sent (doc 2 §4 rule 4). */
  update: endpoint({
    method: 'PATCH',
    path: '/webhooks/{endpoint_id}',
    effect: 'write',
    answer: schema('updatedSubscription'),
  }),
  delete: endpoint({
    method: 'DELETE',
    path: '/webhooks/{endpoint_id}',
    effect: 'destroy',
    answer: schema('deletion'),
  }),
  /** Of a subscription that the same run created, so that nobody has to confirm it. */
  takeBack: endpoint({
    method: 'DELETE',
    path: '/webhooks/{endpoint_id}',
    effect: 'write',
    answer: schema('deletion'),
  }),
  test: endpoint({
    method: 'POST',
    path: '/webhooks/{endpoint_id}/test',
    effect: 'write',
    answer: schema('queuedTest'),
  }),
  deliveries: endpoint({
    method: 'GET',
    path: '/webhooks/{endpoint_id}/deliveries',
    effect: 'read',
    answer: schema('deliveryLog'),
  }),
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
  const client = openClient(target, { basePath: '/v1', explain: explainRecordings });
  const byId = (id: string) => ({ params: { endpoint_id: id } });
  return {
    subscriptions: async (): Promise<readonly Subscription[]> =>
      (await client.call(ENDPOINTS.subscriptions)).items ?? [],
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
    ): Promise<readonly LogItem[]> =>
      (await client.call(ENDPOINTS.deliveries, { ...byId(id), query: { page, page_size: size } })).items ?? [],
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
