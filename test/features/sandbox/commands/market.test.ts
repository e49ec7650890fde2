/** The options of a sandbox whose market moves. */
import { writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { readTicks } from '../../../../src/features/sandbox/tick-file.ts';
import { svc, temporaryHome } from '../../../support/svc.ts';

const HEADER = 'time,symbol,bid,ask,high,low\n';
const ROW = '2026-01-05T12:00:00.250Z,EUR/USD,1.2,1.2002,1.3,1.1';
const TICK = { at: Date.UTC(2026, 0, 5, 12, 0, 0, 250), symbol: 'EUR/USD', bid: 1.2, ask: 1.2002, high: 1.3, low: 1.1 };
const json = (changes: object): string =>
  JSON.stringify({ time: '2026-01-05T12:00:00.250Z', symbol: 'EUR/USD', bid: 1.2, ask: 1.2002, ...changes });

function run(text: string, ...args: readonly string[]) {
  const file = `${temporaryHome()}/ticks`;
  writeFileSync(file, text);
  return svc(['sandbox', 'run', '--replay', file, ...args, '--', 'true']);
}

describe('a recording', () => {
  test.each([
    ['CSV', `${HEADER}${ROW}\n`],
    [
      'with a byte order mark, Windows line ends and quotes',
      `\uFEFF${HEADER}${ROW.replace('EUR/USD', '"EUR/USD"')}\r\n\r\n`,
    ],
    ['with columns in another order, and one more', `${HEADER.trim()},note\n${ROW},x\n`],
    ['of two files joined', `${HEADER}${HEADER}${ROW}\n`],
    ['NDJSON', `${json({ high: 1.3, low: 1.1 })}\n`],
    ['with outages and gaps', `${json({ high: 1.3, low: 1.1 })}\n{"event":"gap","at":"2026-01-05T12:00:00Z"}\n`],
  ])('reads %s', (_, text) => {
    expect(readTicks(text, 'f')).toEqual([TICK]);
  });

  test('may lack high and low', () => {
    const without = { ...TICK, high: undefined, low: undefined };
    expect(readTicks(`${HEADER}${ROW.replace('1.3,1.1', ',')}\n`, 'f')).toEqual([without]);
    expect(readTicks(json({ high: null }), 'f')).toEqual([without]);
    expect(readTicks('time,symbol,bid,ask\n2026-01-05T13:00:00.25+01:00,EUR/USD,1.2,1.2002', 'f')).toEqual([without]);
  });

  test.each([
    ['', 'has no ticks'],
    [HEADER, 'has no ticks'],
    [ROW, 'line 1: the header has no column "time"'],
    ['time,symbol,bid\n', 'line 1: the header has no column "ask"'],
    [`${HEADER}${ROW}\n${ROW},5\n`, 'line 3: 7 values for 6 columns'],
    [`${HEADER}${ROW.replace('1.2,', ',')}\n`, 'line 2: no bid'],
    [`${HEADER}${ROW.replace('1.2,', '1,2,')}\n`, 'line 2: 7 values'],
    [`${HEADER}${ROW.replace('1.2,', 'x,')}\n`, 'line 2: bid is not a positive number'],
    [`${HEADER}${ROW.replace('1.2,', '1.3,')}\n`, 'line 2: the ask 1.2002 is below the bid 1.3'],
    [`${HEADER}${ROW.replace('1.3,1.1', '1.1,1.3')}\n`, 'line 2: the high 1.1 is below the low 1.3'],
    [`${HEADER}${ROW.replace('EUR/USD', '')}\n`, 'line 2: no symbol'],
    [`${HEADER}${ROW.replace('2026-01-05T12:00:00.250Z', 'noon')}\n`, 'line 2: the time "noon" is not RFC 3339'],
    [`${HEADER}${ROW.replace('Z', '')}\n`, 'is not RFC 3339'],
    [`${json({})}\n{"time":`, 'line 2: not JSON'],
    [`${json({})}\n\n[]\n`, 'line 3: not a JSON object'],
    [json({ bid: '1.2' }), 'line 1: bid is not a positive number'],
    [json({ bid: -1 }), 'line 1: bid is not a positive number'],
    [json({ symbol: 'EUR/GBP' }), 'none of the symbols'],
  ])('%j is refused', async (text, reason) => {
    const { code, stdout, stderr } = await run(text);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(reason);
  });

  test('with unknown symbols is replayed without them, with a notice', async () => {
    const { code, stderr } = await run(`${json({})}\n${json({ symbol: 'EUR/GBP' })}\n`, '--speed', '60');
    expect(code).toBe(0);
    expect(stderr).toContain('the sandbox has no EUR/GBP: left out');
  });
});

test.each([
  [['--speed', '3'], '--speed needs --replay'],
  [['--replay', 'f', '--seed', '3'], '--replay and --seed exclude each other'],
  [['--replay', 'f', '--volatility', '3'], '--replay and --volatility exclude each other'],
  [['--replay', '/nonexistent/file'], 'cannot read /nonexistent/file'],
  [['--volatility', '0'], '--volatility'],
  [['--seed', '-1'], '--seed'],
])('%j: exit 2, and nothing is started', async (args, reason) => {
  const { code, stderr } = await svc(['sandbox', 'run', ...args, '--', 'false']);
  expect(code).toBe(2);
  expect(stderr).toContain(reason);
});
