/** Traps of the sandbox's gateway that no command of svc meets in its own tests. */
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { HOSTILE } from '../../../src/sandbox/traps.ts';
import { errorOf, type Json, marketOrder, startGateway } from './service.ts';

test('hostile text is accepted when it is sent back', async () => {
  await using gateway = await startGateway({ seed: 'empty' });
  const peer = await gateway.peer();
  gateway.traps.add('hostile-gateway');
  const { offers } = await gateway.call(peer.id, 'GET', '/trading/get_model', { models: 'Offer' });
  const symbol = String((offers as Json[])[0]?.['currency']);
  expect(symbol).toBe(`EUR/USD${HOSTILE}`);
  const pushed = once(peer as unknown as NodeJS.EventEmitter, symbol);
  await gateway.call(peer.id, 'POST', '/subscribe', { pairs: symbol });
  gateway.tick();
  expect(JSON.parse((await pushed)[0] as string)).toMatchObject({ Symbol: symbol });
  const wrong = await gateway.call(peer.id, 'POST', '/trading/open_trade', marketOrder({ symbol, amount: 0 }));
  expect(errorOf(wrong)).toMatchObject({ code: 3, message: `Amount should be divisible by 1${HOSTILE}` });
  expect(errorOf(await gateway.call('', 'GET', '/trading/get_model', {}))).toBe(`Unauthorized${HOSTILE}`);
});
