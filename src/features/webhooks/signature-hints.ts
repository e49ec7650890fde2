/** Why a signature does not match: every repair is tried for real, and told only where the signature then matches. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { BODY_REPAIRS, type Repair } from './body-repairs.ts';
import { hmacKey, SECRET_PREFIX, type SigningSecret, withoutPrefix } from './secret.ts';
import { type SignedHeaders, trimmed } from './signature.ts';

/** Above this a body is not searched: each repair costs as much as the check itself. */
export const MOST_SEARCHED = 16 << 20;

export interface Evidence {
  readonly headers: SignedHeaders;
  readonly body: Uint8Array;
  readonly secrets: readonly SigningSecret[];
  /** What Standard Webhooks signs before the timestamp. */
  readonly deliveryId?: string | undefined;
  /** The body as it was before a program changed it, where the container tells. */
  readonly original?: { readonly hint: string; readonly body: Uint8Array } | undefined;
}

/** The names of the repairs that together make the signature match; none where nothing does. */
export function findHints(evidence: Evidence): readonly string[] {
  const search = new Search(evidence);
  for (const tried of attempts(evidence, search)) {
    if (tried !== undefined) return tried;
  }
  return [];
}

/** One sentence for a person. */
export function describeHint(name: string): string {
  return WORDS.get(name) ?? name;
}

type Key = string | Uint8Array;

class Search {
  readonly timestamp: string;
  readonly signature: string;
  readonly keys: readonly Key[];
  /** What the header holds, if it holds a digest at all. */
  readonly digest: Buffer | undefined;

  constructor({ headers, secrets }: Evidence) {
    this.timestamp = trimmed(headers.timestamps[0]);
    this.signature = trimmed(headers.signatures[0]);
    this.keys = secrets.map(hmacKey);
    const hex = /^sha256=([0-9a-fA-F]{64})$/.exec(this.signature)?.[1];
    this.digest = hex === undefined ? undefined : Buffer.from(hex, 'hex');
  }

  matches(digest: Buffer | undefined, message: readonly (string | Uint8Array)[], keys = this.keys): boolean {
    if (digest?.length !== 32) return false;
    return keys.some((key) => {
      const mac = createHmac('sha256', key);
      for (const part of message) mac.update(part);
      return timingSafeEqual(mac.digest(), digest);
    });
  }
}

/** From the likely to the odd. One repair explains most; a secret and a final newline are the two slips that come together. */
function* attempts(evidence: Evidence, search: Search): Generator<readonly string[] | undefined> {
  const { body, original, secrets } = evidence;
  const { digest, timestamp } = search;
  const prefix = `${timestamp}.`;
  // Nothing has to be repaired, and no repair that leaves the body as it is may be named as one.
  if (search.matches(digest, [prefix, body])) {
    yield [];
    return;
  }
  if (digest === undefined) {
    for (const { name, digests } of SIGNATURE_REPAIRS) {
      for (const repaired of digests(search.signature)) {
        if (search.matches(repaired, [prefix, body])) yield [name];
      }
    }
    return;
  }
  for (const { name, timestamps } of TIMESTAMP_REPAIRS) {
    for (const repaired of timestamps(timestamp)) if (search.matches(digest, [`${repaired}.`, body])) yield [name];
  }
  // Another dot in the timestamp moves the border to the body: nothing else is to be made of such a message.
  if (!/^\d+$/.test(timestamp)) return;
  if (original !== undefined && search.matches(digest, [prefix, original.body])) yield [original.hint];
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  for (const { name, repair } of BODY_REPAIRS) {
    for (const repaired of repair(bytes)) if (search.matches(digest, [prefix, repaired])) yield [name];
  }
  const otherKeys = SECRET_REPAIRS.map(({ name, key }) => ({
    name,
    keys: secrets.map(key).filter((one) => one !== undefined && one.length > 0) as Key[],
  }));
  for (const { name, keys } of otherKeys) if (search.matches(digest, [prefix, body], keys)) yield [name];
  for (const { name, messages } of MESSAGE_REPAIRS) {
    for (const message of messages(timestamp, body, evidence.deliveryId)) {
      if (search.matches(digest, message)) yield [name];
      for (const { name: keyName, keys } of otherKeys) if (search.matches(digest, message, keys)) yield [name, keyName];
    }
  }
  for (const { name, repair } of BODY_REPAIRS.slice(0, 2)) {
    for (const repaired of repair(bytes)) {
      for (const { name: keyName, keys } of otherKeys) {
        if (search.matches(digest, [prefix, repaired], keys)) yield [name, keyName];
      }
    }
  }
}

