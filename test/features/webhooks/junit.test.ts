import fc from 'fast-check';
import { expect, test } from 'vitest';
import { xmlText } from '../../../src/features/webhooks/commands/check-receiver.ts';

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** As a parser of XML does. */
function read(text: string): string {
  return text.replace(/&(?:#(\d+)|(\w+));/g, (_all, code?: string, name?: string) =>
    code === undefined ? (ENTITIES[name ?? ''] ?? '?') : String.fromCodePoint(Number(code)),
  );
}

test('round-trips any text that XML can hold', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const escaped = xmlText(text);
      expect(escaped).not.toMatch(/[<>"'\t\n\r]|&(?!#\d+;|\w+;)/);
      expect(escaped).not.toMatch(/[\p{Cc}\p{Cs}\ufffe\uffff]/u);
      const allowed = text.replace(/[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g, '\ufffd');
      expect(read(escaped)).toBe(allowed.replace(/\p{Cs}/gu, '\ufffd'));
    }),
    { numRuns: 500 },
  );
  expect(xmlText('a\ud800b')).toBe('a\ufffdb');
  expect(xmlText('\u{1f44d}')).toBe('\u{1f44d}');
});
