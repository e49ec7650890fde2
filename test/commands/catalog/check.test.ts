import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { answer } from '../../http/servers.ts';
import { type Misbehaving, misbehaving, NOW } from './misbehaving.ts';
import { CHIZHIK, CHIZHIK_MOSCOW, detail, FIXPRICE, held, type Place, seen, shop } from './shop.ts';

let catalog: Misbehaving;
beforeAll(async () => {
  catalog = await misbehaving();
});
afterAll(() => catalog[Symbol.asyncDispose]());

const check = (...argv: string[]) => catalog.run(['check', 'p1', ...argv]);

describe('a price now', () => {
  // fixprice 99; chizhik 110, 95 discounted, 89.9 for members; chizhik Moscow 105, seen 20 days ago
  test.each([
    ['--below 90', 0],
    ['--below 89.9', 1],
    ['--above 89.8', 0],
    ['--above 89.9', 1],
    ['--below 100 --any', 0],
    ['--below 100 --all', 1],
    ['--below 106 --all', 0],
    ['--above 100 --any', 0],
    ['--above 105 --any', 1],
    ['--above 89 --all', 0],
    ['--below 100 --field price', 0],
    ['--below 98 --field price', 1],
    ['--below 96 --field discount_price', 0],
    ['--below 100 --store fixprice', 0],
    ['--below 99 --store fixprice', 1],
    ['--below 106 --source r:3', 0],
    ['--below 106 --source r:3 --newer-than 7d', 1],
    ['--below 1000 --all --newer-than 7d', 1],
    ['--below 100 --any --newer-than 7d', 0],
  ])('%s: %i', async (argv, status) => {
    catalog.replies(shop());
    const { code, stdout } = await check(...argv.split(' '));
    expect(stdout).toMatch(status === 0 ? /^ok: / : /^failed: /);
    expect(code).toBe(status);
  });

  test('is told in words, and in JSON', async () => {
    catalog.replies(shop());
    expect((await check('--below', '80')).stdout).toBe(
      'failed: the lowest is 89.9 RUB/PCE (loyal_price, chizhik Казань); below 80 wanted\n',
    );
    expect((await check('--above', '100', '--any')).stdout).toBe(
      'ok: it holds for 1 of 3 sources (fixprice 99, chizhik Казань 89.9, chizhik Moscow 105); above 100 wanted\n',
    );
    expect(JSON.parse((await check('--below', '80', '-o', 'json')).stdout)).toEqual({
      ok: false,
      condition: 'below 80',
      judged: 'lowest',
      sources: [
        {
          parser_name: 'chizhik',
          source_id: 'r:2',
          series: 'chizhik Казань',
          field: 'loyal_price',
          value: 89.9,
          unit: 'RUB/PCE',
          observed_at: CHIZHIK.fields['observed_at'],
          holds: false,
        },
      ],
      waitedMs: 0,
      message: 'the lowest is 89.9 RUB/PCE (loyal_price, chizhik Казань); below 80 wanted',
    });
  });

  test.each(['--below 1000', '--above 0', '--above 0 --any', '--below 1000 --all'])(
    'that is not known never holds: %s',
    async (argv) => {
      catalog.replies(shop({ places: [{ ...FIXPRICE, fields: { ...FIXPRICE.fields, price: null } }] }));
      const { code, stdout } = await check(...argv.split(' '));
      expect(code).toBe(1);
      expect(stdout).toContain('nothing is known of it now');
    },
  );

  test('with --all every source must be known', async () => {
    catalog.replies(shop({ places: [FIXPRICE, { ...CHIZHIK, fields: { ...FIXPRICE.fields, price: null } }] }));
    expect((await check('--below', '1000', '--all')).code).toBe(1);
    expect((await check('--below', '1000', '--any')).code).toBe(0);
    expect((await check('--below', '1000')).code).toBe(0);
  });

  test('by different units has no lowest', async () => {
    const places = [FIXPRICE, { ...CHIZHIK, fields: { ...CHIZHIK.fields, unit: 'KGM' } }];
    catalog.replies(shop({ places }));
    const { code, stderr } = await check('--below', '100');
    expect(code).toBe(3);
    expect(stderr).toContain('RUB/KGM, RUB/PCE');
    expect((await check('--below', '100', '--store', 'fixprice')).code).toBe(0);
    expect((await check('--below', '100', '--all')).code).toBe(0);
  });

  test('of zero is a price', async () => {
    catalog.replies(shop({ places: [{ ...FIXPRICE, fields: { ...FIXPRICE.fields, price: 0, available_count: 0 } }] }));
    expect((await check('--below', '1')).code).toBe(0);
    expect((await check('--above', '0', '--field', 'available_count')).code).toBe(1);
  });
});

