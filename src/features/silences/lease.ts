/** A short silence that is extended while a command runs, and expired after it. */
import type { RunContext } from '../../cli/command.ts';
import { SvcError } from '../../errors.ts';
import { answered, Plan } from '../../http/endpoint.ts';
import type { Alertmanager } from '../alerts/api.ts';
import type { PostableSilence } from '../alerts/schema.ts';
import { applyChanges } from './draft.ts';
import { serverTime } from './writer.ts';

const MOST_TRIES = 6;
/** A timer takes 24 days at most. */
const LONGEST_SLEEP = 3_600_000;
const SHORTEST_SLEEP = 200;
/** A silence is extended when less than this is left, or less than a third of its length. */
const GRACE_MS = 120_000;

/** If this process dies, the silence ends soon. */
export class SilenceLease {
  readonly #ttl: number;
  readonly #covering: Pick<PostableSilence, 'matchers' | 'createdBy' | 'comment'>;
  readonly #alertmanager: Alertmanager;
  readonly #ctx: Pick<RunContext, 'now' | 'sleep' | 'notice'>;
  /** Once it is acquired. */
  id = '';
  /** Milliseconds of the server's clock. */
  end = 0;

  constructor(
    covering: Pick<PostableSilence, 'matchers' | 'createdBy' | 'comment'>,
    ttl: number,
    alertmanager: Alertmanager,
    ctx: Pick<RunContext, 'now' | 'sleep' | 'notice'>,
  ) {
    this.#ttl = ttl;
    this.#covering = covering;
    this.#alertmanager = alertmanager;
    this.#ctx = ctx;
  }

  draft(): PostableSilence {
    const start = this.#now();
    const times = { startsAt: new Date(start).toISOString(), endsAt: new Date(start + this.#ttl).toISOString() };
    return { ...this.#covering, ...times };
  }

  async acquire(): Promise<Plan | undefined> {
    const draft = this.draft();
    const answer = await this.#alertmanager.postSilence(draft);
    if (answer instanceof Plan) return answer;
    this.id = answer.silenceID;
    this.end = Date.parse(draft.endsAt);
    return undefined;
  }

  /** Extends the silence before it ends, until `over`. After a failure it tries again. */
  async renew(over: AbortSignal): Promise<void> {
    const { notice } = this.#ctx;
    let failed = false;
    while (await this.#isDue(failed, over)) {
      try {
        if (!(await this.#extend())) {
          notice(`warning: silence ${this.id} has expired; the command continues without it`);
          return;
        }
        if (failed) notice(`silence ${this.id} is extended again`);
        failed = false;
      } catch (error) {
        if (!failed) notice(`warning: silence ${this.id} could not be extended: ${reasonOf(error)}; trying again`);
        failed = true;
      }
    }
  }

  /** Sleeps until the silence has to be extended. False once `over`. */
  async #isDue(failed: boolean, over: AbortSignal): Promise<boolean> {
    const graceMs = Math.min(GRACE_MS, this.#ttl / 3);
    const due = failed ? this.#now() + graceMs / 4 : this.end - graceMs;
    do {
      const ms = Math.min(Math.max(due - this.#now(), SHORTEST_SLEEP), LONGEST_SLEEP);
      await this.#ctx.sleep(ms, over).catch(() => {});
    } while (!over.aborted && this.#now() < due);
    return !over.aborted;
  }

  /** False if the silence has expired: someone ended it, or the server was away for too long. */
  async #extend(): Promise<boolean> {
    const before = await this.#alertmanager.silence(this.id);
    if (before.status.state === 'expired') return false;
    const end = Math.max(Date.parse(before.endsAt), this.#now() + this.#ttl);
    const draft = applyChanges(before, { endsAt: new Date(end).toISOString() });
    this.id = answered(await this.#alertmanager.postSilence(draft)).silenceID;
    this.end = end;
    return true;
  }

  /** This write may be repeated: it expires our own silence, and an expired one stays expired. */
  async release(): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#alertmanager.withdrawSilence(this.id);
      } catch (error) {
        if (!(error instanceof SvcError)) throw error;
        if (error.code === 'not_found' || (await this.#isExpired())) return;
        if (!(error.retryable || error.code === 'outcome_unknown') || attempt === MOST_TRIES) throw error;
        await this.#ctx.sleep(250 * 2 ** attempt);
      }
    }
  }

  /** False also if the silence cannot be read. */
  async #isExpired(): Promise<boolean> {
    const silence = await this.#alertmanager.silence(this.id).catch(() => undefined);
    return silence?.status.state === 'expired';
  }

  #now(): number {
    return serverTime(this.#alertmanager, this.#ctx.now());
  }
}

export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
