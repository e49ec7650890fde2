/** A short silence that is extended for as long as somebody holds it, and ended when they let go. */
import { SvcError } from '../../errors.ts';
import { answered, Plan } from '../../http/endpoint.ts';
import type { Alertmanager } from '../alerts/api.ts';
import { formatMatcher, matcherFrom } from '../alerts/matcher.ts';
import type { PostableSilence, Silence } from '../alerts/schema.ts';
import { applyChanges } from './draft.ts';
import { serverTime } from './silencing.ts';

interface Clock {
  now(): number;
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export interface SilenceLease {
  readonly id: string;
  /** Milliseconds of the server's clock. */
  readonly end: number;
  /** Puts the end off. One that lapsed is made anew; false where somebody else has ended it, which stands. */
  extend(): Promise<boolean>;
  /** Ends it now. */
  release(): Promise<void>;
}

/** Makes the silence, from now and for `ttlMs`: whatever becomes of this process, the alerts are mute no longer. */
export async function acquireSilence(
  what: Pick<PostableSilence, 'matchers' | 'createdBy' | 'comment'>,
  ttlMs: number,
  alertmanager: Alertmanager,
  clock: Clock,
): Promise<SilenceLease | Plan> {
  const now = (): number => serverTime(alertmanager, clock.now());
  const make = async (): Promise<{ id: string; end: number } | Plan> => {
    const start = now();
    const times = { startsAt: new Date(start).toISOString(), endsAt: new Date(start + ttlMs).toISOString() };
    const id = await post({ ...what, ...times }, alertmanager);
    return id instanceof Plan ? id : { id, end: start + ttlMs };
  };
  const made = await make();
  if (made instanceof Plan) return made;
  let { id, end } = made;
  return {
    get id() {
      return id;
    },
    get end() {
      return end;
    },
    async extend() {
      const before = await unlessMissing(alertmanager.silence(id));
      if (before?.status.state === 'expired' && Date.parse(before.endsAt) < end) return false;
      if (before === undefined || before.status.state === 'expired') {
        ({ id, end } = answered(await make()));
        return true;
      }
      const later = Math.max(Date.parse(before.endsAt), now() + ttlMs);
      const draft = applyChanges(before, { endsAt: new Date(later).toISOString() });
      const posted = answered(await post(draft, alertmanager));
      // It was ended after it was read: the service created another one in its place.
      if (posted !== id && now() < end) {
        await withdraw(posted, alertmanager, clock);
        return false;
      }
      [id, end] = [posted, later];
      return true;
    },
    release: () => withdraw(id, alertmanager, clock),
  };
}

async function post(draft: PostableSilence, alertmanager: Alertmanager): Promise<string | Plan> {
  try {
    const answer = await alertmanager.postSilence(draft);
    return answer instanceof Plan ? answer : answer.silenceID;
  } catch (error) {
    if (!(error instanceof SvcError) || error.code !== 'outcome_unknown') throw error;
    const made = await findPosted(draft, alertmanager).catch(() => undefined);
    if (made === undefined) throw error;
    return made.id;
  }
}

/** The silence whose answer was lost. Its end, to the millisecond, tells it from others that say the same. */
async function findPosted(
  { matchers, endsAt, createdBy, comment }: PostableSilence,
  alertmanager: Alertmanager,
): Promise<Silence | undefined> {
  for await (const silence of alertmanager.silences(matchers.map((wire) => formatMatcher(matcherFrom(wire))))) {
    const same = silence.createdBy === createdBy && silence.comment === comment;
    if (same && Date.parse(silence.endsAt) === Date.parse(endsAt)) return silence;
  }
  return undefined;
}

async function unlessMissing(reading: Promise<Silence>): Promise<Silence | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof SvcError && error.code === 'not_found') return undefined;
    throw error;
  }
}

const MOST_TRIES = 6;
const PATIENCE_MS = 30_000;

/**
 * Writes are not repeated elsewhere, but this one may be: the id is that of our own silence, an expired one stays expired, and
 * deleting it again is a success. So where the answer does not tell, reading does, and what is still there is deleted again.
 */
async function withdraw(id: string, alertmanager: Alertmanager, clock: Clock): Promise<void> {
  const latest = clock.now() + PATIENCE_MS;
  for (let attempt = 1; ; attempt++) {
    try {
      return await alertmanager.withdrawSilence(id);
    } catch (error) {
      if (!(error instanceof SvcError)) throw error;
      if (error.code === 'not_found') return;
      const after = await alertmanager.silence(id).catch(() => undefined);
      if (after?.status.state === 'expired') return;
      const passing = error.retryable || error.code === 'outcome_unknown';
      if (!passing || attempt === MOST_TRIES || clock.now() >= latest) throw error;
      await clock.sleep(250 * 2 ** attempt);
    }
  }
}

/** A timer takes 24 days at most. */
const LONGEST_SLEEP = 3_600_000;
const SHORTEST_SLEEP = 200;

/**
 * Extends the silence whenever less than `graceMs` of it is left, until `over`. What goes wrong is told, and tried again for as
 * long as it takes: the work that it covers goes on.
 */
export async function renewSilence(
  lease: SilenceLease,
  graceMs: number,
  alertmanager: Pick<Alertmanager, 'clockSkewMs'>,
  ctx: Clock & { notice(text: string): void },
  over: AbortSignal,
): Promise<void> {
  let failed = false;
  while (!over.aborted) {
    const left = lease.end - graceMs - serverTime(alertmanager, ctx.now());
    if (left > 0 || failed) {
      const pause = Math.min(Math.max(failed ? graceMs / 4 : left, SHORTEST_SLEEP), LONGEST_SLEEP);
      const awake = await ctx.sleep(pause, over).then(
        () => true,
        () => false,
      );
      if (!awake) return;
      if (!failed) continue;
    }
    try {
      if (!(await lease.extend())) {
        ctx.notice(`warning: somebody else has ended silence ${lease.id}, and it is not made again`);
        return;
      }
      if (failed) ctx.notice(`silence ${lease.id} is extended again`);
      failed = false;
    } catch (error) {
      if (!failed) ctx.notice(`warning: silence ${lease.id} could not be extended: ${reasonOf(error)}; trying again`);
      failed = true;
    }
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
