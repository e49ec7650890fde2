/** `svc trade batch`: checks every line before it sends the first, and what it sends after a failure. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryHome } from '../../../support/svc.ts';
import { until } from '../gateway.ts';
import { holdOrder, holdTrade } from './holdings.ts';
import { forwarder } from './lost-answers.ts';
import { fileTrader, HEDGING, NETTING } from './trader.ts';

const client = await fileTrader({ emptied: true });

const ndjson = (...lines: readonly object[]): string => lines.map((line) => `${JSON.stringify(line)}\n`).join('');
const BUY = { command: 'buy', symbol: 'EUR/USD', amount: 5 };
/** A refusal that svc cannot predict. */
const REFUSED = { ...BUY, account: NETTING };
const outcomes = (stdout: string) =>
  JSON.parse(stdout).map(({ line, outcome }: { line: number; outcome: string }) => `${line} ${outcome}`);
const send = (stdin: string, ...more: readonly string[]) =>
  client.run(['batch', '-', '--yes', '-o', 'json', ...more], { stdin });

it('the command names of the previous release still work', async () => {
  const trade = holdTrade(client.gateway);
  const [order, other] = [holdOrder(client.gateway), holdOrder(client.gateway)];
  const { code, stdout, stderr } = await send(
    ndjson(
      { command: 'position set', trade, stop: 1.15 },
      { command: 'order set', order, stop: '40pips' },
      { command: 'order cancel', order: other },
    ),
  );
  expect(code, stderr).toBe(0);
  const commands = JSON.parse(stdout).map(({ command }: { command: string }) => command);
  expect(commands).toEqual(['positions update', 'orders update', 'orders cancel']);
});

it('sends at most one order with a key, in one file or in two runs', async () => {
  const home = temporaryHome();
  const lines = [
    { ...BUY, once: 'k' },
    { ...BUY, amount: 6 },
    { ...BUY, once: 'k' },
  ];
  const run = (...of: readonly object[]) =>
    client.run(['batch', '-', '--yes', '-o', 'json'], { stdin: ndjson(...of), home });
  const first = await run(...lines);
  const idsOf = (stdout: string) =>
    JSON.parse(stdout).map(({ orderIds }: { orderIds: readonly string[] }) => orderIds[0]);
  const [one, two, three] = idsOf(first.stdout);
  expect({ code: first.code, three, orders: client.orders().length }, first.stderr).toEqual({
    code: 0,
    three: one,
    orders: 2,
  });
  const again = await run(lines[0] ?? {}, { ...BUY, amount: 7, once: 'l' });
  expect({ code: again.code, ids: idsOf(again.stdout)[0], orders: client.orders().length }).toEqual({
    code: 0,
    ids: one,
    orders: 1,
  });
  const repeated = await run(lines[0] ?? {});
  expect({ code: repeated.code, ids: idsOf(repeated.stdout), orders: client.orders() }).toEqual({
    code: 0,
    ids: [one],
    orders: [],
  });
  const other = await run({ ...BUY, amount: 8 }, { ...BUY, amount: 8, once: 'k' });
  expect({ code: other.code, orders: client.orders() }).toEqual({ code: 2, orders: [] });
  expect(other.stderr).toContain('line 2: the key k was used');
  expect(two).not.toBe(one);
});

