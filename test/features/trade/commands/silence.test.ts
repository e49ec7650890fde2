/** Prices that stop while the connection lives and forex is traded. */
import { beforeEach, expect, it } from 'vitest';
import { fileFeed, lines } from './feed.ts';

const feed = await fileFeed();
const OPEN = Date.UTC(2026, 0, 14, 12);
const WEEKEND = Date.UTC(2026, 0, 17, 12);
const MINUTE_MS = 60_000;
const REASON = 'no push came for a minute although forex is traded now';
const tick = (bid: number) => ({ Updated: OPEN, Rates: [bid, bid + 0.001, 2, 1], Symbol: 'EUR/USD' });

let now: number;
/** Each lets one sleep of the watched minute end. */
let minutes: (() => void)[];
let slept: (() => void)[];
beforeEach(() => {
  now = OPEN;
  minutes = [];
  slept = [];
});

function run(argv: readonly string[], more: Parameters<typeof feed.run>[1] = {}) {
  return feed.run([...argv, '-o', 'ndjson'], {
    now: () => now,
    sleepsUntil(ms) {
      if (ms > MINUTE_MS || ms < MINUTE_MS / 2) return undefined;
      slept.shift()?.();
      return new Promise((resolve) => minutes.push(resolve));
    },
    ...more,
  });
}

/** Resolves once the watch waits again. */
async function aMinuteLater(ms = MINUTE_MS): Promise<void> {
  while (minutes.length === 0) await new Promise<void>((resolve) => slept.push(resolve));
  const again = new Promise<void>((resolve) => slept.push(resolve));
  now += ms;
  minutes.shift()?.();
  await again;
}

it('a stream says once that no price came for a minute, and that prices come again', async () => {
  let said = '';
  const stream = run(['stream', 'EUR/USD', '--until', '2'], { onStderr: (text) => (said += text) });
  await feed.subscribed('EUR/USD');
  await aMinuteLater();
  await aMinuteLater();
  feed.push('EUR/USD', tick(1.1), tick(1.2));
  const { code, stdout } = await stream;
  expect(code).toBe(0);
  expect(lines(stdout)).toMatchObject([
    { event: 'stale', at: new Date(OPEN + MINUTE_MS).toISOString(), reason: REASON, kind: 'stale' },
    { event: 'recovered', kind: 'recovered' },
    { kind: 'price' },
    { kind: 'price' },
  ]);
  expect(said).toContain(REASON);
});

it('a watch of prices says so, too', async () => {
  const watch = run(['watch', 'prices', 'EUR/USD', '--until', '1']);
  await feed.subscribed('EUR/USD');
  await aMinuteLater();
  feed.push('EUR/USD', tick(1.1));
  const events = lines((await watch).stdout).map(({ event }) => event);
  expect(events).toEqual(['added', 'stale', 'recovered', 'changed']);
});

it.each([
  ['while forex is closed', ['EUR/USD'], WEEKEND],
  ['of something else than forex', ['XAU/USD'], OPEN],
  ['of a table without prices', ['Order'], OPEN],
])('nothing is said %s', async (_name, what, at) => {
  now = at;
  feed.tables['Offer'] = ['EUR/USD', 'XAU/USD'].map((currency, index) => ({ offerId: index, currency }));
  const [name = ''] = what;
  const stream = run(['stream', ...what, '--until', '1']);
  await feed.subscribed(name);
  if (name === 'EUR/USD') await aMinuteLater();
  else expect(minutes).toEqual([]);
  feed.push(name, name === 'Order' ? { orderId: '1' } : { ...tick(1), Symbol: name });
  expect(lines((await stream).stdout).map(({ kind }) => kind)).toEqual([name === 'Order' ? 'U' : 'price']);
});

it('a price starts the minute again', async () => {
  let printed = (): void => {};
  const first = new Promise<void>((resolve) => {
    printed = resolve;
  });
  const onStdout = (): undefined => printed() as undefined;
  const stream = run(['stream', 'EUR/USD', '--until', '2'], { onStdout });
  await feed.subscribed('EUR/USD');
  now += MINUTE_MS / 2;
  feed.push('EUR/USD', tick(1.1));
  await first;
  await aMinuteLater(MINUTE_MS / 2);
  feed.push('EUR/USD', tick(1.2));
  expect(lines((await stream).stdout).map(({ kind }) => kind)).toEqual(['price', 'price']);
});
