/** Receivers on one bare Node server, each at a path of its own and wrong in one way, as people write them. Nothing of them is svc's. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { KEY } from '../handmade-receiver.ts';

type Reply = number | readonly [status: number, body: string, headers?: Record<string, string>];

interface Delivery {
  readonly headers: IncomingHttpHeaders;
  readonly raw: Buffer;
}

type Handler = (delivery: Delivery) => Reply;

/** How a receiver checks a delivery: what is not named here is right. */
interface Checks {
  /** The bytes that are signed. */
  readonly body?: (raw: Buffer) => Buffer | string;
  readonly message?: (timestamp: string, body: Buffer | string) => Buffer | string;
  readonly same?: (given: string, expected: string) => boolean;
  readonly fresh?: (timestamp: string) => boolean;
  readonly secret?: string;
  readonly required?: readonly ('timestamp' | 'signature')[];
}

function verifies(
  { headers, raw }: Delivery,
  { body = (bytes) => bytes, message, same = equal, fresh = isFresh, secret = KEY, required }: Checks = {},
): boolean {
  const timestamp = headers['x-service-timestamp'];
  const signature = headers['x-service-signature'];
  if (timestamp === undefined && required?.includes('timestamp') === false) return true;
  if (signature === undefined && required?.includes('signature') === false) return true;
  if (typeof timestamp !== 'string' || typeof signature !== 'string') return false;
  if (!fresh(timestamp)) return false;
  const bytes = body(raw);
  const mac = createHmac('sha256', secret);
  if (message === undefined) mac.update(`${timestamp}.`).update(bytes);
  else mac.update(message(timestamp, bytes));
  return same(signature, `sha256=${mac.digest('hex')}`);
}

function equal(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}

const age = (timestamp: string): number => Date.now() / 1000 - Number(timestamp);
const isFresh = (timestamp: string): boolean => /^\d+$/.test(timestamp) && Math.abs(age(timestamp)) <= 300;

interface Envelope {
  readonly id: string;
  readonly type: string;
  readonly created_at: string;
  readonly data: Record<string, unknown>;
}

type Process = (event: Envelope, delivery: Delivery) => Reply;

/** Verifies, parses and processes, in this order. */
function receiver(checks: Checks = {}, process: Process = () => 204): Handler {
  return (delivery) => {
    if (!verifies(delivery, checks)) return 401;
    let event: Envelope;
    try {
      event = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(delivery.raw)) as Envelope;
    } catch {
      return 400;
    }
    return process(event, delivery);
  };
}

const processing = (process: Process): Handler => receiver({}, process);
const summaries = (process: (data: Record<string, unknown>) => Reply): Handler =>
  processing(({ type, data }) => (type === 'summary.completed' ? process(data) : 204));

const COMPLETE = ['audio_id', 'report_id', 'status', 'title', 'duration_ms', 'recorded_at', 'transcript', 'summaries'];
const seen = new Set<string>();

/** The receiver, and the probes that it must fail at least. */
export const NODE_RECEIVERS: Readonly<Record<string, readonly [handler: Handler, fails: readonly string[]]>> = {
  // What a header is compared with.
  'compares-digits-given': [
    receiver({ same: (given, expected) => given.startsWith('sha256=') && expected.startsWith(given) }),
    ['signature-length'],
  ],
  'compares-without-first-digit': [
    receiver({ same: (given, expected) => given.slice(8) === expected.slice(8) && given.length === 71 }),
    ['bad-signature'],
  ],
  'needs-no-prefix': [
    receiver({ same: (given, expected) => equal(`sha256=${given.replace(/^sha256=/, '')}`, expected) }),
    ['signature-prefix'],
  ],
  'signature-is-optional': [receiver({ required: ['timestamp'] }), ['missing-signature']],
  'timestamp-is-optional': [receiver({ required: ['signature'] }), ['missing-timestamp']],
  // What is signed.
  'trims-the-body': [receiver({ body: (raw) => raw.toString().trim() }), ['raw-body']],
  'takes-bytes-for-latin1': [receiver({ body: (raw) => raw.toString('latin1') }), ['valid-summary']],
  'takes-a-signed-body-too': [
    (delivery) => (verifies(delivery) || verifies(delivery, { message: (_, body) => body }) ? 204 : 401),
    ['signature-input'],
  ],
  'takes-an-empty-secret-too': [
    (delivery) => (verifies(delivery) || verifies(delivery, { secret: '' }) ? 204 : 401),
    ['signature-input'],
  ],
  // What is fresh.
  'has-no-tolerance': [receiver({ fresh: (timestamp) => /^\d+$/.test(timestamp) }), ['stale-timestamp']],
  'looks-back-only': [
    receiver({ fresh: (timestamp) => /^\d+$/.test(timestamp) && age(timestamp) <= 300 }),
    ['future-timestamp'],
  ],
  'parses-leading-digits': [
    receiver({ fresh: (timestamp) => Math.abs(Date.now() / 1000 - Number.parseInt(timestamp, 10)) <= 300 }),
    ['shifted-dot'],
  ],
  // What an event may hold.
  'requires-all-fields': [
    summaries((data) => (COMPLETE.every((name) => name in data) ? 204 : 422)),
    ['optional-fields'],
  ],
  'refuses-further-fields': [processing((event) => (Object.keys(event).length === 4 ? 204 : 422)), ['unknown-fields']],
  'refuses-duplicates': [
    processing(({ id }) => {
      if (seen.has(id)) return 409;
      seen.add(id);
      return 204;
    }),
    ['same-event-twice'],
  ],
  // What else.
  'takes-1-mib': [(delivery) => (delivery.raw.length > 2 ** 20 ? 413 : receiver()(delivery)), ['large-body']],
  'fails-on-a-bad-signature': [
    (delivery) => {
      if (!verifies(delivery)) throw new Error('bad signature');
      return 204;
    },
    ['bad-signature'],
  ],
};

/** One that is right in all, and answers 400 where others answer 401. */
export const CORRECT_NODE: Handler = (delivery) => (verifies(delivery) ? receiver()(delivery) : [400, 'refused']);

export async function serveNode(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const handler = NODE_RECEIVERS[(request.url ?? '').slice('/node/'.length)]?.[0] ?? CORRECT_NODE;
  let reply: Reply;
  try {
    reply = handler({ headers: request.headers, raw: Buffer.concat(chunks) });
  } catch {
    reply = 500;
  }
  const [status, body, headers] = typeof reply === 'number' ? [reply, ''] : reply;
  response.writeHead(status, headers).end(body);
}
