/** `svc trade symbols show` and `hide`: what stays with the account. */
import { expect, it } from 'vitest';
import { SvcError } from '../../../../src/errors.ts';
import { errorOf, reader } from './reader.ts';

const client = reader();
const changes = () => client.asked().filter((call) => call.startsWith('POST /trading/update_subscriptions'));

it('sends only changes', async () => {
  expect(await client.json('symbols show usdchf EUR/USD AUD/USD usdchf')).toEqual([
    { symbol: 'USD/CHF', visible: true, changed: true, message: null },
    { symbol: 'EUR/USD', visible: true, changed: false, message: null },
    { symbol: 'AUD/USD', visible: true, changed: true, message: null },
  ]);
  expect(changes()).toEqual([
    'POST /trading/update_subscriptions symbol=USD/CHF&visible=true',
    'POST /trading/update_subscriptions symbol=AUD/USD&visible=true',
  ]);
  expect(await client.json('symbols hide USD/CHF AUD/USD')).toMatchObject([{ changed: true }, { changed: true }]);
  expect(changes()).toHaveLength(2);
  expect(await client.json('symbols hide USD/CHF')).toMatchObject([{ visible: false, changed: false }]);
  expect(changes()).toEqual([]);
});

it('changes nothing if one of them is missing', async () => {
  const run = await client.run('symbols hide EUR/USD nope -o json');
  expect(run).toMatchObject({ code: 5, stdout: '' });
  expect(errorOf(run)['message']).toContain('nope');
  expect(changes()).toEqual([]);
});

it('a change clears the cached offers', async () => {
  const home = client.temporaryHome();
  await client.run('offers', { home });
  expect((await client.run('quote USD/CHF --wait 1ms', { home })).code).toBe(5);
  expect(client.asked()).toEqual([]);
  await client.run('symbols show USD/CHF', { home });
  expect((await client.run('quote USD/CHF --wait 1ms', { home })).code).toBe(9);
  await client.run('symbols hide USD/CHF', { home });
});

it('reports each outcome: exit 10 if some failed, or the status of a single failure', async () => {
  const failing = client.gateway.book.hidden;
  const { delete: remove } = failing;
  // The second one is refused, whatever the first was.
  failing.delete = (instrument) => {
    const done = remove.call(failing, instrument);
    client.gateway.traps.add('ora-20301');
    return done;
  };
  const run = await client.run('symbols show USD/CHF AUD/USD -o json');
  failing.delete = remove;
  client.gateway.traps.clear();
  expect(run.code).toBe(10);
  expect(JSON.parse(run.stdout)).toEqual([
    { symbol: 'USD/CHF', visible: true, changed: true, message: null },
    { symbol: 'AUD/USD', visible: false, changed: null, message: expect.stringContaining('command 24') },
  ]);
  client.gateway.traps.add('ora-20301');
  expect(await client.run('symbols show AUD/USD')).toMatchObject({ code: 6, stdout: '' });
  client.gateway.traps.clear();
  await client.run('symbols hide USD/CHF');
});

it('--dry-run reads, and prints the requests', async () => {
  const { code, stdout } = await client.run('symbols show USD/CHF EUR/USD --dry-run -o json');
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ method: 'POST', body: { symbol: 'USD/CHF', visible: 'true' } });
  expect(client.asked()).toEqual(['GET /trading/get_instruments']);
});

it.each([
  ['after a time', undefined],
  ['after Ctrl-C', new AbortController()],
])('--temporary changes back what it changed, %s', async (_name, stop) => {
  const during: boolean[] = [];
  const hidden = () => [...client.gateway.book.hidden].some(({ symbol }) => symbol === 'USD/CHF');
  const run = await client.run(`symbols show USD/CHF EUR/USD --temporary ${stop === undefined ? '20ms' : '1h'}`, {
    sleeps: true,
    ...(stop === undefined ? {} : { signal: stop.signal }),
    onStderr(text) {
      if (!text.includes('changed until')) return;
      during.push(hidden());
      stop?.abort(new SvcError('interrupted', 'interrupted'));
    },
  });
  expect({ code: run.code, during, after: hidden() }).toEqual({
    code: stop === undefined ? 0 : 130,
    during: [false],
    after: true,
  });
  expect(run.stderr).toContain('changed back');
  expect(changes()).toEqual([
    'POST /trading/update_subscriptions symbol=USD/CHF&visible=true',
    'POST /trading/update_subscriptions symbol=USD/CHF&visible=false',
  ]);
});

it('--temporary says what it could not change back', async () => {
  const run = await client.run('symbols show USD/CHF --temporary 20ms', {
    sleeps: true,
    onStderr: (text) => text.includes('changed until') && client.gateway.traps.add('ora-20301'),
  });
  expect(run.code).toBe(6);
  expect(run.stderr).toContain('not changed back: USD/CHF: ');
  expect(run.stderr).toContain('svc trade symbols hide USD/CHF');
});
