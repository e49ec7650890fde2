/** Signed deliveries written down by hand: their HMACs agree in OpenSSL, Python and Node. */
import type { Verdict } from '../../../src/features/webhooks/signature.ts';

/** 2026-01-01T00:00:00Z */
export const NOW_S = 1767225600;
export const T = String(NOW_S);
export const SECRET = 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=';
export const PING = Buffer.from(
  '7b226964223a226576745f31222c2274797065223a22776562686f6f6b2e70696e67222c22637265617465645f6174223a22323032362d30312d30315430303a30303a30305a222c2264617461223a7b7d7d',
  'hex',
);
export const SIGNATURE = 'sha256=517d6d2854975414ca1b72a4f643716edd50e32f9ac238f680ce148f5690bbec';

export interface Vector {
  readonly name: string;
  readonly secret?: string;
  readonly timestamp?: string;
  readonly body?: Buffer;
  readonly signature?: string;
  readonly verdict: Verdict | 'empty_secret' | 'bad_secret';
  readonly hint?: string;
  readonly note?: string;
}

const bytes = (...parts: readonly (string | Buffer)[]): Buffer =>
  Buffer.concat(parts.map((part) => Buffer.from(part as string)));

export const VECTORS: readonly Vector[] = [
  { name: 'compact JSON', verdict: 'valid' },
  {
    name: 'an empty body',
    body: Buffer.alloc(0),
    signature: 'sha256=fb20d84158565e5e2c287de79fb2b30bc90c2472a829707260a2c086b9c3a035',
    verdict: 'valid',
  },
  {
    name: 'a line feed added',
    body: bytes(PING, '\n'),
    verdict: 'signature_mismatch',
    hint: 'body_minus_trailing_newline',
  },
  {
    name: 'exactly as old as allowed',
    timestamp: '1767225300',
    signature: 'sha256=10be4ac8cc3ff750c8942058c9e3b4d1262a6423519cbb416b41ebb1318ad22f',
    verdict: 'valid',
  },
  {
    name: 'a second older',
    timestamp: '1767225299',
    signature: 'sha256=af99d1a6a668c062e7713165b12179a996b8d0d9839a1d27dff3ed0c2b7449d0',
    verdict: 'stale',
  },
  {
    name: 'the dot moved into the body',
    timestamp: '1767225600.{"a":1',
    body: Buffer.from('5}'),
    signature: 'sha256=9f9d72e72b63b6abf1e33b4ddbd25934376b524342ae3fb3cdb81331e176dac5',
    verdict: 'malformed_timestamp',
  },
  {
    name: 'hexadecimal digits in upper case',
    signature: `sha256=${SIGNATURE.slice(7).toUpperCase()}`,
    verdict: 'valid',
    note: 'noncanonical_hex_case',
  },
  {
    name: 'an empty secret',
    secret: '',
    signature: 'sha256=174e8b0b87cb81278734605cb9081071169965dbce6ce73dd6266e29237d1dde',
    verdict: 'empty_secret',
  },
  {
    name: 'the signer decoded the secret',
    signature: 'sha256=3d04fbca21084dee2152e8e6752ab4840a47695f97ae7d34a0202ebda09ba510',
    verdict: 'signature_mismatch',
    hint: 'secret_standard_webhooks_key',
  },
  { name: 'a secret with a NUL', secret: `${SECRET}\0`, verdict: 'bad_secret' },
];

/** A raw request with these line ends in its head. */
export function request(end = '\r\n', body: Buffer = PING): Buffer {
  const head = [
    'POST /hook HTTP/1.1',
    'Host: example.com',
    'Content-Type: application/json',
    'X-Service-Event: webhook.ping',
    'X-Service-Delivery: dlv_1',
    `X-Service-Timestamp: ${T}`,
    `X-Service-Signature: ${SIGNATURE}`,
    `Content-Length: ${PING.length}`,
    '',
    '',
  ];
  return bytes(head.join(end), body);
}

/** One line of a recording, as `webhooks listen` writes it. */
export function recorded(body: Buffer = PING, changes: Readonly<Record<string, unknown>> = {}): string {
  return `${JSON.stringify({
    v: 1,
    received_at: '2026-01-01T00:00:01.500Z',
    remote: '127.0.0.1:50000',
    method: 'POST',
    path: '/',
    headers: [
      ['Content-Type', 'application/json'],
      ['X-Service-Event', 'webhook.ping'],
      ['X-Service-Timestamp', T],
      ['X-Service-Signature', SIGNATURE],
    ],
    body_b64: body.toString('base64'),
    verdict: 'valid',
    event_id: 'evt_1',
    event_type: 'webhook.ping',
    duplicate: false,
    forward: null,
    response: 204,
    ...changes,
  })}\n`;
}
