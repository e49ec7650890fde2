/** Sends probes to a receiver, one after the other, and judges its responses. */
import type { SvcError } from '../../../errors.ts';
import type { Plan } from '../../../http/endpoint.ts';
import { openPoster, type Posted, planPosts } from '../../../http/poster.ts';
import type { Outbound } from '../../../http/target.ts';
import { isAccepted, isRedirect } from '../delivery.ts';
import { RECEIVER_MS } from '../sending/sending.ts';
import {
  PROBES,
  type Probe,
  type ProbeDelivery,
  type ProbeKit,
  ping,
  probeDeliveries,
  type Send,
  signDelivery,
  summary,
} from './probes.ts';

export interface ProbeResult {
  readonly probe: string;
  /** `skipped`: nothing was sent. */
  readonly status: 'pass' | 'fail' | 'skipped';
  readonly expected: string;
  /** The deciding response: its status, or why there is none. If skipped, why it was not sent. */
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
  readonly kit: ProbeKit;
}

function choose(only: readonly string[]): readonly Probe[] {
  return PROBES.filter(({ name }) => only.length === 0 || only.includes(name));
}

function notSent({ name, expected = '2xx' }: Probe, why: string): ProbeResult {
  const nothing = { http_status: null, ms: null, sent: null, fix: null, answer: '' };
  return { probe: name, status: 'skipped', expected, got: why, ...nothing };
}

/** In a dry run: every delivery to a receiver without a cause for all failures. */
export function planCheck({ url, only, kit }: ReceiverCheck): Plan {
  const controls = [signDelivery(PING, kit), signDelivery(FORGED, kit)];
  const deliveries = [...controls, ...choose(only).flatMap((probe) => [...probeDeliveries(probe, kit)])];
  return planPosts(deliveries.map(({ headers, body }) => ({ url, headers, body })));
}

type Post = (delivery: ProbeDelivery) => Promise<Posted>;

/** Throws if it is unreachable at first. Stops when all responses have one cause, or it is gone. */
export async function* checkReceiver(
  { url, only, kit }: ReceiverCheck,
  outbound: Outbound,
): AsyncGenerator<ProbeResult, void, void> {
  const poster = openPoster(outbound, kit.now);
  const post: Post = ({ headers, body }) => poster.post({ url, headers, body, timeoutMs: RECEIVER_MS });
  try {
    const cause = await findCause((send) => post(signDelivery(send, kit)));
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
  let gone = false;
  for (const probe of chosen) {
    if (gone) {
      yield notSent(probe, 'not sent: the receiver can no longer be reached');
      continue;
    }
    const { result, posted } = await sendProbe(probe, kit, post);
    gone = posted?.failure !== undefined && !posted.sent;
    yield result;
  }
}

/** Stops at the first delivery that is not answered as it should be. */
async function sendProbe(
  probe: Probe,
  kit: ProbeKit,
  post: Post,
): Promise<{ readonly result: ProbeResult; readonly posted: Posted | undefined }> {
  const { expected = '2xx', fix } = probe;
  let posted: Posted | undefined;
  for (const delivery of probeDeliveries(probe, kit)) {
    posted = await post(delivery);
    const { status } = posted;
    if (String(status).startsWith(expected.charAt(0))) continue;
    const change = status === undefined ? adviseOnSilence(posted.failure) : fix;
    const failed = { status: 'fail', sent: delivery.sent, fix: change } as const;
    return { result: { ...notSent(probe, ''), ...outcomeOf(posted), ...failed }, posted };
  }
  return { result: { ...notSent(probe, ''), ...(posted && outcomeOf(posted)), status: 'pass' }, posted };
}

function outcomeOf({ status, failure, ms, text }: Posted): Pick<ProbeResult, 'got' | 'http_status' | 'ms' | 'answer'> {
  return {
    got: status === undefined ? (failure?.message ?? '') : String(status),
    http_status: status ?? null,
    ms: Math.round(ms),
    answer: Buffer.from(text).toString(),
  };
}

/** What the result of its probe says, in place of the results of all others. */
interface Cause {
  readonly probe: string;
  readonly posted: Posted;
  /** What got this response. */
  readonly sent: string;
  readonly fix: string;
}

const PING: Send = ['', ping];
const SUMMARY: Send = ['', summary];
const FORGED: Send = ['', ping, { alter: () => `sha256=${'0'.repeat(64)}` }];

/** Throws the failure if nothing can be sent to the receiver. */
async function findCause(post: (send: Send) => Promise<Posted>): Promise<Cause | undefined> {
  const posted = await post(PING);
  if (posted.failure !== undefined && !posted.sent) throw posted.failure;
  // Another event that gets another response shows that the first is about pings only.
  if (!isAccepted(posted.status) && (await post(SUMMARY)).status !== posted.status) return undefined;
  const forged = await post(FORGED);
  if (isAccepted(posted.status) && isAccepted(forged.status)) {
    const fix = 'it does not verify: refuse a delivery with 401 unless its signature is right';
    return { probe: 'bad-signature', posted: forged, sent: 'a forged delivery', fix };
  }
  if (isAccepted(posted.status) || isAccepted(forged.status)) return undefined;
  const cause = { probe: 'valid-ping', posted };
  if (forged.status === posted.status) {
    return { ...cause, sent: 'every delivery, correctly signed or forged', fix: adviseOn(posted) };
  }
  const fix = `the signature is right (a forged one gets ${forged.status}), then the application fails: see its log`;
  return { ...cause, sent: 'every correctly signed delivery', fix };
}

/** By the status of the response to every delivery. */
const ADVICE: readonly (readonly [statuses: readonly number[], advice: string])[] = [
  [
    [400, 401, 403, 415, 419, 422],
    'check its secret and path, and that no login, CSRF check or body parser comes before the verification',
  ],
  [[404, 410], 'nothing is at this path: check the path of the URL'],
  [[405], 'this path takes no POST: check the path, and the methods of its route'],
  [[502, 503, 504], 'start the application: the proxy before it does not reach it'],
];

function adviseOn(posted: Posted): string {
  const { status, headers, failure } = posted;
  if (status === undefined) return adviseOnSilence(failure);
  if (isRedirect(posted.status))
    return `the service follows no redirect: subscribe ${headers['location'] || 'another URL'}`;
  const [, advice] = ADVICE.find(([statuses]) => statuses.includes(status)) ?? [];
  return advice ?? 'see its log: it fails whatever the signature is';
}

/** If there is no response. */
function adviseOnSilence(failure: SvcError | undefined): string {
  return failure?.code === 'timeout'
    ? 'respond first, and process the event afterwards'
    : 'see the log of the receiver';
}
