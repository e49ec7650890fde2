/** Sends probes to a receiver, one after the other, and judges its responses. */
import type { SvcError } from '../../../errors.ts';
import type { Plan } from '../../../http/endpoint.ts';
import { openPoster, type Posted, planPosts } from '../../../http/poster.ts';
import type { Outbound } from '../../../http/target.ts';
import { isAccepted, isRedirect } from '../sending/sending.ts';
import { SECRET_PREFIX, withoutPrefix } from '../signature.ts';
import {
  ACCEPTED,
  PROBES,
  type Probe,
  type ProbeDelivery,
  type ProbeKit,
  pingOf,
  probeDeliveries,
  RAW_BODY,
  type Send,
  signDelivery,
  spelled,
  summaryOf,
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

/** Throws if it is unreachable at first. Stops when all responses have one cause, or it is gone. */
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
  if (name !== RAW_BODY || others.length > 0) return fix;
  return `verify the raw body, not a parsed one. ${RAW_BODY_SETTINGS}`;
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
 * Whether the third response differs from the others. Where these differ from each other (by a rate
 * limit, or the time or the server's name in the body), that shows nothing.
 */
function isThirdDifferent(posted: readonly Posted[]): boolean {
  const odd = posted[2];
  const others = posted.filter((one) => one !== odd);
  const text = (one: Posted): string => Buffer.from(one.text).toString('latin1');
  if (odd === undefined || new Set(others.map(({ status }) => status)).size > 1) return false;
  const bodies = new Set(others.map(text));
  return odd.status !== others[0]?.status || (bodies.size === 1 && !bodies.has(text(odd)));
}

/** What the result of its probe says, in place of the results of all others. */
interface Cause {
  readonly probe: string;
  readonly posted: Posted;
  /** What got this response. */
  readonly sent: string;
  readonly fix: string;
}

interface Receiver {
  readonly url: URL;
  readonly kit: ProbeKit;
  readonly post: (delivery: ProbeDelivery) => Promise<Posted>;
}

const ping = pingOf();
const PING: Send = ['', ping];
const SUMMARY: Send = ['', summaryOf()];
/** The layout that Python gives the same JSON. */
const SPACED: Send = ['', spelled(ping, (json) => json.replaceAll(',"', ', "').replaceAll('":', '": '))];
const FORGED: Send = ['', ping, { alter: () => `sha256=${'0'.repeat(64)}` }];

/** Sent before any probe to a receiver that accepts valid deliveries. */
const CONTROLS = [PING, FORGED] as const;

/** With these, receivers refuse signatures. */
const REFUSALS: readonly number[] = [400, 401, 403, 422];

/** Throws the failure if nothing can be sent to the receiver. */
async function findCause(receiver: Receiver): Promise<Cause | undefined> {
  const posted = await send(PING, receiver);
  if (posted.failure !== undefined && !posted.sent) throw posted.failure;
  return isAccepted(posted) ? explainAcceptance(posted, receiver) : explainRefusal(posted, receiver);
}

function send(delivery: Send, { kit, post }: Receiver, key = kit.key): Promise<Posted> {
  return post(signDelivery(delivery, { ...kit, key }));
}

/** If a forged delivery is accepted, too. */
async function explainAcceptance({ status }: Posted, receiver: Receiver): Promise<Cause | undefined> {
  const forged = await send(FORGED, receiver);
  if (!isAccepted(forged)) return undefined;
  const fix =
    forged.status === status
      ? 'it does not verify: refuse a delivery with 401 unless its signature is right'
      : 'refuse it with 401, not with a 2xx';
  return { probe: 'bad-signature', posted: forged, sent: 'a forged delivery', fix };
}

/** If the other event gets the same response, and a forged one is not accepted. */
async function explainRefusal(posted: Posted, receiver: Receiver): Promise<Cause | undefined> {
  const { status } = posted;
  if ((await send(SUMMARY, receiver)).status !== status) return undefined;
  const forged = await send(FORGED, receiver);
  if (isAccepted(forged)) return undefined;
  const cause = { probe: 'valid-ping', posted };
  if (isRedirect(posted)) return { ...cause, sent: 'every delivery', fix: adviseOnRedirect(posted, receiver.url) };
  if (REFUSALS.includes(forged.status ?? 0) && forged.status !== status) {
    const fix = `the signature is right (a forged one gets ${forged.status}), then the application fails: see its log`;
    return { ...cause, sent: 'every correctly signed delivery', fix };
  }
  const mistake = REFUSALS.includes(status ?? 0) ? await findMistake(receiver) : undefined;
  return { ...cause, sent: 'every delivery, correctly signed or forged', fix: mistake ?? adviseOn(posted) };
}

/** What a receiver that refuses correct signatures accepts instead. */
async function findMistake(receiver: Receiver): Promise<string | undefined> {
  const { key } = receiver.kit;
  const rest = withoutPrefix(String(key));
  const spaced = await send(SPACED, receiver);
  if (isAccepted(spaced)) return `verify the raw body, not what json.dumps() writes. ${RAW_BODY_SETTINGS}`;
  if (isAccepted(await send(PING, receiver, rest === key ? SECRET_PREFIX + rest : rest))) {
    return `its key and this secret differ only by ${SECRET_PREFIX}, which is part of the key`;
  }
  if (isAccepted(await send(PING, receiver, Buffer.from(rest, 'base64')))) {
    return 'use the secret as it is: it decodes it from base64';
  }
  return undefined;
}

const RAW_BODY_SETTINGS =
  'Such as express.raw() in Express, await request.body() in FastAPI, request.raw_post in Rails';

/** By the status of the response to every delivery. */
const ADVICE: readonly (readonly [statuses: readonly number[], advice: string])[] = [
  [
    [400, 401, 403],
    'check its secret and path, and that no login, CSRF check or body parser comes before the verification',
  ],
  [[404, 410], 'nothing is at this path: check the path of the URL'],
  [[405], 'this path takes no POST: check the path, and the methods of its route'],
  [[415], 'accept Content-Type: application/json'],
  [[419], 'exempt this path from the CSRF check'],
  [[429], 'exempt this path from the rate limit'],
  [[502, 503, 504], 'start the application: the proxy before it does not reach it'],
];

/** If there is no response. */
function adviseOnSilence(failure: SvcError | undefined): string {
  return failure?.code === 'timeout'
    ? 'respond first, and process the event afterwards'
    : 'see the log of the receiver';
}

function adviseOn(posted: Posted): string {
  const { status, headers, failure } = posted;
  if (status === undefined) return adviseOnSilence(failure);
  const login = /^(?:basic|digest|negotiate)\b/i.exec(headers['www-authenticate'] ?? '')?.[0];
  if (login !== undefined) return `exempt this path from the login: it asks for ${login} authentication`;
  const text = Buffer.from(posted.text).toString();
  if (/csrf|authenticity.?token/i.test(text)) return 'exempt this path from the CSRF check';
  if (status === 422 || (status === 400 && /json|body|pars|schema|validat/i.test(text))) {
    return `verify the signature before anything checks the body. ${RAW_BODY_SETTINGS}`;
  }
  const [, advice] = ADVICE.find(([statuses]) => statuses.includes(status)) ?? [];
  return advice ?? 'see its log: it fails whatever the signature is';
}

function adviseOnRedirect({ headers: { location = '' } }: Posted, url: URL): string {
  const target = URL.canParse(location, url.href) ? new URL(location, url) : url;
  let advice = `subscribe ${target.href}`;
  if (target.href === url.href) advice = 'respond 2xx at this URL';
  else if (/log-?in|sign-?in|auth/i.test(target.pathname)) advice = 'exempt this path from the login';
  return `the service follows no redirect: ${advice}`;
}
