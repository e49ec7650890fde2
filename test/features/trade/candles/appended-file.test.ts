import {
  appendFileSync,
  copyFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { AppendedFile, readBegun, statePath } from '../../../../src/features/trade/candles/appended-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'svc-appended-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let files = 0;
const fresh = (): string => join(folder, `${++files}.csv`);
const BEGIN = { request: { symbol: 'EUR/USD', from: '2026-01-01' }, begunAt: 1_700_000_000_000 };
const HEADER = 'a,b\n';

function begun(path: string) {
  const state = readBegun(path);
  if (state === undefined) throw new Error('nothing was begun');
  return state;
}

describe('a new file', () => {
  it('has a side file with its purpose and progress, until it is complete', () => {
    const path = fresh();
    const file = AppendedFile.begin(path, BEGIN, HEADER, false);
    file.commit('1,2\n3,4\n', { through: 9 });
    expect(begun(path)).toEqual({
      version: 1,
      ...BEGIN,
      length: 12,
      lines: 2,
      lastLine: '3,4\n',
      mark: { through: 9 },
    });
    file.commit('', { through: 10 });
    expect(begun(path)).toMatchObject({ lines: 2, lastLine: '3,4\n', mark: { through: 10 } });
    file.finish();
    expect(readFileSync(path, 'utf8')).toBe('a,b\n1,2\n3,4\n');
    expect(existsSync(statePath(path))).toBe(false);
    expect(readBegun(path)).toBeUndefined();
  });

  it('replaces another file only with permission', () => {
    const path = fresh();
    writeFileSync(path, 'precious and longer than what comes');
    expect(() => AppendedFile.begin(path, BEGIN, HEADER, false)).toThrow(/already exists/);
    expect(readFileSync(path, 'utf8')).toMatch(/^precious/);
    expect(existsSync(statePath(path))).toBe(false);
    const file = AppendedFile.begin(path, BEGIN, HEADER, true);
    file.finish();
    expect(readFileSync(path, 'utf8')).toBe(HEADER);
  });

  it('stops if another process writes to it', () => {
    const path = fresh();
    const file = AppendedFile.begin(path, BEGIN, HEADER, false);
    appendFileSync(path, 'x');
    expect(() => file.commit('1,2\n', {})).toThrow(/another process changed/);
    file.close();
  });

  it('has the usual permissions for other users', () => {
    const path = fresh();
    AppendedFile.begin(path, BEGIN, HEADER, false).finish();
    const usual = fresh();
    writeFileSync(usual, '');
    expect(statSync(path).mode).toBe(statSync(usual).mode);
  });
});

describe('a resumed file', () => {
  it('loses uncommitted data and an incomplete last line', () => {
    const path = fresh();
    const file = AppendedFile.begin(path, BEGIN, HEADER, false);
    file.commit('1,2\n3,4\n', { through: 9 });
    file.close();
    appendFileSync(path, '5,');
    const again = AppendedFile.resume(path, begun(path), HEADER);
    expect(readFileSync(path, 'utf8')).toBe('a,b\n1,2\n');
    expect(again.lines).toBe(1);
    // Ended at once: there is no second line to be dropped.
    again.close();
    const third = AppendedFile.resume(path, begun(path), HEADER);
    expect(readFileSync(path, 'utf8')).toBe('a,b\n1,2\n');
    third.commit('3,4\n', {});
    third.finish();
    expect(readFileSync(path, 'utf8')).toBe('a,b\n1,2\n3,4\n');
  });

  it('is refused if it changed', () => {
    const path = fresh();
    const file = AppendedFile.begin(path, BEGIN, HEADER, false);
    file.commit('1,2\n3,4\n', {});
    file.close();
    const state = begun(path);
    const refused = (): void => {
      const before = readFileSync(path);
      expect(() => AppendedFile.resume(path, state, HEADER)).toThrow(/was changed/);
      expect(readFileSync(path)).toEqual(before);
    };
    truncateSync(path, 10);
    refused();
    writeFileSync(path, 'a,b\n1,2\n3,5\n');
    refused();
    rmSync(path);
    expect(() => AppendedFile.resume(path, state, HEADER)).toThrow(/cannot open/);
  });

  it.each(['', '{', '[]', 'null', '{"version":1}', '{"version":2,"request":{},"begunAt":1,"length":0,"lines":0}'])(
    'is refused if its side file is %s',
    (text) => {
      const path = fresh();
      writeFileSync(statePath(path), text);
      expect(() => readBegun(path)).toThrow(/does not say/);
    },
  );
});

/** Copies of both files, as a kill at that moment leaves them. */
function snapshot(path: string): string {
  const copy = fresh();
  if (existsSync(path)) copyFileSync(path, copy);
  if (existsSync(statePath(path))) copyFileSync(statePath(path), statePath(copy));
  return copy;
}

it('ends with the same bytes after any interruptions', () => {
  const line = fc.stringMatching(/^[a-zäöü€0-9,]{1,6}$/u).map((text) => `${text}\n`);
  const pieces = fc.array(fc.array(line, { maxLength: 4 }), { minLength: 1, maxLength: 5 });
  const kills = fc.array(fc.tuple(fc.nat(4), fc.constantFrom('before', 'torn', 'after'), fc.nat(20)), { maxLength: 4 });
  fc.assert(
    fc.property(pieces, kills, (all, ends) => {
      const lines = all.flat();
      let path = fresh();
      for (const end of [...ends, undefined]) {
        const state = readBegun(path);
        if (state === undefined && existsSync(path)) break; // whole
        const file =
          state === undefined
            ? AppendedFile.begin(path, BEGIN, HEADER, false)
            : AppendedFile.resume(path, state, HEADER);
        // What is left of the pieces after the lines that are there.
        let skip = file.lines;
        let killed: string | undefined;
        for (const [index, piece] of all.entries()) {
          const rest = piece.slice(Math.min(skip, piece.length));
          skip -= piece.length - rest.length;
          if (end?.[0] === index && end[1] !== 'after') {
            killed = snapshot(path);
            if (end[1] === 'torn') appendFileSync(killed, Buffer.from(rest.join('')).subarray(0, end[2]));
          }
          file.commit(rest.join(''), { index });
          if (end?.[0] === index && end[1] === 'after') killed = snapshot(path);
        }
        if (killed === undefined) file.finish();
        else {
          file.close();
          path = killed;
        }
      }
      expect(readFileSync(path, 'utf8')).toBe(HEADER + lines.join(''));
    }),
    { numRuns: 12 },
  );
});
