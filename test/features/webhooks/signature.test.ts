import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SvcError } from '../../../src/errors.ts';
import {
  finishCheck,
  type SignedHeaders,
  signatureOf,
  signingSecret,
  startCheck,
  type Verification,
  verifySignature,
} from '../../../src/features/webhooks/signature.ts';
import { findHints } from '../../../src/features/webhooks/signature-hints.ts';
import { NOW_S, PING, SECRET, SIGNATURE, T, VECTORS } from './vectors.ts';

const CLOCK = { nowS: NOW_S, toleranceS: 300 };
const secret = (text: string) => signingSecret(text, 'test');
const S1 = secret(SECRET);
const signed = (timestamp: string, signature: string): SignedHeaders => ({
  timestamps: [timestamp],
  signatures: [signature],
});
const verify = (timestamp = T, signature = SIGNATURE, body: Uint8Array = PING, clock = CLOCK): Verification =>
  verifySignature(signed(timestamp, signature), body, [S1], clock);
const sign = (timestamp: string, body: Uint8Array = PING, key = SECRET): string => signatureOf(key, timestamp, body);

describe('the vectors', () => {
  it.each(VECTORS)(
    '$name',
    ({ secret: text = SECRET, timestamp = T, body = PING, signature = SIGNATURE, ...wanted }) => {
      if (wanted.verdict === 'empty_secret' || wanted.verdict === 'bad_secret') {
        expect(() => secret(text)).toThrow(expect.objectContaining({ code: wanted.verdict, exit: 2 }));
        return;
      }
      const headers = signed(timestamp, signature);
      const secrets = [secret(text)];
      const { verdict, notes } = verifySignature(headers, body, secrets, CLOCK);
      expect({ verdict, notes }).toEqual({
        verdict: wanted.verdict,
        notes: wanted.note === undefined ? [] : [wanted.note],
      });
      const hints = verdict === 'valid' || verdict === 'stale' ? [] : findHints({ headers, body, secrets });
      expect(hints).toEqual(wanted.hint === undefined ? [] : [wanted.hint]);
    },
  );
});

