import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { KnownSecrets, secretsIn } from '../../src/http/redact.ts';
import { base64, lowerHex, percent, units } from '../support/secret-forms.ts';

function hiding(...secrets: readonly string[]): KnownSecrets {
  const known = new KnownSecrets();
  for (const secret of secrets) known.add(secret);
  return known;
}

describe('the filter of secrets', () => {
  it('leaves innocent text alone', () => {
    const text = 'the tokens of token123: abc, abcd1x, xabcd, a.b+c 100%abcd';
    expect(hiding('', 'abc', 'abcd', 'a.b.c+d').hide(text)).toBe(text);
    expect(hiding('abcd').hide('abcd: say "abcd", ?t=abcd&x')).toBe('***: say "***", ?t=***&x');
  });

  it('hides the longest of overlapping secrets', () => {
    expect(hiding('secret-1', 'secret-1-and-more').hide('secret-1-and-more secret-1')).toBe('*** ***');
  });

  // Text of a service that would take minutes if each character were compared with all that follow.
  it('reads a long text once', () => {
    for (const part of ['\\', '%25', '&#0', '\\u003', '30', 'MDEy']) {
      const text = part.repeat((1 << 20) / part.length);
      expect(hiding('0123456789abcdef0123456789abcdef').hide(text) === text, part).toBe(true);
    }
  });

  it('hides base64 wherever the secret begins', () => {
    const known = hiding('pass+word/9ü');
    for (const before of ['', 'a', 'ab', 'ann:', 'user name:']) {
      for (const encoding of ['base64', 'base64url'] as const) {
        const encoded = Buffer.from(`${before}pass+word/9ü`).toString(encoding);
        const shown = known.hide(`(${encoded})`);
        expect(shown).toContain('***');
        // What is left is what was before it, and at most one character that it shares.
        expect(shown.length).toBeLessThanOrEqual('(***)'.length + Math.ceil((before.length * 4) / 3) + 1);
      }
    }
  });

  it('hides the password of basic authentication and of a proxy, and cookies', () => {
    const known = new KnownSecrets();
    const headers = {
      authorization: `Basic ${btoa('ann:hunter22')}`,
      cookie: 'sid=session-1; b=c',
      accept: 'a/b-c',
    };
    for (const secret of secretsIn(headers, new Set())) known.addPassing(secret);
    known.addAddress('http://me:p%40ssword@proxy.example:3128');
    expect(known.hide('hunter22 session-1 p%40ssword p@ssword a/b-c proxy.example')).toBe(
      '*** *** *** *** a/b-c proxy.example',
    );
  });

  it('forgets the oldest temporary secrets, but no permanent ones or ones in use', () => {
    const known = new KnownSecrets();
    known.add('the-token');
    for (let i = 100; i < 200; i++) {
      for (const secret of ['the-token', 'in-use', `connection-${i}`]) known.addPassing(secret);
    }
    expect(known.hide('the-token in-use connection-199 connection-170 connection-101')).toBe(
      '*** *** *** *** connection-101',
    );
  });

  /** What programs write. Each is an encoder of the platform, or its rule in one line. */
  const encoders: Readonly<Record<string, (secret: string) => string>> = {
    plain: (secret) => secret,
    'JSON of JavaScript': (secret) => JSON.stringify(secret).slice(1, -1),
    'JSON of PHP': (secret) => JSON.stringify(secret).slice(1, -1).replaceAll('/', '\\/'),
    'JSON of Python': (secret) =>
      JSON.stringify(secret)
        .slice(1, -1)
        .replace(/[^ -~]/g, units),
    'JSON of Go': (secret) => JSON.stringify(secret).slice(1, -1).replace(/[<>&]/g, units),
    'JSON of .NET': (secret) =>
      secret.replace(/[<>&'"`+\\\x7f]|[^ -~]/gu, (one) =>
        one === '\\' ? '\\\\' : one.split('').map(units).join('').toUpperCase().replaceAll('U', 'u'),
      ),
    'all in unicode escapes': (secret) => secret.split('').map(units).join(''),
    'a component of an address': encodeURIComponent,
    'with lower-case digits': (secret) => lowerHex(encodeURIComponent(secret)),
    'an address in an address': (secret) => encodeURIComponent(encodeURIComponent(secret)),
    'every byte in percent': percent,
    hex: (secret) => Buffer.from(secret).toString('hex'),
    base64,
    base64url: (secret) => Buffer.from(secret).toString('base64url'),
    'HTML by names': (secret) =>
      secret.replace(/[&<>"]/g, (one) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;' })[one] ?? '&quot;'),
    'HTML by numbers': (secret) => [...secret].map((one) => `&#${one.codePointAt(0)};`).join(''),
    'HTML by hexadecimal numbers': (secret) =>
      [...secret].map((one) => `&#x${one.codePointAt(0)?.toString(16).toUpperCase()};`).join(''),
  };

  it('hides any secret in every form in which programs write it', () => {
    const secrets = fc.string({ minLength: 6, maxLength: 60, unit: 'grapheme' }).filter((one) => one.trim() === one);
    for (const [name, encode] of Object.entries(encoders)) {
      fc.assert(
        fc.property(secrets, fc.constantFrom('', 'x', 'a=', '"', ' '), (secret, around) => {
          const shown = hiding(secret).hide(`${around}${encode(secret)}${around}`);
          expect(shown, name).toContain('***');
          expect(shown, name).not.toContain(encode(secret));
        }),
      );
    }
  });

  it('hides a secret of any length', () => {
    for (const length of [40, 100_000]) {
      const secret = randomBytes(length).toString('base64url').slice(0, length);
      const known = hiding(secret);
      expect(known.hide(`cookie: ${secret}; ${base64(secret)}`)).toBe('cookie: ***; ***');
      expect(known.hide('ordinary text')).toBe('ordinary text');
    }
  });
});
