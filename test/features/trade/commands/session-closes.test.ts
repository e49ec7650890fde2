/** Nothing of svc's own delays a close, a cancel or flatten of a session. */
import { expect, it } from 'vitest';
import { until } from '../gateway.ts';
import { holdTrade } from './holdings.ts';
import { liveSession } from './live-session.ts';
import { forwarder } from './lost-answers.ts';
import { fileTrader, HEDGING } from './trader.ts';

const client = await fileTrader({ emptied: true });

const environment = (url: string) => ({
  SVC_TRADE_URL: url,
  SVC_TRADE_TOKEN: client.gateway.token,
  SVC_TRADE_ACCOUNT: HEDGING,
});

it('in an outage, a close that is refused is followed by an attempt to reconnect, however long the delay is', async () => {
  await using before = await forwarder(client.gateway.url);
  const waits: number[] = [];
  const sleepsUntil = (ms: number) => {
    if (ms < 1_000) return undefined;
    waits.push(ms);
    return new Promise<void>(() => {});
  };
  const session = liveSession(environment(before.url), ['--transport', 'polling'], { sleepsUntil });
  await session.printed('ready');
  before.isGone = true;
  client.gateway.cut();
  await session.printed('unreachable');
  await until(() => waits.length > 0);
  before.isGone = false;
  const trade = holdTrade(client.gateway);
  for (let tried = 0; !session.events().some(({ event }) => event === 'recovered'); tried++) {
    session.send({ id: `c${tried}`, command: 'close', trade });
    await session.printed('refused', { id: `c${tried}` });
  }
  session.send({ id: 'd', command: 'close', trade });
  await session.printed('accepted', { id: 'd' });
  expect((await session.interrupt('interrupted')).code).toBe(130);
});
