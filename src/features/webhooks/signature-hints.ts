/** Why a signature does not match: every repair is tried, and named only if it then matches. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { parseJsonText } from '../../json-object.ts';
import { SECRET_PREFIX, type SignedHeaders, type SigningSecret, trimmed, withoutPrefix } from './signature.ts';

export interface Evidence {
  readonly headers: SignedHeaders;
  readonly body: Uint8Array;
  readonly secrets: readonly SigningSecret[];
}

type Part = string | Uint8Array;

/** Compares a digest with the HMAC of a message under one of the keys. */
interface Comparison {
  /** Undefined if the header contains none. */
  readonly digest: Buffer | undefined;
  readonly message: readonly Part[];
  readonly keys: readonly Part[];
}

interface Received extends Comparison {
  readonly signature: string;
  readonly timestamp: string;
  readonly body: Buffer;
  readonly secrets: readonly SigningSecret[];
}

interface Repair {
  /** Begins with the repaired part. */
  readonly name: string;
  /** What happened, for a person. */
  readonly sentence: string;
  /** The texts that may have been signed. Empty if the repair does not apply. */
  readonly attempts: (received: Received) => readonly Partial<Comparison>[];
}

/** The repair that makes the signature match, as the only item of a list; empty if none does. */
export function findHints({ headers, body, secrets }: Evidence): readonly string[] {
  const timestamp = trimmed(headers.timestamps[0]);
  const signature = trimmed(headers.signatures[0]);
  const received: Received = {
    signature,
    timestamp,
    body: Buffer.from(body.buffer, body.byteOffset, body.byteLength),
    secrets,
    digest: digestOf(signature),
    message: [`${timestamp}.`, body],
    keys: secrets.map(({ key }) => key.reveal()),
  };
  // A repair that changes nothing must not be named.
  if (matches(received)) return [];
  // A dot in the timestamp moves the border to the body: such a message is not searched on.
  const part = /^\d+$/.test(timestamp) ? '' : 'timestamp_';
  for (const { name, attempts } of REPAIRS) {
    if (name.startsWith(part) && attempts(received).some((one) => matches({ ...received, ...one }))) return [name];
  }
  return [];
}

function matches({ digest, message, keys }: Comparison): boolean {
  if (digest?.length !== 32) return false;
  return keys.some((key) => {
    const mac = createHmac('sha256', key);
    for (const part of message) mac.update(part);
    return timingSafeEqual(mac.digest(), digest);
  });
}

/** One sentence for a person. */
export function describeHint(name: string): string {
  return REPAIRS.find((repair) => repair.name === name)?.sentence ?? name;
}

function digestOf(signature: string): Buffer | undefined {
  const hex = /^sha256=([0-9a-fA-F]{64})$/.exec(signature)?.[1];
  return hex === undefined ? undefined : Buffer.from(hex, 'hex');
}

