/** From a user's files to their deliveries: for every command that reads deliveries. */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { SvcError } from '../../../errors.ts';
import type { Delivery } from '../delivery.ts';
import { httpDeliveries, isHttp } from './http-dump.ts';
import { type DeliveryFormat, gather, type Input, once, type StreamedBody } from './input.ts';
import { capturedDeliveries } from './json.ts';

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
  const source = path === '-' ? 'stdin' : path;
  const chunks = input.chunks(path);
  // With a separate signature nothing is guessed: a sender could disguise a body as a container.
  if (input.format === 'body' || (input.format === 'auto' && input.signed)) {
    yield { source, pieces: chunks };
    return;
  }
  const { beginning, isWhole, pieces } = await peek(chunks);
  if (beginning.length === 0) return;
  const format = input.format === 'auto' ? detectFormat(beginning) : input.format;
  if (format === 'ndjson') {
    // zod is loaded only for recordings.
    const { recordedDeliveries } = await import('./recordings.ts');
    yield* recordedDeliveries(pieces, source, input);
  } else if (format === 'body') yield toBareBody({ source, pieces }, beginning, input);
  else {
    const bytes = isWhole ? beginning : await gather(pieces, source);
    if (format === 'http') yield httpDeliveries(bytes, source);
    else yield readJson(bytes, source, input) ?? toBareBody({ source, pieces: once(bytes) }, beginning, input);
  }
}

/** How much of the beginning identifies the format. */
const PEEK = 16_384;

/** The first bytes, whether there are no others, and all of them. */
async function peek(
  chunks: AsyncIterable<Uint8Array>,
): Promise<{ beginning: Buffer; isWhole: boolean; pieces: AsyncIterable<Uint8Array> }> {
  const rest = chunks[Symbol.asyncIterator]();
  let bytes = Buffer.alloc(0);
  let isWhole = false;
  while (bytes.length < PEEK && !isWhole) {
    const { value, done } = await rest.next();
    if (done) isWhole = true;
    else bytes = Buffer.concat([bytes, value]);
  }
  async function* all(): AsyncGenerator<Uint8Array> {
    yield bytes;
    if (!isWhole) yield* { [Symbol.asyncIterator]: () => rest };
  }
  return { beginning: isWhole ? bytes : bytes.subarray(0, PEEK), isWhole, pieces: all() };
}

/** The format, by the first bytes. All else is a body. */
export function detectFormat(bytes: Buffer): Exclude<DeliveryFormat, 'auto' | 'har'> {
  const text = bytes.toString('latin1').replace(/^\xef\xbb\xbf/, '');
  if (/^\{"v":1,"received_at":"/.test(text) || /^\{[^\n]*"body_b64"\s*:\s*"/.test(text)) return 'ndjson';
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
  if (/[\0-\x08\x0e-\x1a]/.test(beginning.toString('latin1'))) return 'binary data';
  const text = beginning.toString();
  if (!/^\s*[[{]/.test(text)) return 'text';
  const names = [...text.matchAll(/"([^"\\]{1,40})"\s*:/g)].slice(0, 3).map(([, name]) => `"${name}"`);
  return names.length === 0 ? 'JSON' : `JSON with ${names.join(', ')}`;
}
