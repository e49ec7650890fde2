import { inspect } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fingerprint, signingSecret } from '../../../src/features/webhooks/signature.ts';
import { SECRET } from './vectors.ts';

const code = (text: string): string | undefined => {
  try {
    signingSecret(text, '--secret-file key');
    return undefined;
  } catch (error) {
    expect(String(error)).toContain('--secret-file key');
    if (text.length > 8) expect(`${error}${JSON.stringify(error)}`).not.toContain(text.slice(6));
    return (error as { code: string }).code;
  }
};

describe('a signing secret', () => {
  it.each([
    ['', 'empty_secret'],
    ['whsec_', 'bad_secret'],
    [`${SECRET}\0`, 'bad_secret'],
    [`\0${SECRET}`, 'bad_secret'],
    ['whsec_\u0085abcdefg', 'bad_secret'],
    ['whsec_abcdefgh\x7f', 'bad_secret'],
    [SECRET, undefined],
    ['x', undefined],
    ['whsec_é漢字', undefined],
  ])('%j: %s', (text, wanted) => {
    expect(code(text)).toBe(wanted);
  });

  it('is the whole text unchanged', () => {
    expect(signingSecret(SECRET, 'x').key.reveal()).toBe(SECRET);
  });

  it('is never printed', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^whsec_[A-Za-z0-9]{12,40}$/), (text) => {
        const secret = signingSecret(text, 'x');
        const shown = `${inspect(secret, { depth: 9, showHidden: true })}${JSON.stringify(secret)}${secret.key}${fingerprint(secret)}`;
        expect(shown).not.toContain(text.slice(6));
      }),
    );
  });

  it('is identified by eight digits', () => {
    expect(fingerprint(signingSecret(SECRET, 'x'))).toBe('5036e143');
    expect(fingerprint(signingSecret(`${SECRET}x`, 'x'))).toMatch(/^[0-9a-f]{8}$/);
    expect(fingerprint(signingSecret(`${SECRET}x`, 'x'))).not.toBe('5036e143');
  });
});
