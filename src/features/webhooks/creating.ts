/**
 * Creating a subscription safely: the quota and doubles are looked for first, the POST goes out once, and an answer that is lost is
 * settled by reading the list, for the create has no idempotency key (doc 2 §4 rule 3) and its secret is told once (rule 2).
 */

import type { RunContext } from '../../cli/command.ts';
import { endedBy, SvcError } from '../../errors.ts';
import { shellWord } from '../../http/as-curl.ts';
import { Plan } from '../../http/endpoint.ts';
import { Secret } from '../../http/redact.ts';
import { jsonText } from '../../json-object.ts';
import type { Recordings, SubscriptionDraft } from './api.ts';
import { messageOfService } from './failed-answer.ts';
import type { CreatedSubscription, Subscription } from './schema.ts';
import { DISABLED, eventsOf, eventText, QUOTA, quotaText, sameEvents, subscriptionStatus } from './subscription.ts';
import { sameAddress } from './subscription-url.ts';

interface Creation {
  readonly dryRun: boolean;
  readonly allowDuplicate: boolean;
  /** Deletes a subscription whose secret was lost on the way, and makes it again, once. */
  readonly recover: boolean;
  /** Puts the secret where it is safe. Called before anything is told. */
  keep(secret: Secret, id: string): Promise<void>;
  /** Runs what would lose the secret where it is broken off: the request, and the keeping. */
  unbroken<T>(work: () => Promise<T>): Promise<T>;
  notice(text: string): void;
}

export interface Created {
  readonly id: string;
  readonly secret: Secret;
  /** The service's answer without the secret. */
  readonly answer: Omit<CreatedSubscription, 'secret'>;
  /** What is not as it was asked for. */
  readonly fault: SvcError | undefined;
}

export async function createSubscription(
  draft: SubscriptionDraft,
  recordings: Recordings,
  creation: Creation,
): Promise<Created | Plan> {
  // In a dry run the request follows from the arguments, and nothing is connected to.
  const before = creation.dryRun ? [] : await recordings.subscriptions();
  checkDuplicate(before, draft, creation);
  checkQuota(before, creation);
  try {
    return await post(draft, before, recordings, creation);
  } catch (error) {
    if (!(error instanceof LostSecret) || !creation.recover) throw error;
    creation.notice(`${error.message}; deleting it and creating it again`);
    const { ok } = await recordings.withdraw(error.id).catch((cause: unknown) => failedRecovery(error, cause));
    if (!ok) failedRecovery(error, new SvcError('refused', 'server answered ok:false'));
    return post(
      draft,
      before.filter(({ id }) => id !== error.id),
      recordings,
      { ...creation, recover: false },
    );
  }
}

async function post(
  draft: SubscriptionDraft,
  before: readonly Subscription[],
  recordings: Recordings,
  creation: Creation,
): Promise<Created | Plan> {
  return creation.unbroken(async () => {
    const answer = await recordings
      .create(draft)
      .catch((error: unknown) => explainFailure(error, draft, before, recordings, creation));
    return answer instanceof Plan ? answer : finish(answer, before, draft, recordings, creation);
  });
}

/** A subscription that is there, and whose secret nobody has. */
class LostSecret extends SvcError {
  readonly id: string;

  constructor(id: string, cause: SvcError) {
    super('not_as_asked', `${id} was created but its secret was lost in transit and cannot be fetched`, {
      hint: `svc webhooks delete ${shellWord(id)} && svc webhooks create …  (--recover does both)`,
      cause,
      ...(cause.httpStatus === undefined ? {} : { httpStatus: cause.httpStatus }),
    });
    this.id = id;
  }
}

function failedRecovery(lost: LostSecret, cause: unknown): never {
  if (!(cause instanceof SvcError)) throw cause;
  throw new SvcError('not_as_asked', `${lost.message}; deleting it failed: ${cause.message}`, {
    hint: 'look before you repeat it: svc webhooks list',
    cause,
  });
}

export function checkQuota(before: readonly Subscription[], { notice }: Pick<Creation, 'notice'>): void {
  if (before.length >= QUOTA) throw quotaFailure(before, notice);
}

function quotaFailure(subscriptions: readonly Subscription[], notice: (text: string) => void): SvcError {
  for (const { id, status, url } of subscriptions) notice(`${id}  ${subscriptionStatus(status)}  ${url}`);
  const disabled = subscriptions.filter(({ status }) => status === DISABLED);
  const useless = disabled[0]?.id;
  return new SvcError(
    'limited',
    `quota: ${subscriptions.length} of ${QUOTA} subscriptions used, ${disabled.length} of them disabled`,
    { hint: `svc webhooks delete ${useless === undefined ? '<id>' : shellWord(useless)}` },
  );
}

function checkDuplicate(
  before: readonly Subscription[],
  { url }: SubscriptionDraft,
  { allowDuplicate }: Creation,
): void {
  const same = allowDuplicate ? undefined : before.find((one) => sameAddress(one.url, url));
  if (same === undefined) return;
  throw new SvcError('guarded', `${same.id} already points at this url (events ${eventText(eventsOf(same))})`, {
    hint: `change it with svc webhooks update ${shellWord(same.id)}, or pass --allow-duplicate`,
  });
}