describe('a change', () => {
  const moved = (source: string, ...past: Place['past']): Place => ({ ...FIXPRICE, source_id: source, past });
  const risen = moved('a', held(9, 3, 100), held(2.9, 0, 110));
  const fallen = moved('b', held(9, 3, 100), held(2.9, 0, 80));
  const still = moved('c', held(9, 0, 100));
  const single = moved('d', seen(2, 100));
  const empty = moved('e', seen(300, 100));
  const nothing = moved('f', held(9, 3, 0), held(2.9, 0, 10));

  test.each([
    [[risen], '--change 10%', 0],
    [[risen], '--change 10.1%', 1],
    [[risen], '--change +10%', 0],
    [[risen], '--change -10%', 1],
    [[fallen], '--change 20%', 0],
    [[fallen], '--change -20%', 0],
    [[fallen], '--change=-20.5%', 1],
    [[fallen], '--change +1%', 1],
    [[still], '--change 0.1%', 1],
    [[still, fallen], '--change 5%', 0],
    [[still, fallen], '--change 5% --any', 0],
    [[still, fallen], '--change 5% --all', 1],
    [[risen, fallen], '--change 5% --all', 0],
    [[single], '--change 1%', 1],
    [[empty], '--change 1%', 1],
    [[risen, empty], '--change 5% --all', 1],
    [[nothing], '--change 5%', 1],
  ] as const)('%#: %o %s: %i', async (places, argv, status) => {
    catalog.replies(shop({ places }));
    expect((await check(...argv.split(' '), '--since', '7d')).code).toBe(status);
  });

  test('is from a day ago unless told otherwise, and told with what it is from', async () => {
    catalog.replies(shop({ places: [fallen] }));
    expect((await check('--change', '5%')).code).toBe(1);
    const [, asked = ''] = catalog.asked();
    expect(new URLSearchParams(asked.replace(/.*\?/, '')).get('date_from')).toBe('2026-01-14T12:00:00Z');
    expect((await check('--change', '5%', '--since', '-7d')).stdout).toBe(
      'ok: it holds for 1 of 1 source (fixprice 100 to 80, -20%); a change of 5% or more since 2026-01-08T12:00:00Z wanted\n',
    );
    const { since } = JSON.parse((await check('--change', '5%', '-o', 'json')).stdout);
    expect(since).toBe('2026-01-14T12:00:00Z');
    expect(JSON.parse((await check('--below', '5', '-o', 'json')).stdout)).not.toHaveProperty('since');
  });

  test('of a source that fails decides nothing where another one does', async () => {
    const failing = { b: answer(500, 'no') };
    catalog.replies(shop({ places: [risen, fallen], instead: failing }));
    expect((await check('--change', '5%', '--since', '7d')).code).toBe(0);
    expect((await check('--change', '50%', '--since', '7d', '--all')).code).toBe(1);
    expect(await check('--change', '50%', '--since', '7d')).toMatchObject({ code: 7, stdout: '' });
    expect(await check('--change', '5%', '--since', '7d', '--all')).toMatchObject({ code: 7, stdout: '' });
  });

  test('of a source without snapshots is not known', async () => {
    catalog.replies(shop({ places: [risen, fallen], instead: { a: detail(404, 'source not found') } }));
    expect((await check('--change', '5%', '--since', '7d', '--all')).code).toBe(1);
    expect((await check('--change', '5%', '--since', '7d')).code).toBe(0);
  });
});

