import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FORMATS, type OutputOptions } from '../../src/output/types.ts';
import { ALERT, ALERTS, alert, FORBIDDEN, rendering } from './rendering.ts';

const OUR_COLOURS = /\x1b\[(?:1|2|22|3[123]|39)m/g;

const hostile = fc.oneof(
  fc.constantFrom(
    ...['\x1b[2J\x1b[H', '\x1b]0;pwned\x07', '\x1b]8;;http://evil\x1b\\link', '\x9b31m', '\x1b[31mred\x1b[39m'],
    ...['ok\r\nrm -rf /', 'a\tb', 'user\u202egpj.exe', '\u2066x\u2069', 'in\u200bvisible', '\u{e0041}\u{e007f}'],
    ...['\ud800', '\u2028', '\u2800', '\u{13437}', '=cmd|x', '- a: &b *b'],
  ),
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.string({ maxLength: 12 }),
);

const hostileAlert = fc
  .record({
    fingerprint: hostile,
    state: hostile,
    summary: hostile,
    startsAt: hostile,
    labels: fc.dictionary(hostile, hostile, { maxKeys: 3 }),
    receivers: fc.array(hostile, { maxLength: 3 }),
  })
  .map(alert);

function expectHarmless(text: string, changes: Partial<OutputOptions>): void {
  const shown = (changes.color ? text.replace(OUR_COLOURS, '') : text).replaceAll('\n', '');
  expect(changes.format === 'tsv' ? shown.replaceAll('\t', '') : shown).not.toMatch(FORBIDDEN);
}

describe.each(FORMATS)('-o %s', (format) => {
  const settings: fc.Arbitrary<Partial<OutputOptions>> = fc.record({
    width: fc.constantFrom(undefined, 40, 80),
    color: format === 'table' || format === 'wide' ? fc.constantFrom(0, 1) : fc.constant(0),
    time: fc.constantFrom('relative', 'utc', 'local', 'iso'),
    headers: fc.boolean(),
  });

  test('has no active or hidden characters in a list', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(hostileAlert, { maxLength: 4 }), settings, async (rows, some) => {
        const changes = { ...some, format };
        expectHarmless((await rendering(rows, ALERTS, changes)).text, changes);
      }),
      { numRuns: 60 },
    );
  });

  test('nor in a record, a queried value or a text', async () => {
    await fc.assert(
      fc.asyncProperty(hostileAlert, hostile, settings, async (value, text, some) => {
        const changes = { ...some, format };
        expectHarmless((await rendering(value, ALERT, changes)).text, changes);
        expectHarmless((await rendering(value, ALERT, { ...changes, query: 'labels' })).text, changes);
        expectHarmless((await rendering([value], ALERTS, { ...changes, query: '[].[state, labels]' })).text, changes);
        expectHarmless((await rendering(text.replaceAll('\t', ' '), { kind: 'text' }, changes)).text, changes);
      }),
      { numRuns: 60 },
    );
  });
});

test.each(['table', 'csv', 'id', 'ndjson'] as const)('in %s a row is one line', async (format) => {
  await fc.assert(
    fc.asyncProperty(fc.array(hostileAlert, { minLength: 1, maxLength: 5 }), async (rows) => {
      const { text } = await rendering(rows, ALERTS, { format, headers: false });
      expect(text.split('\n')).toHaveLength(rows.length + 1);
    }),
    { numRuns: 100 },
  );
});
