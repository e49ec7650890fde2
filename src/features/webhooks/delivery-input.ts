/** From the files that somebody names to the deliveries in them. */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { SvcError } from '../../errors.ts';
import type { Delivery } from './delivery.ts';
import { type DeliveryFormat, detectFormat, PEEK, refuseOthers } from './input-format.ts';
import { type LineReader, lineBatches, recordedDelivery } from './recording-reader.ts';

/** A body that is not read yet, of any size. */
export interface StreamedBody {
  readonly source: string;
  readonly pieces: AsyncIterable<Uint8Array>;
  /** In bytes, where it is known before. */
  readonly size?: number | undefined;
}

export interface InputOptions {
  readonly format: DeliveryFormat;
  /** The signature was given apart from the input. */
  readonly signed: boolean;
  /** What to do about a body without its headers, which is refused then; else what is in none of the formats is a body. */
  readonly refuseBodies?: string;
  readonly prefix: string;
  /** Reads a line of a recording. */
  readonly readLine?: LineReader;
  /** The bytes of a file or of `-`, piece by piece; a piece is overwritten by the next. */
  chunks(path: string): AsyncIterable<Uint8Array>;
  /** What is left out, and no failure. */
  notice(text: string): void;
  /** What cannot be checked; the rest still is. */
  unusable(error: SvcError): void;
}

/** A file that is none of its kind has as many bad lines as it has lines. */
const MOST_TOLD = 20;

/** What cannot be read of an input whose rest still is: all but the first are told at once, and that one at the end. */
export class InputErrors {
  readonly #notice: (text: string) => void;
  #first: SvcError | undefined;
  #count = 0;

  constructor(notice: (text: string) => void) {
    this.#notice = notice;
  }