it('every command, in order, in one session', async () => {
  const trade = holdTrade(client.gateway);
  const [order, other] = [holdOrder(client.gateway), holdOrder(client.gateway)];
  const { code, stdout, stderr } = await send(
    ndjson(
      { command: 'buy', symbol: 'eurusd', amount: 5, stop: '40pips', limit: '80pips', trail: 'dynamic' },
      { command: 'sell', symbol: 'EUR/USD', amount: '6', range: 5, tif: 'FOK' },
      { command: 'entry buy', symbol: 'EUR/USD', amount: 7, rate: 1.15, 'trail-entry': 10 },
      { command: 'entry sell', symbol: 'EUR/USD', amount: 8, rate: '1.1800', expires: '2026-01-14T14:00:00Z' },
      { command: 'positions update', trade, stop: 1.15 },
      { command: 'close', trade: [trade], amount: 4 },
      { command: 'orders update', order, rate: 1.14, stop: '40pips' },
      { command: 'orders cancel', order: [order, other] },
      { command: 'oco create', symbol: 'EUR/USD', amount: 5, leg: ['buy@1.17', 'sell@1.15'] },
    ),
  );
  expect(code, stderr).toBe(0);
  expect(outcomes(stdout)).toEqual([1, 2, 3, 4, 5, 6, 7, 7, 8, 8, 9].map((line) => `${line} accepted`));
  expect(
    client
      .calls()
      .filter((call) => call.startsWith('POST') && !call.includes('/subscribe'))
      .map((call) => call.replace(/\?.*/, '')),
  ).toEqual([
    `POST /trading/open_trade account_id=${HEDGING}&symbol=EUR/USD&is_buy=true&rate=0&amount=5&order_type=AtMarket&time_in_force=GTC&stop=-40&trailing_step=1&limit=80&is_in_pips=true`,
    `POST /trading/open_trade account_id=${HEDGING}&symbol=EUR/USD&is_buy=false&rate=0&amount=6&order_type=MarketRange&time_in_force=FOK&at_market=5`,
    `POST /trading/create_entry_order account_id=${HEDGING}&symbol=EUR/USD&is_buy=true&rate=1.15&amount=7&order_type=Entry&time_in_force=GTC&is_in_pips=true&trailing_step=10`,
    `POST /trading/create_entry_order account_id=${HEDGING}&symbol=EUR/USD&is_buy=false&rate=1.1800&amount=8&order_type=Entry&time_in_force=GTD&is_in_pips=true&expiration=2026-01-14 14:00`,
    `POST /trading/change_trade_stop_limit trade_id=${trade}&is_stop=true&rate=1.15&is_in_pips=false&trailing_step=0`,
    `POST /trading/close_trade trade_id=${trade}&rate=0&amount=4&order_type=AtMarket&time_in_force=GTC`,
    `POST /trading/change_order order_id=${order}&rate=1.14&range=0&amount=10`,
    `POST /trading/change_order_stop_limit order_id=${order}&stop=-40&is_stop_in_pips=true`,
    `POST /trading/delete_order order_id=${order}`,
    `POST /trading/delete_order order_id=${other}`,
    `POST /trading/simple_oco account_id=${HEDGING}&symbol=EUR/USD&amount=5&is_in_pips=true&time_in_force=GTC&is_buy=true&rate=1.17&is_buy2=false&rate2=1.15`,
  ]);
  // Each table was looked at once.
  expect(
    client
      .calls()
      .filter((call) => call.startsWith('GET'))
      .sort(),
  ).toEqual(
    [
      'GET /trading/get_model models=Offer',
      'GET /trading/get_model models=OpenPosition',
      'GET /trading/get_model models=Order',
      'GET /trading/get_model/Accounts',
    ].sort(),
  );
});

it.each<[string, string, RegExp]>([
  ['no JSON', '{', /line 3: not valid JSON/],
  ['a list', '[]', /line 3: not a JSON object/],
  ['no command', '{"symbol":"EUR/USD"}', /line 3: "command" is missing/],
  ['a command outside of it', '{"command":"login"}', /line 3: a line cannot be "login": it changes the stored token/],
  ['another command', '{"command":"buyy"}', /line 3: unknown command "buyy"/],
  ['a word of an object', '{"command":"toString"}', /line 3: unknown command "toString"/],
  ['another name', '{"command":"buy","symbol":"EUR/USD","amount":5,"stopp":"40pips"}', /line 3: unknown field "stopp"/],
  [
    'an option of the session',
    '{"command":"buy","symbol":"EUR/USD","amount":5,"budget":"wait"}',
    /unknown field "budget"/,
  ],
  ['a wait', '{"command":"close","trade":"1","wait":"5s"}', /a line cannot have "wait": a session prints/],
  ['everything without an account', '{"command":"close","everything":true}', /--everything with --yes needs --account/],
  ['an amount that is none', '{"command":"buy","symbol":"EUR/USD","amount":1.5}', /line 3: the amount "1.5" is not/],
  [
    'no amount',
    '{"command":"buy","symbol":"EUR/USD"}',
    /line 3: missing required argument 'amount'\nhint: or pass --risk and --stop/,
  ],
  ['no trade', '{"command":"close","trade":[]}', /line 3: nothing to close/],
  ['no rate', '{"command":"entry buy","symbol":"EUR/USD","amount":5}', /line 3: --rate is required/],
  [
    'a wrong stop',
    '{"command":"buy","symbol":"EUR/USD","amount":5,"stop":-40}',
    /line 3: --stop: "-40" must have no sign/,
  ],
  [
    'an id that was rounded',
    '{"command":"close","trade":90071992547409931}',
    /line 3: "trade" is .*: write it as a string/,
  ],
  [
    'an order that another line sets',
    '{"command":"orders update","order":"7","rate":1.14}\n{"command":"order set","order":7,"amount":5}',
    /line 4: line 3 already updates order 7/,
  ],
  [
    'a key that it has twice',
    '{"command":"buy","symbol":"EUR/USD","amount":"1","\\u0061mount":2}',
    /line 3: "amount" is given twice/,
  ],
  ['an object', '{"command":"buy","symbol":{},"amount":5}', /line 3: "symbol" is \{\}: write it as a string/],
  ['a text for a yes', '{"command":"close","trade":"1","via-opposite":"no"}', /"via-opposite" must be true or false/],
])('a line with %s: names the line, and does not connect', async (_name, line, why) => {
  const { code, stderr } = await client.run(['batch', '-', '--yes'], { stdin: `${ndjson(BUY)}\n${line}\n` });
  expect(stderr).toMatch(why);
  expect({ code, calls: client.calls() }).toEqual({ code: 2, calls: [] });
});