describe('what other verifiers accept', () => {
  it('a signature that is a prefix of the right one, or longer than it', () => {
    for (let length = 0; length < SIGNATURE.length; length++) {
      expect(verify(T, SIGNATURE.slice(0, length)).verdict, String(length)).toMatch(/^(malformed|missing)_signature$/);
    }
    for (const more of ['0', 'ec', SIGNATURE, '\0', '\n', ' x'])
      expect(verify(T, SIGNATURE + more).verdict).toBe('malformed_signature');
  });

  it.each([
    ['without its prefix', SIGNATURE.slice(7)],
    ['quoted', `"${SIGNATURE}"`],
    ['with 0x', SIGNATURE.replace('=', '=0x')],
    ['with a blank within', SIGNATURE.replace('=', '= ')],
    ['with a line end within', `${SIGNATURE.slice(0, 40)}\n${SIGNATURE.slice(40)}`],
    ['with a letter that is no digit', SIGNATURE.replace(/.$/, 'g')],
    ['with full-width digits', SIGNATURE.replace('5', '\uff15')],
    ['as long in characters, longer in bytes', SIGNATURE.replace(/.$/, 'é')],
    ['in base64', `sha256=${Buffer.from(SIGNATURE.slice(7), 'hex').toString('base64')}`],
    ['twice in a list', `${SIGNATURE},${SIGNATURE}`],
    ['of a list with a blank', `${SIGNATURE}, sha256=00`],
    ['with its prefix twice', `sha256=${SIGNATURE}`],
  ])('a signature %s', (_, signature) => {
    expect(verify(T, signature)).toMatchObject({ verdict: 'malformed_signature', signatureOk: false });
  });

  it.each(['sha1', 'sha512', 'md5', 'none', 'v1', 't'])('another algorithm: %s', (name) => {
    expect(verify(T, SIGNATURE.replace('sha256', name)).verdict).toBe('unsupported_algorithm');
  });

  it('spaces around header values', () => {
    expect(verify(`\t ${T} `, `  ${SIGNATURE}\t`).verdict).toBe('valid');
    expect(verify(`\u00a0${T}`).verdict).toBe('malformed_timestamp');
    expect(verify(`${T}\n`).verdict).toBe('malformed_timestamp');
  });

  it.each(['', ' ', '\t'])('an empty value: %j', (nothing) => {
    expect(verify(T, nothing)).toMatchObject({ verdict: 'missing_signature', timestamp: NOW_S });
    expect(verify(nothing).verdict).toBe('missing_timestamp');
    expect(verifySignature({ timestamps: [], signatures: [] }, PING, [S1], CLOCK).verdict).toBe('missing_signature');
  });

  it.each([
    '-1',
    '+1767225600',
    '01767225600',
    '1767225600.0',
    '1.7672256e9',
    '0x69564fc0',
    'NaN',
    'Infinity',
    '1767225600abc',
    '17672256OO',
    '1 767 225 600',
    '1,767,225,600',
    '2026-01-01T00:00:00Z',
    '"1767225600"',
    '١٧٦٧٢٢٥٦٠٠',
    '1'.repeat(16),
    'null',
  ])('a signed timestamp that is not a plain number of seconds: %s', (timestamp) => {
    expect(verify(timestamp, sign(timestamp))).toMatchObject({ verdict: 'malformed_timestamp', timestamp: null });
  });

  it('a dot moved from the body into the timestamp, for every dot', () => {
    const body = Buffer.from('{"a":1.5,"b":"2.0"}');
    const signature = sign(T, body);
    const message = `${T}.${body}`;
    for (let at = message.indexOf('.', T.length + 1); at >= 0; at = message.indexOf('.', at + 1)) {
      const shifted = verify(message.slice(0, at), signature, Buffer.from(message.slice(at + 1)));
      expect(shifted.verdict).toBe('malformed_timestamp');
    }
    const short = verify('17672', signatureOf(SECRET, '17672', Buffer.from('25600')), Buffer.from('25600'));
    expect(short.verdict).toBe('stale');
  });

  it('milliseconds for seconds', () => {
    expect(verify(`${T}000`, sign(`${T}000`)).verdict).toBe('future');
  });

  it.each([
    ['a tolerance of 0 s', 0],
    ['one of 300 s', 300],
  ])('the future, and the past, by %s', (_, toleranceS) => {
    for (const [offset, verdict] of [
      [toleranceS, 'valid'],
      [0 - toleranceS, 'valid'],
      [toleranceS + 1, 'stale'],
      [-toleranceS - 1, 'future'],
    ] as const) {
      const timestamp = String(NOW_S - offset);
      const found = verify(timestamp, sign(timestamp), PING, { nowS: NOW_S + 0.9, toleranceS });
      expect(found).toMatchObject({ verdict, signatureOk: true, ageS: offset, secretIndex: 0 });
    }
  });

  it('any age without a tolerance, with a note', () => {
    const clock = { nowS: NOW_S, toleranceS: undefined };
    const found = verifySignature(signed('1', sign('1')), PING, [S1], clock);
    expect(found).toMatchObject({ verdict: 'valid', notes: ['tolerance_not_checked'], ageS: NOW_S - 1 });
  });

  it('a body decoded as text: a byte order mark, broken UTF-8, NULs', () => {
    for (const hex of ['efbbbf7b7d', 'ff', 'c328', '00', 'eda080', '7b7d00']) {
      const body = Buffer.from(hex, 'hex');
      expect(verify(T, sign(T, body), body).verdict).toBe('valid');
      const decoded = Buffer.from(new TextDecoder().decode(body));
      if (!decoded.equals(body)) expect(verify(T, sign(T, body), decoded).verdict).toBe('signature_mismatch');
    }
  });

  it('duplicate headers, equal or not', () => {
    const twice = { timestamps: [T], signatures: [SIGNATURE, SIGNATURE] };
    expect(verifySignature(twice, PING, [S1], CLOCK).verdict).toBe('duplicate_header');
    expect(verifySignature({ ...signed(T, SIGNATURE), timestamps: [T, '1'] }, PING, [S1], CLOCK).verdict).toBe(
      'duplicate_header',
    );
  });

  it('no secret at all', () => {
    expect(verifySignature(signed(T, SIGNATURE), PING, [], CLOCK).verdict).toBe('signature_mismatch');
  });
});

describe('precedence', () => {
  const bad = SIGNATURE.replace(/.$/, '0');
  it.each([
    ['duplicate before missing', { timestamps: [T, T], signatures: [] }, 'duplicate_header'],
    ['missing before malformed', { timestamps: ['x'], signatures: [] }, 'missing_signature'],
    ['malformed before mismatch', { timestamps: ['x'], signatures: [bad] }, 'malformed_timestamp'],
    ['mismatch before stale', { timestamps: ['1'], signatures: [bad] }, 'signature_mismatch'],
    ['stale before valid', { timestamps: ['1'], signatures: [sign('1')] }, 'stale'],
  ])('%s', (_, headers, verdict) => {
    expect(verifySignature(headers, PING, [S1], CLOCK).verdict).toBe(verdict);
  });

  it('malformed before truncated before mismatch', () => {
    const cut = (signature: string) => finishCheck(startCheck(signed(T, signature), [S1]), CLOCK, true).verdict;
    expect(cut('x')).toBe('malformed_signature');
    expect(cut(bad)).toBe('truncated_input');
    expect(cut(SIGNATURE)).toBe('truncated_input');
  });
});

