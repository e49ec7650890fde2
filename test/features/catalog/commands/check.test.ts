import { describe, expect, test } from 'vitest';
import { answer } from '../../../support/servers.ts';
import { misbehaving, NOW } from './misbehaving.ts';
import { CHIZHIK, CHIZHIK_MOSCOW, FIXPRICE, lasting, type Place, seen, shop } from './shop.ts';

const catalog = await misbehaving();

const check = (...argv: string[]) => catalog.run(['check', 'p1', ...argv]);

describe('svc catalog check of the current price', () => {
  test('judges the lowest price, any or all, of the fields and sources that are asked for', async () => {
    // fixprice 99; chizhik 110, 95 discounted, 89.9 for members; chizhik Moscow 105, seen 20 days ago
    const STATUSES = {
      '--below 90': 0,
      '--below 89.9': 1,
      '--above 89.8': 0,
      '--above 89.9': 1,
      '--below 95 --all': 1,
      '--above 95 --any': 0,
      '--above 105 --any': 1,
      '--above 89 --all': 11,
      '--above 89 --all --max-age 30d': 0,
      '--below 98 --field price': 1,
      '--below 96 --field discount_price': 0,
      '--below 99 --store fixprice': 1,
      '--below 106 --source r:3': 11,
      '--below 106 --source r:3 --max-age 30d': 0,
      '--below 105 --source r:3 --max-age 30d': 1,
      '--below 100 --any': 0,
      '--below 50 --any': 1,
      '--below 1000 --max-age 1h': 11,
    };
    catalog.replies(shop());
    const found: Record<string, number> = {};
    for (const argv of Object.keys(STATUSES)) {
      const { code, stdout } = await check(...argv.split(' '));
      expect(stdout, argv).toMatch(new RegExp(`^${{ 0: 'ok', 1: 'failed', 11: 'unknown' }[code]}: `));
      found[argv] = code;
    }
    expect(found).toEqual(STATUSES);
  });

  test('is unknown without a price: neither exit 0 nor 1', async () => {
    for (const price of [null, 0, '-0.01']) {
      catalog.replies(shop({ places: [{ ...FIXPRICE, fields: { ...FIXPRICE.fields, price, available_count: 0 } }] }));
      for (const argv of ['--below 1000', '--above 0', '--above 0 --any', '--below 1000 --all']) {
        const { code, stdout } = await check(...argv.split(' '), '-o', 'json');
        expect({ code, ok: JSON.parse(stdout).ok }, `${price} ${argv}`).toEqual({ code: 11, ok: null });
      }
    }
    expect((await check('--below', '1')).stdout).toMatch(/^unknown: there is no current value; expected below 1/);
    const count = await check('--above', '0', '--field', 'available_count', '-o', 'json');
    expect(count.code).toBe(1);
    expect(JSON.parse(count.stdout)).toMatchObject({
      sources: [{ value: 0, unit: '' }],
      message: 'the lowest is 0 (available_count, fixprice Moscow); expected above 0',
    });
  });

  test('is reported as text and in JSON', async () => {
    catalog.replies(shop());
    const stale = 'too old to be current: chizhik Moscow 105 of 2025-12-26T12:00:00.000Z';
    expect((await check('--below', '80')).stdout).toBe(
      `failed: the lowest is 89.9 RUB/PCE (loyal_price, chizhik Казань); ${stale}; expected below 80\n`,
    );
    expect((await check('--above', '95', '--any')).stdout).toBe(
      `ok: it holds for 1 of 2 offers (fixprice Moscow 99, chizhik Казань 89.9); ${stale}; expected above 95\n`,
    );
    const reading = (one: Place, more: object) => ({
      parser_name: one.parser_name,
      source_id: one.source_id,
      unit: 'RUB/PCE',
      observed_at: one.fields['observed_at'],
      ...more,
    });
    const lowest = { series: 'chizhik Казань', field: 'loyal_price', value: 89.9, stale: false, holds: false };
    expect(JSON.parse((await check('--below', '80', '-o', 'json')).stdout)).toEqual({
      ok: false,
      condition: 'below 80',
      judged: 'lowest',
      sources: [reading(CHIZHIK, lowest)],
      stale: [reading(CHIZHIK_MOSCOW, { series: 'chizhik Moscow', field: 'price', value: 105, stale: true })],
      waited_ms: 0,
      message: `the lowest is 89.9 RUB/PCE (loyal_price, chizhik Казань); ${stale}; expected below 80`,
    });
  });

  test('refuses the lowest of different units', async () => {
    const places = [FIXPRICE, { ...CHIZHIK, fields: { ...CHIZHIK.fields, unit: 'KGM' } }];
    catalog.replies(shop({ places }));
    const { code, stderr } = await check('--below', '100');
    expect(code).toBe(3);
    expect(stderr).toContain('RUB/KGM, RUB/PCE');
    expect((await check('--below', '100', '--store', 'fixprice')).code).toBe(0);
    expect((await check('--below', '100', '--all')).code).toBe(0);
  });
});

