import { describe, expect, test } from 'vitest';
import { colorLevel, painter } from '../../src/output/color.ts';

const terminal = { isTTY: true, colorDepth: 2 } as const;
const pipe = { isTTY: false, colorDepth: 0 } as const;

describe('colorLevel', () => {
  test.each([
    ['a terminal has its own colours', 'auto', {}, terminal, 2],
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
  test('paints a tone whatever the environment says, and nothing without colour', async () => {
    const paint = await painter(1);
    expect(paint('down', 'bad')).toBe('\x1b[31mdown\x1b[39m');
    expect(paint('down', undefined)).toBe('down');
    expect((await painter(0))('down', 'bad')).toBe('down');
  });
});
