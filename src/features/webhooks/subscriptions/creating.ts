/**
 * Checks quota and duplicates, and sends the POST once. There is no idempotency key (doc 2 §4
 * rule 3): after a lost response the list shows the outcome, but the secret is lost (rule 2).
 */
import type { RunContext } from '../../../cli/command.ts';
import { interruptionOf, SvcError } from '../../../errors.ts';
import { Plan } from '../../../http/endpoint.ts';
import { Secret } from '../../../http/redact.ts';
import { jsonText } from '../../../json-object.ts';
import { shellWord } from '../../../output/escape.ts';
import { type Recordings, type SubscriptionDraft, stillUnknown, unresolved } from '../api.ts';
import type { CreatedSubscription, Subscription } from '../schema.ts';
import { fingerprint } from '../signature.ts';
import {
  DISABLED,
  describeSubscription,
  eventsOf,
  eventText,
  QUOTA,
  sameAddress,
  sameEvents,
  subscriptionStatus,
} from './subscription.ts';

interface Creation {
  readonly dryRun: boolean;
  readonly allowDuplicate: boolean;
  /** Stores the secret before anything is printed. */
  keep(secret: Secret, id: string): Promise<void>;
  /** Runs the request and stores the secret: an interruption in between would lose it. */
  runToEnd<T>(work: () => Promise<T>): Promise<T>;
  notice(text: string): void;
}

/** Stands for the id where neither the response nor the list has it. */
export const UNKNOWN_ID = 'unknown';

interface Created {
  readonly id: string;
  readonly secret: Secret;
  /** The service's response without the secret. */
  readonly answer: Omit<CreatedSubscription, 'secret'>;
  /** A difference from what was requested. */
  readonly fault: SvcError | undefined;
}

export async function createSubscription(
  draft: SubscriptionDraft,
  recordings: Recordings,
  creation: Creation,
): Promise<Created | Plan> {
  const { dryRun, allowDuplicate, runToEnd } = creation;
  // A dry run connects to nothing.
  const before = dryRun ? [] : await recordings.subscriptions();
  const same = allowDuplicate ? undefined : before.find((one) => sameAddress(one.url, draft.url));
  if (same !== undefined) {
    throw new SvcError('guarded', `${same.id} already points at this url (events ${eventText(eventsOf(same))})`, {
      hint: `change it with svc webhooks update ${shellWord(same.id)}, or pass --allow-duplicate`,
    });
  }
  checkQuota(before, creation);
  return runToEnd(() => post(draft, before, recordings, creation));
}

async function post(
  draft: SubscriptionDraft,
  before: readonly Subscription[],
  recordings: Recordings,
  { keep }: Creation,
): Promise<Created | Plan> {
  /** New subscriptions for this address; undefined if the list cannot be read. */
  const newOnes = async (): Promise<readonly Subscription[] | undefined> => {
    const after = await recordings.subscriptions().catch(() => undefined);
    return after?.filter((one) => sameAddress(one.url, draft.url) && !before.some(({ id }) => id === one.id));
  };
  const response = await recordings.create(draft).catch(async (error: unknown) => {
    if (!(error instanceof SvcError)) throw error;
    throw error.code === 'outcome_unknown' ? explainLoss(error, await newOnes()) : error;
  });
  if (response instanceof Plan) return response;
  const { secret: text, ...answer } = response;
  const { endpoint_id: named } = answer;
  const given = typeof named === 'string' && named !== '' ? named : undefined;
  const id = given ?? (await newOnes())?.[0]?.id ?? UNKNOWN_ID;
  const hint = `svc webhooks delete ${shellWord(id)}, then create it again`;
  if (typeof text !== 'string' || text === '') {
    throw new SvcError(
      'not_as_asked',
      `${id} was created, but the response has no secret, and the secret cannot be fetched`,
      { hint },
    );
  }
  const secret = new Secret(text);
  await keep(secret, id).catch((cause: unknown) => {
    if (!(cause instanceof SvcError)) throw cause;
    const message = `${id} was created, but its secret could not be stored: ${cause.message}`;
    throw new SvcError('not_as_asked', message, { hint, cause });
  });
  return { id, secret, answer, fault: faultOf(given, answer['events'], draft) };
}

