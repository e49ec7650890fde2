/** Every endpoint of doc 2 §4 below /v1. */
import { endpoint } from '../../http/endpoint.ts';
import type {
  CreatedSubscription,
  Deletion,
  DeliveryLog,
  QueuedTest,
  Sample,
  SubscriptionList,
  UpdatedSubscription,
} from './schema.ts';

const schemas = () => import('./schema.ts');

export const getSubscriptions = endpoint<SubscriptionList>({
  method: 'GET',
  path: '/webhooks',
  effect: 'read',
  answer: async () => (await schemas()).subscriptionList,
});

/** Not repeatable: each success makes a subscription, and its secret is in this answer alone. */
export const postSubscription = endpoint<CreatedSubscription>({
  method: 'POST',
  path: '/webhooks',
  effect: 'write',
  answer: async () => (await schemas()).createdSubscription,
});

/** What it does not name is cleared: `events` always goes along (doc 2 §4 rule 4). */
export const patchSubscription = endpoint<UpdatedSubscription>({
  method: 'PATCH',
  path: '/webhooks/{endpoint_id}',
  effect: 'write',
  answer: async () => (await schemas()).updatedSubscription,
});

export const deleteSubscription = endpoint<Deletion>({
  method: 'DELETE',
  path: '/webhooks/{endpoint_id}',
  effect: 'destroy',
  answer: async () => (await schemas()).deletion,
});

/** The same for a subscription that this very command has made, and whose secret is lost: nobody is asked. */
export const withdrawSubscription = endpoint<Deletion>({
  method: 'DELETE',
  path: '/webhooks/{endpoint_id}',
  effect: 'write',
  answer: async () => (await schemas()).deletion,
});

export const postTest = endpoint<QueuedTest>({
  method: 'POST',
  path: '/webhooks/{endpoint_id}/test',
  effect: 'write',
  answer: async () => (await schemas()).queuedTest,
});

export const getDeliveries = endpoint<DeliveryLog>({
  method: 'GET',
  path: '/webhooks/{endpoint_id}/deliveries',
  effect: 'read',
  answer: async () => (await schemas()).deliveryLog,
});

export const getSamples = endpoint<Sample[]>({
  method: 'GET',
  path: '/webhook-events/samples',
  effect: 'read',
  item: async () => (await schemas()).sample,
});
