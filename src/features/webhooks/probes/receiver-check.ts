/** Sends probes to a receiver, one after the other, and judges its answers. */
import type { Plan } from '../../../http/endpoint.ts';
import { openPoster, type Posted, type Poster, planPosts } from '../../../http/poster.ts';
import type { Outbound } from '../../../http/target.ts';
import { ACCEPTED, type Probe, type ProbeDelivery, type ProbeKit, probeDeliveries } from './deliveries.ts';
import { PROBES } from './probes.ts';

export interface ProbeResult {
  readonly probe: string;
  /** `skipped`: the receiver could no longer be reached. */
  readonly status: 'pass' | 'fail' | 'skipped';
  readonly expected: string;
  /** The statuses, or why there is none. */
  readonly got: string;
  /** One for each of its deliveries that was answered. */
  readonly statuses: readonly number[];
  /** Until the head of the latest response, or its failure; null where nothing was sent. */
  readonly ms: number | null;
  /** The delivery that failed; null where none did. */
  readonly sent: string | null;
  readonly rule: string;
  /** What to change where it failed. */
  readonly fix: string | null;
  /** The start of a response's body: of the one that is wrong, or else of the latest. */
  readonly answer: string;
}

interface ReceiverCheck {
  readonly url: URL;
  /** All where there are none. */
  readonly only: readonly string[];
  /** An answer that comes later is none. */
  readonly deadlineMs: number;
  readonly kit: ProbeKit;
}

/** What is known before anything is sent: a report that is written now describes an interrupted check. */
export function unsent(only: readonly string[]): ProbeResult[] {
  return choose(only).map(notSent);
}

function choose(only: readonly string[]): readonly Probe[] {
  return PROBES.filter(({ name }) => only.length === 0 || only.includes(name));
}

function notSent({ name, expected = ACCEPTED, rule }: Probe): ProbeResult {
  return {
    probe: name,
    status: 'skipped',
    expected: expected.text,
    got: 'not sent',
    statuses: [],
    ms: null,
    sent: null,
    rule,
    fix: null,
    answer: '',
  };
}

/** In a dry run: every delivery of the probes. */
export function planCheck({ url, only, kit }: Pick<ReceiverCheck, 'url' | 'only' | 'kit'>): Plan {
  const deliveries = choose(only).flatMap((probe) => [...probeDeliveries(probe, kit)]);
  return planPosts(deliveries.map(({ headers, body }) => ({ url, headers, body })));
}

/** Throws the failure where the receiver cannot be reached from the beginning. Once it is gone nothing more is sent. */
export async function* checkReceiver(
  { url, only, deadlineMs, kit }: ReceiverCheck,
  outbound: Outbound,
): AsyncGenerator<ProbeResult, void, void> {
  const chosen = choose(only);
  const poster = openPoster(outbound, kit.now);
  try {
    let answered = false;
    let gone = false;
    for (const probe of chosen) {
      if (gone) {
        yield notSent(probe);
        continue;
      }
      const sent = await sendProbe(poster, probe, url, deadlineMs, kit);
      const last = sent.at(-1)?.posted;
      gone = last?.failure !== undefined && !last.sent;
      answered ||= sent.some(({ posted }) => posted.status !== undefined);
      if (gone && !answered && last?.failure !== undefined) throw last.failure;
      yield judged(probe, sent);
    }
  } finally {
    await poster.close();
  }
}

interface Sent {
  readonly delivery: ProbeDelivery;
  readonly posted: Posted;
}

/** Up to the first delivery that is not answered as it should be. */
async function sendProbe(
  poster: Poster,
  probe: Probe,
  url: URL,
  timeoutMs: number,
  kit: ProbeKit,
): Promise<readonly Sent[]> {
  const { accepts } = probe.expected ?? ACCEPTED;
  const all: Sent[] = [];
  for (const delivery of probeDeliveries(probe, kit)) {
    const { headers, body } = delivery;
    const posted = await poster.post({ url, headers, body, timeoutMs });
    all.push({ delivery, posted });
    if (posted.status === undefined || !accepts(posted.status)) break;
  }
  return all;
}

function judged({ name, expected = ACCEPTED, rule, fix, alike }: Probe, sent: readonly Sent[]): ProbeResult {
  const last = sent.at(-1);
  const statuses = sent.flatMap(({ posted: { status } }) => (status === undefined ? [] : [status]));
  const asExpected = sent.every(({ posted: { status } }) => status !== undefined && expected.accepts(status));
  const differs = asExpected && alike === true && answersDiffer(sent.map(({ posted }) => posted));
  const good = asExpected && !differs;
  const shown = differs ? sent[2] : last;
  const failure = last?.posted.failure?.message;
  const got = [...statuses, ...(failure === undefined ? [] : [failure])].join(', ');
  return {
    probe: name,
    status: good ? 'pass' : 'fail',
    expected: expected.text,
    got: differs && new Set(statuses).size === 1 ? `${got}, with a different body` : got,
    statuses,
    ms: last === undefined ? null : Math.round(last.posted.ms),
    sent: good ? null : (shown?.delivery.sent ?? null),
    rule,
    fix: good ? null : fix,
    answer: Buffer.from(shown?.posted.text ?? []).toString(),
  };
}

/**
 * Whether the third response differs from the others. Where these differ from each other (a rate limit, the time or the
 * server's name in the body), that shows nothing.
 */
function answersDiffer(posted: readonly Posted[]): boolean {
  const odd = posted[2];
  const others = posted.filter((one) => one !== odd);
  const text = (one: Posted): string => Buffer.from(one.text).toString('latin1');
  if (odd === undefined || new Set(others.map(({ status }) => status)).size > 1) return false;
  const bodies = new Set(others.map(text));
  return odd.status !== others[0]?.status || (bodies.size === 1 && !bodies.has(text(odd)));
}
