/** The list of accepted events on disk: what goes in comes out, a cut end and old lines do not, and nothing foreign is touched. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, expect, it } from 'vitest';
import { eventKey, openSeenFile } from '../../../../src/features/webhooks/receiver/seen-events.ts';

const DAY = 24 * 60 * 60 * 1000;
const NOW = Date.UTC(2026, 0, 15);
const folder = mkdtempSync(join(tmpdir(), 'svc-seen-'));
afterAll(() => rmSync(folder, { recursive: true }));
let count = 0;
const fresh = (): string => join(folder, `seen-${++count}`);
const never = (why: string): never => {
  throw new Error(why);
};
const open = (path: string, now = NOW) => openSeenFile(path, now, never);

it('recognizes recorded ids after a writer was killed at any byte', () => {
  const ids = fc.uniqueArray(fc.string({ unit: 'binary' }), { minLength: 1, maxLength: 8 });
  fc.assert(
    fc.property(ids, fc.nat(60), (all, lost) => {
      const path = fresh();
      const before = open(path);
      for (const id of all) before.add(eventKey(id), NOW - 1000);
      before.close();
      const bytes = readFileSync(path);
      writeFileSync(path, bytes.subarray(0, Math.max(0, bytes.length - lost)));
      const whole = readFileSync(path, 'utf8').split('\n').length - 1;
      const after = open(path);
      const known = all.map((id) => after.recordDuplicate(eventKey(id), NOW) !== undefined);
      after.close();
      expect(known).toEqual(all.map((_, index) => index < whole));
      expect(readFileSync(path, 'utf8').split('\n')).toHaveLength(whole + 1);
    }),
  );
  expect(readdirSync(folder).filter((name) => name.endsWith('.new'))).toEqual([]);
});

it('drops what is older than a day', () => {
  const path = fresh();
  const before = open(path);
  before.add(eventKey('old'), NOW - DAY);
  before.add(eventKey('young'), NOW - DAY + 1);
  before.close();
  const after = open(path);
  expect([
    after.recordDuplicate(eventKey('old'), NOW),
    after.recordDuplicate(eventKey('young'), NOW)?.deliveries,
  ]).toEqual([undefined, 2]);
  after.close();
  expect(readFileSync(path, 'utf8').match(/\n/g)).toHaveLength(1);
});

it.each(['x', 'x\n', '{"v":1}\n', `${'0'.repeat(32)} 1\nx\n`, '\n', 'ABCDEF\n', `${'0'.repeat(33)} 1\n`])(
  'does not change a file with %j',
  (text) => {
    const path = fresh();
    writeFileSync(path, text);
    expect(() => open(path)).toThrow(expect.objectContaining({ code: 'file_unusable' }));
    expect(readFileSync(path, 'utf8')).toBe(text);
  },
);

it('accepts events after it was closed, without writing', () => {
  const path = fresh();
  const seen = open(path);
  seen.close();
  seen.add(eventKey('late'), NOW);
  expect(seen.recordDuplicate(eventKey('late'), NOW)).toBeDefined();
  expect(readFileSync(path, 'utf8')).toBe('');
});