/** The secret is stored by now, so the subscription is shown, whatever the response lacks. */
function faultOf(id: string | undefined, events: unknown, draft: SubscriptionDraft): SvcError | undefined {
  if (id === undefined) {
    return new SvcError('not_as_asked', 'created, but the response has no endpoint_id', { hint: 'svc webhooks list' });
  }
  const texts = Array.isArray(events) ? events.map(jsonText) : draft.events;
  if (sameEvents(texts, draft.events)) return undefined;
  return new SvcError('not_as_asked', `events are ${eventText(texts)}, expected ${eventText(draft.events)}`, {
    hint: `svc webhooks update ${shellWord(id)} --set-event ${draft.events.join(',')}`,
  });
}

export function checkQuota(before: readonly Subscription[], { notice }: Pick<Creation, 'notice'>): void {
  if (before.length >= QUOTA) throw quotaFailure(before, notice);
}

function quotaFailure(subscriptions: readonly Subscription[], notice: (text: string) => void): SvcError {
  for (const one of subscriptions) notice(describeSubscription(one));
  const disabled = subscriptions.filter(({ status }) => status === DISABLED);
  const message = `quota: ${subscriptions.length} of ${QUOTA} subscriptions used, ${disabled.length} of them disabled`;
  const [first] = disabled;
  return new SvcError('quota_used', message, {
    hint: `svc webhooks delete ${first === undefined ? '<id>' : shellWord(first.id)}`,
  });
}

function explainLoss(error: SvcError, orphans: readonly Subscription[] | undefined): SvcError {
  const hint = 'check before you repeat it: svc webhooks list';
  const [orphan, ...more] = orphans ?? [];
  if (orphan === undefined) return unresolved(error, 'created', orphans !== undefined, hint);
  const ids = [orphan, ...more].map(({ id }) => id).join(', ');
  if (more.length > 0) return stillUnknown(error, `several new subscriptions have this url: ${ids}`, hint);
  const message = `${ids} was created, but its secret was lost in transit and cannot be fetched`;
  return new SvcError('not_as_asked', message, {
    hint: `svc webhooks delete ${shellWord(ids)}, then create it again`,
    httpStatus: error.httpStatus,
    cause: error,
  });
}

/** The service's response, and what svc adds. */
export interface CreatedRow {
  readonly id: string;
  readonly status_text: string;
  readonly secret_fingerprint: string;
  /** Only with --show-secret. */
  readonly secret?: string | undefined;
  /** `stored`, `in key.txt`, `shown`. */
  readonly secret_stored: string;
  readonly [field: string]: unknown;
}

export function createdRow(
  { id, secret, answer }: Created,
  { shows, where }: { readonly shows: boolean; readonly where: string },
): CreatedRow {
  const { status } = answer;
  return {
    ...answer,
    id,
    status_text: typeof status === 'number' ? subscriptionStatus(status) : 'unknown',
    secret: shows ? secret.reveal() : undefined,
    secret_fingerprint: fingerprint({ key: secret, source: id }),
    secret_stored: where,
  };
}

const GRACE_MS = 3_000;

/** `runToEnd`, to create and store, outlasts a first signal. `signal` is for all requests. */
export function deferInterruptions(ctx: Pick<RunContext, 'signal' | 'sleep' | 'takeSignals'>) {
  const stop = new AbortController();
  let came: SvcError | undefined;
  const end = (): void => stop.abort(came);
  return {
    signal: AbortSignal.any([ctx.signal, stop.signal]),
    async runToEnd<T>(work: () => Promise<T>): Promise<T> {
      const over = new AbortController();
      const release = ctx.takeSignals((name) => {
        if (came !== undefined) end();
        came ??= interruptionOf(name);
        ctx.sleep(GRACE_MS, over.signal).then(end, () => {});
      });
      try {
        return await work();
      } finally {
        over.abort();
        release();
        if (came !== undefined) end();
      }
    },
    /** The signal that arrived, although there is a result. */
    interruption: () => came,
  };
}
