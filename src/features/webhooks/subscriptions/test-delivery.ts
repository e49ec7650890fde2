/** A test event is only queued: its log item comes at dispatch, or never (doc 2 §4 rule 6). */
import type { RunContext } from '../../../cli/command.ts';
import { poll } from '../../../cli/poll.ts';
import { type ErrorCode, SvcError } from '../../../errors.ts';
import { Plan } from '../../../http/endpoint.ts';
import type { ReceivedList } from '../../../http/json.ts';
import { shellWord } from '../../../output/escape.ts';
import type { Recordings } from '../api.ts';
import type { LogItem, Subscription } from '../schema.ts';
import { DELIVERED, deliveryStatus, FAILED, LARGEST_PAGE } from './delivery-log.ts';
import { DISABLED } from './subscription.ts';

const PING = 'webhook.ping';

/** Sent once. Returns the id of the event. */
export async function queueTest(id: string, recordings: Recordings): Promise<string | Plan> {
  const hint = `svc webhooks deliveries ${shellWord(id)}`;
  try {
    const answer = await recordings.test(id);
    if (answer instanceof Plan) return answer;
    const { queued, event_id: eventId } = answer;
    if (!queued) throw new SvcError('refused', 'not queued');
    if (eventId !== undefined && eventId !== '') return eventId;
    throw new SvcError('not_as_asked', 'queued, but the response has no event_id', { hint });
  } catch (error) {
    if (!(error instanceof SvcError) || error.code !== 'outcome_unknown') throw error;
    throw new SvcError('outcome_unknown', `${error.message}: it may have been queued; see deliveries`, {
      hint,
      cause: error,
      httpStatus: error.httpStatus,
    });
  }
}

/** Why a queued test may never arrive. */
export function testWarning({ id, events }: Pick<Subscription, 'id' | 'events'>): string | undefined {
  if (events === undefined || events.includes(PING)) return undefined;
  return `warning: ${id} does not list ${PING}; the API documentation does not say whether it is then delivered`;
}

interface TestState {
  readonly item: LogItem | undefined;
  /** Read only if there is no item: undefined if it is gone, too. */
  readonly subscription: Subscription | undefined;
}

/** How many pages of the log are searched for a test, which is among the latest. */
const MOST_PAGES = 3;

async function findTest(id: string, eventId: string, recordings: Recordings): Promise<TestState> {
  for (let page = 1; page <= MOST_PAGES; page++) {
    const { rows, received } = await recordings.deliveries(id, { page, size: LARGEST_PAGE }).catch(goneIsEmpty);
    const item = rows.find((one) => one.event_id === eventId);
    if (item !== undefined) return { item, subscription: undefined };
    if (received < LARGEST_PAGE) break;
  }
  const all = await recordings.subscriptions();
  return { item: undefined, subscription: all.find((one) => one.id === id) };
}

function goneIsEmpty(error: unknown): ReceivedList<LogItem> {
  if (error instanceof SvcError && error.code === 'not_found') return { rows: [], received: 0 };
  throw error;
}

export type TestOutcome = 'queued' | 'delivered' | 'failed' | 'skipped' | 'pending' | 'not-dispatched';

export interface TestResult {
  readonly endpoint_id: string;
  readonly event_id: string;
  readonly outcome: TestOutcome;
  readonly text: string;
  /** The delivery in the log, null if it has none. */
  readonly delivery: LogItem | null;
  readonly waited_ms: number;
}

type Judged = Pick<TestResult, 'outcome' | 'text'>;

function judgeTest(id: string, eventId: string, { item, subscription }: TestState, waitedMs: number): TestResult {
  const judged = item === undefined ? judgeMissing(id, eventId, subscription, waitedMs) : judgeItem(item, waitedMs);
  return { endpoint_id: id, event_id: eventId, ...judged, delivery: item ?? null, waited_ms: waitedMs };
}

function judgeItem({ status, attempts = 0, last_error: error }: LogItem, waitedMs: number): Judged {
  const tries = `${attempts} ${attempts === 1 ? 'attempt' : 'attempts'}`;
  const reason = error === undefined || error === null || error === '' ? undefined : error;
  if (status === DELIVERED) {
    return { outcome: 'delivered', text: `delivered in ${(waitedMs / 1000).toFixed(1)}s after ${tries}` };
  }
  if (status === FAILED) return { outcome: 'failed', text: `failed: ${reason ?? 'no reason given'} after ${tries}` };
  const last = reason === undefined ? '' : `, last_error ${reason}`;
  return { outcome: 'pending', text: `${deliveryStatus(status)}, attempt ${attempts}${last}` };
}

function judgeMissing(id: string, eventId: string, subscription: Subscription | undefined, waitedMs: number): Judged {
  const disabled = subscription?.status === DISABLED ? 'disabled' : undefined;
  const why = subscription === undefined ? 'deleted' : disabled;
  if (why !== undefined) return { outcome: 'skipped', text: `skipped: ${id} is ${why}; no log item will appear` };
  const seconds = Math.round(waitedMs / 1000);
  return {
    outcome: 'not-dispatched',
    text: `no log item for ${eventId} after ${seconds} s (not dispatched, or skipped)`,
  };
}

const POLL_MS = 2_000;

/** The state at its end, or at the timeout. */
export async function waitForTest(
  id: string,
  eventId: string,
  waitMs: number,
  recordings: Recordings,
  ctx: RunContext,
): Promise<TestResult> {
  const began = ctx.now();
  let latest = judgeTest(id, eventId, { item: undefined, subscription: undefined }, 0);
  try {
    const polls = poll(() => findTest(id, eventId, recordings), { intervalMs: POLL_MS, waitMs }, ctx);
    for await (const { at, value, outage } of polls) {
      await ctx.reportOutage(outage);
      if (value === undefined) continue;
      latest = judgeTest(id, eventId, value, at - began);
      if (latest.outcome === 'delivered' || latest.outcome === 'failed' || latest.outcome === 'skipped') return latest;
    }
    return latest;
  } catch (error) {
    if (!(error instanceof SvcError)) throw error;
    const { code, message } = error;
    if (error.endedBySignal) throw new SvcError(code, `${message}; ${eventId} is queued`);
    throw new SvcError('outcome_unknown', `${eventId} is queued, but waiting for it failed: ${message}`, {
      hint: `see: svc webhooks deliveries ${shellWord(id)}`,
      cause: error,
      httpStatus: error.httpStatus,
    });
  }
}

export function testCode({ outcome }: TestResult): ErrorCode | undefined {
  if (outcome === 'failed' || outcome === 'skipped') return 'delivery_failed';
  return outcome === 'pending' || outcome === 'not-dispatched' ? 'still_pending' : undefined;
}
