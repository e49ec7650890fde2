/** Doc 2 §2, read leniently: unknown fields stay, states are numbers, and little is required. */
import * as z from 'zod/mini';
import { flag, identifier, number, optional, text } from '../../http/fields.ts';
import { listParser } from '../../http/json.ts';

export const subscription = z.looseObject({
  id: identifier,
  url: optional(text),
  /** Null is not an empty list: an update would clear events that the service has not shown. */
  events: optional(z.array(text)),
  status: optional(number),
  consecutive_failures: optional(number),
  created_at: optional(text),
  updated_at: optional(text),
});
export type Subscription = z.infer<typeof subscription>;

export const subscriptionList = listParser(subscription, 'subscription');

/** Accepts anything: a missing field must not lose the only place where the secret ever appears. */
export const createdSubscription = z.looseObject({ endpoint_id: optional(identifier) });
export type CreatedSubscription = z.infer<typeof createdSubscription>;

export const updatedSubscription = z.looseObject({ item: subscription });

export const deletion = z.looseObject({ ok: flag });

export const queuedTest = z.looseObject({ event_id: optional(identifier), queued: flag });

const logItem = z.looseObject({
  id: identifier,
  event_id: optional(text),
  event_type: optional(text),
  status: optional(number),
  attempts: optional(number),
  last_error: optional(text),
  delivered_at: optional(text),
  created_at: optional(text),
});
export type LogItem = z.infer<typeof logItem>;

export const deliveryLog = listParser(logItem, 'delivery');

export const sample = z.looseObject({});
export type Sample = z.infer<typeof sample>;