async function explainFailure(
  error: unknown,
  draft: SubscriptionDraft,
  before: readonly Subscription[],
  recordings: Recordings,
  { notice }: Creation,
): Promise<never> {
  if (!(error instanceof SvcError)) throw error;
  if (error.code === 'limited') throw await explainLimit(error, recordings, notice);
  if (error.code !== 'outcome_unknown') throw error;
  const orphans = await newOnes(draft, before, recordings);
  const details = error.httpStatus === undefined ? {} : { httpStatus: error.httpStatus };
  if (orphans === undefined) {
    throw new SvcError('outcome_unknown', `${error.message}; the list could not be read either`, {
      ...details,
      hint: 'look before you repeat it: svc webhooks list',
      cause: error,
    });
  }
  const [orphan, ...more] = orphans;
  if (orphan !== undefined && more.length === 0) throw new LostSecret(orphan.id, error);
  if (orphan !== undefined) {
    throw new SvcError(
      'outcome_unknown',
      `${error.message}; ${orphans.length} subscriptions of this url are new: ${orphans.map(({ id }) => id).join(', ')}`,
      {
        ...details,
        hint: 'somebody else created at the same time; delete the one nobody has the secret of',
        cause: error,
      },
    );
  }
  // Only the service's own word ends the request: behind a proxy, or after a cut, it may still be carried out.
  const words = messageOfService(error);
  if (words !== undefined) {
    throw new SvcError('server_error', `${words}; not created (list checked)`, { ...details, cause: error });
  }
  throw new SvcError('outcome_unknown', `${error.message}; the list does not show it so far`, {
    ...details,
    hint: 'look again before you repeat it: svc webhooks list',
    cause: error,
  });
}

/** 429 is the quota's, and not only a rate's (doc 2 §7): the list tells which. */
async function explainLimit(
  error: SvcError,
  recordings: Recordings,
  notice: (text: string) => void,
): Promise<SvcError> {
  const now = await recordings.subscriptions().catch(() => undefined);
  if (now === undefined) return error;
  if (now.length >= QUOTA) return quotaFailure(now, notice);
  return new SvcError(
    'limited',
    `429 but ${quotaText(now).replace(/ \(.*/, '')}: may be a request-rate limit (not documented)`,
    { httpStatus: 429, cause: error, ...(error.hint === undefined ? {} : { hint: error.hint }) },
  );
}

/** Those of this url that were not there before; undefined where the list cannot be read. */
async function newOnes(
  { url }: SubscriptionDraft,
  before: readonly Subscription[],
  recordings: Recordings,
): Promise<readonly Subscription[] | undefined> {
  const known = new Set(before.map(({ id }) => id));
  const after = await recordings.subscriptions().catch(() => undefined);
  return after?.filter((one) => sameAddress(one.url, url) && !known.has(one.id));
}

/** The secret is kept whatever else the answer lacks. */
async function finish(
  { secret: told, ...answer }: CreatedSubscription,
  before: readonly Subscription[],
  draft: SubscriptionDraft,
  recordings: Recordings,
  { keep }: Creation,
): Promise<Created> {
  const named = answer['endpoint_id'];
  const given = typeof named === 'string' && named !== '' ? named : undefined;
  const id = given ?? (await newOnes(draft, before, recordings))?.[0]?.id ?? 'unknown';
  if (typeof told !== 'string' || told === '') {
    throw new SvcError('not_as_asked', `${id} was created, but the answer holds no secret, and it cannot be fetched`, {
      hint: `svc webhooks delete ${shellWord(id)}, then create it again`,
    });
  }
  const secret = new Secret(told);
  await keep(secret, id).catch((error: unknown) => {
    if (!(error instanceof SvcError)) throw error;
    throw new SvcError('not_as_asked', `${id} was created, but its secret could not be kept: ${error.message}`, {
      hint: `svc webhooks delete ${shellWord(id)}, then create it again`,
      cause: error,
    });
  });
  return { id, secret, answer, fault: faultOf(given, answer['events'], draft) };
}

function faultOf(id: string | undefined, events: unknown, draft: SubscriptionDraft): SvcError | undefined {
  if (id === undefined) {
    return new SvcError('not_as_asked', 'created, but the answer names no endpoint_id', { hint: 'svc webhooks list' });
  }
  if (!Array.isArray(events)) return undefined;
  // The secret is kept by now: whatever they are, what was created must be shown.
  const texts = events.map(jsonText);
  if (sameEvents(texts, draft.events)) return undefined;
  return new SvcError('not_as_asked', `events are ${eventText(texts)}, expected ${eventText(draft.events)}`, {
    hint: `svc webhooks update ${shellWord(id)} --set-event ${draft.events.join(',')}`,
  });
}

interface UnbrokenCreate {
  /** For all requests of the command. */
  readonly signal: AbortSignal;
  /**
   * Runs the create, and the keeping of its secret. The first signal waits a little for both, the second one does not. Whatever
   * is sent afterwards is broken off then.
   */
  unbroken<T>(work: () => Promise<T>): Promise<T>;
  /** What to end with where a signal came, and all the same there is a result. */
  interruption(): SvcError | undefined;
}

/** A service that answers at all has answered by then. */
const PATIENCE_MS = 3_000;

export function runUninterrupted(ctx: Pick<RunContext, 'signal' | 'sleep' | 'takeSignals'>): UnbrokenCreate {
  const stop = new AbortController();
  let came: SvcError | undefined;
  const end = (): void => stop.abort(came);
  return {
    signal: AbortSignal.any([ctx.signal, stop.signal]),
    async unbroken(work) {
      const over = new AbortController();
      const release = ctx.takeSignals((name) => {
        if (came !== undefined) end();
        came ??= endedBy(name);
        ctx.sleep(PATIENCE_MS, over.signal).then(end, () => {});
      });
      try {
        return await work();
      } finally {
        over.abort();
        release();
        if (came !== undefined) end();
      }
    },
    interruption: () => came,
  };
}
