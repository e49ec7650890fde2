import fc from 'fast-check';
import { expect, it } from 'vitest';
import { receiverPattern } from '../../../src/features/alerts/candidates.ts';
import { escapeText } from '../../../src/output/escape.ts';

/** RE2 writes a code point as \x{1b}, JavaScript as \u{1b}; of what these patterns use, all else is the same. */
function matches(pattern: string, text: string): boolean {
  return new RegExp(`^(?:${pattern.replaceAll('\\x{', '\\u{')})$`, 'su').test(text);
}

it.each(['team-db', 'slack.oncall', 'x\ny', 'team (db)'])('escapes in %j only what is necessary', (name) => {
  expect(receiverPattern(name)).toBe({ 'x\ny': 'x\\x{a}y', 'team (db)': 'team \\(db\\)' }[name] ?? name);
});

it('matches the original name, and no other without a dot', () => {
  const name = fc.string({ unit: 'grapheme' }).filter((text) => !text.includes('\\x{'));
  fc.assert(
    fc.property(fc.oneof(name, fc.string({ unit: fc.constantFrom(...'.*+?()[]{}|^$\\-a\n\x1b\u202e') })), (text) => {
      const pattern = receiverPattern(text);
      expect(matches(pattern, text)).toBe(true);
      expect(matches(pattern, `${text}x`)).toBe(false);
      expect(matches(pattern, `x${text}`)).toBe(false);
      expect(escapeText(pattern)).toBe(pattern);
    }),
  );
});