it("a line that the gateway's state forbids: nothing is sent", async () => {
  const { code, stderr } = await send(ndjson(BUY, { command: 'close', trade: '1' }));
  expect(stderr).toMatch(/line 2: there is no open trade 1; nothing was sent/);
  expect({ code, orders: client.orders() }).toEqual({ code: 5, orders: [] });
  expect(JSON.parse(stderr.trimEnd().split('\n').at(-1) ?? '').error).toMatchObject({ line: 2 });
});

it('stops at the first refusal', async () => {
  const { code, stdout } = await send(ndjson(BUY, REFUSED, BUY));
  expect({ code, orders: client.orders().length }).toEqual({ code: 10, orders: 2 });
  expect(outcomes(stdout)).toEqual(['1 accepted', '2 refused', '3 not_sent']);
});

it('says what to do about failed lines, and prints no ids for them', async () => {
  const { stderr } = await client.run(['batch', '-', '--yes'], { stdin: ndjson(BUY, REFUSED) });
  expect(stderr).toContain('use another amount: EUR/USD is traded in steps of 10');
  const { stdout } = await client.run(['batch', '-', '--yes', '-q'], { stdin: ndjson(BUY, REFUSED, BUY) });
  expect(stdout).toMatch(/^\d+\n$/);
});

it('does nothing if the first one is refused', async () => {
  const { code, stdout } = await send(ndjson(REFUSED, BUY));
  expect({ code, orders: client.orders().length }).toEqual({ code: 3, orders: 1 });
  expect(outcomes(stdout)).toEqual(['1 refused', '2 not_sent']);
});

it('continues after a refusal with --keep-going', async () => {
  const { code, stdout } = await send(ndjson(REFUSED, BUY), '--keep-going');
  expect({ code, orders: client.orders().length }).toEqual({ code: 10, orders: 2 });
  expect(outcomes(stdout)).toEqual(['1 refused', '2 accepted']);
});

it('has the codes of each failed line for programs', async () => {
  const { stdout } = await send(ndjson(BUY, REFUSED, BUY));
  const [accepted, refused, left] = JSON.parse(stdout);
  const journal = client.journal();
  expect(accepted).toMatchObject({ code: null, server_code: null, http_status: null, journal_id: null });
  expect(refused).toMatchObject({ code: 'refused', server_code: 3, http_status: null, journal_id: journal[1]?.id });
  expect(left).toMatchObject({ code: null, journal_id: null });
  await using before = await forwarder(client.gateway.url);
  before.fault = { applied: false, answer: (response) => void response.writeHead(413).end() };
  const argv = ['batch', '-', '--yes', '-o', 'json', '--keep-going'];
  const rejected = await client.run(argv, { stdin: ndjson(BUY, BUY), env: { SVC_TRADE_URL: before.url } });
  expect(JSON.parse(rejected.stdout)).toMatchObject([{ http_status: 413 }, { http_status: 413 }]);
});

