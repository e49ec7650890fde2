/** What the second gateway found in `svc trade session`, each at its smallest. */
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { svc, temporaryHome } from '../../support/svc.ts';
import type { SessionEvent } from './auditor.ts';
import { type Faults, NO_FAULTS } from './faults.ts';
import { Gateway } from './gateway.ts';
import { seeded } from './random.ts';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await Gateway.start(seeded(1));
});
afterAll(() => gateway.close());
beforeEach(() => {
  gateway.faults = NO_FAULTS;
});

async function session(...commands: readonly object[]): Promise<SessionEvent[]> {
  const { stdout } = await svc(['trade', 'session', '--yes', '-o', 'ndjson'], {
    home: temporaryHome(),
    env: { SVC_TRADE_URL: gateway.url, SVC_TRADE_TOKEN: gateway.token, SVC_TRADE_ACCOUNT: '731001' },
    stdin: commands.map((command) => `${JSON.stringify(command)}\n`).join(''),
  });
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as SessionEvent);
}

it('the search for a lost order says nothing about the other orders', async () => {
  let failing = 0;
  const request: Faults['request'] = (path) => {
    // The response is lost, and so are the first read of the tables and its retries.
    if (path === '/trading/open_trade') failing = 4;
    if (path === '/trading/open_trade') return { kind: 'cut_after' };
    return { kind: path === '/trading/get_model' && failing-- > 0 ? 'cut_before' : 'none' };
  };
  gateway.faults = { ...NO_FAULTS, request };
  const events = await session(
    { id: 'waits', command: 'entry buy', symbol: 'EUR/USD', amount: 1, rate: 1.1 },
    { id: 'lost', command: 'buy', symbol: 'EUR/USD', amount: 2 },
  );
  const of = (id: string): string[] => events.filter((one) => one.id === id).map(({ event }) => event);
  expect({ waits: of('waits'), lost: of('lost')[0] }).toEqual({ waits: ['accepted', 'open'], lost: 'unknown' });
});

it('orders at the same time read the prices once', async () => {
  gateway.reads.length = 0;
  // After an order, prices that are old by then are read again.
  const before: number[] = [];
  const request: Faults['request'] = (path) => {
    if (path === '/trading/open_trade') before.push(gateway.reads.filter((model) => model === 'Offer').length);
    return { kind: 'none' };
  };
  gateway.faults = { ...NO_FAULTS, request };
  const events = await session(
    ...[1, 2, 3, 4, 5].map((amount) => ({ id: `${amount}`, command: 'sell', symbol: 'EUR/USD', amount })),
  );
  expect(events.filter(({ event }) => event === 'accepted')).toHaveLength(5);
  expect(before[0]).toBe(1);
});
