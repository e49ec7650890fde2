/** From the files that a user names to their deliveries: for every command that reads deliveries. */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { SvcError } from '../../../errors.ts';
import type { Delivery } from '../delivery.ts';
import { curlDeliveries } from './curl.ts';
import { httpDeliveries, isHttp, VERBOSE } from './http-dump.ts';
import { capturedDeliveries } from './json.ts';

interface Format {
  /** Whether a file that begins like this has this format. The text has one character per byte. */
  readonly begins: (text: string, prefix: string) => boolean;
  /** Undefined if the file contains no request. */
  readonly read: (
    bytes: Buffer,
    source: string,
    input: Input,
  ) => readonly Delivery[] | undefined | Promise<readonly Delivery[] | undefined>;
}

/** Formats that are read completely, in the order in which they are tried. To add one, add it here. */
const CONTAINERS = {
  curl: {
    begins: (text) => /^\s*(?:\$ )?(?:\S*\/)?curl(?:\.exe)?\s/.test(text),
    read: (bytes, source, { chunks }) => curlDeliveries(bytes, source, (path) => readNamedFile(path, source, chunks)),
  },
  http: { begins: isHttp, read: httpDeliveries },
  har: {
    begins: (text) => /^\s*\{\s*"log"\s*:\s*\{/.test(text),
    read: (bytes, source, { prefix }) => capturedDeliveries(bytes, source, prefix),
  },
  // Only the complete JSON shows whether it contains requests or is a body.
  json: {
    begins: (text) => /^\s*[[{]/.test(text),
    read: (bytes, source, { prefix }) => capturedDeliveries(bytes, source, prefix),
  },
} as const satisfies Readonly<Record<string, Format>>;

type ContainerName = keyof typeof CONTAINERS;
export const DELIVERY_FORMATS = ['auto', 'body', 'http', 'har', 'curl', 'json', 'ndjson'] as const satisfies readonly (
  | ContainerName
  | 'auto'
  | 'body'
  | 'ndjson'
)[];
export type DeliveryFormat = (typeof DELIVERY_FORMATS)[number];

/** An unread body of any size. */
export interface StreamedBody {
  readonly source: string;
  readonly pieces: AsyncIterable<Uint8Array>;
}

export interface Input {
  readonly format: DeliveryFormat;
  /** The signature was given separately from the input. */
  readonly signed: boolean;
  /** Refuses a body without headers, with this advice. Otherwise anything in an unknown format is a body. */
  readonly refuseBodies?: string | undefined;
  readonly prefix: string;
  /** The bytes of a file or of `-`, in chunks; the next chunk overwrites the buffer. */
  chunks(path: string): AsyncIterable<Uint8Array>;
  /** Reports something that is skipped without a failure. */
  notice(text: string): void;
  /** Reports something that cannot be read; the rest is still read. */
  unusable(error: SvcError): void;
}

/** How much of the beginning identifies the format. */
const PEEK = 16_384;
/** A container is read completely, and no string can be longer. */
const LARGEST_CONTAINER = 256 << 20;

/** The deliveries of one file: a streamed body, or batches whose items are all there. */
export async function* readDeliveries(
  path: string,
  input: Input,
): AsyncGenerator<StreamedBody | Iterable<Delivery>, void, void> {
  const source = path === '-' ? 'stdin' : path;
  const chunks = input.chunks(path);
  // With a separate signature nothing may be guessed: the sender could disguise a body as a container.
  const known = input.format === 'auto' && input.signed ? 'body' : input.format;
  const { bytes, pieces } = known === 'auto' ? await peek(chunks) : { bytes: undefined, pieces: chunks };
  if (bytes?.length === 0) return;
  const format = bytes === undefined ? known : detectFormat(bytes, input.prefix);
  if (format === 'ndjson') {
    // zod is loaded only for recordings.
    const { recordedDeliveries } = await import('./recordings.ts');
    yield* recordedDeliveries(pieces, source, input);
  } else if (format === 'body' || format === 'auto') {
    if (bytes !== undefined) refuseOthers(bytes, source);
    yield body(source, pieces, input, bytes);
  } else {
    const whole = await gather(pieces, source);
    if (whole.length === 0) return;
    const { read }: Format = CONTAINERS[format];
    yield (await read(whole, source, input)) ?? body(source, once(whole), input, whole.subarray(0, PEEK));
  }
}

function body(
  source: string,
  pieces: AsyncIterable<Uint8Array>,
  { format, signed, refuseBodies }: Input,
  beginning: Buffer = Buffer.alloc(0),
): StreamedBody {
  if (refuseBodies === undefined || format === 'body' || signed) return { source, pieces };
  const what = describe(beginning);
  throw new SvcError('file_unusable', `${source}: contains no delivery in a format that svc reads: it is ${what}`, {
    hint: `${refuseBodies}; svc reads raw HTTP, HAR, curl lines, its own recordings, and JSON of API Gateway, ALB, webhook.site, ngrok, Postman, Hookdeck or {headers, body}`,
  });
}

/** What a file in an unknown format looks like. Its names are shown, its values are not. */
function describe(beginning: Buffer): string {
  const text = beginning.toString();
  if (/[\0-\x08\x0e-\x1a]/.test(text)) return 'binary data';
  if (!/^\s*[[{]/.test(text)) return 'text';
  const names = [...text.matchAll(/"([^"\\]{1,40})"\s*:/g)].slice(0, 3).map(([, name]) => `"${name}"`);
  return names.length === 0 ? 'JSON' : `JSON with ${names.join(', ')}`;
}

/** The format, by the first bytes. Everything else is a body. */
export function detectFormat(bytes: Buffer, prefix: string): Exclude<DeliveryFormat, 'auto'> {
  const text = bytes.toString('latin1').replace(/^\xef\xbb\xbf/, '');
  if (/^\{"v":1,"received_at":"/.test(text) || /^\{[^\n]*"body_b64"\s*:\s*"/.test(text)) return 'ndjson';
  for (const [name, { begins }] of Object.entries(CONTAINERS)) if (begins(text, prefix)) return name as ContainerName;
  return 'body';
}

/** Recognized files that contain no readable delivery. */
const OTHERS: readonly (readonly [begins: RegExp, what: string, hint: string])[] = [
  [/^\x1f\x8b/, 'a gzip file', 'unpack it first, with gunzip'],
  [/^PK\x03\x04/, 'a zip archive', 'unpack it first'],
  [
    /^(?:\xd4\xc3\xb2\xa1|\xa1\xb2\xc3\xd4|\x4d\x3c\xb2\xa1|\x0a\x0d\x0d\x0a)/,
    'a packet capture',
    'export the request as text: in Wireshark, Follow > HTTP Stream > Save as raw',
  ],
  [VERBOSE, 'the output of curl -v, which has no body', 'pass the body, and this file with --headers-file'],
  [
    /^\S+ \S+ \S+ \[[^\]]+\] "[A-Z]+ \S+ HTTP\//,
    'an access log, which has neither headers nor bodies',
    'log the signature, the timestamp and the raw body',
  ],
  [/^%PDF-/, 'a PDF file', 'export the requests as HAR or JSON'],
  [/^\s*<(?:!doctype )?html\b/i, 'an HTML page', 'export the requests as HAR or JSON'],
  [/^\s*<\?xml\b/, 'XML', 'export the requests as HAR or JSON'],
];

export function refuseOthers(bytes: Buffer, source: string): void {
  const text = bytes.toString('latin1');
  const [, what, hint] = OTHERS.find(([begins]) => begins.test(text)) ?? [];
  if (what !== undefined) throw new SvcError('file_unusable', `${source}: this is ${what}`, { hint });
}

export function inputFiles(paths: readonly string[]): readonly string[] {
  const named = paths.length === 0 ? ['-'] : paths;
  if (named.filter((path) => path === '-').length > 1)
    throw new SvcError('usage', '- (standard input) can be given only once');
  return named.flatMap((path) => {
    if (path === '-' || !statSync(path, { throwIfNoEntry: false })?.isDirectory()) return [path];
    return readdirSync(path, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !entry.name.startsWith('.'))
      .map((entry) => join(entry.parentPath, entry.name))
      .sort();
  });
}

/** A line from elsewhere must not make svc read a device or a pipe. */
async function readNamedFile(path: string, source: string, chunks: Input['chunks']): Promise<Uint8Array> {
  if (statSync(path, { throwIfNoEntry: false })?.isFile() === false) {
    throw new SvcError('file_unusable', `${source}: the body is in ${path}, which is not a file`);
  }
  return gather(chunks(path), path);
}

export async function gather(
  pieces: AsyncIterable<Uint8Array>,
  source: string,
  most = LARGEST_CONTAINER,
): Promise<Buffer> {
  const all: Uint8Array[] = [];
  let size = 0;
  for await (const piece of pieces) {
    size += piece.length;
    if (size > most) throw new SvcError('file_unusable', `${source}: larger than ${most >> 20} MiB`);
    all.push(Buffer.from(piece));
  }
  return Buffer.concat(all);
}

/** The first bytes, and then all of them. */
async function peek(pieces: AsyncIterable<Uint8Array>): Promise<{ bytes: Buffer; pieces: AsyncIterable<Uint8Array> }> {
  const rest = pieces[Symbol.asyncIterator]();
  let bytes = Buffer.alloc(0);
  let ended = false;
  while (bytes.length < PEEK && !ended) {
    const { value, done } = await rest.next();
    if (done) ended = true;
    else bytes = Buffer.concat([bytes, value]);
  }
  async function* all(): AsyncGenerator<Uint8Array> {
    yield bytes;
    if (!ended) yield* { [Symbol.asyncIterator]: () => rest };
  }
  return { bytes: bytes.subarray(0, PEEK), pieces: all() };
}

export async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

const MOST_REPORTED = 20;

/** Failures of an input whose rest is still read: the first is the command's failure, the others are notices. */
export class InputErrors {
  readonly #notice: (text: string) => void;
  #first: SvcError | undefined;
  #count = 0;

  constructor(notice: (text: string) => void) {
    this.#notice = notice;
  }

  add(error: SvcError): void {
    if (this.#count > 0 && this.#count < MOST_REPORTED) this.#notice(error.message);
    this.#first ??= error;
    this.#count++;
  }

  /** Why not everything could be read: `verb` says for what. */
  failure(verb: 'checked' | 'shown'): SvcError | undefined {
    const first = this.#first;
    if (first === undefined || this.#count === 1) return first;
    return new SvcError('file_unusable', `${first.message} (and ${this.#count - 1} more could not be ${verb})`, {
      hint: first.hint,
    });
  }
}
