/** The resources of doc 2 §2 in responses, read leniently: unknown fields are preserved, states are numbers, and only the needed fields are required. */
import * as z from 'zod/mini';

export const subscription = z.looseObject({
  id: z.string(),
  url: z.string(),
  /** Servers in Go write an empty list as null. */
  events: z.nullable(z.array(z.string())),
  status: z.number(),
  consecutive_failures: z.optional(z.number()),
  created_at: z.nullish(z.string()),
  updated_at: z.nullish(z.string()),
});
export type Subscription = z.infer<typeof subscription>;

export const subscriptionList = z.looseObject({ items: z.nullable(z.array(subscription)) });

/** Accepts anything: the only place where the secret ever appears must not be lost because of a missing field. */
export const createdSubscription = z.looseObject({});
export type CreatedSubscription = z.infer<typeof createdSubscription>;

export const updatedSubscription = z.looseObject({ item: subscription });

export const deletion = z.looseObject({ ok: z.boolean() });

export const queuedTest = z.looseObject({ event_id: z.optional(z.string()), queued: z.boolean() });

const logItem = z.looseObject({
  id: z.string(),
  event_id: z.string(),
  event_type: z.optional(z.string()),
  status: z.number(),
  attempts: z.optional(z.number()),
  last_error: z.nullish(z.string()),
  delivered_at: z.nullish(z.string()),
  created_at: z.nullish(z.string()),
});
export type LogItem = z.infer<typeof logItem>;

export const deliveryLog = z.looseObject({ items: z.nullable(z.array(logItem)) });

export const sample = z.looseObject({});
export type Sample = z.infer<typeof sample>;
