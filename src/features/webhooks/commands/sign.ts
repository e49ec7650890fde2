import { hash } from 'node:crypto';
import { type RunContext, textCommand } from '../../../cli/command.ts';
import type { Instant } from '../../../cli/flags.ts';
import { SvcError } from '../../../errors.ts';
import { RawBytes, type RecordOutput } from '../../../output/types.ts';
import { type RawHeader, readEvent } from '../delivery.ts';
import { receiverAddress } from '../options.ts';
import { deliveryHeaders, deliveryId } from '../sending/sample-event.ts';
import { fingerprint, signatureOf } from '../signature.ts';
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
      choices: ['headers', 'signature', 'http'],
      help: 'What to print (default headers)',
    },
    to: {
      type: 'string',
      value: 'url',
      check: (text: string) => void receiverAddress(text),
      help: 'With --as http: URL of the request',
    },
    timestamp: { type: 'time', bare: 'back', unix: true, help: 'Time of signing, or Unix seconds (default now)' },
    ...SECRET_FLAGS,
  },
  outputOf: ({ as }) => (as === undefined ? SIGNED : { kind: 'text' }),
  examples: [
    { run: 'svc webhooks sign event.json --secret-file key.txt', why: 'The headers for this body' },
    { run: 'svc webhooks sign event.json --as http > delivery.http', why: 'A complete request, for verify or netcat' },
  ],
  output: { kind: 'text' },
  async run(input, ctx) {
    const { as = ctx.wants.fields ? 'json' : 'headers', file = '-' } = input;
    const secret = await requireSecret(input, ctx);
    if (as !== 'http' && input.to !== undefined) throw new SvcError('usage', '--to needs --as http');
    const timestamp = unixSeconds(input.timestamp, ctx);
    const body = await ctx.readInput(file);
    const signature = signatureOf(secret.key.reveal(), timestamp, body);
    const headers = deliveryHeaders({ timestamp, signature, type: typeIn(body), deliveryId: deliveryId(ctx.random) });
    const signedAt = new Date(Number(timestamp) * 1000).toISOString().replace('.000Z', 'Z');
    const footer = `${body.length} bytes signed at ${signedAt} with secret ${fingerprint(secret)}`;
    switch (as) {
      case 'signature':
        return { value: signature, footer };
      case 'headers':
        return { value: headers.map(([name, value]) => `${name}: ${value}\n`).join(''), footer };
      case 'http': {
        const to = receiverAddress(input.to ?? 'http://localhost/');
        return { value: new RawBytes(httpRequest(to, headers, body)), footer };
      }
      default:
        return {
          value: {
            headers: Object.fromEntries(headers),
            timestamp: Number(timestamp),
            signature,
            body_bytes: body.length,
            body_sha256: hash('sha256', body),
          },
          as: SIGNED,
          footer,
        };
    }
  },
});

function unixSeconds(time: Instant | undefined, ctx: Pick<RunContext, 'now'>): string {
  const seconds = Math.floor((time?.ms ?? ctx.now()) / 1000);
  if (seconds >= 0) return String(seconds);
  throw new SvcError('invalid_value', '--timestamp: a delivery cannot be older than 1970');
}

/** A header must not be forged by the type of an event: printable ASCII with inner spaces. */
function typeIn(body: Uint8Array): string | undefined {
  const type = readEvent(body)?.type;
  return type !== undefined && /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(type) ? type : undefined;
}

/** The complete request, with exactly these body bytes. */
export function httpRequest(to: URL, headers: readonly RawHeader[], body: Uint8Array): Uint8Array {
  const all = [['Host', to.host], ...headers, ['Content-Length', String(body.length)]];
  const head = [`POST ${to.pathname}${to.search} HTTP/1.1`, ...all.map(([name, value]) => `${name}: ${value}`), '', ''];
  return Buffer.concat([Buffer.from(head.join('\r\n'), 'latin1'), body]);
}
