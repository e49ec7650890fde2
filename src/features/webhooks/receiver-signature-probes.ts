/** What the service never sends: a receiver must refuse all of it (doc 2 §6). */
import { createHmac } from 'node:crypto';
import { malformed, ping, type SignedParts, signed } from './probe-deliveries.ts';
import type { ProbeName } from './probe-names.ts';
import { EITHER, type Probe, REFUSED, RULES } from './receiver-rules.ts';
import { otherSignature } from './sending-event.ts';
import { signatureOf } from './signature.ts';

const HOUR_S = 3600;
const WHOLE_SIGNATURE =
  'compare the whole header with "sha256=" and the 64 hexadecimal digits you computed: check that both are equally long, then compare in constant time';

/** Of a ping. */
function badSignature(
  name: ProbeName,
  signatures: readonly (readonly [sent: string, alter: (signature: string, signed: SignedParts) => string])[],
  about: Partial<Pick<Probe, 'expected' | 'rule' | 'fix'>> = {},
): Probe {
  return {
    name,
    expected: REFUSED,
    rule: RULES.comparison,
    fix: WHOLE_SIGNATURE,
    ...about,
    deliveries: (kit) => signatures.map(([sent, alter]) => signed(kit, sent, ping(kit), { alter })),
  };
}

const digits = (signature: string): string => signature.slice('sha256='.length);

export const SIGNATURE_PROBES: readonly Probe[] = [
  {
    name: 'bad-signature',
    expected: REFUSED,
    rule: RULES.signature,
    fix: WHOLE_SIGNATURE,
    deliveries: (kit) => [
      signed(kit, 'a signature whose last digit is wrong', ping(kit), { alter: otherSignature }),
      signed(kit, 'a signature whose first digit is wrong', ping(kit), { alter: otherFirstDigit }),
      signed(kit, 'a signature of 64 zeros', ping(kit), { alter: () => `sha256=${'0'.repeat(64)}` }),
      signed(kit, 'a timestamp one second later than the one that is signed', ping(kit), { headerSkewS: 1 }),
    ],
  },
  badSignature('signature-empty', [
    ['X-Service-Signature: sha256= and no digits: anyone can send that', () => 'sha256='],
    ['an empty X-Service-Signature', () => ''],
    ['X-Service-Signature: sha256, without "="', () => 'sha256'],
  ]),
  badSignature('signature-short', [['X-Service-Signature: sha256=00', () => 'sha256=00']]),
  badSignature('signature-truncated', [
    ['the first digit of the right signature alone', (signature) => signature.slice(0, 8)],
    ['the right signature without its last two digits', (signature) => signature.slice(0, -2)],
    ['the right signature without its last digit', (signature) => signature.slice(0, -1)],
  ]),
  badSignature('signature-long', [['the right signature and two digits more', (signature) => `${signature}00`]]),
  badSignature(
    'signature-upper-case',
    [['the right signature in upper-case digits', (signature) => `sha256=${digits(signature).toUpperCase()}`]],
    { expected: EITHER, rule: RULES.signature, fix: 'refuse a signature that does not match with 401; do not fail' },
  ),
  badSignature(
    'signature-prefix',
    [
      ['the digits of the right signature without sha256=', digits],
      [
        'sha1= and an HMAC-SHA1 with the right secret',
        (_, { key, timestamp, body }) =>
          `sha1=${createHmac('sha1', key).update(`${timestamp}.`).update(body).digest('hex')}`,
      ],
      ['the right digits after sha1=', (signature) => `sha1=${digits(signature)}`],
    ],
    { rule: RULES.signature, fix: 'accept "sha256=" and hexadecimal digits only, and compute HMAC-SHA256 always' },
  ),
  badSignature(
    'signature-input',
    [
      [
        'a signature of the body alone, which anyone can replay with a new timestamp',
        (_, { key, body }) => `sha256=${createHmac('sha256', key).update(body).digest('hex')}`,
      ],
      [
        'a signature of the timestamp and the body without "." between them',
        (_, { key, timestamp, body }) =>
          `sha256=${createHmac('sha256', key).update(timestamp).update(body).digest('hex')}`,
      ],
      [
        'a signature made with an empty secret: anyone can send that',
        (_, { timestamp, body }) => signatureOf('', timestamp, body),
      ],
    ],
    {
      rule: RULES.headers,
      fix: 'compute the HMAC over the timestamp, "." and the raw body, and leave out secrets that are empty',
    },
  ),
  badSignature(
    'signature-base64',
    [
      [
        'the right HMAC in base64 after sha256=',
        (signature) => `sha256=${Buffer.from(digits(signature), 'hex').toString('base64')}`,
      ],
    ],
    { rule: RULES.signature, fix: 'accept "sha256=" and hexadecimal digits only' },
  ),
  {
    name: 'missing-signature',
    expected: REFUSED,
    rule: RULES.signature,
    fix: 'refuse a request without X-Service-Signature with 401',
    deliveries: (kit) => [signed(kit, 'a ping without X-Service-Signature', ping(kit), { without: /-signature$/i })],
  },
  {
    name: 'missing-timestamp',
    expected: REFUSED,
    rule: RULES.timestamp,
    fix: 'refuse a request without X-Service-Timestamp with 401',
    deliveries: (kit) => [signed(kit, 'a ping without X-Service-Timestamp', ping(kit), { without: /-timestamp$/i })],
  },
  {
    name: 'stale-timestamp',
    expected: REFUSED,
    rule: RULES.tolerance,
    fix: 'refuse a timestamp that is more than about 5 minutes old with 401',
    deliveries: (kit) => [signed(kit, 'a correctly signed ping of an hour ago', ping(kit), { skewS: -HOUR_S })],
  },
  {
    name: 'future-timestamp',
    expected: REFUSED,
    rule: RULES.tolerance,
    fix: 'compare the absolute difference between the timestamp and now: a timestamp in the future can be used until then',
    deliveries: (kit) => [signed(kit, 'a correctly signed ping of an hour from now', ping(kit), { skewS: HOUR_S })],
  },
  {
    name: 'shifted-dot',
    expected: REFUSED,
    rule: RULES.timestamp,
    fix: 'accept a timestamp only if all of it is digits, /^\\d+$/: Number() and parseInt() let more through, and part of the body can then move into the header',
    // What is signed is `1767225600.{"a":1.{…}`: cut at another ".", it is a part of a body.
    deliveries: (kit) => [signed(kit, 'the timestamp <now>.{"a":1, signed as it is', ping(kit), { suffix: '.{"a":1' })],
  },
  {
    name: 'malformed-json',
    expected: { ...REFUSED, text: '4xx, the same as with valid JSON' },
    rule: RULES.order,
    fix: 'verify the signature before anything parses the body, and respond 401 to any bad signature, whatever the body is',
    alike: true,
    deliveries: (kit) => [
      signed(kit, 'valid JSON with a bad signature', ping(kit), { alter: otherSignature }),
      signed(kit, 'valid JSON with a bad signature, again', ping(kit), { alter: otherSignature }),
      signed(kit, 'malformed JSON with a bad signature', malformed(kit), { alter: otherSignature }),
      signed(kit, 'valid JSON with a bad signature, once more', ping(kit), { alter: otherSignature }),
    ],
  },
];

function otherFirstDigit(signature: string): string {
  return `sha256=${digits(signature).startsWith('0') ? '1' : '0'}${digits(signature).slice(1)}`;
}
