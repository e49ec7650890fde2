/** svc's own session and client against the sandbox's gateway: what each took from the document fits together. */
import { describe, expect, test } from 'vitest';
import { PERIODS } from '../../../src/features/trade/candles/plan.ts';
import { openTrading } from '../../../src/features/trade/client.ts';
import { readPush } from '../../../src/features/trade/gateway/push.ts';
import type { SessionOptions } from '../../../src/features/trade/gateway/session.ts';
import { MODEL_NAMES } from '../../../src/features/trade/models.ts';
import { Secret } from '../../../src/http/redact.ts';
import { reader, sessionWith, type TestSession } from '../../features/trade/gateway.ts';
import { NOW, startGateway, type TestGateway } from './service.ts';

function sessionOf(gateway: TestGateway, options: Partial<SessionOptions> = {}): TestSession {
  return sessionWith(gateway.url, { token: () => new Secret(gateway.token), ...options });
}

describe('svc', () => {
  test('reads every table, with the path of the document and without', async () => {
    await using gateway = await startGateway();
    await using own = sessionOf(gateway);
    const trading = openTrading(own.session);
    for (const name of MODEL_NAMES) expect((await trading.model(name)).length, name).toBeGreaterThan(0);
    const accounts = await trading.accounts();
    expect(accounts.map(({ accountId }) => accountId)).toEqual(['654061', '654062']);
    gateway.traps.add('accounts-path-404');
    expect(await trading.accounts()).toEqual(accounts);
    expect(await trading.instruments()).toHaveLength(8);
  });

  test('reads candles of all periods', async () => {
    await using gateway = await startGateway();
    await using own = sessionOf(gateway);
    const trading = openTrading(own.session);
    for (const period of PERIODS) {
      const to = NOW / 1000;
      const rows = await trading.candles({ offerId: '1', period: period.name, from: to - (period.ms / 1000) * 20, to });
      expect(rows.length, period.name).toBeGreaterThan(5);
    }
  });

  test.each(['polling', 'websocket'] as const)('receives pushes by %s', async (transport) => {
    await using gateway = await startGateway();
    await using own = sessionOf(gateway, { transport });
    const trading = openTrading(own.session);
    const next = reader(own.session);
    await trading.subscribePrices('EUR/USD');
    await trading.subscribeModel('OpenPosition');
    gateway.tick();
    const kinds: (string | undefined)[] = [];
    for (let count = 0; count < 5; count++) {
      const event = await next();
      if (event?.kind === 'push') kinds.push(readPush(event.name, event.payload)?.kind);
    }
    expect(kinds).toEqual(['price', 'row', 'row', 'row', 'row']);
    expect(own.session.transport).toBe(transport);
    expect(own.notices).toEqual([]);
    await own.session.close();
    expect(gateway.sessions).toEqual([]);
  });

  test('reaches its node behind a balancer forty times out of forty', async () => {
    await using gateway = await startGateway();
    gateway.traps.add('sticky-nodes');
    for (let count = 0; count < 40; count++) {
      await using own = sessionOf(gateway);
      expect(await openTrading(own.session).model('Order')).toHaveLength(1);
    }
  });

  test('gets errors for a refused token and too many requests', async () => {
    await using gateway = await startGateway();
    await using stranger = sessionOf(gateway, { token: () => new Secret('f'.repeat(40)) });
    await expect(stranger.session.connect()).rejects.toMatchObject({ code: 'unauthorized' });
    await using own = sessionOf(gateway);
    gateway.traps.add('ora-20301');
    const asked = openTrading(own.session).model('OpenPosition');
    await expect(asked).rejects.toMatchObject({ code: 'limited', more: { cmd: 44 } });
  });
});
