import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { signatureOf, signingSecret } from '../../../src/features/webhooks/signature.ts';
import { findHints, REPAIRS } from '../../../src/features/webhooks/signature-hints.ts';
import { PING, SECRET, T } from './vectors.ts';

const secrets = [signingSecret(SECRET, 'test')];
/** The hints for a ping with this signature. */
const hintsFor = (signature: string, timestamp = T) =>
  findHints({ headers: { timestamps: [timestamp], signatures: [signature] }, body: PING, secrets });
/** The hints for a body that was signed as it was sent, and received otherwise. */
const hints = (sent: Uint8Array | string, received: Uint8Array | string) =>
  findHints({
    headers: { timestamps: [T], signatures: [signatureOf(SECRET, T, Buffer.from(sent as string))] },
    body: Buffer.from(received as string),
    secrets,
  });

type Repair = (typeof REPAIRS)[number];
type Change = readonly [sent: string | Uint8Array, received: string | Uint8Array];
const BODY_REPAIRS = REPAIRS.filter(({ name }) => name.startsWith('body_'));
const EVENT = { id: 'evt_1', data: { url: 'https://a/b?x=1&y=<2>', title: 'Zoë 漢' } };
const COMPACT = JSON.stringify(EVENT);
const BASE64 = Buffer.from(COMPACT).toString('base64');

const CHANGES: Readonly<Record<string, readonly Change[]>> = {
  body_minus_trailing_newline: [
    [COMPACT, `${COMPACT}\n`],
    [COMPACT, `${COMPACT}\r\n`],
    [`${COMPACT}\r`, `${COMPACT}\r\n`],
  ],
  body_plus_trailing_newline: [
    [`${COMPACT}\n`, COMPACT],
    [`${COMPACT}\r\n`, COMPACT],
  ],
  body_line_ends: [
    ['{\n"a":1\n}', '{\r\n"a":1\r\n}'],
    ['{\r\n"a":1\r\n}', '{\n"a":1\n}'],
    ['{"a":1,"b":"x y"}', '{"a":1,\n"b":"x y"\r\n}'],
  ],
  body_charset: [
    [COMPACT, `\ufeff${COMPACT}`],
    [`\ufeff${COMPACT}`, COMPACT],
    [COMPACT, Buffer.from(`\ufeff${COMPACT}\r\n`, 'utf16le')],
    ['{"a":"é"}', Buffer.from('{"a":"é"}', 'latin1')],
    [COMPACT, Buffer.from(Buffer.from(COMPACT).toString('latin1'))],
  ],
  body_reserialized: [
    [COMPACT, JSON.stringify(COMPACT)],
    [COMPACT, JSON.stringify(EVENT, null, 2)],
    [JSON.stringify(EVENT, null, 2), COMPACT],
    [`${JSON.stringify(EVENT, null, 4)}\n`, COMPACT],
    [`${COMPACT}\n`, JSON.stringify(EVENT, null, 2)],
    ['{"a": [1, 2], "b": {"c": "\\u00e9"}}', '{"a":[1,2],"b":{"c":"é"}}'],
    ['{"a":"\\u00e9\\ud83d\\ude00"}', '{"a":"é😀"}'],
    [COMPACT.replaceAll('/', '\\/'), COMPACT],
    ['{"a":"\\u003cb\\u003e \\u0026"}\n', '{"a":"<b> &"}'],
  ],
  body_base64: [
    [COMPACT, BASE64],
    [COMPACT, `${BASE64.replace(/.{60}/g, '$&\r\n')}\n`],
    [`${COMPACT}?>`, Buffer.from(`${COMPACT}?>`).toString('base64url')],
  ],
};

describe('the hint for a signature that does not match', () => {
  it('names how a body was changed on the way', () => {
    expect(Object.keys(CHANGES)).toEqual(BODY_REPAIRS.map(({ name }) => name));
    for (const [name, changes] of Object.entries(CHANGES)) {
      for (const [sent, received] of changes) expect(hints(sent, received), `${name}: ${received}`).toEqual([name]);
    }
  });

  it('is missing for any other change, however deep the JSON', () => {
    expect(hints(COMPACT, COMPACT.replace('evt_1', 'evt_2'))).toEqual([]);
    expect(hints(COMPACT, '')).toEqual([]);
    expect(hints('{"a":1.0}', '{"a":1}')).toEqual([]);
    expect(hints(COMPACT, `${'['.repeat(50_000)}${']'.repeat(50_000)}`)).toEqual([]);
  });

  it('is never given without a repair that was signed', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), fc.uint8Array({ maxLength: 60 }), (sent, received) => {
        const [name] = hints(sent, received);
        const evidence = { timestamp: T, body: Buffer.from(received) } as Parameters<Repair['attempts']>[0];
        const repairs = BODY_REPAIRS.filter(({ attempts }) =>
          attempts(evidence).some(({ message = [] }) => Buffer.from(message[1] ?? []).equals(Buffer.from(sent))),
        );
        expect(name).toBe(Buffer.from(sent).equals(Buffer.from(received)) ? undefined : repairs[0]?.name);
      }),
    );
  });

  it('does not blame the body for its timestamp', () => {
    for (const timestamp of [`0${T}`, '17672256000000000000000', ` +${T}`, 'soon'])
      expect(hintsFor(signatureOf(SECRET, timestamp.trim(), PING), timestamp), timestamp).toEqual([]);
  });

  it('names how the secret was changed', () => {
    for (const [name, key, given] of [
      ['secret_without_prefix', SECRET.slice(6), SECRET],
      ['secret_with_prefix', SECRET, SECRET.slice(6)],
      ['secret_standard_webhooks_key', Buffer.from(SECRET.slice(6), 'base64'), SECRET],
    ] as const) {
      const headers = { timestamps: [T], signatures: [signatureOf(key, T, PING)] };
      const several = [signingSecret('whsec_another', 'x'), signingSecret(given, 'x')];
      expect(findHints({ headers, body: PING, secrets: several })).toEqual([name]);
    }
  });

  it('names what was signed in place of the timestamp and the body', () => {
    const mac = (...parts: readonly (string | Uint8Array)[]): string => {
      const hmac = createHmac('sha256', SECRET);
      for (const part of parts) hmac.update(part);
      return `sha256=${hmac.digest('hex')}`;
    };
    expect(hintsFor(mac(PING))).toEqual(['message_without_timestamp']);
    expect(hintsFor(mac(`${T}.`, PING), `${T}123`)).toEqual(['timestamp_in_seconds']);
  });

  it('names another label of the right digits, but not of others', () => {
    const right = signatureOf(SECRET, T, PING);
    const otherDigit = right.at(-10) === '0' ? '1' : '0';
    for (const signature of [right.replace('sha', 'Sha'), `hmac-${right}`, right.replace('sha256', 'v1')]) {
      expect(hintsFor(signature), signature).toEqual(['signature_label']);
      expect(hintsFor(signature.slice(0, -10) + otherDigit + signature.slice(-9)), signature).toEqual([]);
    }
  });
});
