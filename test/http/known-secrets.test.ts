import { describe, expect, it } from 'vitest';
import { KnownSecrets } from '../../src/http/redact.ts';

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
  it.each(['\\', '%25', '&#0', '\\u003', '30', 'MDEy'])('reads a long text of %j once', (part) => {
    const text = part.repeat((1 << 20) / part.length);
    expect(hiding('0123456789abcdef0123456789abcdef').hide(text)).toBe(text);
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
    known.addPassingHeaders({
      authorization: `Basic ${btoa('ann:hunter22')}`,
      cookie: 'sid=session-1; b=c',
      accept: 'a/b-c',
    });
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
});
