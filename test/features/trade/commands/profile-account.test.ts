/** The account of an order with `--profile`: that of the profile, and never one that belongs to another gateway. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryHome } from '../../../support/svc.ts';
import { fileTrader, HEDGING, NETTING } from './trader.ts';

const client = await fileTrader({ emptied: true });

async function homeWith(settings: Readonly<Record<string, string>>): Promise<string> {
  const home = temporaryHome();
  for (const [key, value] of Object.entries(settings)) {
    expect((await client.runAny(['config', 'set', key, value, '--profile', 'own'], { home })).code).toBe(0);
  }
  return home;
}

const buy = (home: string, env: Readonly<Record<string, string>> = {}) =>
  client.run(['buy', 'EUR/USD', '10', '--profile', 'own', '--yes'], { home, env });

it('the account of an order is that of --profile, whatever SVC_TRADE_ACCOUNT says', async () => {
  const home = await homeWith({ 'trade.url': client.gateway.url, 'trade.account': NETTING });
  const { code, stderr } = await buy(home, { SVC_TRADE_ACCOUNT: HEDGING });
  expect({ code, accounts: client.orders().map(({ account_id }) => account_id) }, stderr).toEqual({
    code: 0,
    accounts: [NETTING],
  });
});

it('the account of an order is SVC_TRADE_ACCOUNT if the profile has none, unless SVC_TRADE_URL names another gateway', async () => {
  const tokenFile = join(temporaryHome(), 'token');
  writeFileSync(tokenFile, client.gateway.token, { mode: 0o600 });
  const home = await homeWith({ 'trade.url': client.gateway.url, 'trade.tokenFile': tokenFile });
  expect((await buy(home, { SVC_TRADE_ACCOUNT: HEDGING })).code).toBe(0);
  expect(client.orders()).toMatchObject([{ account_id: HEDGING }]);
  const other = await buy(home, { SVC_TRADE_ACCOUNT: HEDGING, SVC_TRADE_URL: 'http://127.0.0.1:9' });
  expect({ code: other.code, orders: client.orders() }).toEqual({ code: 2, orders: [] });
  expect(other.stderr).toContain('pass --account');
});
