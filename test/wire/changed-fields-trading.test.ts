import { readFileSync } from 'node:fs';
import { afterAll, expect, test } from 'vitest';
import { startTradingEmulator } from '../../src/sandbox/trade/server.ts';
import { IS_HARD } from '../support/turns.ts';
import { fieldsOf, type Recording, visitFields } from './changed-fields.ts';

const gateway = await startTradingEmulator({ now: Date.now, random: () => 0.5, tickMs: 0, caps: false });
afterAll(() => gateway.close());

const recorded = (name: string): unknown =>
  JSON.parse(readFileSync(new URL(`trade/tables/${name}.json`, import.meta.url), 'utf8'));

/** With one more row of the table, so that one can be left out, and without the row of totals. */
function withAnother(name: string, list: string, key: string): unknown {
  const body = recorded(name) as Record<string, readonly object[]>;
  const [first] = body[list] ?? [];
  return { ...body, [list]: [first, { ...first, [key]: '7' }] };
}

const MODEL = 'GET /trading/get_model?models=';
const shared = {
  upstream: gateway.url,
  env: { SVC_TRADE_TOKEN: gateway.token },
} as const;

const MORE_TABLES: readonly Recording[] = [
  {
    request: `${MODEL}ClosedPosition`,
    body: withAnother('closed-positions', 'closed_positions', 'tradeId'),
    argv: ['trade', 'model', 'ClosedPosition'],
    asReceived: true,
    needed: { closed_positions: 'refused', 'closed_positions.*.tradeId': 'left out' },
  },
  {
    request: `${MODEL}Summary`,
    body: withAnother('summary', 'summary', 'currency'),
    argv: ['trade', 'model', 'Summary'],
    asReceived: true,
    needed: { summary: 'refused' },
  },
  {
    request: `${MODEL}Properties`,
    body: recorded('properties'),
    argv: ['trade', 'model', 'Properties'],
    asReceived: true,
    needed: { properties: 'refused' },
  },
  {
    request: 'GET /trading/get_model/Accounts',
    body: { ...(withAnother('accounts', 'accounts', 'accountId') as object), response: { executed: true } },
    argv: ['trade', 'accounts', 'list'],
    needed: { 'accounts.*.accountId': 'left out' },
  },
  {
    request: 'POST /trading/open_trade',
    body: JSON.parse(readFileSync(new URL('trade/answers/accepted.json', import.meta.url), 'utf8')),
    argv: ['trade', 'buy', 'EUR/USD', '5', '--account', '654061', '--yes'],
    needed: { response: 'refused', 'response.executed': 'refused', data: 'refused', 'data.orderId': 'refused' },
  },
];

const RECORDINGS: readonly Recording[] = [
  {
    request: `${MODEL}OpenPosition`,
    body: withAnother('open-positions', 'open_positions', 'tradeId'),
    argv: ['trade', 'positions', 'list'],
    needed: { open_positions: 'refused', 'open_positions.*.tradeId': 'left out' },
  },
  {
    request: `${MODEL}Order`,
    body: recorded('orders'),
    argv: ['trade', 'orders', 'list'],
    needed: { orders: 'refused', 'orders.*.orderId': 'left out' },
  },
  {
    request: `${MODEL}Offer`,
    body: recorded('offers'),
    argv: ['trade', 'offers', 'list'],
    needed: { offers: 'refused', 'offers.*.currency': 'left out' },
  },
  {
    request: 'GET /trading/get_instruments',
    // A strange error is one, too.
    body: { ...(recorded('instruments') as object), response: { executed: true } },
    argv: ['trade', 'symbols', 'list'],
    needed: { data: 'refused', 'data.instrument': 'refused', 'data.instrument.*.symbol': 'left out' },
  },
  ...(IS_HARD ? MORE_TABLES : []),
].map((recording) => ({ ...recording, ...shared }) as Recording);

test.each(RECORDINGS.map((one) => [one.argv.join(' '), one] as const))(
  'svc %s reads a response of which a field is missing, null or strange',
  async (_line, recording) => {
    const { fields } = await visitFields(recording);
    expect(fields).toBe(fieldsOf(recording.body).size);
  },
  120_000,
);
