import { inspect } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SvcError } from '../../../src/errors.ts';
import {
  fingerprint,
  finishCheck,
  type SignedHeaders,
  signatureOf,
  signingSecret,
  startCheck,
  type Verification,
  verifySignature,
} from '../../../src/features/webhooks/signature.ts';
import { NOW_S, PING, SECRET, SIGNATURE, T } from './vectors.ts';

const CLOCK = { nowS: NOW_S, toleranceS: 300 };
const secret = (text: string) => signingSecret(text, '--secret-file key');
const S1 = secret(SECRET);
const signed = (timestamp: string, signature: string): SignedHeaders => ({
  timestamps: [timestamp],
  signatures: [signature],
});
const verify = (timestamp = T, signature = SIGNATURE, body: Uint8Array = PING): Verification =>
  verifySignature(signed(timestamp, signature), body, [S1], CLOCK);
const sign = (timestamp: string, body: Uint8Array = PING): string => signatureOf(SECRET, timestamp, body);

describe('a signing secret', () => {
  const codeOf = (text: string): string | undefined => {
    try {
      secret(text);
      return undefined;
    } catch (error) {
      expect(String(error)).toContain('--secret-file key');
      if (text.length > 8) expect(`${error}${JSON.stringify(error)}`).not.toContain(text.slice(6));
      return (error as SvcError).code;
    }
  };

  it('is any text without control characters', () => {
    const refused = ['whsec_', `${SECRET}\0`, 'whsec_\u0085abcdefg', 'whsec_abcdefgh\x7f'];
    expect(refused.map(codeOf)).toEqual(Array(4).fill('bad_secret'));
    expect([SECRET, 'x', 'whsec_é漢字', 'whsec_a\tb\n'].map(codeOf)).toEqual(Array(4).fill(undefined));
    expect(codeOf('')).toBe('empty_secret');
    expect(S1.key.reveal()).toBe(SECRET);
  });

  it('is never printed, and named by eight digits', () => {
    expect(fingerprint(S1)).toBe('5036e143');
    fc.assert(
      fc.property(fc.stringMatching(/^whsec_[A-Za-z0-9]{12,40}$/), (text) => {
        const one = secret(text);
        const shown = `${inspect(one, { depth: 9, showHidden: true })}${JSON.stringify(one)}${one.key}${fingerprint(one)}`;
        expect(shown).not.toContain(text.slice(6));
        expect(fingerprint(one)).toMatch(/^[0-9a-f]{8}$/);
      }),
    );
  });
});

describe('the signature of a delivery', () => {
  it('has all its digits, and no more', () => {
    for (let length = 0; length < SIGNATURE.length; length++) {
      expect(verify(T, SIGNATURE.slice(0, length)).verdict, String(length)).toMatch(/^(malformed|missing)_signature$/);
    }
    for (const more of ['0', 'ec', SIGNATURE, '\0', '\n', ' x'])
      expect(verify(T, SIGNATURE + more).verdict, more).toBe('malformed_signature');
  });

  it('has no other form', () => {
    for (const signature of [
      SIGNATURE.slice(7),
      `"${SIGNATURE}"`,
      SIGNATURE.replace('=', '= '),
      `${SIGNATURE.slice(0, 40)}\n${SIGNATURE.slice(40)}`,
      SIGNATURE.replace(/.$/, 'g'),
      SIGNATURE.replace(/.$/, 'é'),
      `sha256=${Buffer.from(SIGNATURE.slice(7), 'hex').toString('base64')}`,
      `${SIGNATURE},${SIGNATURE}`,
      `sha256=${SIGNATURE}`,
    ]) {
      expect(verify(T, signature), signature).toMatchObject({ verdict: 'malformed_signature', signatureOk: false });
    }
    for (const algorithm of ['sha1', 'sha512', 'none', 'v1'])
      expect(verify(T, SIGNATURE.replace('sha256', algorithm)).verdict, algorithm).toBe('unsupported_algorithm');
  });

  it('is read without the white space that HTTP allows around it', () => {
    expect(verify(`\t ${T} `, `  ${SIGNATURE}\t`).verdict).toBe('valid');
    expect(verify(`\u00a0${T}`).verdict).toBe('malformed_timestamp');
    expect(verify(`${T}\n`).verdict).toBe('malformed_timestamp');
    for (const nothing of ['', ' ', '\t']) {
      expect(verify(T, nothing)).toMatchObject({ verdict: 'missing_signature', timestamp: NOW_S });
      expect(verify(nothing).verdict).toBe('missing_timestamp');
    }
  });

  it('is compared by every secret, and the first that matches is named', () => {
    const indexOf = (...texts: readonly string[]) =>
      verifySignature(signed(T, SIGNATURE), PING, texts.map(secret), CLOCK).secretIndex;
    const others = ['whsec_1', 'whsec_2', 'whsec_3'];
    expect([indexOf(SECRET, ...others), indexOf(...others, SECRET), indexOf('x', SECRET, SECRET)]).toEqual([0, 3, 1]);
    expect([indexOf(...others), indexOf()]).toEqual([null, null]);
  });
});

