import { describe, expect, test } from 'vitest';
import { canvasOf } from '../../src/output/canvas.ts';

const pipe = { isTTY: false, columns: undefined };
const terminal = { isTTY: true, columns: 120 };

describe('canvasOf', () => {
  test.each([
    [{}, pipe, 80],
    [{}, terminal, 120],
    [{ COLUMNS: '40' }, pipe, 40],
    [{ COLUMNS: '40' }, terminal, 40],
    [{ COLUMNS: '' }, terminal, 120],
    [{ COLUMNS: '0' }, terminal, 120],
    [{ COLUMNS: 'wide' }, pipe, 80],
    [{ COLUMNS: '99999999' }, pipe, 80],
    [{}, { isTTY: true, columns: undefined }, 80],
  ])('%j at %j is %d cells wide', (env, stream, canvas) => {
    expect(canvasOf({ env, stream }).canvas).toBe(canvas);
  });

  test.each([
    [{}, pipe, false],
    [{ LANG: 'C.UTF-8' }, terminal, false],
    [{ LANG: 'en_US.utf8' }, terminal, false],
    [{ LANG: 'C' }, terminal, true],
    [{ LANG: 'ru_RU.KOI8-R' }, pipe, true],
    [{ LANG: 'en_US.UTF-8', LC_ALL: 'POSIX' }, pipe, true],
    [{ LANG: 'C', LC_CTYPE: 'en_US.UTF-8' }, pipe, false],
    [{ LANG: 'C', LC_ALL: '' }, pipe, true],
    [{ TERM: 'linux', LANG: 'en_US.UTF-8' }, terminal, true],
    [{ TERM: 'linux', LANG: 'en_US.UTF-8' }, pipe, false],
  ])('%j at %j is ASCII: %s', (env, stream, ascii) => {
    expect(canvasOf({ env, stream }).ascii).toBe(ascii);
  });
});
