import { describe, expect, test } from 'vitest';
import { webAddress } from '../../src/cli/browser.ts';
import { canvasOf, colorLevel, painter } from '../../src/output/terminal.ts';

const terminal = { isTTY: true, colorDepth: 2 } as const;
const pipe = { isTTY: false, colorDepth: 0 } as const;

describe('color', () => {
  test('is that of --color, then of NO_COLOR, FORCE_COLOR, CLICOLOR_FORCE, CLICOLOR and TERM', () => {
    for (const [flag, env, stream, level] of [
      ['auto', {}, terminal, 2],
      ['auto', {}, pipe, 0],
      ['always', { NO_COLOR: '1' }, pipe, 1],
      ['always', {}, terminal, 2],
      ['never', { FORCE_COLOR: '3' }, terminal, 0],
      ['auto', { NO_COLOR: '1', FORCE_COLOR: '1' }, terminal, 0],
      ['auto', { NO_COLOR: '' }, terminal, 2],
      ['auto', { FORCE_COLOR: '3' }, pipe, 3],
      ['auto', { FORCE_COLOR: '0' }, terminal, 0],
      ['auto', { FORCE_COLOR: 'true' }, pipe, 1],
      ['auto', { FORCE_COLOR: '' }, pipe, 0],
      ['auto', { CLICOLOR_FORCE: '1' }, pipe, 1],
      ['auto', { CLICOLOR_FORCE: '0' }, pipe, 0],
      ['auto', { CLICOLOR_FORCE: '1', CLICOLOR: '0' }, terminal, 2],
      ['auto', { CLICOLOR: '0' }, terminal, 0],
      ['auto', { TERM: 'dumb' }, terminal, 0],
      ['auto', { TERM: 'dumb', FORCE_COLOR: '1' }, terminal, 1],
    ] as const)
      expect([flag, env, colorLevel({ flag, env, stream })]).toEqual([flag, env, level]);
  });
});

describe('the color of a tone', () => {
  test('is there whatever the environment says, and not without color', async () => {
    const paint = await painter(1);
    expect(paint('down', 'bad')).toBe('\x1b[31mdown\x1b[39m');
    expect(paint('down', undefined)).toBe('down');
    expect((await painter(0))('down', 'bad')).toBe('down');
  });

  test('is not yellow for a warning, which cannot be read on white', async () => {
    expect((await painter(1))('odd', 'warn')).toMatch(/^\x1b\[3[1245]modd\x1b\[39m$/);
  });
});

const otherPipe = { isTTY: false, columns: undefined };
const wideTerminal = { isTTY: true, columns: 120 };

describe('the canvas of a chart', () => {
  test('is as wide as the terminal or COLUMNS, or 80 cells', () => {
    const widths = [
      [{}, otherPipe, 80],
      [{}, wideTerminal, 120],
      [{ COLUMNS: '40' }, wideTerminal, 40],
      [{ COLUMNS: '0' }, wideTerminal, 120],
      [{ COLUMNS: 'wide' }, otherPipe, 80],
      [{ COLUMNS: '99999999' }, otherPipe, 80],
      [{}, { isTTY: true, columns: undefined }, 80],
    ] as const;
    for (const [env, stream, canvas] of widths) expect([env, canvasOf({ env, stream }).canvas]).toEqual([env, canvas]);
  });

  test('has only ASCII where the locale has no UTF-8, or at a Linux console', () => {
    const locales = [
      [{}, otherPipe, false],
      [{ LANG: 'en_US.utf8' }, wideTerminal, false],
      [{ LANG: 'C' }, wideTerminal, true],
      [{ LANG: 'en_US.UTF-8', LC_ALL: 'POSIX' }, otherPipe, true],
      [{ LANG: 'C', LC_CTYPE: 'en_US.UTF-8' }, otherPipe, false],
      [{ LANG: 'C', LC_ALL: '' }, otherPipe, true],
      [{ TERM: 'linux', LANG: 'en_US.UTF-8' }, wideTerminal, true],
      [{ TERM: 'linux', LANG: 'en_US.UTF-8' }, otherPipe, false],
    ] as const;
    for (const [env, stream, ascii] of locales) expect([env, canvasOf({ env, stream }).ascii]).toEqual([env, ascii]);
  });
});

test('a web address is http or https without anything that a terminal obeys', () => {
  const good = ['https://prometheus.example/graph?g0.expr=up', 'http://[::1]:9090/a;b'];
  expect(good.map(webAddress)).toEqual(good);
  expect(webAddress('https://bücher.example/ü')).toBe('https://xn--bcher-kva.example/%C3%BC');
  const bad = [
    ...['javascript:alert(1)', 'file:///etc/passwd', '/graph', '', null, 'https://', 'https://a.example/a b'],
    ...[
      'https://a.example/\u001b]8;;https://b.example\u001b\\',
      'https://a.example/\u009c',
      'https://a.example/\u202e',
    ],
    `https://a.example/${'a'.repeat(2000)}`,
  ];
  expect(bad.map(webAddress)).toEqual(bad.map(() => undefined));
});