describe('several secrets', () => {
  it('are all tried, and the first matching one is named', () => {
    const others = Array.from({ length: 4 }, (_, index) => secret(`whsec_other${index}`));
    for (let at = 0; at <= others.length; at++) {
      const secrets = [...others.slice(0, at), S1, ...others.slice(at)];
      expect(verifySignature(signed(T, SIGNATURE), PING, secrets, CLOCK)).toMatchObject({
        verdict: 'valid',
        secretIndex: at,
      });
    }
    expect(verifySignature(signed(T, SIGNATURE), PING, others, CLOCK)).toMatchObject({
      verdict: 'signature_mismatch',
      secretIndex: null,
    });
  });
});

const anyBody = fc.uint8Array({ maxLength: 300 });
const anySecret = fc.string({ minLength: 1, maxLength: 80, unit: 'grapheme' }).filter((text) => {
  try {
    return secret(text) !== undefined;
  } catch (error) {
    return !(error instanceof SvcError);
  }
});
const anyTime = fc.nat({ max: 999_999_999_999_999 });

describe('any bytes', () => {
  it('are valid if signed, in one piece or many, with any of the secrets', () => {
    fc.assert(
      fc.property(
        anyBody,
        anySecret,
        anyTime,
        fc.array(fc.nat({ max: 300 }), { maxLength: 5 }),
        (body, key, time, cuts) => {
          const headers = signed(String(time), signatureOf(key, String(time), body));
          const clock = { nowS: time, toleranceS: 0 };
          const check = startCheck(headers, [secret(key)]);
          const ends = [...cuts.filter((cut) => cut <= body.length).sort((a, b) => a - b), body.length];
          let start = 0;
          for (const end of ends) {
            for (const mac of check.macs) mac.update(body.subarray(start, end));
            start = end;
          }
          const found = finishCheck(check, clock);
          expect(found).toMatchObject({ verdict: 'valid', ageS: 0, secretIndex: 0 });
          expect(verifySignature(headers, body, [secret(key)], clock)).toEqual(found);
        },
      ),
    );
  });

  it('are invalid after any single bit flip of body, timestamp, digest or secret', () => {
    const body = Buffer.from('{"id":"evt_1","n":1.5}');
    const signature = sign(T, body);
    const verdictOf = (timestamp: string, digest: string, bytes: Uint8Array, key = SECRET): string =>
      verifySignature(signed(timestamp, digest), bytes, [secret(key)], CLOCK).verdict;
    expect(verdictOf(T, signature, body)).toBe('valid');
    for (const flipped of flips(body)) expect(verdictOf(T, signature, flipped)).toBe('signature_mismatch');
    for (const flipped of flips(Buffer.from(T))) {
      expect(verdictOf(flipped.toString('latin1'), signature, body)).toMatch(
        /^signature_mismatch$|^malformed_timestamp$/,
      );
    }
    for (const flipped of flips(Buffer.from(signature.slice(7), 'hex'))) {
      expect(verdictOf(T, `sha256=${flipped.toString('hex')}`, body)).toBe('signature_mismatch');
    }
    for (const flipped of flips(Buffer.from(signature))) {
      const text = flipped.toString('latin1');
      // The sixth bit of a letter is its case.
      if (text.toLowerCase() !== signature || !text.startsWith('sha256='))
        expect(verdictOf(T, text, body)).not.toBe('valid');
    }
    for (const flipped of flips(Buffer.from(SECRET))) {
      const text = flipped.toString('latin1');
      if (!/[\x00-\x1f\x7f-\x9f]/.test(text)) expect(verdictOf(T, signature, body, text)).toBe('signature_mismatch');
    }
  });

  it('never make a verifier throw, and are never valid unsigned', () => {
    fc.assert(
      fc.property(fc.array(fc.string()), fc.array(fc.string()), anyBody, (timestamps, signatures, body) => {
        const found = verifySignature({ timestamps, signatures }, body, [S1], CLOCK);
        expect(found.signatureOk).toBe(false);
      }),
    );
  });
});

function* flips(bytes: Buffer): Generator<Buffer> {
  for (let bit = 0; bit < bytes.length * 8; bit++) {
    const flipped = Buffer.from(bytes);
    flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    yield flipped;
  }
}