it('continues after a reconnect', async () => {
  await using before = await forwarder(client.gateway.url);
  before.fault = {
    applied: true,
    answer(response) {
      before.fault = undefined;
      client.gateway.cut();
      // svc says goodbye to a session that it knows to be lost.
      void until(() => before.engine.some((line) => line.startsWith('POST'))).then(() =>
        response.end('{"response":{"executed":true},"data":{"type":0,"orderId":1}}'),
      );
    },
  };
  const argv = ['batch', '-', '--yes', '-o', 'json'];
  const env = { SVC_TRADE_URL: before.url };
  const { code, stdout } = await client.run(argv, { stdin: ndjson(BUY, BUY, BUY), env, sleeps: true });
  expect(outcomes(stdout)).toEqual(['1 accepted', '2 accepted', '3 accepted']);
  expect({ code, orders: before.orders.length }).toEqual({ code: 0, orders: 3 });
});

it('an order that a dead session refuses is not sent again, and the next line follows', async () => {
  await using before = await forwarder(client.gateway.url);
  before.fault = {
    applied: false,
    answer(response) {
      before.fault = undefined;
      response.end('{"response":{"executed":false,"error":"Unauthorized"}}');
    },
  };
  const argv = ['batch', '-', '--yes', '-o', 'json', '--keep-going'];
  const { code, stdout } = await client.run(argv, { stdin: ndjson(BUY, BUY), env: { SVC_TRADE_URL: before.url } });
  expect({ code, orders: before.orders.length }).toEqual({ code: 10, orders: 2 });
  expect(JSON.parse(stdout)).toMatchObject([{ outcome: 'refused', code: 'unauthorized' }, { outcome: 'accepted' }]);
});

it('does not send what the lost gateway cannot receive', async () => {
  await using before = await forwarder(client.gateway.url);
  let isAnswered = false;
  before.fault = {
    applied: true,
    answer(response) {
      before.isGone = true;
      client.gateway.cut();
      response.on('close', () => setTimeout(() => (isAnswered = true), 300));
      void until(() => before.engine.some((line) => line.startsWith('POST'))).then(() =>
        response.end('{"response":{"executed":true},"data":{"type":0,"orderId":1}}'),
      );
    },
  };
  const argv = ['batch', '-', '--yes', '-o', 'json', '--keep-going', '--timeout', '20s'];
  const env = { SVC_TRADE_URL: before.url };
  // How long an outage may last.
  const sleepsUntil = (ms: number) => (ms === 20_000 ? until(() => isAnswered) : undefined);
  const { code, stdout } = await client.run(argv, { stdin: ndjson(BUY, BUY), env, sleeps: true, sleepsUntil });
  expect({ code, orders: before.orders.length }).toEqual({ code: 10, orders: 1 });
  const [, second] = JSON.parse(stdout);
  expect(second).toMatchObject({ outcome: 'not_sent', code: expect.any(String), journal_id: null });
});

it('a lost response is settled as in a session, and the next line follows', async () => {
  await using before = await forwarder(client.gateway.url);
  before.fault = {
    applied: true,
    answer(response) {
      before.fault = undefined;
      response.socket?.resetAndDestroy();
    },
  };
  const argv = ['batch', '-', '--yes', '-o', 'json'];
  const env = { SVC_TRADE_URL: before.url };
  const { code, stdout } = await client.run(argv, { stdin: ndjson(BUY, { ...BUY, amount: 6 }), env, sleeps: true });
  expect(JSON.parse(stdout)).toMatchObject([
    { outcome: 'accepted', message: expect.stringMatching(/^the response was lost: /), code: null },
    { outcome: 'accepted', message: null },
  ]);
  expect({ code, orders: before.orders.length }).toEqual({ code: 0, orders: 2 });
  expect(client.journal()).toMatchObject([{ outcome: expect.stringMatching(/^(filled|open)$/) }, {}]);
});

