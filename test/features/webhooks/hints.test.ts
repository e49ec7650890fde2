import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { signatureOf, signingSecret } from '../../../src/features/webhooks/signature.ts';
import { describeHint, type Evidence, findHints, REPAIRS } from '../../../src/features/webhooks/signature-hints.ts';
import { PING, SECRET, T } from './vectors.ts';

const S1 = signingSecret(SECRET, 'test');
/** Signed as it was sent, received as it is. */
const hints = (sent: Uint8Array | string, received: Uint8Array | string, changes: Partial<Evidence> = {}) =>
  findHints({
    headers: { timestamps: [T], signatures: [signatureOf(SECRET, T, Buffer.from(sent as string))] },
    body: Buffer.from(received as string),
    secrets: [S1],
    ...changes,
  });

type Repair = (typeof REPAIRS)[number];
const BODY_REPAIRS = REPAIRS.filter(({ name }) => name.startsWith('body_'));
const EVENT = { id: 'evt_1', data: { url: 'https://a/b?x=1&y=<2>', title: 'Zoë 漢' } };
const COMPACT = JSON.stringify(EVENT);

describe('a body', () => {
  it.each<readonly [name: string, sent: string | Uint8Array, received: string | Uint8Array]>([
    ['body_minus_trailing_newline', COMPACT, `${COMPACT}\n`],
    ['body_minus_trailing_newline', COMPACT, `${COMPACT}\r\n`],
    ['body_minus_trailing_newline', `${COMPACT}\r`, `${COMPACT}\r\n`],
    ['body_plus_trailing_newline', `${COMPACT}\n`, COMPACT],
    ['body_plus_trailing_newline', `${COMPACT}\r\n`, COMPACT],
    ['body_line_ends', '{\n"a":1\n}', '{\r\n"a":1\r\n}'],
    ['body_line_ends', '{\r\n"a":1\r\n}', '{\n"a":1\n}'],
    ['body_line_ends', '{"a":1,"b":"x y"}', '{"a":1,\n"b":"x y"\r\n}'],
    ['body_charset', COMPACT, `\ufeff${COMPACT}`],
    ['body_charset', `\ufeff${COMPACT}`, COMPACT],
    ['body_charset', COMPACT, Buffer.from(`\ufeff${COMPACT}\r\n`, 'utf16le')],
    ['body_charset', '{"a":"é"}', Buffer.from('{"a":"é"}', 'latin1')],
    ['body_charset', COMPACT, Buffer.from(Buffer.from(COMPACT).toString('latin1'))],
    ['body_reserialized', COMPACT, JSON.stringify(COMPACT)],
    ['body_reserialized', COMPACT, JSON.stringify(EVENT, null, 2)],
    ['body_reserialized', JSON.stringify(EVENT, null, 2), COMPACT],
    ['body_reserialized', `${JSON.stringify(EVENT, null, 4)}\n`, COMPACT],
    ['body_reserialized', `${COMPACT}\n`, JSON.stringify(EVENT, null, 2)],
    ['body_reserialized', '{"a": [1, 2], "b": {"c": "\\u00e9"}}', '{"a":[1,2],"b":{"c":"é"}}'],
    ['body_reserialized', '{"a":"\\u00e9\\ud83d\\ude00"}', '{"a":"é😀"}'],
    ['body_reserialized', COMPACT.replaceAll('/', '\\/'), COMPACT],
    ['body_reserialized', '{"a":"\\u003cb\\u003e \\u0026"}\n', '{"a":"<b> &"}'],
    ['body_base64', COMPACT, Buffer.from(COMPACT).toString('base64')],
    ['body_base64', COMPACT, `${Buffer.from(COMPACT).toString('base64').replace(/.{60}/g, '$&\r\n')}\n`],
    ['body_base64', `${COMPACT}?>`, Buffer.from(`${COMPACT}?>`).toString('base64url')],
  ])('%s: %j', (name, sent, received) => {
    expect(hints(sent, received)).toEqual([name]);
  });

  it.each([`0${T}`, '17672256000000000000000', ` +${T}`, 'soon'])(
    'that was signed with the timestamp %j gets no hint',
    (timestamp) => {
      const signatures = [signatureOf(SECRET, timestamp.trim(), PING)];
      expect(hints(PING, PING, { headers: { timestamps: [timestamp], signatures } })).toEqual([]);
    },
  );

  it('covers every repair above', () => {
    expect(BODY_REPAIRS.map(({ name }) => name)).toEqual([
      'body_minus_trailing_newline',
      'body_plus_trailing_newline',
      'body_line_ends',
      'body_charset',
      'body_reserialized',
      'body_base64',
    ]);
    for (const { name, sentence } of REPAIRS) expect(describeHint(name)).toBe(sentence);
  });

  it('that was changed otherwise gets no hint', () => {
    expect(hints(COMPACT, COMPACT.replace('evt_1', 'evt_2'))).toEqual([]);
    expect(hints(COMPACT, '')).toEqual([]);
    expect(hints('{"a":1.0}', '{"a":1}')).toEqual([]);
  });

  it('of any bytes gets a hint only if one of its repairs was signed', () => {
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

  it('may be nested to any depth', () => {
    const deep = `${'['.repeat(50_000)}${']'.repeat(50_000)}`;
    expect(hints(COMPACT, deep)).toEqual([]);
  });
});

describe('a secret', () => {
  const signedBy = (key: string | Uint8Array) => ({ timestamps: [T], signatures: [signatureOf(key, T, PING)] });
  it.each<readonly [name: string, key: string | Uint8Array, given: string]>([
    ['secret_without_prefix', SECRET.slice(6), SECRET],
    ['secret_with_prefix', SECRET, SECRET.slice(6)],
    ['secret_standard_webhooks_key', Buffer.from(SECRET.slice(6), 'base64'), SECRET],
  ])('%s', (name, key, given) => {
    const secrets = [signingSecret('whsec_another', 'x'), signingSecret(given, 'x')];
    expect(findHints({ headers: signedBy(key), body: PING, secrets })).toEqual([name]);
  });
});

describe('the signed text', () => {
  const mac = (key: string | Uint8Array, ...parts: (string | Uint8Array)[]): string => {
    const hmac = createHmac('sha256', key);
    for (const part of parts) hmac.update(part);
    return `sha256=${hmac.digest('hex')}`;
  };
  const found = (signature: string, timestamp = T) =>
    findHints({ headers: { timestamps: [timestamp], signatures: [signature] }, body: PING, secrets: [S1] });

  it.each([
    ['message_without_timestamp', [mac(SECRET, PING)]],
    ['timestamp_in_seconds', [mac(SECRET, `${T}.`, PING), `${T}123`]],
  ] as const)('%s', (name, [signature, timestamp]) => {
    expect(found(signature, timestamp)).toEqual([name]);
  });
});

describe('a signature', () => {
  const right = signatureOf(SECRET, T, PING);
  const found = (signature: string) =>
    findHints({ headers: { timestamps: [T], signatures: [signature] }, body: PING, secrets: [S1] });
  it.each([
    ['signature_label', right.replace('sha', 'Sha')],
    ['signature_label', `hmac-${right}`],
    ['signature_label', right.replace('sha256', 'v1')],
  ])('%s: %s', (name, signature) => {
    expect(found(signature)).toEqual([name]);
    const at = signature.length - 10;
    const other = signature[at] === '0' ? '1' : '0';
    expect(found(signature.slice(0, at) + other + signature.slice(at + 1))).toEqual([]);
  });
});

it('has a sentence for every hint', () => {
  expect(describeHint('signature_label')).toMatch(/^the signature matches/);
});