describe('--wait', () => {
  /** A clock that sleeping moves on. */
  const clock = () => {
    let now = NOW;
    return () => {
      now += 1000;
      return now;
    };
  };
  const priced = (price: number | null) => shop({ places: [{ ...FIXPRICE, fields: { ...FIXPRICE.fields, price } }] });

  test('looks until it holds, and tells what it sees meanwhile', async () => {
    const prices = [120, 120, null, 90].values();
    catalog.replies((asked) => priced(prices.next().value ?? null)(asked));
    const { code, stdout, stderr } = await catalog.run(
      ['check', 'p1', '--below', '100', '--wait', '1h', '--every', '10s'],
      { now: clock() },
    );
    expect(code).toBe(0);
    expect(stdout).toMatch(/^ok: the lowest is 90 RUB\/PCE \(price, fixprice\); below 100 wanted, after \d+s\n$/);
    expect(stderr).toBe('the lowest is 120 RUB/PCE (price, fixprice); waiting\nnothing is known of it now; waiting\n');
    expect(catalog.asked()).toHaveLength(4);
  });

  test('ends with 9 when the time is over', async () => {
    catalog.replies(priced(120));
    const { code, stdout } = await catalog.run(['check', 'p1', '--below', '100', '--wait', '20s', '--every', '5s'], {
      now: clock(),
    });
    expect(code).toBe(9);
    expect(stdout).toMatch(/^failed: .*, after \d+s\n$/);
  });

  test('waits for a service that is away, and not for a product that is not there', async () => {
    const replies = [answer(500, 'no'), answer(500, 'no'), answer(500, 'no'), answer(500, 'no')];
    catalog.replies((asked) => replies.shift() ?? priced(90)(asked));
    const { code, stderr } = await catalog.run(['check', 'p1', '--below', '100', '--wait', '1h'], { now: clock() });
    expect(code).toBe(0);
    expect(stderr).toContain('waiting for it');
    expect(stderr).toContain('the service answers again');
    expect((await catalog.run(['check', 'nope', '--below', '100', '--wait', '1h'])).code).toBe(5);
  });
});

describe('what cannot be checked', () => {
  test.each([
    [['nope', '--below', '100'], 5, 'there is no product with this id'],
    [['p1', '--below', '100', '--store', 'lidl'], 5, 'its stores are chizhik, fixprice'],
    [['p1', '--change', '5%', '--source', 'x'], 5, 'no source for --source x'],
    [['p1'], 2, 'nothing says what is checked'],
    [['p1', '--below', '1', '--above', '2'], 2, 'only one condition'],
    [['p1', '--change', '10'], 2, 'write 10%'],
    [['p1', '--change', '0%'], 2, 'above 0'],
    [['p1', '--change', 'ten'], 2, '10% (either way), +10% (a rise) or -10% (a fall)'],
    [['p1', '--change', '5%', '--field', 'lowest'], 2, '--change is of one field'],
    [['p1', '--change', '5%', '--newer-than', '1d'], 2, '--newer-than has no meaning'],
    [['p1', '--below', '5', '--since', '1d'], 2, '--since has a meaning with --change only'],
    [['p1', '--below', '5', '--any', '--all'], 2, 'cannot be used together'],
    [['p1', '--below', '5', '--every', '5s'], 2, '--every needs --wait'],
    [['p1', '--change', '5%', '--since', 'in 2h'], 2, 'after'],
  ])('%j', async (argv, status, message) => {
    catalog.replies(shop({ places: [FIXPRICE, CHIZHIK, CHIZHIK_MOSCOW] }));
    const { code, stdout, stderr } = await catalog.run(['check', ...argv]);
    expect(stderr).toContain(message);
    expect(code).toBe(status);
    expect(stdout).toBe('');
    if (status === 2) expect(catalog.asked()).toEqual([]);
  });

  test('a product that only its snapshots know has no price now', async () => {
    catalog.replies(shop({ gone: true }));
    const { code, stderr } = await check('--below', '100');
    expect(code).toBe(5);
    expect(stderr).toBe(
      'svc: no source has this product any more: only its snapshots are left\nhint: svc catalog history <id> draws them\n',
    );
    expect((await catalog.run(['compare', 'p1'])).stderr).toBe(stderr);
    expect((await check('--change', '5%', '--since', '30d')).code).toBe(0);
  });

  test('a failure to ask is neither yes nor no', async () => {
    catalog.replies(() => answer(500, 'Internal Server Error'));
    expect(await check('--below', '100')).toMatchObject({ code: 7, stdout: '' });
  });
});
