/** The recording service: every endpoint of doc 2 §4 below /v1, and its client. */
import { type Client, openClient } from '../../http/client.ts';
import { answered, type Confirmed, endpoint, Plan } from '../../http/endpoint.ts';
import type { Target } from '../../http/target.ts';
import { explainRecordings } from './failed-answer.ts';
import type {
  CreatedSubscription,
  Deletion,
  DeliveryLog,
  LogItem,
  QueuedTest,
  Sample,
  Subscription,
  SubscriptionList,
  UpdatedSubscription,
} from './schema.ts';

const schemas = () => import('./schema.ts');

const endpoints = {
  getSubscriptions: endpoint<SubscriptionList>({
    method: 'GET',
    path: '/webhooks',
    effect: 'read',
    answer: async () => (await schemas()).subscriptionList,
  }),
  /** Not repeatable: each success makes a subscription, and its secret is in this answer alone. */
  postSubscription: endpoint<CreatedSubscription>({
    method: 'POST',
    path: '/webhooks',
    effect: 'write',
    answer: async () => (await schemas()).createdSubscription,
  }),
  /** What it does not name is cleared: `events` always goes along (doc 2 §4 rule 4). */
  patchSubscription: endpoint<UpdatedSubscription>({
    method: 'PATCH',
    path: '/webhooks/{endpoint_id}',
    effect: 'write',
    answer: async () => (await schemas()).updatedSubscription,
  }),
  deleteSubscription: endpoint<Deletion>({
    method: 'DELETE',
    path: '/webhooks/{endpoint_id}',
    effect: 'destroy',
    answer: async () => (await schemas()).deletion,
  }),
  /** The same for a subscription that this very command has made, and whose secret is lost: nobody is asked. */
  withdrawSubscription: endpoint<Deletion>({
    method: 'DELETE',
    path: '/webhooks/{endpoint_id}',
    effect: 'write',
    answer: async () => (await schemas()).deletion,
  }),
  postTest: endpoint<QueuedTest>({
    method: 'POST',
    path: '/webhooks/{endpoint_id}/test',
    effect: 'write',
    answer: async () => (await schemas()).queuedTest,
  }),
  getDeliveries: endpoint<DeliveryLog>({
    method: 'GET',
    path: '/webhooks/{endpoint_id}/deliveries',
    effect: 'read',
    answer: async () => (await schemas()).deliveryLog,
  }),
  getSamples: endpoint<Sample[]>({
    method: 'GET',
    path: '/webhook-events/samples',
    effect: 'read',
    item: async () => (await schemas()).sample,
  }),
};

export interface SubscriptionDraft {
  readonly url: string;
  readonly events: readonly string[];
}

export interface SubscriptionChange {
  /** Undefined: it stays. */
  readonly url?: string | undefined;
  /** Never left out: the service would clear the list (doc 2 §4 rule 4). */
  readonly events: readonly string[];
}

export interface Page {
  readonly page: number;
  readonly size: number;
}

export interface Recordings {
  subscriptions(): Promise<readonly Subscription[]>;
  create(draft: SubscriptionDraft): Promise<CreatedSubscription | Plan>;
  update(id: string, change: SubscriptionChange): Promise<Subscription | Plan>;
  delete(id: string, confirmed: Confirmed): Promise<Deletion | Plan>;
  /** As `delete`, unasked: only for a subscription that the command itself has made. */
  withdraw(id: string): Promise<Deletion>;
  test(id: string): Promise<QueuedTest | Plan>;
  deliveries(id: string, page: Page): Promise<readonly LogItem[]>;
  samples(query: { readonly event?: string | undefined; readonly limit?: number | undefined }): AsyncIterable<Sample>;
  /** Any request below the service's base path, and its answer as it came. */
  answer: Client['answer'];
  /** The service's clock minus ours, of the latest answer that had a date. */
  readonly clockSkewMs: number | undefined;
  close(): Promise<void>;
}

export function openRecordings(target: Target): Recordings {
  const client = openClient(target, { basePath: '/v1', explain: explainRecordings });
  const byId = (id: string) => ({ params: { endpoint_id: id } });
  return {
    subscriptions: async () => (await client.call(endpoints.getSubscriptions)).items ?? [],
    create: async ({ url, events }) => client.send(endpoints.postSubscription, { body: { url, events } }),
    update: async (id, change) => {
      const answer = await client.send(endpoints.patchSubscription, { ...byId(id), body: { ...change } });
      return answer instanceof Plan ? answer : answer.item;
    },
    delete: async (id, confirmed) => client.send(endpoints.deleteSubscription, byId(id), confirmed),
    withdraw: async (id) => answered(await client.send(endpoints.withdrawSubscription, byId(id))),
    test: async (id) => client.send(endpoints.postTest, byId(id)),
    deliveries: async (id, { page, size }) =>
      (await client.call(endpoints.getDeliveries, { ...byId(id), query: { page, page_size: size } })).items ?? [],
    samples: ({ event, limit }) => client.items(endpoints.getSamples, { query: { event, limit } }),
    answer: client.answer.bind(client),
    get clockSkewMs() {
      return client.clockSkewMs;
    },
    close: () => client.close(),
  };
}
