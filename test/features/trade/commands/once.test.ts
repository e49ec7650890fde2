/** `--once`: the same key sends at most one order, and a repetition returns what became of it. */
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { beforeEach, describe, expect, it } from 'vitest';
import { processName, withLock } from '../../../../src/store/lock.ts';
import type { OrderAnswered, OrderSent } from '../../../../src/store/order-journal.ts';
import { lockContext } from '../../../support/folder.ts';
import { addToJournal } from '../../../support/journal.ts';
import { failure, temporaryHome } from '../../../support/svc.ts';
import { ACCOUNT, fileGateway, reply } from './document-gateway.ts';

const gateway = await fileGateway();
beforeEach(() => {
  gateway.feed.onOrder = (response) => reply(response, 200, ACCEPTED);
});

const ACCEPTED = '{"response":{"executed":true},"data":{"type":0,"orderId":390285837}}';
const BUY = ['buy', 'EUR/USD', '9', '--yes', '-o', 'json'];
const ONCE = [...BUY, '--once', 'k'];
const posts = (): number => gateway.feed.orders.length;

interface Earlier {
  readonly ago?: number;
  readonly answered?: Partial<OrderAnswered>;
  readonly sent?: Partial<OrderSent>;
}

/** A home whose journal has an order with the key. */
function homeWith({ ago = 15_000, answered, sent }: Earlier = {}): string {
  const home = temporaryHome();
  const paths = { config: `${home}/config`, state: `${home}/state` };
  const at = new Date(Date.now() - ago).toISOString();
  const market = { rate: '0', order_type: 'AtMarket', time_in_force: 'GTC' };
  addToJournal(paths, {
    id: 'id-1',
    at,
    profile: 'default',
    base_url: `${gateway.feed.env['SVC_TRADE_URL']}/`,
    command: 'buy',
    path: '/trading/open_trade',
    form: { account_id: ACCOUNT, symbol: 'EUR/USD', is_buy: 'true', amount: '9', ...market },
    once: 'k',
    asked: { command: 'buy', symbol: 'EURUSD', amount: 9, tif: 'GTC', account: ACCOUNT },
    ...sent,
  });
  if (answered !== undefined) addToJournal(paths, { id: 'id-1', at, outcome: 'accepted', ...answered });
  return home;
}