interface SecretRepair extends Repair {
  readonly key: (secret: SigningSecret) => Key | undefined;
}

const text = ({ key, encoding }: SigningSecret): string => (encoding === undefined ? key.reveal() : '');

const SECRET_REPAIRS: readonly SecretRepair[] = [
  {
    name: 'secret_trimmed',
    sentence: 'the signature matches if the white space around the secret is left out: it was copied along',
    key: (secret) => (text(secret) === text(secret).trim() ? undefined : text(secret).trim()),
  },
  {
    name: 'secret_unquoted',
    sentence:
      'the signature matches if the quotes around the secret are left out: a shell or a .env file would have taken them off',
    key: (secret) => /^\s*(["'])(.*)\1\s*$/s.exec(text(secret))?.[2],
  },
  {
    name: 'secret_of_env_line',
    sentence: 'the signature matches if only what follows "=" is the secret: the rest is of a .env file',
    key: (secret) => /^(?:export )?[A-Za-z_]\w*=(["']?)(.+)\1$/.exec(text(secret))?.[2],
  },
  {
    name: 'secret_without_prefix',
    sentence: `the signature matches if the secret is used without its ${SECRET_PREFIX}: the sender signs with the rest alone`,
    key: (secret) => (text(secret).startsWith(SECRET_PREFIX) ? withoutPrefix(text(secret)) : undefined),
  },
  {
    name: 'secret_with_prefix',
    sentence: `the signature matches with ${SECRET_PREFIX} before the secret: the prefix is part of the key`,
    key: (secret) =>
      text(secret) === '' || text(secret).startsWith(SECRET_PREFIX) ? undefined : `${SECRET_PREFIX}${text(secret)}`,
  },
  {
    name: 'secret_standard_webhooks_key',
    sentence: `the signature matches if the part after ${SECRET_PREFIX} is base64-decoded (Standard Webhooks); use --key-derivation std if your service does that`,
    key: (secret) => Buffer.from(withoutPrefix(text(secret).trim()), 'base64'),
  },
  {
    name: 'secret_raw_key',
    sentence: 'the signature matches if the secret is used as it is written; leave --key-derivation std out',
    key: ({ key, encoding }) => (encoding === undefined ? undefined : `${SECRET_PREFIX}${key.reveal()}`),
  },
  {
    name: 'secret_hex_decoded',
    sentence: 'the signature matches if the secret is decoded from hexadecimal: the sender takes it for bytes',
    key: (secret) =>
      /^(?:[0-9a-fA-F]{2}){8,}$/.test(withoutPrefix(text(secret)))
        ? Buffer.from(withoutPrefix(text(secret)), 'hex')
        : undefined,
  },
];

interface TimestampRepair extends Repair {
  readonly timestamps: (timestamp: string) => Iterable<string>;
}

const TIMESTAMP_REPAIRS: readonly TimestampRepair[] = [
  {
    name: 'timestamp_in_seconds',
    sentence: 'the signature matches with the timestamp in seconds: the header has milliseconds',
    *timestamps(timestamp) {
      if (/^\d{12,15}$/.test(timestamp)) yield timestamp.slice(0, -3);
    },
  },
  {
    name: 'timestamp_unquoted',
    sentence: 'the signature matches if the quotes around the timestamp are left out',
    *timestamps(timestamp) {
      const inner = /^(["'])(.*)\1$/s.exec(timestamp)?.[2];
      if (inner !== undefined) yield inner;
    },
  },
  {
    name: 'timestamp_canonical',
    sentence:
      'the signature matches with the timestamp as plain digits: its sign, zeros or fraction were added on the way',
    *timestamps(timestamp) {
      const digits = /^\+?0*(\d+)(?:\.\d+)?$/.exec(timestamp)?.[1];
      if (digits !== undefined && digits !== timestamp) yield digits;
    },
  },
  {
    name: 'timestamp_unix_seconds',
    sentence: 'the signature matches with the timestamp as Unix seconds: a program wrote it as a date',
    *timestamps(timestamp) {
      const ms = /[-:]/.test(timestamp) ? Date.parse(timestamp) : Number.NaN;
      if (!Number.isNaN(ms)) yield String(Math.floor(ms / 1000));
    },
  },
];

interface MessageRepair extends Repair {
  readonly messages: (
    timestamp: string,
    body: Uint8Array,
    deliveryId: string | undefined,
  ) => Iterable<readonly (string | Uint8Array)[]>;
}

const MESSAGE_REPAIRS: readonly MessageRepair[] = [
  {
    name: 'message_without_timestamp',
    sentence: 'the signature is of the body alone: the sender did not sign the timestamp, so anybody can replay it',
    *messages(_, body) {
      yield [body];
    },
  },
  {
    name: 'message_without_dot',
    sentence: 'the signature is of timestamp and body without the dot between them',
    *messages(timestamp, body) {
      yield [timestamp, body];
    },
  },
  {
    name: 'message_standard_webhooks',
    sentence: 'the signature is of id, timestamp and body (Standard Webhooks)',
    *messages(timestamp, body, deliveryId) {
      if (deliveryId !== undefined) yield [`${deliveryId}.${timestamp}.`, body];
    },
  },
];

interface SignatureRepair extends Repair {
  readonly digests: (signature: string) => Iterable<Buffer>;
}

const hexDigest = (text: string): Buffer => Buffer.from(text, 'hex');

const SIGNATURE_REPAIRS: readonly SignatureRepair[] = [
  {
    name: 'prefix_case',
    sentence: 'the signature matches but for the case of its prefix: it has to be sha256=',
    *digests(signature) {
      const hex = /^sha256=([0-9a-f]{64})$/i.exec(signature)?.[1];
      if (hex !== undefined) yield hexDigest(hex);
    },
  },
  {
    name: 'signature_plus_prefix',
    sentence: 'the signature matches, but sha256= is missing before it',
    *digests(signature) {
      if (/^[0-9a-f]{64}$/i.test(signature)) yield hexDigest(signature);
    },
  },
  {
    name: 'signature_unquoted',
    sentence: 'the signature matches if the quotes around it are left out',
    *digests(signature) {
      const hex = /^(["'])sha256=([0-9a-f]{64})\1$/i.exec(signature)?.[2];
      if (hex !== undefined) yield hexDigest(hex);
    },
  },
  {
    name: 'signature_without_blanks',
    sentence: 'the signature matches if the white space within it is left out: a line was broken when it was copied',
    *digests(signature) {
      const hex = /^sha256=([0-9a-f]{64})$/i.exec(signature.replace(/\s+/g, ''))?.[1];
      if (hex !== undefined && /\s/.test(signature)) yield hexDigest(hex);
    },
  },
  {
    name: 'signature_hex',
    sentence: 'the signature matches but is in base64: it has to be sha256= and hexadecimal digits',
    *digests(signature) {
      const encoded = /^(?:sha256=|v1[,=])?([A-Za-z0-9+/_-]{43}=?)$/.exec(signature)?.[1];
      if (encoded !== undefined) yield Buffer.from(encoded, 'base64');
    },
  },
];

const WORDS: ReadonlyMap<string, string> = new Map(
  [
    ...BODY_REPAIRS,
    ...SECRET_REPAIRS,
    ...TIMESTAMP_REPAIRS,
    ...MESSAGE_REPAIRS,
    ...SIGNATURE_REPAIRS,
    {
      name: 'body_with_newlines',
      sentence: 'the signature matches the file with its line ends: curl -d drops them; use --data-binary',
    },
  ].map(({ name, sentence }) => [name, sentence]),
);
