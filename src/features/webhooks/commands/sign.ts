import { createHash, createHmac } from 'node:crypto';
import { type RunContext, textCommand } from '../../../cli/command.ts';
import type { Instant } from '../../../cli/flags.ts';
import { SvcError } from '../../../errors.ts';
import { shellWord } from '../../../output/escape.ts';
import { RawBytes, type RecordOutput } from '../../../output/types.ts';
import { type RawHeader, readEvent } from '../delivery.ts';
import { receiverAddress } from '../options.ts';
import { deliveryHeaders, deliveryId } from '../sending/sample-event.ts';
import { fingerprint } from '../signature.ts';
import { requireSecret, SECRET_FLAGS } from '../signing-secrets.ts';

interface Signed {
  readonly headers: Readonly<Record<string, string>>;
  readonly timestamp: number;
  readonly signature: string;
  readonly body_bytes: number;
  readonly body_sha256: string;
}

const SIGNED: RecordOutput<Signed> = {
  kind: 'record',
  columns: [
    { name: 'timestamp', cell: ({ timestamp }) => timestamp },
    { name: 'signature', cell: ({ signature }) => signature },
    { name: 'body-bytes', cell: (signed) => signed.body_bytes },
    { name: 'body-sha256', cell: (signed) => signed.body_sha256 },
    { name: 'headers', cell: ({ headers }) => Object.entries(headers).map(([name, value]) => `${name}: ${value}`) },
  ],
  id: ({ signature }) => signature,
};

/** svc reads the event type of a body up to this size. */
const MAX_EVENT_BYTES = 16 * 1024 * 1024;

export const webhooksSign = textCommand({
  id: 'webhooks sign',
  summary: 'Sign a body as the service would',
  description:
    'Signs the exact bytes, including a final newline. Prints the headers of a delivery, or with --as a complete request: http can be read by svc webhooks verify. The event type comes from the body; svc generates the delivery id.',
  effect: 'read',
  args: { file: { help: 'Body; - for standard input (the default)', complete: 'files' } },
  flags: {
    as: {
      type: 'choice',
      choices: ['headers', 'signature', 'curl', 'http'],
      help: 'What to print (default headers)',
    },
    to: {
      type: 'string',
      value: 'url',
      check: (text: string) => void receiverAddress(text),
      help: 'With --as curl or http: URL of the request',
    },
    timestamp: { type: 'time', bare: 'back', unix: true, help: 'Time of signing, or Unix seconds (default now)' },
    ...SECRET_FLAGS,
  },
  outputOf: ({ as }) => (as === undefined ? SIGNED : { kind: 'text' }),
  examples: [
    { run: 'svc webhooks sign event.json --secret-file key.txt', why: 'The headers for this body' },
    {
      run: 'svc webhooks sign event.json --as curl --to http://127.0.0.1:8787/',
      why: 'A curl line, with the secret in $SVC_WEBHOOK_SECRET',
    },
    { run: 'svc webhooks sign event.json --as http > delivery.http', why: 'A complete request, for verify or netcat' },
  ],
  output: { kind: 'text' },
  async run(input, ctx) {
    const { as = ctx.wants.fields ? 'json' : 'headers', file = '-' } = input;
    const secret = await requireSecret(input, ctx);
    const to = target(as, input.to);
    const timestamp = unixSeconds(input.timestamp, ctx);
    const body = await signBody(ctx.inputChunks(file), {
      key: secret.key.reveal(),
      timestamp,
      most: as === 'http' ? Number.POSITIVE_INFINITY : MAX_EVENT_BYTES,
    });
    const { signature } = body;
    const headers = deliveryHeaders({
      timestamp,
      signature,
      type: typeIn(body),
      deliveryId: deliveryId(ctx.random),
    });
    const signedAt = new Date(Number(timestamp) * 1000).toISOString().replace('.000Z', 'Z');
    const footer = [
      `${body.size} bytes signed at ${signedAt} with secret ${fingerprint(secret)}`,
      ...(as === 'curl' && file === '-' ? ['pipe the same bytes into curl'] : []),
    ].join('\n');
    switch (as) {
      case 'signature':
        return { value: signature, footer };
      case 'headers':
        return { value: headers.map(([name, value]) => `${name}: ${value}\n`).join(''), footer };
      case 'curl':
        return { value: curlLine(to, headers, file), footer };
      case 'http':
        return { value: new RawBytes(httpRequest(to, headers, body.bytes ?? new Uint8Array())), footer };
      default:
        return {
          value: {
            headers: Object.fromEntries(headers),
            timestamp: Number(timestamp),
            signature,
            body_bytes: body.size,
            body_sha256: body.sha256,
          },
          as: SIGNED,
          footer,
        };
    }
  },
});