describe('the timestamp of a delivery', () => {
  it('is a whole number of seconds, even if another text was signed', () => {
    for (const timestamp of [
      '-1',
      '01767225600',
      '1767225600.0',
      '0x69564fc0',
      '1 767 225 600',
      '١٧٦٧٢٢٥٦٠٠',
      '1'.repeat(16),
    ]) {
      const found = verify(timestamp, sign(timestamp));
      expect(found, timestamp).toMatchObject({ verdict: 'malformed_timestamp', timestamp: null });
    }
  });

  it('takes no dot from the body', () => {
    const body = Buffer.from('{"a":1.5,"b":"2.0"}');
    const signature = sign(T, body);
    const message = `${T}.${body}`;
    for (let at = message.indexOf('.', T.length + 1); at >= 0; at = message.indexOf('.', at + 1)) {
      const shifted = verify(message.slice(0, at), signature, Buffer.from(message.slice(at + 1)));
      expect(shifted.verdict).toBe('malformed_timestamp');
    }
    expect(verify('17672', sign('17672', Buffer.from('25600')), Buffer.from('25600')).verdict).toBe('stale');
  });

  it('may be as far from the clock as the tolerance', () => {
    for (const toleranceS of [0, 300]) {
      for (const [ageS, verdict] of [
        [toleranceS, 'valid'],
        [0 - toleranceS, 'valid'],
        [toleranceS + 1, 'stale'],
        [-toleranceS - 1, 'future'],
      ] as const) {
        const timestamp = String(NOW_S - ageS);
        const clock = { nowS: NOW_S + 0.9, toleranceS };
        const found = verifySignature(signed(timestamp, sign(timestamp)), PING, [S1], clock);
        expect(found).toMatchObject({ verdict, signatureOk: true, ageS, secretIndex: 0 });
      }
    }
  });
});

describe('a delivery with several faults', () => {
  const bad = SIGNATURE.replace(/.$/, '0');

  it('has the first of them as its verdict', () => {
    for (const [headers, verdict] of [
      [{ timestamps: [T, T], signatures: [] }, 'duplicate_header'],
      [{ timestamps: [T], signatures: [SIGNATURE, SIGNATURE] }, 'duplicate_header'],
      [{ timestamps: ['x'], signatures: [] }, 'missing_signature'],
      [{ timestamps: ['x'], signatures: [bad] }, 'malformed_timestamp'],
      [{ timestamps: ['1'], signatures: [bad] }, 'signature_mismatch'],
      [{ timestamps: ['1'], signatures: [sign('1')] }, 'stale'],
    ] as const) {
      expect(verifySignature(headers, PING, [S1], CLOCK).verdict).toBe(verdict);
    }
    const cut = (signature: string) => finishCheck(startCheck(signed(T, signature), [S1]), CLOCK, true).verdict;
    expect(['x', bad, SIGNATURE].map(cut)).toEqual(['malformed_signature', 'truncated_input', 'truncated_input']);
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
const anyCuts = fc.array(fc.nat({ max: 300 }), { maxLength: 5 });

describe('any bytes', () => {
  it('are valid if signed, whether they come whole or in pieces', () => {
    fc.assert(
      fc.property(anyBody, anySecret, anyTime, anyCuts, (body, key, time, cuts) => {
        const headers = signed(String(time), signatureOf(key, String(time), body));
        const clock = { nowS: time, toleranceS: 0 };
        const check = startCheck(headers, [secret(key)]);
        let start = 0;
        for (const end of [...cuts.filter((cut) => cut <= body.length).sort((a, b) => a - b), body.length]) {
          for (const mac of check.macs) mac.update(body.subarray(start, end));
          start = end;
        }
        const found = finishCheck(check, clock);
        expect(found).toMatchObject({ verdict: 'valid', ageS: 0, secretIndex: 0 });
        expect(verifySignature(headers, body, [secret(key)], clock)).toEqual(found);
      }),
    );
  });

  const body = Buffer.from('{"id":"evt_1","n":1.5}');
  const signature = sign(T, body);

  it('are invalid after a flip of any bit of the body or the digest', () => {
    for (const flipped of flips(body)) expect(verify(T, signature, flipped).verdict).toBe('signature_mismatch');
    for (const flipped of flips(Buffer.from(signature.slice(7), 'hex')))
      expect(verify(T, `sha256=${flipped.toString('hex')}`, body).verdict).toBe('signature_mismatch');
  });

  it('are invalid after a flip of any bit of the headers or the secret', () => {
    for (const flipped of flips(Buffer.from(T))) {
      const { verdict } = verify(flipped.toString('latin1'), signature, body);
      expect(verdict).toMatch(/^signature_mismatch$|^malformed_timestamp$/);
    }
    // The sixth bit of a letter is its case.
    const isSame = (text: string) => text.startsWith('sha256=') && text.toLowerCase() === signature;
    const texts = [...flips(Buffer.from(signature))].map((flipped) => flipped.toString('latin1'));
    for (const text of texts.filter((one) => !isSame(one))) expect(verify(T, text, body).verdict).not.toBe('valid');
    const keys = [...flips(Buffer.from(SECRET))].map((flipped) => flipped.toString('latin1'));
    for (const key of keys.filter((one) => !/[\x00-\x1f\x7f-\x9f]/.test(one))) {
      const { verdict } = verifySignature(signed(T, signature), body, [secret(key)], CLOCK);
      expect(verdict).toBe('signature_mismatch');
    }
  });

  it('never make a verifier throw, and are never valid unsigned', () => {
    fc.assert(
      fc.property(fc.array(fc.string()), fc.array(fc.string()), anyBody, (timestamps, signatures, bytes) => {
        expect(verifySignature({ timestamps, signatures }, bytes, [S1], CLOCK).signatureOk).toBe(false);
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
