/** The raw escape hatch: what is sent, how often, to where, and what becomes of the answer. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { rawPath } from '../../../../src/features/api/commands/api.ts';
import { type Sandbox, startSandbox } from '../../../../src/sandbox/sandbox.ts';
import { startTradingEmulator } from '../../../../src/sandbox/trade/server.ts';
import type { TradeTrap } from '../../../../src/sandbox/traps.ts';
import { journalIn } from '../../../support/journal.ts';
import { answer, type Fault, type FaultServer, faultServer } from '../../../support/servers.ts';
import { type Run, type RunOptions, svc, temporaryHome } from '../../../support/svc.ts';
import { forwarder } from '../../trade/commands/lost-answers.ts';

const NONE: Run = { code: -1, stdout: '', stderr: '', server: undefined, undo: undefined, asked: [], opened: [] };
const SECRET = 'SECRET-f00dfacecafe';
let fault: Fault = () => {};
let server: FaultServer;
beforeAll(async () => {
  server = await faultServer((...all) => fault(...all));
});
afterAll(() => server.close());

async function api(args: readonly string[], reply: string | Fault = '{}', options: RunOptions = {}) {
  const before = server.requests.length;
  fault = typeof reply === 'string' ? (socket) => socket.write(answer(200, reply)) : reply;
  const { env, ...rest } = options;
  const urls = { SVC_ALERTS_URL: server.url, SVC_WEBHOOKS_URL: server.url, SVC_CATALOG_URL: server.url };
  const run = await svc(['api', ...args], { env: { ...urls, SVC_ALERTS_TOKEN: SECRET, ...env }, ...rest });
  expect(run.stdout + run.stderr).not.toContain(SECRET);
  return { ...run, requests: server.requests.slice(before) };
}

describe('svc api', () => {
  test('sends a request below the base path, with the credential and encoded parameters', async () => {
    const { requests } = await api(['alerts', 'GET', '/alerts?active=true', '-p', 'filter=a="é"', '-p', 'filter=b']);
    expect(requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'GET /api/v2/alerts?active=true&filter=a%3D%22%C3%A9%22&filter=b',
    ]);
    expect(requests[0]?.headers['authorization']).toBe(`Bearer ${SECRET}`);
    expect((await api(['alerts', 'GET', '/api/v2/status'])).requests[0]?.path).toBe('/api/v2/status');
    expect((await api(['catalog', 'GET', '/healthz'])).requests[0]?.path).toBe('/healthz');
  });

  test('sends a body of fields, or a raw body', async () => {
    const fields = ['-f', 'comment=1', '-f', 'n=2'];
    const made = await api(['alerts', 'POST', '/silences', '--yes', ...fields]);
    expect(made.requests[0]).toMatchObject({
      method: 'POST',
      body: '{"comment":"1","n":"2"}',
      headers: { 'content-type': 'application/json' },
    });
    const text = '{"a": 12345678901234567890}\n';
    const exact = await api(['alerts', 'PUT', '/x', '--yes', '--body', '-'], '{}', { stdin: text });
    expect(exact.requests[0]).toMatchObject({ body: text, headers: { 'content-type': 'application/json' } });
  });

  test.each([
    [['alerts', 'GET', 'status']],
    [['alerts', 'GET', '//evil.example/x']],
    [['alerts', 'GET', '/status', '-f', 'a=b']],
    [['alerts', 'GET', '/a/%2E%2e/x']],
    [['alerts', 'GET', '/a b']],
    [['alerts', 'get', '/status']],
    [['nothing', 'GET', '/status']],
    [['alerts', 'POST', '/x', '--yes', '-f', 'a=b', '-f', 'a=c']],
    [['alerts', 'POST', '/x', '--yes', '-f', 'a=b', '--body', '-']],
    [['alerts', 'POST', '/x', '--yes', '--body', '-']],
  ])('refuses %j, and sends nothing', async (args) => {
    expect(await api(args, '{}', { stdin: 'no json' })).toMatchObject({ code: 2, stdout: '', requests: [] });
  });

  test('accepts only paths below the address', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('/', '.', '%2e', '%2F', '\\', '?', 'a', '@', ':', '%5c') }),
        (text) => {
          let path: string;
          try {
            ({ path } = rawPath(text, 'catalog', []));
          } catch {
            return;
          }
          const url = new URL(`http://host.test/base${path}`);
          expect(url.origin).toBe('http://host.test');
          expect(url.pathname).toBe(`/base${path}`);
        },
      ),
    );
  });
});

describe('a write by svc api', () => {
  test('is sent once, and exits 8 if its response is lost', async () => {
    const lost: readonly Fault[] = [
      (socket) => socket.resetAndDestroy(),
      (socket) => socket.write(answer(503, '"busy"')),
      (socket) => socket.write(answer(200, '{"a')),
    ];
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
      for (const reply of lost) {
        const { code, stdout, requests } = await api(['catalog', method, '/x', '--yes'], reply);
        expect([code, stdout, requests.length], method).toEqual([8, '', 1]);
      }
    }
  });

  test('asks first, and follows the answer', async () => {
    const args = ['alerts', 'DELETE', '/silence/1'];
    expect(await api(args)).toMatchObject({ code: 2, requests: [] });
    expect(await api(args, '', { terminal: 80, answer: false })).toMatchObject({ code: 2, requests: [] });
    const yes = await api(args, '', { terminal: 80, answer: true });
    expect(yes).toMatchObject({ code: 0, stdout: '', asked: [`Send DELETE ${server.url}/api/v2/silence/1?`] });
    expect(yes.requests).toHaveLength(1);
  });

  test.each(['GET', 'POST'])('--dry-run shows a %s, and sends nothing', async (method) => {
    const args = ['alerts', method, '/silences', ...(method === 'GET' ? [] : ['--body', '-'])];
    const dry = await api([...args, '--dry-run'], '', { stdin: '{"a": 1}' });
    expect(dry).toMatchObject({ code: 0, requests: [] });
    expect(JSON.parse(dry.stdout)).toMatchObject({
      method,
      url: `${server.url}/api/v2/silences`,
      headers: { authorization: '***' },
      body: method === 'GET' ? null : { a: 1 },
    });
    const curl = await api([...args, '--dry-run=curl'], '', { stdin: '{"a": 1}' });
    expect(curl.stdout).toMatch(/^curl .*\$AUTHORIZATION/);
    expect(curl.requests).toEqual([]);
  });

  test('exits 8 if its response lacks the selected field: it was sent', async () => {
    const run = await api(['catalog', 'POST', '/x', '--yes', '--fields', 'zzz'], '{"a":1}');
    expect([run.code, run.requests.length]).toEqual([8, 1]);
    expect((await api(['catalog', 'GET', '/x', '--fields', 'zzz'], '{"a":1}')).code).toBe(2);
  });
});

describe('a response to svc api', () => {
  const GET = ['catalog', 'GET', '/x'];

  test('passes through except for control sequences, and supports every format', async () => {
    const text = '[{"n":12345678901234567890,"t":"\u202e\u009b"},{"n":2,"m":{"a":1}}]';
    expect((await api(GET, text)).stdout).toBe(
      '[{"n":12345678901234567890,"t":"\\u202e\\u009b"},{"n":2,"m":{"a":1}}]\n',
    );
    expect((await api([...GET, '--query', '[1].m.a'], text)).stdout).toBe('1\n');
    expect(JSON.parse((await api([...GET, '--fields', 'm.a'], text)).stdout)).toEqual([{ 'm.a': null }, { 'm.a': 1 }]);
    expect((await api([...GET, '-o', 'csv'], '[{"n":1,"m":{"a":1}},{"k":true}]')).stdout).toMatch(/^n,m,k\r?\n/);
    expect((await api([...GET, '-o', 'table'], '{"status":"ok"}')).stdout).toMatch(/status +ok/i);
    expect((await api([...GET, '-o', 'ndjson'], '[1,"a",null]')).stdout).toBe('1\n"a"\nnull\n');
  });

  test('may be text or nothing', async () => {
    const text: Fault = (socket) => socket.write(answer(200, 'é\n', { 'content-type': 'text/html' }));
    expect((await api(GET, text)).stdout).toBe('"é\\n"\n');
    expect((await api([...GET, '-o', 'table'], text)).stdout).toBe('é\n');
    expect(await api(GET, (socket) => socket.write('HTTP/1.1 204 No\r\n\r\n'))).toMatchObject({ code: 0, stdout: '' });
    expect((await api(GET, '{"a')).code).toBe(7);
  });
});

describe('svc api trade', () => {
  let sandbox: Sandbox;
  beforeAll(async () => {
    sandbox = await startSandbox({ now: Date.now, random: Math.random });
  });
  afterAll(() => sandbox.close());
  const trade = (args: readonly string[]): Promise<Run> => svc(['api', 'trade', ...args], { env: sandbox.env });

  test('sends forms within a session, and shows a refusal of status 200', async () => {
    const accounts = await trade(['GET', '/trading/get_model?models=Account', '--query', 'accounts[0].accountId']);
    expect([accounts.code, JSON.parse(accounts.stdout)]).toEqual([0, '654061']);
    const refused = await trade(['POST', '/trading/subscribe', '-f', 'models=Nothing', '--yes']);
    expect(refused.code).toBe(3);
    expect(JSON.parse(refused.stdout)).toMatchObject({ response: { executed: false } });
    expect(refused.stderr).toContain('the gateway refused by POST /trading/subscribe');
    const dry = await trade(['POST', '/subscribe', '-f', 'pairs=A', '-f', 'pairs=B', '--dry-run']);
    expect(JSON.parse(dry.stdout)).toMatchObject({ body: { pairs: ['A', 'B'] } });
    for (const { stdout, stderr } of [accounts, refused, dry]) {
      expect(stdout + stderr).not.toContain(sandbox.env['SVC_TRADE_TOKEN']);
    }
  });

  test('does not send an order without a side, which would be a buy', async () => {
    for (const side of [[], ['-f', 'is_buy=1'], ['-f', 'is_buy=true', '-f', 'is_buy=false']]) {
      const form = ['-f', 'account_id=654061', '-f', 'symbol=EUR/USD', '-f', 'amount=5', ...side, '--yes'];
      for (const path of ['/trading/open_trade', '/trading/create_entry_order/']) {
        const { code, stderr } = await trade(['POST', path, ...form]);
        expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('without is_buy would buy') });
      }
    }
  });

  const ORDER = ['account_id=654061', 'symbol=EUR/USD', 'is_buy=false', 'rate=0', 'amount=5'];
  const FORM = [...ORDER, 'order_type=AtMarket', 'time_in_force=GTC'].flatMap((field) => ['-f', field]);
  async function trapped(trap: TradeTrap, argv: readonly string[], home: string, runs = 1): Promise<readonly Run[]> {
    const gateway = await startTradingEmulator({ now: Date.now, random: Math.random, tickMs: 0 });
    gateway.traps.add(trap);
    const env = { SVC_TRADE_URL: gateway.url, SVC_TRADE_TOKEN: gateway.token };
    const all: Run[] = [];
    for (let n = 0; n < runs; n++) all.push(await svc(['api', 'trade', ...argv], { env, home }));
    await gateway.close();
    return all;
  }
  const journalOf = (home: string) => journalIn({ config: '', state: join(home, 'state') });

  test('writes an order to the journal before it is sent, and its outcome afterwards', async () => {
    const home = temporaryHome();
    const argv = ['api', 'trade', 'POST', '/trading/open_trade', ...FORM, '--yes'];
    const { code, stdout } = await svc(argv, { env: sandbox.env, home });
    expect(code).toBe(0);
    const { orderId } = JSON.parse(stdout).data;
    expect(journalOf(home)).toMatchObject([
      {
        command: 'api',
        path: '/trading/open_trade',
        form: { account_id: '654061', is_buy: 'false' },
        outcome: 'accepted',
        order_ids: [String(orderId)],
      },
    ]);
    const refused = await svc([...argv, '-f', 'stop=40', '-f', 'is_in_pips=true'], { env: sandbox.env, home });
    expect({ code: refused.code, outcomes: journalOf(home).map(({ outcome }) => outcome) }).toEqual({
      code: 3,
      outcomes: ['accepted', 'refused'],
    });
    expect(JSON.parse(refused.stdout)).toMatchObject({ response: { executed: false } });
  });

  test('does not send an order that cannot be journaled; a dry run writes nothing', async () => {
    const home = temporaryHome();
    const argv = ['api', 'trade', 'POST', '/trading/delete_order', '-f', 'order_id=1', '--yes'];
    expect((await svc([...argv, '--dry-run'], { env: sandbox.env, home })).code).toBe(0);
    expect(journalOf(home)).toEqual([]);
    mkdirSync(join(home, 'state', 'trade', 'orders.ndjson'), { recursive: true });
    const { code, stdout } = await svc(argv, { env: sandbox.env, home });
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  });

  test('asks for the account of real money, or takes it from the request without a terminal', async () => {
    const home = temporaryHome();
    await svc(['config', 'set', 'trade.live', 'true'], { home });
    const run = (argv: readonly string[], more: RunOptions = {}) =>
      svc(['api', 'trade', 'POST', ...argv, '--yes'], { env: sandbox.env, home, ...more });
    const close = ['/trading/Close_Trade/', '-f', 'trade_id=1', '-f', 'amount=1'];
    const unnamed = await run(close);
    expect({ code: unnamed.code, stderr: unnamed.stderr }).toEqual({
      code: 2,
      stderr: expect.stringContaining('-f account_id=<id>'),
    });
    const named = ['/trading/open_trade', ...FORM];
    const { asked, code } = await run(named, { terminal: 200, answers: ['654061'] });
    expect({ code, asked }).toEqual({
      code: 0,
      asked: [expect.stringMatching(/REAL MONEY, account 654061: Send POST .*open_trade\? Type 654061 to confirm:/)],
    });
    expect((await run(named)).code).toBe(0);
    expect(journalOf(home)).toHaveLength(2);
  });

  test('lists what is alike after a change was executed with an error', async () => {
    const home = temporaryHome();
    const argv = ['POST', '/trading/open_trade', ...FORM, '--yes'];
    const [{ code, stdout, stderr } = NONE] = await trapped('executed-with-error', argv, home);
    expect(code).toBe(8);
    expect(JSON.parse(stdout)).toMatchObject({ response: { executed: true } });
    expect(stderr).toContain('the gateway responded executed with the error: The request was sent to the dealer');
    expect(stderr).toContain('; alike at the gateway: ');
    expect(journalOf(home)).toMatchObject([{ outcome: 'unknown' }]);
  });

  test('does not know the outcome after a lost response, and sends the order once', async () => {
    const home = temporaryHome();
    const argv = ['POST', '/trading/open_trade', ...FORM, '--yes'];
    const [{ code, stdout, stderr } = NONE] = await trapped('lost-order-answer', argv, home);
    expect({ code, stdout }).toEqual({ code: 8, stdout: '' });
    expect(stderr).toMatch(/the outcome of the request by POST .* is unknown: .*; alike at the gateway: /);
    const [entry] = journalOf(home);
    expect(entry).toMatchObject({ outcome: 'unknown' });
    expect(stderr).toContain(`hint: before you repeat it, compare the rows: svc trade journal settle ${entry?.id}`);
  });

  test.each([
    ['that begins with a byte order mark', '\ufeff{"response":{"executed":true},"data":{"orderId":7}}', 0, 'accepted'],
    ['so long that it is passed on unread, and is no JSON', `{"response":1,${' '.repeat(5 * 2 ** 20)}}`, 8, 'unknown'],
  ])('knows the outcome of an order from a response %s', async (_name, body, exit, outcome) => {
    const home = temporaryHome();
    await using before = await forwarder(sandbox.env['SVC_TRADE_URL'] ?? '');
    const headers = { 'content-type': 'application/json' };
    before.fault = { applied: true, answer: (response) => void response.writeHead(200, headers).end(body) };
    const argv = ['api', 'trade', 'POST', '/trading/open_trade', ...FORM, '--yes'];
    const { code, stderr } = await svc(argv, { env: { ...sandbox.env, SVC_TRADE_URL: before.url }, home });
    expect({ code, outcomes: journalOf(home).map((entry) => entry.outcome) }, stderr).toEqual({
      code: exit,
      outcomes: [outcome],
    });
  });

  test('counts the calls that a rate limit of the gateway refuses', async () => {
    const argv = ['GET', '/trading/get_model?models=Order'];
    const runs = await trapped('ora-20301', argv, temporaryHome(), 2);
    expect(runs.map(({ code }) => code)).toEqual([6, 6]);
    expect(runs[0]?.stderr).toContain('the gateway says that all calls of command 46');
    expect(runs[1]?.stderr).toContain('from here all calls of command 46');
  });
});