describe('svc catalog check of a change', () => {
  const moved = (source: string, ...past: Place['past']): Place => ({
    ...FIXPRICE,
    source_id: source,
    fields: { ...FIXPRICE.fields, settlement: { id: source, name: source } },
    past,
  });
  const risen = moved('a', lasting(9, 3, 100), lasting(2.9, 0, 110));
  const fallen = moved('b', lasting(9, 3, 100), lasting(2.9, 0, 80));
  const still = moved('c', lasting(9, 0, 100));
  const single = moved('d', seen(2, 100));
  const empty = moved('e', seen(300, 100));
  const nothing = moved('f', lasting(9, 3, 0), lasting(2.9, 0, 10));

  test('judges a rise, a fall or either, of any or all', async () => {
    const CHANGES: readonly (readonly [places: readonly Place[], argv: string, status: number])[] = [
      [[risen], '10%', 0],
      [[risen], '10.1%', 1],
      [[risen], '+10%', 0],
      [[risen], '-10%', 1],
      [[fallen], '-20%', 0],
      [[fallen], '-20.5%', 1],
      [[fallen], '+1%', 1],
      [[still, fallen], '5%', 0],
      [[still, fallen], '5% --all', 1],
      [[risen, fallen], '5% --all', 0],
      [[single], '1%', 11],
      [[empty], '1%', 11],
      [[risen, empty], '5% --all', 11],
      [[risen, empty], '50%', 1],
      [[risen, single], '50%', 11],
      [[risen, single], '50% --all', 1],
      [[nothing], '5%', 11],
    ];
    for (const [index, [places, argv, status]] of CHANGES.entries()) {
      catalog.replies(shop({ places }));
      const { code } = await check('--since', '7d', ...`--change=${argv}`.split(' '));
      expect(code, `${index}: ${argv}`).toBe(status);
    }
  });

  test('compares with a day ago by default, and names both values', async () => {
    catalog.replies(shop({ places: [fallen] }));
    expect((await check('--change', '5%')).stdout).toBe(
      'failed: it holds for 0 of 1 offer (fixprice b 80 to 80, 0%); expected a change of 5% or more since 2026-01-14T12:00:00Z\n',
    );
    expect((await check('--change', '5%', '--since', '-7d')).stdout).toBe(
      'ok: it holds for 1 of 1 offer (fixprice b 100 to 80, -20%); expected a change of 5% or more since 2026-01-08T12:00:00Z\n',
    );
    const { since } = JSON.parse((await check('--change', '5%', '-o', 'json')).stdout);
    expect(since).toBe('2026-01-14T12:00:00Z');
    expect(JSON.parse((await check('--below', '5', '-o', 'json')).stdout)).not.toHaveProperty('since');
  });

  test('does not know the change of an offer without snapshots', async () => {
    catalog.replies(shop({ places: [{ ...risen, past: [] }, fallen] }));
    expect((await check('--change', '5%', '--since', '7d', '--all')).code).toBe(11);
    expect((await check('--change', '5%', '--since', '7d')).code).toBe(0);
    catalog.replies(shop({ places: [{ ...risen, past: [] }, still] }));
    const { code, stdout } = await check('--change', '5%', '--since', '7d');
    expect(code).toBe(11);
    expect(stdout).toContain('(fixprice a 99, change unknown, fixprice c 100 to 100, 0%)');
  });

  test('includes what is written between the reads of sources and snapshots', async () => {
    const run = { ...fallen, source_id: 'receiver:run-2:1', past: [seen(0, 50)] };
    const [before, after] = [shop({ places: [fallen] }), shop({ places: [fallen, run] })];
    let isWritten = false;
    catalog.replies((asked) => {
      isWritten ||= asked.path.endsWith('/snapshots');
      return (isWritten ? after : before)(asked);
    });
    const { code, stdout } = await check('--change', '-40%', '--since', '7d');
    expect(code).toBe(0);
    expect(stdout).toContain('it holds for 1 of 1 offer (fixprice b 100 to 50, -50%)');
  });
});

