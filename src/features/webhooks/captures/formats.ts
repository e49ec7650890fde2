/** From a user's files to their deliveries: for every command that reads deliveries. */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { SvcError } from '../../../errors.ts';
import type { Delivery } from '../delivery.ts';
import { httpDeliveries, isHttp } from './http-dump.ts';
import { capturedDeliveries } from './json.ts';

export const DELIVERY_FORMATS = ['auto', 'body', 'http', 'har', 'json', 'ndjson'] as const;
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
  /** Refuses a body without headers, with this advice. Otherwise any unknown format is a body. */
  readonly refuseBodies?: string | undefined;
  /** The bytes of a file or of `-`, in chunks; the next chunk overwrites the buffer. */
  chunks(path: string): AsyncIterable<Uint8Array>;
  /** Reports something that is skipped without a failure. */
  notice(text: string): void;
  /** Reports something that cannot be read; the rest is still read. */
  unusable(error: SvcError): void;
}

/** The files of a command line, with those in its folders. Standard input if there are none. */
export function inputFiles(paths: readonly string[]): readonly string[] {
  if (paths.indexOf('-') !== paths.lastIndexOf('-'))
    throw new SvcError('usage', '- (standard input) can be given only once');
  if (paths.length === 0) return ['-'];
  const files: string[] = [];
  for (const path of paths) {
    if (path !== '-' && statSync(path, { throwIfNoEntry: false })?.isDirectory()) files.push(...filesIn(path));
    else files.push(path);
  }
  return files;
}

function filesIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.startsWith('.'))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

/** One file's deliveries: a body of any size, left unread, or batches whose items are all there. */
export async function* readDeliveries(
  path: string,
  input: Input,
): AsyncGenerator<StreamedBody | Iterable<Delivery>, void, void> {
  const source = sourceName(path);
  const chunks = input.chunks(path);
  // With a separate signature nothing is guessed: a sender could disguise a body as a container.
  const format = input.format === 'auto' && input.signed ? 'body' : input.format;
  if (format === 'body') yield { source, pieces: chunks };
  else if (format === 'ndjson') yield* readRecording(chunks, source, input);
  else yield* readContainer(chunks, source, input);
}

async function* readContainer(
  chunks: AsyncIterable<Uint8Array>,
  source: string,
  input: Input,
): AsyncGenerator<StreamedBody | Iterable<Delivery>, void, void> {
  const rest = chunks[Symbol.asyncIterator]();
  const { beginning, isWhole } = await readBeginning(rest);
  if (beginning.length === 0) return;
  const format = input.format === 'auto' ? detectFormat(beginning) : input.format;
  if (format === 'ndjson') yield* readRecording(joinPieces(beginning, rest), source, input);
  else if (format === 'body') yield toBareBody({ source, pieces: joinPieces(beginning, rest) }, beginning, input);
  else {
    const bytes = isWhole ? beginning : await gather(joinPieces(beginning, rest), source);
    if (format === 'http') yield httpDeliveries(withoutMark(bytes), source);
    else yield readJson(bytes, source, input) ?? toBareBody({ source, pieces: once(bytes) }, beginning, input);
  }
}

async function* readRecording(
  pieces: AsyncIterable<Uint8Array>,
  source: string,
  input: Input,
): AsyncGenerator<Iterable<Delivery>, void, void> {
  // zod is loaded only for recordings.
  const { recordedDeliveries } = await import('./recordings.ts');
  yield* recordedDeliveries(pieces, source, input);
}

/** How much of the beginning identifies the format. */
const PEEK = 16_384;

/** At least as much, or all. */
async function readBeginning(
  pieces: AsyncIterator<Uint8Array>,
): Promise<{ readonly beginning: Buffer; readonly isWhole: boolean }> {
  let beginning = Buffer.alloc(0);
  while (beginning.length < PEEK) {
    const { value, done } = await pieces.next();
    if (done) return { beginning, isWhole: true };
    beginning = Buffer.concat([beginning, value]);
  }
  return { beginning, isWhole: false };
}

async function* joinPieces(beginning: Buffer, rest: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield beginning;
  yield* { [Symbol.asyncIterator]: () => rest };
}

/** Some editors write a byte order mark. */
function withoutMark(bytes: Buffer): Buffer {
  return bytes.subarray(bytes.toString('latin1', 0, 3) === '\xef\xbb\xbf' ? 3 : 0);
}

/** The format, by the first bytes. All else is a body. */
export function detectFormat(bytes: Buffer): Exclude<DeliveryFormat, 'auto' | 'har'> {
  const text = withoutMark(bytes).toString('latin1', 0, PEEK);
  const [line = ''] = text.split('\n', 1);
  // A recording has its headers as pairs; a log may have the same names.
  const isRecorded = /^\{.*"body_b64"\s*:\s*"/.test(line) && !/"headers"\s*:\s*\{/.test(line);
  if (/^\{"v":1,"received_at":"/.test(line) || isRecorded) return 'ndjson';
  if (isHttp(text)) return 'http';
  // A log may begin with other lines.
  return /^\s*[[{]/m.test(text) ? 'json' : 'body';
}

/** Undefined if there is no request. */
function readJson(bytes: Buffer, source: string, { notice, unusable }: Input): readonly Delivery[] | undefined {
  const found = capturedDeliveries(bytes, source);
  if (found === undefined) return undefined;
  const { deliveries, failures, skipped } = found;
  if (skipped > 0) notice(`${source}: ${skipped} ${skipped === 1 ? 'line' : 'lines'} without a request skipped`);
  for (const failure of failures) unusable(failure);
  return deliveries;
}

function toBareBody(body: StreamedBody, beginning: Buffer, { refuseBodies }: Input): StreamedBody {
  if (refuseBodies === undefined) return body;
  throw new SvcError('file_unusable', `${body.source}: contains no delivery, only ${describeContent(beginning)}`, {
    hint: refuseBodies,
  });
}

/** What a file in an unknown format looks like. Its names are shown, its values are not. */
function describeContent(beginning: Buffer): string {
  if (/[\0-\x08\x0e-\x1a]/.test(beginning.toString('latin1', 0, PEEK))) return 'binary data';
  const text = beginning.toString('utf8', 0, PEEK);
  if (!/^\s*[[{]/.test(text)) return 'text';
  const names = [...text.matchAll(/"([^"\\]{1,40})"\s*:/g)].slice(0, 3).map(([, name]) => `"${name}"`);
  return names.length === 0 ? 'JSON' : `JSON with ${names.join(', ')}`;
}

/** A container is read completely, and no string can be longer. */
const LARGEST_CONTAINER = 256 << 20;

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

export async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

const MOST_REPORTED = 20;

/** Failures of an input that is still read on: the first fails the command, others are notices. */
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

/** As messages and rows name it. */
export function sourceName(path: string): string {
  return path === '-' ? 'stdin' : path;
}