it('stops after an order that is unknown or was not executed, unless --keep-going is given', async () => {
  await using before = await forwarder(client.gateway.url);
  const argv = ['batch', '-', '--yes', '-o', 'json'];
  // Pushes are watched for this long.
  const soon = (ms: number) => (ms === 10_000 ? Promise.resolve() : undefined);
  const options = { env: { SVC_TRADE_URL: before.url }, sleeps: true, sleepsUntil: soon } as const;
  const lose = (isGone: boolean) => {
    before.fault = {
      applied: false,
      answer(response) {
        before.fault = undefined;
        before.isGone = isGone;
        if (isGone) client.gateway.cut();
        response.socket?.resetAndDestroy();
      },
    };
  };
  lose(false);
  const absent = await client.run(argv, { stdin: ndjson(BUY, BUY), ...options });
  expect(outcomes(absent.stdout)).toEqual(['1 not_sent', '2 not_sent']);
  expect({ code: absent.code, journal: client.journal().map(({ outcome }) => outcome) }).toEqual({
    code: 7,
    journal: ['absent'],
  });
  lose(false);
  const next = await client.run([...argv, '--keep-going'], { stdin: ndjson(BUY, BUY), ...options });
  expect({ code: next.code, outcomes: outcomes(next.stdout) }).toEqual({
    code: 10,
    outcomes: ['1 not_sent', '2 accepted'],
  });
  lose(true);
  const unknown = await client.run([...argv, '--keep-going', '--timeout', '1s'], {
    stdin: ndjson(BUY, BUY),
    ...options,
  });
  expect({ code: unknown.code, outcomes: outcomes(unknown.stdout) }).toEqual({
    code: 8,
    outcomes: ['1 unknown', '2 not_sent'],
  });
  expect(client.journal().map(({ outcome }) => outcome)).toEqual(['unknown']);
});

it('reads return their value; commands for everything are planned when their turn comes', async () => {
  const trade = holdTrade(client.gateway);
  const order = holdOrder(client.gateway);
  const { code, stdout, stderr } = await send(
    ndjson(
      { command: 'positions list' },
      { command: 'close', everything: true, account: HEDGING },
      { command: 'entry buy', symbol: 'EUR/USD', amount: 7, rate: 1.15 },
      { command: 'orders cancel', all: true },
      { command: 'orders get', order: 1 },
      { command: 'hours' },
    ),
  );
  const rows = JSON.parse(stdout);
  expect(rows, stderr).toMatchObject([
    { line: 1, command: 'positions list', outcome: 'done', value: [{ tradeId: trade }] },
    { line: 2, command: 'close', accountId: HEDGING, outcome: 'accepted' },
    { line: 3, outcome: 'accepted' },
    { line: 4, orderId: order, outcome: 'accepted' },
    { line: 4, orderId: rows[2].orderIds[0], outcome: 'accepted' },
    { line: 5, outcome: 'refused', code: 'not_found' },
    { line: 6, outcome: 'not_sent' },
  ]);
  expect(code).toBe(10);
});

it('asks once at a terminal, after showing all lines', async () => {
  const file = join(temporaryHome(), 'orders.ndjson');
  writeFileSync(file, ndjson(BUY, { ...BUY, command: 'sell' }));
  const no = await client.run(['batch', file], { terminal: 200, answer: false });
  expect({ code: no.code, orders: client.orders() }).toEqual({ code: 2, orders: [] });
  expect(no.asked).toEqual(['Send these 2 requests, one after the other?']);
  expect(no.stderr).toMatch(/1\. Buy 5 EUR\/USD \(5,000 EUR\) at market, .*\n.*2\. Sell 5 EUR\/USD/);
  const unasked = await client.run(['batch', '-'], { stdin: ndjson(BUY) });
  expect({ code: unasked.code, calls: client.calls() }).toEqual({ code: 2, calls: [] });
});

it('a dry run prints all requests and does not connect', async () => {
  const stdin = ndjson({ ...BUY, account: HEDGING }, { command: 'orders cancel', order: '1' });
  const { code, stdout } = await client.run(['batch', '-', '--dry-run', '-o', 'json'], { stdin });
  expect({ code, calls: client.calls() }).toEqual({ code: 0, calls: [] });
  expect(JSON.parse(stdout).map(({ body }: { body: unknown }) => body)).toMatchObject([
    { account_id: HEDGING, is_buy: 'true' },
    { order_id: '1' },
  ]);
});

it('--account applies to lines without one', async () => {
  const stdin = ndjson({ ...BUY, amount: 10 }, { ...BUY, account: '00654061' });
  expect((await send(stdin, '--account', NETTING)).code).toBe(0);
  expect(client.orders().map(({ account_id }) => account_id)).toEqual([NETTING, HEDGING]);
});

it('an empty file does nothing', async () => {
  const { code, stdout } = await send('\n\n');
  expect({ code, stdout, calls: client.calls() }).toEqual({ code: 0, stdout: '[]\n', calls: [] });
});
