import { expect, test } from 'vitest';
import type { RunContext } from '../../../../src/cli/command.ts';
import { planCloseAll } from '../../../../src/features/trade/commands/close.ts';
import type { TableCache } from '../../../../src/features/trade/orders/table-cache.ts';
import type { OpenPosition } from '../../../../src/features/trade/schema.ts';

async function awaitedAmount(rows: readonly OpenPosition[]): Promise<unknown> {
  const cache = { accountId: async () => '1', positions: async () => ({ rows, isFresh: true }) };
  const ctx = { dryRun: false } as RunContext;
  const everything = { symbol: undefined, wanted: undefined, terms: { tif: 'GTC', range: undefined } } as const;
  const [planned] = await planCloseAll(everything, cache as unknown as TableCache, ctx);
  return planned?.awaits;
}

test('waits for the whole open amount', async () => {
  const rows = [
    { tradeId: '1', amountK: 5 },
    { tradeId: '2', amountK: 2 },
  ];
  expect(await awaitedAmount(rows)).toMatchObject({ tradeIds: ['1', '2'], amountK: 7 });
});

test('never treats a trade without an amount as completely closed', async () => {
  const rows = [{ tradeId: '1', amountK: 5 }, { tradeId: '2' }];
  expect(await awaitedAmount(rows)).toMatchObject({ tradeIds: ['1', '2'], amountK: undefined });
});