describe('--once with the same key', () => {
  it('reports the order that was accepted, and sends no other', async () => {
    const first = await gateway.run(ONCE);
    const { home } = gateway;
    const again = await gateway.run(ONCE, { home });
    expect({ code: again.code, stdout: again.stdout, posts: posts() }, again.stderr).toEqual({
      code: 0,
      stdout: first.stdout,
      posts: 1,
    });
    expect(again.stderr).toMatch(
      /^the key k was used at \S+: this is the outcome of that order; nothing is sent now\n$/,
    );
    expect(gateway.journal()).toMatchObject([{ once: 'k', outcome: 'accepted' }]);
    // Written differently, it is the same order.
    const same = ['buy', 'eurusd', '9', '--yes', '--account', '01027808', '--tif', 'GTC', '--once', 'k', '-q'];
    expect(await gateway.run(same, { home })).toMatchObject({ code: 0, stdout: '390285837\n' });
    expect(posts()).toBe(1);
  });

  it('waits for the fills of the order that was accepted, with --wait', async () => {
    const position = { tradeId: '7', accountId: ACCOUNT, currency: 'EUR/USD', amountK: 9, open: 1.16 };
    for (const side of ['buy', 'sell']) {
      const once = [side, ...ONCE.slice(1)];
      expect((await gateway.run(once)).code).toBe(0);
      const isBuy = side === 'buy';
      gateway.feed.tables['OpenPosition'] = [{ ...position, isBuy, orderId: '390285837' }];
      const again = await gateway.run([...once, '--wait', '2s'], { home: gateway.home, sleeps: true });
      expect(again.code, again.stderr).toBe(0);
      expect(JSON.parse(again.stdout)).toMatchObject({ status: 'filled', trades: [{ trade_id: '7' }] });
    }
  });

  it('reports the refusal, with its exit status', async () => {
    gateway.feed.onOrder = (response) => reply(response, 400, '{"code":20001,"message":"no","parameters":[]}');
    const first = await gateway.run(ONCE);
    const again = await gateway.run(ONCE, { home: gateway.home });
    expect([first.code, again.code, posts()]).toEqual([3, 3, 1]);
    const { code, server_code } = failure(first);
    expect(failure(again)).toMatchObject({ code, server_code, journal_id: gateway.journal()[0]?.id });
  });

  it('sends an order again that was refused by a rate limit or not sent', async () => {
    gateway.feed.onOrder = (response) => reply(response, 429, '{}');
    expect((await gateway.run(ONCE)).code).toBe(6);
    gateway.feed.onOrder = (response) => reply(response, 200, ACCEPTED);
    expect((await gateway.run(ONCE, { home: gateway.home })).code).toBe(0);
    const home = homeWith({ answered: { outcome: 'not_sent' } });
    expect((await gateway.run(ONCE, { home })).code).toBe(0);
    expect(posts()).toBe(3);
  });

  it.each([
    ['amount', ['buy', 'EUR/USD', '8']],
    ['command', ['sell', 'EUR/USD', '9']],
    ['symbol', ['buy', 'USD/JPY', '9']],
    ['account', ['buy', 'EUR/USD', '9', '--account', '5']],
  ])('refuses another %s', async (name, argv) => {
    gateway.feed.tables['Account'] = [ACCOUNT, '5'].map((id) => ({
      accountId: id,
      accountName: id,
      hedging: 'Y',
      mc: 'N',
    }));
    const home = homeWith({ answered: {} });
    const run = await gateway.run([...argv, '--yes', '--once', 'k', '-o', 'json'], { home });
    expect({ code: run.code, posts: posts() }, run.stderr).toEqual({ code: 2, posts: 0 });
    expect(failure(run)).toMatchObject({ code: 'key_conflict', message: expect.stringContaining(`another ${name}`) });
  });

  it('is independent of another gateway', async () => {
    const home = homeWith({ sent: { base_url: 'http://127.0.0.1:9/' }, answered: { outcome: 'accepted' } });
    expect((await gateway.run(ONCE, { home })).code).toBe(0);
    expect(posts()).toBe(1);
    expect((await gateway.run([...BUY, '--once', 'a\nb'], { home })).code).toBe(2);
  });

  it('compares `2h` as it was typed', async () => {
    const entry = ['entry', 'buy', 'EUR/USD', '9', '--rate', '1.10', '--expires', '2h', '--once', 'k', '--yes'];
    const now = Date.now();
    await gateway.run(entry, { now: () => now });
    const { home } = gateway;
    const later = entry.with(5, '1.1');
    expect((await gateway.run(later, { home, now: () => now + 300_000 })).code).toBe(0);
    expect(posts()).toBe(1);
    expect((await gateway.run(entry.with(7, '3h'), { home })).code).toBe(2);
  });
});

