/** The JSON schema of `svc trade session` in the reference, against a session that trades. */
import { expect, it } from 'vitest';
import { fromJSONSchema } from 'zod';
import { preparedReference } from '../../../../src/pages.ts';
import { feedGateway } from './feed.ts';
import { holdOrder, holdTrade } from './holdings.ts';
import { type LiveSession, liveSession } from './live-session.ts';
import { forwarder } from './lost-answers.ts';
import { HEDGING, trader } from './trader.ts';

type Definition = Parameters<typeof fromJSONSchema>[0];

const { $defs, ...whole } = JSON.parse((await preparedReference())['trade-session.schema.json'] ?? '') as {
  readonly $schema: string;
  readonly $defs: {
    readonly command: Definition;
    readonly event: {
      readonly anyOf: readonly { readonly properties: { readonly event: { readonly const: string } } }[];
    };
  };
};
const command = fromJSONSchema($defs.command);
const event = fromJSONSchema($defs.event as unknown as Definition);

/** Every event is valid, and has no field that the schema does not name. */
function check({ events }: LiveSession): Set<string> {
  for (const one of events()) {
    expect(event.safeParse(one).error, JSON.stringify(one)).toBeUndefined();
    const definition = $defs.event.anyOf.find(({ properties }) => properties.event.const === one.event);
    expect(Object.keys(definition?.properties ?? {}), JSON.stringify(one)).toEqual(
      expect.arrayContaining(Object.keys(one)),
    );
  }
  return new Set(events().map(({ event: name }) => name));
}

it('accepts the commands and the events of sessions', async () => {
  await using client = await trader();
  await using before = await forwarder(client.gateway.url);
  const { token } = client.gateway;
  const env = { SVC_TRADE_URL: before.url, SVC_TRADE_TOKEN: token, SVC_TRADE_ACCOUNT: HEDGING };
  const session = liveSession(env, ['--heartbeat', '20ms']);
  await session.printed('ready');
  const commands = [
    { id: 'a', command: 'buy', symbol: 'EUR/USD', amount: 5, stop: '40pips' },
    { id: 'b', command: 'entry sell', symbol: 'EUR/USD', amount: '7', rate: 1.3 },
    { id: 'c', command: 'close', trade: [holdTrade(client.gateway)] },
    { id: 'd', command: 'orders cancel', order: holdOrder(client.gateway) },
    { id: 'e', command: 'positions list', summary: true },
    { id: 'f', command: 'candles', symbol: 'EUR/USD', period: 'H1', last: 3 },
    { id: 'g', command: 'subscribe', what: ['EUR/USD', 'Account'] },
    { id: 'h', command: 'flatten', account: HEDGING },
    { id: null, command: 'hours' },
  ];
  for (const one of commands) expect(command.safeParse(one).error, JSON.stringify(one)).toBeUndefined();
  session.send(...commands);
  for (const id of ['e', 'f', 'g']) await session.printed('result', { id });
  await session.printed('filled', { id: 'a' });
  await session.printed('closed', { id: 'c' });
  client.gateway.tick();
  await session.printed('push');
  const wrong = [
    { id: 'x', command: 'login' },
    { id: 'y', command: 'buy', symbol: 'EUR/USD', amount: 1, sumary: true },
    { id: 'z', command: 'buy', amount: 1 },
    { id: 'w', command: 'positions list', summary: 'yes' },
  ];
  session.send(...wrong);
  for (const one of wrong) {
    expect(command.safeParse(one).success, JSON.stringify(one)).toBe(false);
    await session.printed('refused', { id: one.id });
  }
  before.fault = { applied: true, answer: (response) => void response.socket?.resetAndDestroy() };
  session.send({ id: 'l', command: 'sell', symbol: 'USD/JPY', amount: 3 });
  await session.printed('settled', { id: 'l' });
  await session.printed('heartbeat');
  await session.end();
  const seen = check(session);
  for (const name of ['accepted', 'filled', 'open', 'closed', 'refused', 'unknown', 'settled', 'ended']) {
    expect(seen).toContain(name);
  }
  expect(whole.$schema).toContain('json-schema.org');
});

it('accepts the events of an outage', async () => {
  await using feed = await feedGateway();
  const session = liveSession(feed.env);
  await session.printed('ready');
  session.send({ id: 's', command: 'subscribe', what: 'Order' });
  await session.printed('result');
  feed.drop();
  await session.printed('gap');
  await session.interrupt('interrupted');
  for (const name of ['unreachable', 'recovered', 'gap', 'ended']) expect(check(session)).toContain(name);
});