describe('svc catalog check --wait', () => {
  /** A clock that sleeping moves on. */
  const clock = () => {
    let now = NOW;
    return () => {
      now += 1000;
      return now;
    };
  };
  const priced = (price: number | null) => shop({ places: [{ ...FIXPRICE, fields: { ...FIXPRICE.fields, price } }] });

  test('repeats the check until it is true', async () => {
    const prices = [120, 120, null, 90].values();
    catalog.replies((asked) => priced(prices.next().value ?? null)(asked));
    const { code, stdout, stderr } = await catalog.run(
      ['check', 'p1', '--below', '100', '--wait', '1h', '--interval', '10s'],
      { now: clock() },
    );
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^ok: the lowest is 90 RUB\/PCE \(price, fixprice Moscow\); expected below 100, after \d+s\n$/,
    );
    expect(stderr).toBe('');
    expect(catalog.asked()).toHaveLength(4);
  });

  test('exits 9 after the time', async () => {
    catalog.replies(priced(120));
    const { code, stdout } = await catalog.run(['check', 'p1', '--below', '100', '--wait', '20s', '--interval', '5s'], {
      now: clock(),
    });
    expect(code).toBe(9);
    expect(stdout).toMatch(/^failed: .*, after \d+s\n$/);
  });

  test('waits for a service that is down, but not for an unknown product', async () => {
    const replies = [answer(500, 'no'), answer(500, 'no'), answer(500, 'no'), answer(500, 'no')];
    catalog.replies((asked) => replies.shift() ?? priced(90)(asked));
    const { code, stderr } = await catalog.run(['check', 'p1', '--below', '100', '--wait', '1h'], { now: clock() });
    expect(code).toBe(0);
    expect(stderr).toContain('waiting for it');
    expect(stderr).toContain('the service responds again');
    expect((await catalog.run(['check', 'nope', '--below', '100', '--wait', '1h'])).code).toBe(5);
  });
});

describe('svc catalog check', () => {
  test.each([
    [['p1', '--below', '100', '--store', 'lidl'], 5, 'nothing has --store lidl: there are chizhik, fixprice'],
    [['p1'], 2, 'no condition to check'],
    [['p1', '--below', '1', '--above', '2'], 2, 'only one condition'],
    [['p1', '--change', '10'], 2, 'write it like 10%'],
    [['p1', '--below', '5', '--since', '1d'], 2, '--since needs --change'],
    [['p1', '--below', '5', '--interval', '5s'], 2, '--interval needs --wait'],
    [['p1', '--below', '5', '--any', '--all'], 2, 'cannot be used together'],
    [['p1', '--change', '5%', '--since', 'in 2h'], 2, 'after'],
  ])('refuses %j: exit %i', async (argv, status, message) => {
    catalog.replies(shop({ places: [FIXPRICE, CHIZHIK, CHIZHIK_MOSCOW] }));
    const { code, stdout, stderr } = await catalog.run(['check', ...argv]);
    expect(stderr).toContain(message);
    expect(code).toBe(status);
    expect(stdout).toBe('');
    if (status === 2) expect(catalog.asked()).toEqual([]);
  });

  test('exits 5 if no store sells the product any more', async () => {
    catalog.replies(shop({ gone: true }));
    const { code, stderr } = await check('--below', '100');
    expect(code).toBe(5);
    expect(stderr).toBe(
      'svc: no store sells a product with this id\nhint: svc catalog products list --search <text> finds ids\n',
    );
    expect((await catalog.run(['compare', 'p1'])).stderr).toBe(stderr);
    expect((await check('--change', '5%', '--since', '30d')).code).toBe(0);
  });

  test('exits 7 after a failed request', async () => {
    catalog.replies(() => answer(500, 'Internal Server Error'));
    expect(await check('--below', '100')).toMatchObject({ code: 7, stdout: '' });
  });
});