  add(error: SvcError): void {
    if (this.#count > 0 && this.#count < MOST_TOLD) this.#notice(error.message);
    this.#first ??= error;
    this.#count++;
  }

  /** Why not everything could be read: `verb` says what for. */
  failure(verb: 'checked' | 'shown'): SvcError | undefined {
    const first = this.#first;
    if (first === undefined || this.#count === 1) return first;
    return new SvcError('file_unusable', `${first.message} (and ${this.#count - 1} more could not be ${verb})`, {
      ...(first.hint === undefined ? {} : { hint: first.hint }),
    });
  }
}

/** A container is read whole: its parser needs it so, and beyond this it could not hold it as a text. */
const LARGEST_CONTAINER = 256 << 20;

/** Files as they are named, and for a folder the files in it and below, by name. */
export function inputFiles(paths: readonly string[]): readonly string[] {
  const named = paths.length === 0 ? ['-'] : paths;
  if (named.filter((path) => path === '-').length > 1) throw new SvcError('usage', '- can be given once');
  return named.flatMap((path) => {
    if (path === '-' || !isFolder(path)) return [path];
    return readdirSync(path, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !entry.name.startsWith('.'))
      .map((entry) => join(entry.parentPath, entry.name))
      .sort();
  });
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

function sizeOf(path: string): number | undefined {
  return path === '-' ? undefined : statSync(path, { throwIfNoEntry: false })?.size;
}

/** The deliveries of one file: a body to be streamed, or batches in which nothing is waited for. */
export async function* readDeliveries(
  path: string,
  options: InputOptions,
): AsyncGenerator<StreamedBody | Iterable<Delivery>, void, void> {
  const source = path === '-' ? 'stdin' : path;
  const known = options.format === 'auto' && options.signed ? 'body' : options.format;
  const pieces = options.chunks(path);
  if (known === 'body') {
    yield { source, pieces, size: sizeOf(path) };
    return;
  }
  if (known !== 'auto') {
    yield* contained(known, source, pieces, options);
    return;
  }
  const beginning = await Beginning.of(pieces);
  if (beginning.bytes.length === 0) return;
  const format = detectFormat(beginning.bytes, beginning.whole, options.prefix);
  if (format === 'body') {
    refuseOthers(beginning.bytes, source);
    if (options.refuseBodies !== undefined) throw noDelivery(source, options.refuseBodies);
    yield { source, pieces: beginning.all(), size: sizeOf(path) };
  } else yield* contained(format, source, beginning.all(), options);
}

function noDelivery(source: string, advice: string): SvcError {
  return new SvcError('file_unusable', `${source}: holds no delivery in a format that svc reads`, {
    hint: `${advice}; svc reads raw HTTP, HAR, curl lines, curl --trace, its own recordings, and JSON of API Gateway, ALB, webhook.site, ngrok, Postman, Insomnia or {headers, body}`,
  });
}

async function* contained(
  format: Exclude<DeliveryFormat, 'auto' | 'body'>,
  source: string,
  pieces: AsyncIterable<Uint8Array>,
  options: InputOptions,
): AsyncGenerator<StreamedBody | Iterable<Delivery>, void, void> {
  if (format === 'ndjson') {
    for await (const lines of lineBatches(pieces)) yield recorded(lines);
    return;
  }
  const bytes = await gather(pieces, source);
  if (bytes.length === 0) return;
  switch (format) {
    case 'http': {
      const { httpDeliveries } = await import('./http-dump.ts');
      yield httpDeliveries(bytes, source);
      return;
    }
    case 'har': {
      const { harDeliveries } = await import('./har.ts');
      yield harDeliveries(bytes, source, options.prefix);
      return;
    }
    case 'json': {
      const { capturedDeliveries } = await import('./captured-json.ts');
      const found = capturedDeliveries(bytes, source, options.prefix);
      if (found !== undefined) yield found;
      else if (options.refuseBodies !== undefined) throw noDelivery(source, options.refuseBodies);
      else yield { source, pieces: once(bytes), size: bytes.length };
      return;
    }
    case 'trace': {
      const { httpDeliveries } = await import('./http-dump.ts');
      const { sentBytes } = await import('./curl-trace.ts');
      yield httpDeliveries(sentBytes(bytes, source), source);
      return;
    }
    case 'curl': {
      const { curlDeliveries } = await import('./curl.ts');
      yield await curlDeliveries(bytes, source, (path) => namedFile(path, source, options));
    }
  }

  function* recorded(lines: Iterable<{ number: number; bytes: Buffer; open: boolean }>): Generator<Delivery> {
    for (const { number, bytes: line, open } of lines) {
      const where = `${source}:${number}`;
      const delivery = (options.readLine ?? recordedDelivery)(line, where, options.prefix);
      if (delivery !== undefined) yield delivery;
      else if (open) options.notice(`${where}: the last line was cut off while it was written, and is left out`);
      else options.unusable(new SvcError('file_unusable', `${where}: is no recorded delivery`));
    }
  }
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

/** A line from elsewhere must not have a device or a pipe read. */
async function namedFile(path: string, source: string, { chunks }: InputOptions): Promise<Uint8Array> {
  if (statSync(path, { throwIfNoEntry: false })?.isFile() === false) {
    throw new SvcError('file_unusable', `${source}: the body is in ${path}, which is no file`);
  }
  return gather(chunks(path), path);
}

/** All of it in memory. */
export async function gather(
  pieces: AsyncIterable<Uint8Array>,
  source: string,
  most = LARGEST_CONTAINER,
): Promise<Buffer> {
  const all: Uint8Array[] = [];
  let size = 0;
  for await (const piece of pieces) {
    size += piece.length;
    if (size > most) throw new SvcError('file_unusable', `${source}: is larger than ${most >> 20} MiB`);
    all.push(Buffer.from(piece));
  }
  return Buffer.concat(all);
}

/** As much of an input as is needed to see what it is. */
class Beginning {
  readonly bytes: Buffer;
  readonly whole: boolean;
  readonly #rest: AsyncIterator<Uint8Array>;
  /** The rest of the piece in which the beginning ended, not copied. */
  readonly #piece: Uint8Array;

  private constructor(bytes: Buffer, piece: Uint8Array, whole: boolean, rest: AsyncIterator<Uint8Array>) {
    this.bytes = bytes;
    this.whole = whole;
    this.#piece = piece;
    this.#rest = rest;
  }

  static async of(pieces: AsyncIterable<Uint8Array>): Promise<Beginning> {
    const rest = pieces[Symbol.asyncIterator]();
    const held: Uint8Array[] = [];
    for (let size = 0; ; ) {
      const { value, done } = await rest.next();
      if (done) return new Beginning(Buffer.concat(held), Buffer.alloc(0), true, rest);
      const part = value.subarray(0, PEEK - size);
      held.push(Buffer.from(part));
      size += part.length;
      if (size === PEEK) return new Beginning(Buffer.concat(held), value.subarray(part.length), false, rest);
    }
  }

  async *all(): AsyncGenerator<Uint8Array, void, void> {
    yield this.bytes;
    if (this.whole) return;
    if (this.#piece.length > 0) yield this.#piece;
    yield* { [Symbol.asyncIterator]: () => this.#rest };
  }
}
