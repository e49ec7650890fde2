/** Sends probes to a receiver, one after the other, and judges its responses. */
import type { Plan } from '../../../http/endpoint.ts';
import { openPoster, type Posted, planPosts } from '../../../http/poster.ts';
import type { Outbound } from '../../../http/target.ts';
import { adviseOnSilence, type Cause, CONTROLS, findCause, findRawBodySetting } from './cause.ts';
import {
  ACCEPTED,
  type Probe,
  type ProbeDelivery,
  type ProbeKit,
  probeDeliveries,
  signDelivery,
} from './deliveries.ts';
import { PROBES, RAW_BODY } from './probes.ts';

export interface ProbeResult {
  readonly probe: string;
  /** `skipped`: nothing was sent. */
  readonly status: 'pass' | 'fail' | 'skipped';
  readonly expected: string;
  /** The response that decides: its status, or why there is none. Of a skipped probe, why it was not sent. */
  readonly got: string;
  readonly http_status: number | null;
  /** Until the head of that response, or its failure; null if nothing was sent. */
  readonly ms: number | null;
  /** The delivery that failed, or null. */
  readonly sent: string | null;
  /** What to change if it failed. */
  readonly fix: string | null;
  /** The start of that response's body. */
  readonly answer: string;
}

export interface ReceiverCheck {
  readonly url: URL;
  /** Empty for all. */
  readonly only: readonly string[];
  /** A later response does not count. */
  readonly deadlineMs: number;
  readonly kit: ProbeKit;
}

function choose(only: readonly string[]): readonly Probe[] {
  return PROBES.filter(({ name }) => only.length === 0 || only.includes(name));
}

function notSent({ name, expected = ACCEPTED }: Probe, why: string): ProbeResult {
  const nothing = { http_status: null, ms: null, sent: null, fix: null, answer: '' };
  return { probe: name, status: 'skipped', expected: expected.text, got: why, ...nothing };
}

/** In a dry run: every delivery to a receiver without a cause for all failures. */
export function planCheck({ url, only, kit }: Pick<ReceiverCheck, 'url' | 'only' | 'kit'>): Plan {
  const controls = CONTROLS.map((control) => signDelivery(control, kit));
  const deliveries = [...controls, ...choose(only).flatMap((probe) => [...probeDeliveries(probe, kit)])];
  return planPosts(deliveries.map(({ headers, body }) => ({ url, headers, body })));
}

type Post = (delivery: ProbeDelivery) => Promise<Posted>;

/** Throws the failure if the receiver cannot be reached from the beginning. Sends nothing more once all responses have one cause, or it is gone. */
export async function* checkReceiver(
  { url, only, deadlineMs, kit }: ReceiverCheck,
  outbound: Outbound,
): AsyncGenerator<ProbeResult, void, void> {
  const poster = openPoster(outbound, kit.now);
  const post: Post = ({ headers, body }) => poster.post({ url, headers, body, timeoutMs: deadlineMs });
  try {
    const cause = await findCause({ url, kit, post });
    if (cause !== undefined) yield* explainAll(cause, choose(only));
    else yield* sendAll(choose(only), kit, post);
  } finally {
    await poster.close();
  }
}

/** The probe that shows the cause fails, and no other is sent. */
function* explainAll({ probe: name, posted, sent, fix }: Cause, chosen: readonly Probe[]): Generator<ProbeResult> {
  for (const probe of PROBES) {
    if (probe.name === name) yield { ...notSent(probe, ''), ...outcomeOf(posted), status: 'fail', sent, fix };
    else if (chosen.includes(probe)) yield notSent(probe, `not sent: ${name} failed`);
  }
}

async function* sendAll(chosen: readonly Probe[], kit: ProbeKit, post: Post): AsyncGenerator<ProbeResult> {
  const results: ProbeResult[] = [];
  let gone = false;
  for (const probe of chosen) {
    if (gone) {
      yield notSent(probe, 'not sent: the receiver can no longer be reached');
      continue;
    }
    const sent = await sendProbe(probe, kit, post);
    const result = judge(probe, sent, results);
    const last = sent.at(-1)?.posted;
    gone = last?.failure !== undefined && !last.sent;
    results.push(result);
    yield result;
  }
}

interface Sent {
  readonly delivery: ProbeDelivery;
  readonly posted: Posted;
}

/** Stops at the first delivery that is not answered as it should be. */
async function sendProbe(probe: Probe, kit: ProbeKit, post: Post): Promise<readonly Sent[]> {
  const { accepts } = probe.expected ?? ACCEPTED;
  const all: Sent[] = [];
  for (const delivery of probeDeliveries(probe, kit)) {
    const posted = await post(delivery);
    all.push({ delivery, posted });
    if (posted.status === undefined || !accepts(posted.status)) break;
  }
  return all;
}

function judge(probe: Probe, sent: readonly Sent[], earlier: readonly ProbeResult[]): ProbeResult {
  const { expected = ACCEPTED, alike } = probe;
  const all = sent.map(({ posted }) => posted);
  const asExpected = all.every(({ status }) => status !== undefined && expected.accepts(status));
  const differs = asExpected && alike === true && isThirdDifferent(all);
  const decisive = differs ? sent[2] : sent.at(-1);
  const result: ProbeResult = { ...notSent(probe, ''), ...(decisive && outcomeOf(decisive.posted)) };
  if (decisive === undefined || (asExpected && !differs)) return { ...result, status: 'pass' };
  const got = differs && decisive.posted.status === all[0]?.status ? `${result.got} with another body` : result.got;
  const fix = findFix(probe, all, earlier);
  return { ...result, status: 'fail', got, sent: decisive.delivery.sent, fix };
}

const ORDINARY: readonly string[] = ['valid-ping', 'valid-summary'];

/** The fix of an ordinary delivery that got the same response, or else that of the probe. */
function findFix(
  { name, fix, expected = ACCEPTED }: Probe,
  posted: readonly Posted[],
  earlier: readonly ProbeResult[],
): string {
  const [first, ...others] = posted;
  const last = others.at(-1) ?? first;
  if (last?.status === undefined) return adviseOnSilence(last?.failure);
  const ordinary = earlier.find(
    ({ probe, status, http_status }) => ORDINARY.includes(probe) && status === 'fail' && http_status === last?.status,
  );
  if (expected === ACCEPTED && ordinary?.fix) return ordinary.fix;
  if (name !== RAW_BODY || first === undefined || others.length > 0) return fix;
  return `verify the raw body, not a parsed one. ${findRawBodySetting(first)}`;
}
function outcomeOf({ status, failure, ms, text }: Posted): Pick<ProbeResult, 'got' | 'http_status' | 'ms' | 'answer'> {
  return {
    got: status === undefined ? (failure?.message ?? '') : String(status),
    http_status: status ?? null,
    ms: Math.round(ms),
    answer: Buffer.from(text).toString(),
  };
}

/**
 * Whether the third response differs from the others. Where these differ from each other (a rate limit, the time or the
 * server's name in the body), that shows nothing.
 */
function isThirdDifferent(posted: readonly Posted[]): boolean {
  const odd = posted[2];
  const others = posted.filter((one) => one !== odd);
  const text = (one: Posted): string => Buffer.from(one.text).toString('latin1');
  if (odd === undefined || new Set(others.map(({ status }) => status)).size > 1) return false;
  const bodies = new Set(others.map(text));
  return odd.status !== others[0]?.status || (bodies.size === 1 && !bodies.has(text(odd)));
}
