/** Recognizes what a file contains, and reads its deliveries. */
import { statSync } from 'node:fs';
import { SvcError } from '../../../errors.ts';
import { fileFailure } from '../../../store/own-file.ts';
import { type Delivery, signatureHeaders } from '../delivery.ts';
import { curlDeliveries } from './curl.ts';
import { editorDeliveries, isEditorFile } from './editor-files.ts';
import { headerFile, VERBOSE } from './headers.ts';
import { httpDeliveries, innerDeliveries, isHttp } from './http-dump.ts';
import { type DeliveryFormat, gather, type Input, once, type StreamedBody } from './input.ts';
import { capturedDeliveries } from './json.ts';

/** How much of the beginning identifies the format. */
const PEEK = 16_384;

/** A body is left unread: it may be larger than the memory. */
export async function* readContainer(
  source: string,
  chunks: AsyncIterable<Uint8Array>,
  input: Input,
): AsyncGenerator<StreamedBody | Iterable<Delivery>, void, void> {
  const { bytes, isWhole, pieces } =
    input.format === 'auto' ? await peek(chunks) : { bytes: undefined, isWhole: false, pieces: chunks };
  if (bytes?.length === 0) return;
  const format = bytes === undefined ? input.format : detectFormat(bytes);
  if (format === 'ndjson') {
    // zod is loaded only for recordings.
    const { recordedDeliveries } = await import('./recordings.ts');
    yield* recordedDeliveries(pieces, source, input);
    return;
  }
  if (bytes !== undefined && format === 'body' && isBinary(bytes)) {
    yield toBareBody(source, pieces, bytes, input);
    return;
  }
  const whole = bytes !== undefined && isWhole ? bytes : await gather(pieces, source);
  if (whole.length === 0) return;
  yield (await readDeliveriesIn(whole, source, format, input)) ??
    toBareBody(source, once(whole), whole.subarray(0, PEEK), input);
}

/** Undefined if there is no request. */
async function readDeliveriesIn(
  bytes: Buffer,
  source: string,
  format: DeliveryFormat,
  { chunks, notice, unusable }: Input,
): Promise<readonly Delivery[] | undefined> {
  const read = (path: string): Promise<Uint8Array> => readNamedFile(path, source, chunks);
  if (format === 'curl') return curlDeliveries(bytes, source, read);
  if (format === 'http') {
    return isEditorFile(bytes.toString('latin1'))
      ? editorDeliveries(bytes, source, read)
      : httpDeliveries(bytes, source);
  }
  const found = capturedDeliveries(bytes, source);
  if (found === undefined) {
    const inner = innerDeliveries(bytes, source);
    return inner.length === 0 ? undefined : inner;
  }
  const { deliveries, failures, skipped } = found;
  if (skipped > 0) notice(`${source}: ${skipped} ${skipped === 1 ? 'line' : 'lines'} without a request skipped`);
  for (const failure of failures) unusable(failure);
  return deliveries;
}

/** The format, by the first bytes. All else is a body, or a text to search for requests. */
export function detectFormat(bytes: Buffer): Exclude<DeliveryFormat, 'auto' | 'har'> {
  const text = bytes.toString('latin1').replace(/^\xef\xbb\xbf/, '');
  if (/^\{"v":1,"received_at":"/.test(text) || /^\{[^\n]*"body_b64"\s*:\s*"/.test(text)) return 'ndjson';
  if (/^\s*(?:\$ )?(?:\S*\/)?curl(?:\.exe)?\s/.test(text)) return 'curl';
  if (isHttp(text) || isEditorFile(text)) return 'http';
  return /^\s*[[{]/.test(text) ? 'json' : 'body';
}

function isBinary(bytes: Buffer): boolean {
  return /[\0-\x08\x0e-\x1a]/.test(bytes.toString('latin1'));
}

function toBareBody(
  source: string,
  pieces: AsyncIterable<Uint8Array>,
  beginning: Buffer,
  { refuseBodies }: Input,
): StreamedBody {
  refuseOthers(beginning, source);
  if (refuseBodies === undefined) return { source, pieces };
  if (signatureHeaders(tryReadHeaders(beginning, source)).signatures.length > 0) {
    throw new SvcError('file_unusable', `${source}: has the headers of a delivery, but not its body`, {
      hint: 'pass the file of the body, and this one with --headers-file',
    });
  }
  throw new SvcError('file_unusable', `${source}: contains no delivery, only ${describeContent(beginning)}`, {
    hint: refuseBodies,
  });
}

function tryReadHeaders(bytes: Buffer, source: string): ReturnType<typeof headerFile> {
  try {
    return headerFile(bytes, source);
  } catch (error) {
    if (error instanceof SvcError) return [];
    throw error;
  }
}

/** What a file in an unknown format looks like. Its names are shown, its values are not. */
function describeContent(beginning: Buffer): string {
  const text = beginning.toString();
  if (isBinary(beginning)) return 'binary data';
  if (!/^\s*[[{]/.test(text)) return 'text';
  const names = [...text.matchAll(/"([^"\\]{1,40})"\s*:/g)].slice(0, 3).map(([, name]) => `"${name}"`);
  return names.length === 0 ? 'JSON' : `JSON with ${names.join(', ')}`;
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

/** A line from elsewhere must not make svc read a device or a pipe. */
async function readNamedFile(path: string, source: string, chunks: Input['chunks']): Promise<Uint8Array> {
  try {
    if (statSync(path).isFile()) return await gather(chunks(path), path);
  } catch (error) {
    // A name can also be too long, or contain NUL.
    throw fileFailure(`${source}: the body is in ${path}, which cannot be read`, error);
  }
  throw new SvcError('file_unusable', `${source}: the body is in ${path}, which is not a file`);
}

/** The first bytes, whether there are no others, and all of them. */
async function peek(
  pieces: AsyncIterable<Uint8Array>,
): Promise<{ bytes: Buffer; isWhole: boolean; pieces: AsyncIterable<Uint8Array> }> {
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
  return { bytes: bytes.subarray(0, PEEK), isWhole: ended, pieces: all() };
}