function target(as: string, to: string | undefined): URL {
  if (as !== 'curl' && as !== 'http') {
    if (to !== undefined) throw new SvcError('usage', '--to needs --as curl or --as http');
  } else if (to === undefined && as === 'curl') {
    throw new SvcError('missing_value', '--as curl needs --to <url>');
  }
  return receiverAddress(to ?? 'http://localhost/');
}

function unixSeconds(time: Instant | undefined, ctx: Pick<RunContext, 'now'>): string {
  const seconds = Math.floor((time?.ms ?? ctx.now()) / 1000);
  if (seconds >= 0) return String(seconds);
  throw new SvcError('invalid_value', '--timestamp: a delivery cannot be older than 1970');
}

/** A header must not be forged by the type of an event. */
function typeIn({ bytes }: SignedBody): string | undefined {
  const type = bytes && readEvent(bytes)?.type;
  return type !== undefined && fitsHeader(type) ? type : undefined;
}

interface SignedBody {
  readonly signature: string;
  readonly size: number;
  readonly sha256: string;
  /** The body itself, undefined if it exceeds the requested size. */
  readonly bytes: Uint8Array | undefined;
}

interface BodySigning {
  readonly key: string;
  /** Unix seconds in digits. */
  readonly timestamp: string;
  readonly most: number;
}

/** Signs a body of any size, chunk by chunk. */
async function signBody(pieces: AsyncIterable<Uint8Array>, { key, timestamp, most }: BodySigning): Promise<SignedBody> {
  const mac = createHmac('sha256', key).update(`${timestamp}.`);
  const hash = createHash('sha256');
  let buffered: Uint8Array[] | undefined = [];
  let size = 0;
  for await (const piece of pieces) {
    mac.update(piece);
    hash.update(piece);
    size += piece.length;
    if (size > most) buffered = undefined;
    buffered?.push(Buffer.from(piece));
  }
  return {
    signature: `sha256=${mac.digest('hex')}`,
    size,
    sha256: hash.digest('hex'),
    bytes: buffered && Buffer.concat(buffered),
  };
}

/** The complete request, with exactly these body bytes. */
export function httpRequest(to: URL, headers: readonly RawHeader[], body: Uint8Array): Uint8Array {
  const all = [['Host', to.host], ...headers, ['Content-Length', String(body.length)]];
  const head = [`POST ${to.pathname}${to.search} HTTP/1.1`, ...all.map(([name, value]) => `${name}: ${value}`), '', ''];
  return Buffer.concat([Buffer.from(head.join('\r\n'), 'latin1'), body]);
}

/** A shell line that sends the file unchanged; `-` is piped into curl. */
function curlLine(to: URL, headers: readonly RawHeader[], file: string): string {
  const line = ['curl', '-sS'];
  // curl would read these as patterns.
  if (/[[\]{}]/.test(to.href)) line.push('--globoff');
  line.push('-X', 'POST', shellWord(to.href));
  for (const [name, value] of headers) line.push('-H', shellWord(`${name}: ${value}`));
  // Not -d, which removes line ends from a file.
  line.push('--data-binary', shellWord(`@${file}`));
  return line.join(' ');
}

/** Whether a text is valid in a header unchanged: printable ASCII with inner spaces. */
function fitsHeader(text: string): boolean {
  return /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(text);
}