/** In the order in which they are tried, likely ones first. */
export const REPAIRS: readonly Repair[] = [
  bodyRepair(
    'body_minus_trailing_newline',
    'the signature matches without the trailing newline (echo and editors add one; use printf, or the original file)',
    (body, text) => [/\r?\n$/, /\n$/].map((end) => body.subarray(0, text.length - (end.exec(text)?.[0].length ?? 0))),
  ),
  bodyRepair(
    'body_plus_trailing_newline',
    'the signature matches with a newline at the end ($(cat file) and copying drop it; use the original file)',
    (_, text) => [latin1(`${text}\n`), latin1(`${text}\r\n`)],
  ),
  bodyRepair(
    'body_line_ends',
    'the signature matches with other line endings (an editor, git, FTP or curl -d changed them)',
    (_, text) => ['\n', '\r\n', ''].map((end) => latin1(text.replace(/\r?\n/g, end))),
  ),
  bodyRepair(
    'body_charset',
    'the signature matches in another encoding: something added or dropped a byte order mark, or wrote UTF-16, Latin-1 or UTF-8 twice',
    (body, text) => [
      latin1(text.replace(/^\xef\xbb\xbf/, '')),
      latin1(`\xef\xbb\xbf${text}`),
      Buffer.from(body.toString('utf16le').replace(/^\ufeff|\r?\n$/g, '')),
      Buffer.from(text),
      latin1(body.toString()),
    ],
  ),
  bodyRepair(
    'body_reserialized',
    'the signature matches the same JSON in another layout: something parsed the body and serialized it again; keep the original bytes',
    layouts,
  ),
  bodyRepair(
    'body_base64',
    'the signature matches the decoded body: the file has it in base64; decode it first (base64 -d)',
    (_, text) => (/^[A-Za-z0-9+/_-]+={0,2}\s*$/.test(text.replace(/\r?\n/g, '')) ? [Buffer.from(text, 'base64')] : []),
  ),
  {
    name: 'timestamp_in_seconds',
    sentence: 'the signature matches with the timestamp in seconds: the header has milliseconds',
    attempts: ({ timestamp, body }) => [{ message: [`${timestamp.replace(/\d{3}$/, '')}.`, body] }],
  },
  secretRepair(
    'secret_without_prefix',
    `the signature matches if the secret is used without its ${SECRET_PREFIX}: the sender signs with the rest only`,
    withoutPrefix,
  ),
  secretRepair(
    'secret_with_prefix',
    `the signature matches with ${SECRET_PREFIX} before the secret: the prefix is part of the key`,
    (text) => SECRET_PREFIX + withoutPrefix(text),
  ),
  secretRepair(
    'secret_standard_webhooks_key',
    `the signature matches if the part after ${SECRET_PREFIX} is base64-decoded: the sender does that, as Standard Webhooks says; the service does not`,
    (text) => Buffer.from(withoutPrefix(text), 'base64'),
  ),
  {
    name: 'message_without_timestamp',
    sentence: 'the signature covers only the body: the sender did not sign the timestamp, so anyone can replay it',
    attempts: ({ body }) => [{ message: [body] }],
  },
  {
    name: 'signature_label',
    sentence: 'the signature matches, but its label is wrong: it must begin with sha256=',
    attempts: ({ signature }) => [{ digest: digestOf(signature.replace(/^[\w-]+[=:] ?/, 'sha256=')) }],
  },
];

/** As JavaScript, Python, PHP and Go write the same JSON. */
function layouts(body: Buffer): readonly Uint8Array[] {
  const value = json(body);
  if (typeof value === 'string') return [Buffer.from(value)];
  const indented = [2, 4, '\t'].map((indent) => JSON.stringify(value, null, indent));
  const plain = [JSON.stringify(value), pythonJson(value)];
  const ascii = plain.map((text) => text.replace(/[\x7f-\uffff]/g, unicodeEscape));
  const slashes = [...plain, ...ascii].map((text) => text.replaceAll('/', '\\/'));
  const html = plain.map((text) => text.replace(/[<>&\u2028\u2029]/g, unicodeEscape));
  const all = [...plain, ...ascii, ...slashes, ...indented, ...html];
  return [...all, ...all.map((text) => `${text}\n`)].map((text) => Buffer.from(text));
}

/** What programs do to a body. `text` has a character per byte. If it throws, it does not apply. */
function bodyRepair(
  name: string,
  sentence: string,
  bodies: (body: Buffer, text: string) => readonly Uint8Array[],
): Repair {
  const attempts = ({ timestamp, body }: Received) => {
    try {
      return bodies(body, body.toString('latin1')).map((repaired) => ({ message: [`${timestamp}.`, repaired] }));
    } catch {
      return [];
    }
  };
  return { name, sentence, attempts };
}

/** What people do to a secret. */
function secretRepair(name: string, sentence: string, repair: (text: string) => Part): Repair {
  const attempts = ({ secrets }: Received) => [
    { keys: secrets.map(({ key }) => repair(key.reveal())).filter((key) => key.length > 0) },
  ];
  return { name, sentence, attempts };
}

function latin1(text: string): Buffer {
  return Buffer.from(text, 'latin1');
}

/** Objects, arrays and strings: other values have one spelling. */
function json(body: Buffer): object | string {
  const value = parseJsonText(body.toString());
  if ((typeof value === 'object' && value !== null) || typeof value === 'string') return value;
  throw new TypeError('not printed');
}

/** With a space after each comma and colon. */
function pythonJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(pythonJson).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}: ${pythonJson(member)}`);
  return `{${members.join(', ')}}`;
}

function unicodeEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
