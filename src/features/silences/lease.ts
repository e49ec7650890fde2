/** A short silence that is extended while a command runs, and expired after it. */
import type { RunContext } from '../../cli/command.ts';
import { SvcError } from '../../errors.ts';
import { answered, Plan } from '../../http/endpoint.ts';
import type { Alertmanager } from '../alerts/api.ts';
import type { PostableSilence, Silence } from '../alerts/schema.ts';
import { collect } from '../alerts/selection.ts';
import { matcherTexts } from './columns.ts';
import { applyChanges } from './draft.ts';
import { serverTime } from './writer.ts';

const MOST_TRIES = 6;
const PATIENCE_MS = 30_000;
/** A timer takes 24 days at most. */
const LONGEST_SLEEP = 3_600_000;
const SHORTEST_SLEEP = 200;
/** A silence is extended when less than this is left, or less than a third of its length. */
const GRACE_MS = 120_000;

/** If this process dies, the silence ends soon. */
export class SilenceLease {
  readonly ttl: number;
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
    this.ttl = ttl;
    this.#covering = covering;
    this.#alertmanager = alertmanager;
    this.#ctx = ctx;
  }

  draft(start: number): PostableSilence {
    const times = { startsAt: new Date(start).toISOString(), endsAt: new Date(start + this.ttl).toISOString() };
    return { ...this.#covering, ...times };
  }

  #now(): number {
    return serverTime(this.#alertmanager, this.#ctx.now());
  }

  async acquire(): Promise<Plan | undefined> {
    const draft = this.draft(this.#now());
    const id = await this.#post(draft);
    if (id instanceof Plan) return id;
    [this.id, this.end] = [id, Date.parse(draft.endsAt)];
    return undefined;
  }

  /** Does not wait for requests under way. */
  abandon(): Promise<void> {
    return this.#alertmanager.close();
  }

  async #post(draft: PostableSilence): Promise<string | Plan> {
    try {
      const answer = await this.#alertmanager.postSilence(draft);
      return answer instanceof Plan ? answer : answer.silenceID;
    } catch (error) {
      if (!(error instanceof SvcError) || error.code !== 'outcome_unknown') throw error;
      const made = await this.#findPosted(draft).catch(() => undefined);
      if (made === undefined) throw error;
      return made.id;
    }
  }

  /** The silence whose response was lost. Its end, to the millisecond, distinguishes it. */
  async #findPosted(draft: PostableSilence): Promise<Silence | undefined> {
    const silences = await collect(this.#alertmanager.silences(matcherTexts(draft)));
    return silences.find(
      ({ createdBy, comment, endsAt }) =>
        createdBy === draft.createdBy && comment === draft.comment && Date.parse(endsAt) === Date.parse(draft.endsAt),
    );
  }

  /** A silence that ran out is created again. False if somebody else expired it. */
  async #extend(): Promise<boolean> {
    const before = await this.#alertmanager.silence(this.id).catch((error: unknown) => {
      if (error instanceof SvcError && error.code === 'not_found') return undefined;
      throw error;
    });
    if (before?.status.state === 'expired' && Date.parse(before.endsAt) < this.end) return false;
    if (before === undefined || before.status.state === 'expired') {
      answered(await this.acquire());
      return true;
    }
    const later = Math.max(Date.parse(before.endsAt), this.#now() + this.ttl);
    const id = answered(await this.#post(applyChanges(before, { endsAt: new Date(later).toISOString() })));
    // It was expired after it was read, so the service created another one.
    if (id !== this.id && this.#now() < this.end) {
      await this.#withdraw(id);
      return false;
    }
    [this.id, this.end] = [id, later];
    return true;
  }

  /** Extends the silence before it ends, until `over`. After a failure it tries again. */
  async renew(over: AbortSignal): Promise<void> {
    const { notice } = this.#ctx;
    const graceMs = Math.min(GRACE_MS, this.ttl / 3);
    let failed = false;
    while (true) {
      if (failed) await this.#pause(graceMs / 4, over);
      else await this.#sleepUntil(() => this.end - graceMs, over);
      if (over.aborted) return;
      try {
        if (!(await this.#extend())) {
          notice(`warning: someone else expired silence ${this.id}; svc does not create it again`);
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

  async #sleepUntil(end: () => number, over: AbortSignal): Promise<void> {
    for (let left = end() - this.#now(); left > 0 && !over.aborted; left = end() - this.#now())
      await this.#pause(left, over);
  }

  async #pause(ms: number, over: AbortSignal): Promise<void> {
    const pause = Math.min(Math.max(ms, SHORTEST_SLEEP), LONGEST_SLEEP);
    await this.#ctx.sleep(pause, over).catch(() => {});
  }

  release(): Promise<void> {
    return this.#withdraw(this.id);
  }

  /** This write may be repeated: it expires our own silence, and an expired one stays expired. */
  async #withdraw(id: string): Promise<void> {
    const latest = this.#ctx.now() + PATIENCE_MS;
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#alertmanager.withdrawSilence(id);
      } catch (error) {
        if (!(error instanceof SvcError)) throw error;
        if (error.code === 'not_found' || (await this.#isExpired(id))) return;
        if (!isPassing(error) || attempt === MOST_TRIES || this.#ctx.now() >= latest) throw error;
        await this.#ctx.sleep(250 * 2 ** attempt);
      }
    }
  }

  /** False also if the silence cannot be read. */
  async #isExpired(id: string): Promise<boolean> {
    const silence = await this.#alertmanager.silence(id).catch(() => undefined);
    return silence?.status.state === 'expired';
  }
}

function isPassing({ retryable, code }: SvcError): boolean {
  return retryable || code === 'outcome_unknown';
}

export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