describe('--once after an unknown outcome', () => {
  it.each<[string, Earlier]>([
    ['of a moment ago', {}],
    ['that the gateway named', { answered: { outcome: 'unknown', order_ids: ['39'] } }],
    ['whose process still runs', { sent: { owner: processName(process.pid) } }],
    ['with an outcome of a later svc', { answered: { outcome: 'expired' as 'open' } }],
  ])('sends no second order after one %s', async (_name, earlier) => {
    const home = homeWith(earlier);
    let late = 0;
    const clock = {
      now: () => Date.now() + late,
      sleepsUntil: (ms: number): undefined => {
        late += ms;
      },
    };
    for (let attempt = 0; attempt < 2; attempt++) {
      const run = await gateway.run(ONCE, { home, ...clock });
      expect({ code: run.code, posts: posts() }, run.stderr).toEqual({ code: 8, posts: 0 });
      const error = failure(run);
      expect(error).toMatchObject({ code: 'outcome_unknown', journal_id: 'id-1' });
      expect(error['hint']).toContain('svc trade journal settle id-1');
    }
  });

  it.each([
    ['absent', { code: 0, posts: 1, report: { order_id: '390285837', status: 'accepted' } }],
    ['filled', { code: 0, posts: 0, report: { order_id: null, status: 'filled', trades: [] } }],
    ['done', { code: 0, posts: 0, report: { order_id: null, status: 'accepted' } }],
  ])('goes by what the user has settled: %s', async (as, { code, posts: sent, report }) => {
    const home = homeWith();
    expect((await gateway.run(['journal', 'settle', 'id-1', '--as', as], { home })).code).toBe(0);
    for (const more of [[], ['--wait', '5s']]) {
      const run = await gateway.run([...ONCE, ...(sent === 0 ? more : [])], { home });
      expect({ code: run.code, posts: posts() }, run.stderr).toEqual({ code, posts: sent });
      expect(JSON.parse(run.stdout)).toMatchObject(report);
      const known = sent > 0 ? '' : 'is what you told svc trade journal settle: its id is not in the journal';
      expect(run.stderr).toContain(known);
    }
    const { stdout } = await gateway.run([...ONCE.slice(0, -4), '--once', 'k'], { home });
    expect(stdout).toBe(
      sent > 0 ? 'order 390285837 accepted\n' : `order without a known id: ${report.status}, as you settled it\n`,
    );
  });

  it('dates an order when it is in the journal', async () => {
    const home = temporaryHome();
    let late = 0;
    let waits = 0;
    const now = () => Date.now() + late;
    const { run, released } = await withLock(`${home}/state/trade/orders.ndjson.lock`, lockContext, async () => {
      let ready = (): void => {};
      const waited = new Promise<void>((resolve) => {
        ready = resolve;
      });
      const sleepsUntil = (): undefined => {
        if (++waits === 5) ready();
        if (waits <= 5) late += 2_000;
      };
      const run = gateway.run(ONCE, { home, now, sleepsUntil });
      await waited;
      return { run: [run], released: now() };
    });
    expect((await run[0])?.code).toBe(0);
    expect(Date.parse(gateway.journal()[0]?.at ?? '')).toBeGreaterThanOrEqual(released);
  });

  it('waits while another process waits for the response', async () => {
    let answer = (): unknown => undefined;
    const arrived = new Promise<void>((resolve) => {
      gateway.feed.onOrder = (response) => {
        answer = () => response.headersSent || reply(response, 200, ACCEPTED);
        resolve();
      };
    });
    const home = temporaryHome();
    const first = gateway.run(ONCE, { home });
    await arrived;
    const pause = (ms: number) => {
      if (ms !== 100) return undefined;
      answer();
      return new Promise<void>((resolve) => setImmediate(resolve));
    };
    const second = gateway.run(ONCE, { home, sleepsUntil: pause });
    expect((await second).stdout, (await second).stderr).toBe((await first).stdout);
    expect({ posts: posts(), entries: gateway.journal().length }).toEqual({ posts: 1, entries: 1 });
  });
});

it('twenty commands at once with one key send one order', async () => {
  const home = temporaryHome();
  const runs = await Promise.all(Array.from({ length: 20 }, () => gateway.run(ONCE, { home })));
  expect(new Set(runs.map(({ code, stdout }) => `${code} ${stdout}`)).size).toBe(1);
  expect(posts()).toBe(1);
});

describe('--once with a journal that svc did not write', () => {
  const damages: Readonly<Record<string, (text: string) => string>> = {
    'a changed byte': (text) => text.replace('"id":', '"ix":'),
    'a block of zeros': (text) => `${'\0'.repeat(512)}\n${text}`,
    'another file': () => 'key=value\nother=1\n',
  };

  it.each(Object.entries(damages))('is refused, while other orders are sent with a warning: %s', async (_, damage) => {
    const home = homeWith();
    const path = `${home}/state/trade/orders.ndjson`;
    writeFileSync(path, `${damage(readFileSync(path, 'utf8')).trimEnd()}\n`);
    const refused = await gateway.run(ONCE, { home });
    expect([refused.code, posts(), failure(refused)]).toMatchObject([2, 0, { code: 'file_unusable', sent: 'no' }]);
    expect(refused.stderr).toContain(`${path}: line`);

    const other = await gateway.run(['buy', 'EUR/USD', '7', '--yes'], { home });
    expect([other.code, posts()]).toEqual([0, 1]);
    expect(other.stderr).toMatch(/cannot be read and may be of an order that this one repeats/);

    const listed = await gateway.run(['journal', '-q'], { home });
    expect(listed.code).toBe(10);
    expect(listed.stderr).toContain('cannot be read');
  });

  it('takes a last line that was cut off for an order that was not sent', async () => {
    const home = homeWith({ answered: { outcome: 'not_sent' } });
    appendFileSync(`${home}/state/trade/orders.ndjson`, '{"id":"id-2","once":"k","fo');
    expect((await gateway.run(ONCE, { home })).code).toBe(0);
    expect(posts()).toBe(1);
    expect((await gateway.run(['journal'], { home })).code).toBe(0);
  });
});
