import { describe, expect, it, test } from 'vitest';
import { webAddress } from '../../src/cli/browser.ts';
import { canvasOf, colorLevel, painter } from '../../src/output/terminal.ts';

const terminal = { isTTY: true, colorDepth: 2 } as const;
const pipe = { isTTY: false, colorDepth: 0 } as const;

describe('colorLevel', () => {
  test.each([
    ['a terminal has its own colors', 'auto', {}, terminal, 2],
    ['a pipe has none', 'auto', {}, pipe, 0],
    ['always beats NO_COLOR', 'always', { NO_COLOR: '1' }, pipe, 1],
    ['always on a terminal keeps its depth', 'always', {}, terminal, 2],
    ['never beats FORCE_COLOR', 'never', { FORCE_COLOR: '3' }, terminal, 0],
    ['NO_COLOR beats FORCE_COLOR', 'auto', { NO_COLOR: '1', FORCE_COLOR: '1' }, terminal, 0],
    ['an empty NO_COLOR is unset', 'auto', { NO_COLOR: '' }, terminal, 2],
    ['FORCE_COLOR names a level', 'auto', { FORCE_COLOR: '3' }, pipe, 3],
    ['FORCE_COLOR=0 is none', 'auto', { FORCE_COLOR: '0' }, terminal, 0],
    ['FORCE_COLOR=true is some', 'auto', { FORCE_COLOR: 'true' }, pipe, 1],
    ['an empty FORCE_COLOR is unset', 'auto', { FORCE_COLOR: '' }, pipe, 0],
    ['CLICOLOR_FORCE works in a pipe', 'auto', { CLICOLOR_FORCE: '1' }, pipe, 1],
    ['CLICOLOR_FORCE=0 is unset', 'auto', { CLICOLOR_FORCE: '0' }, pipe, 0],
    ['CLICOLOR_FORCE beats CLICOLOR=0', 'auto', { CLICOLOR_FORCE: '1', CLICOLOR: '0' }, terminal, 2],
    ['CLICOLOR=0 is none', 'auto', { CLICOLOR: '0' }, terminal, 0],
    ['a dumb terminal has none', 'auto', { TERM: 'dumb' }, terminal, 0],
    ['FORCE_COLOR beats TERM=dumb', 'auto', { TERM: 'dumb', FORCE_COLOR: '1' }, terminal, 1],
  ] as const)('%s', (_what, flag, env, stream, level) => {
    expect(colorLevel({ flag, env, stream })).toBe(level);
  });
});

describe('painter', () => {
  test('colors a tone whatever the environment says, and nothing without color', async () => {
    const paint = await painter(1);
    expect(paint('down', 'bad')).toBe('\x1b[31mdown\x1b[39m');
    expect(paint('down', undefined)).toBe('down');
    expect((await painter(0))('down', 'bad')).toBe('down');
  });

  test('has another color for a warning than yellow, which cannot be read on white', async () => {
    expect((await painter(1))('odd', 'warn')).toMatch(/^\x1b\[3[1245]modd\x1b\[39m$/);
  });
});

const otherPipe = { isTTY: false, columns: undefined };
const wideTerminal = { isTTY: true, columns: 120 };

describe('canvasOf', () => {
  test.each([
    [{}, otherPipe, 80],
    [{}, wideTerminal, 120],
    [{ COLUMNS: '40' }, otherPipe, 40],
    [{ COLUMNS: '40' }, wideTerminal, 40],
    [{ COLUMNS: '' }, wideTerminal, 120],
    [{ COLUMNS: '0' }, wideTerminal, 120],
    [{ COLUMNS: 'wide' }, otherPipe, 80],
    [{ COLUMNS: '99999999' }, otherPipe, 80],
    [{}, { isTTY: true, columns: undefined }, 80],
  ])('%j at %j is %d cells wide', (env, stream, canvas) => {
    expect(canvasOf({ env, stream }).canvas).toBe(canvas);
  });

  test.each([
    [{}, otherPipe, false],
    [{ LANG: 'C.UTF-8' }, wideTerminal, false],
    [{ LANG: 'en_US.utf8' }, wideTerminal, false],
    [{ LANG: 'C' }, wideTerminal, true],
    [{ LANG: 'ru_RU.KOI8-R' }, otherPipe, true],
    [{ LANG: 'en_US.UTF-8', LC_ALL: 'POSIX' }, otherPipe, true],
    [{ LANG: 'C', LC_CTYPE: 'en_US.UTF-8' }, otherPipe, false],
    [{ LANG: 'C', LC_ALL: '' }, otherPipe, true],
    [{ TERM: 'linux', LANG: 'en_US.UTF-8' }, wideTerminal, true],
    [{ TERM: 'linux', LANG: 'en_US.UTF-8' }, otherPipe, false],
  ])('%j at %j is ASCII: %s', (env, stream, ascii) => {
    expect(canvasOf({ env, stream }).ascii).toBe(ascii);
  });
});

describe('a web address', () => {
  it.each([
    ['https://prometheus.example/graph?g0.expr=up', 'https://prometheus.example/graph?g0.expr=up'],
    ['http://[::1]:9090/a;b', 'http://[::1]:9090/a;b'],
    ['https://bücher.example/ü', 'https://xn--bcher-kva.example/%C3%BC'],
    ['javascript:alert(1)', undefined],
    ['file:///etc/passwd', undefined],
    ['/graph', undefined],
    ['', undefined],
    [null, undefined],
    ['https://', undefined],
    ['https://a.example/\u001b]8;;https://b.example\u001b\\', undefined],
    ['https://a.example/\u0007', undefined],
    ['https://a.example/\u009c', undefined],
    ['https://a.example/\u202e', undefined],
    ['https://a.example/a b', undefined],
    [`https://a.example/${'a'.repeat(2000)}`, undefined],
  ])('of %j is %j', (text, expected) => {
    expect(webAddress(text)).toBe(expected);
  });
});
