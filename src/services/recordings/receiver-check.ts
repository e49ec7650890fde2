/** Sends probes to a receiver, one after the other, and judges its answers. */
import { openPoster, type Posted, type Poster } from '../../http/poster.ts';
import type { Outbound } from '../../http/target.ts';
import type { ProbeName } from './probe-names.ts';
import { PROBES, type Probe, type ProbeKit } from './receiver-probes.ts';
import { showAll } from './sending.ts';

export interface ProbeResult {
  readonly probe: ProbeName;
  readonly expected: string;
  /** The statuses, or why there is none. */
  readonly got: string;
  /** One for each of its deliveries that was answered. */
  readonly statuses: readonly number[];
  /** Until the head of the latest answer, or its failure; null where nothing was sent. */
  readonly ms: number | null;
  /** `skipped` where the receiver could not be reached any more. */
  readonly verdict: 'pass' | 'fail' | 'skipped';
  /** The start of the latest answer's body. */
  readonly answer: string;
}

export interface ReceiverCheck {
  readonly url: URL;
  /** All where there are none. */
  readonly only: readonly ProbeName[];
  /** An answer that comes later is none. */
  readonly deadlineMs: number;
  readonly kit: ProbeKit;
}

/** What is known before anything is sent: a report that is written now tells of an interrupted check. */
export function unsent(only: readonly ProbeName[]): ProbeResult[] {
  return choose(only).map(notSent);
}

function choose(only: readonly ProbeName[]): readonly Probe[] {
  return PROBES.filter(({ name }) => only.length === 0 || only.includes(name));
}

function notSent(probe: Probe): ProbeResult {
  return { ...judged(probe, []), got: 'not sent', verdict: 'skipped' };
}

/** Throws the failure where the receiver cannot be reached from the beginning. Once it is gone nothing more is sent. */
export async function* checkReceiver(
  { url, only, deadlineMs, kit }: ReceiverCheck,
  outbound: Outbound,
): AsyncGenerator<ProbeResult, void, void> {
  const chosen = choose(only);
  if (outbound.dryRun !== undefined) {
    const all = chosen.flatMap(({ deliveries }) => deliveries(kit)).map((outgoing) => () => outgoing);
    await showAll(all, { url, deadlineMs, concurrency: 1 }, outbound);
  }
  const poster = openPoster(outbound, kit.now);
  try {
    let answered = false;
    let gone = false;
    for (const probe of chosen) {
      if (gone) {
        yield notSent(probe);
        continue;
      }
      const posted = await sendProbe(poster, probe, url, deadlineMs, kit);
      const last = posted.at(-1);
      gone = last?.failure !== undefined && !last.sent;
      answered ||= posted.some(({ status }) => status !== undefined);
      if (gone && !answered && last?.failure !== undefined) throw last.failure;
      yield judged(probe, posted);
    }
  } finally {
    await poster.close();
  }
}

/** Up to the first delivery that is not answered as it should be. */
async function sendProbe(
  poster: Poster,
  { deliveries, expected }: Probe,
  url: URL,
  timeoutMs: number,
  kit: ProbeKit,
): Promise<readonly Posted[]> {
  const all: Posted[] = [];
  for (const { headers, body } of deliveries(kit)) {
    const posted = await poster.post({ url, headers, body, timeoutMs });
    all.push(posted);
    if (posted.status === undefined || !expected.holds(posted.status)) break;
  }
  return all;
}

function judged({ name, expected }: Probe, posted: readonly Posted[]): ProbeResult {
  const last = posted.at(-1);
  const statuses = posted.flatMap(({ status }) => (status === undefined ? [] : [status]));
  const good = posted.length > 0 && posted.every(({ status }) => status !== undefined && expected.holds(status));
  return {
    probe: name,
    expected: expected.text,
    got: [...statuses, ...(last?.failure === undefined ? [] : [last.failure.message])].join(', '),
    statuses,
    ms: last === undefined ? null : Math.round(last.ms),
    verdict: good ? 'pass' : 'fail',
    answer: Buffer.from(last?.text ?? []).toString(),
  };
}
