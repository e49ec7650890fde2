import { expect, test } from 'vitest';
import type { RunContext } from '../../../../src/cli/command.ts';
import { planCloseAll } from '../../../../src/features/trade/commands/close.ts';
import type { OrderTables } from '../../../../src/features/trade/orders/order-tables.ts';
import type { OpenPosition } from '../../../../src/features/trade/schema.ts';

async function awaitedAmount(rows: readonly OpenPosition[]): Promise<unknown> {
  const tables = { accountOrGiven: async () => ({ accountId: '1' }), rows: async () => rows };
  const ctx = { dryRun: false } as RunContext;
  const everything = { symbol: undefined, wanted: undefined, terms: { tif: 'GTC', range: undefined } } as const;
  const [planned] = await planCloseAll(everything, tables as unknown as OrderTables, ctx);
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
