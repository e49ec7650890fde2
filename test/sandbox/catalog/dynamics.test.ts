/** A price over time: buckets, intervals and single observations, limits, times. */
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { dynamics } from '../../../src/sandbox/catalog/api.ts';
import { DAY, HOUR, isoZ, type Micros, parseIso, type Snapshot } from '../../../src/sandbox/catalog/records.ts';
import { at, catalogOf, snapshot, startCatalog } from './service.ts';

const MONDAY = at('2026-02-02T00:00:00Z');

const service = await startCatalog({
  catalog: catalogOf({
    snapshots: [
      snapshot({ id: 1, price: 10, available_count: 3, observed_at: MONDAY + 12 * HOUR }),
      snapshot({ id: 2, price: 11.5, observed_at: MONDAY + 13 * HOUR }),
      snapshot({ id: 3, source_id: 'other', price: 1, observed_at: MONDAY }),
    ],
  }),
});
afterAll(() => service.close());

const QUERY = {
  parser_name: 'chizhik',
  source_id: 'receiver:run-1:1',
  field: 'price',
  date_from: '2026-02-02T00:00:00Z',
  date_to: '2026-02-03T00:00:00Z',
  interval: '6h',
};

function path(changes: Partial<typeof QUERY>, id = 'p1'): string {
  return `/products/${id}/dynamics?${new URLSearchParams({ ...QUERY, ...changes })}`;
}

/** The values of one source with these snapshots. */
function values(
  snapshots: readonly Partial<Snapshot>[],
  from: Micros,
  to: Micros,
  interval = '1d',
): readonly (number | null)[] {
  const rows = snapshots.map((fields, index) => snapshot({ id: index + 1, ...fields }));
  const request = { ...QUERY, canonical_product_id: 'p1', date_from: isoZ(from), date_to: isoZ(to), interval };
  return dynamics(request, () => rows).values;
}

describe('the dynamics of a price', () => {
  test('are these bytes: buckets from date_from, and times in UTC', async () => {
    const [status, body] = await service.get(
      path({ date_from: '2026-02-02T06:30:00.25+03:00', date_to: '2026-02-02T21:31:00+03:00' }),
    );
    expect([status, body]).toEqual([
      200,
      '{"dates":["2026-02-02T03:30:00.250000Z","2026-02-02T09:30:00.250000Z","2026-02-02T15:30:00.250000Z"],"values":[null,11.5,null],"meta":{"canonical_product_id":"p1","parser_name":"chizhik","source_id":"receiver:run-1:1","field":"price","interval":"6h","date_from":"2026-02-02T03:30:00.250000Z","date_to":"2026-02-02T18:31:00Z"}}',
    ]);
    expect(JSON.parse((await service.get(path({ date_from: '2026-02-02T00:00:00+03:00' })))[1]).meta.date_from).toBe(
      '2026-02-01T21:00:00Z',
    );
  });

  test('have one point for an instant', async () => {
    const noon = '2026-02-02T12:00:00Z';
    const [, body] = await service.get(path({ field: 'available_count', date_from: noon, date_to: noon }));
    expect(body).toContain(`{"dates":["${noon}"],"values":[3],`);
  });

  test('are refused with the messages of the service', async () => {
    const REFUSED = [
      [{ date_from: 'yesterday' }, 422, 'datetime must be valid ISO8601'],
      [{ date_from: '2026-02-30T00:00:00Z' }, 422, 'datetime must be valid ISO8601'],
      [{ date_from: '2026-02-01' }, 422, 'datetime must include timezone'],
      [{ date_to: '2026-02-03T00:00:00' }, 422, 'datetime must include timezone'],
      [{ date_from: '2026-02-04T00:00:00Z', field: 'x' }, 422, 'date_from must be <= date_to'],
      [{ field: 'rating', interval: '2d' }, 400, 'unsupported field: rating'],
      [{ interval: '2d', source_id: 'x' }, 400, 'unsupported interval: 2d'],
      [{ interval: 'toString' }, 400, 'unsupported interval: toString'],
      [{ interval: '1h', date_from: '2023-10-23T00:00:00Z', source_id: 'x' }, 400, 'requested range is too large'],
      [{ source_id: 'receiver:run-1:2' }, 404, 'source not found'],
      [{ parser_name: 'Chizhik' }, 404, 'source not found'],
    ] as const;
    for (const [changes, status, detail] of REFUSED) {
      expect(await service.get(path(changes)), JSON.stringify(changes)).toEqual([status, JSON.stringify({ detail })]);
    }
  });

  test('take an unencoded plus for a space', async () => {
    const encoded = path({ date_from: '2026-02-02T00:00:00+03:00' });
    expect((await service.get(encoded))[0]).toBe(200);
    expect(await service.get(encoded.replace('%2B', '+'))).toEqual([
      422,
      '{"detail":"datetime must be valid ISO8601"}',
    ]);
  });
});

describe('the value of a bucket', () => {
  test('is that of the latest observation, even if that has none', () => {
    const seen = [
      { price: 1, observed_at: MONDAY },
      { price: null, observed_at: MONDAY + 5 },
      { price: 3, observed_at: MONDAY + DAY },
    ];
    expect(values(seen, MONDAY, MONDAY + DAY)).toEqual([null, 3]);
    const same = [
      { price: 1, observed_at: MONDAY },
      { price: 2, observed_at: MONDAY },
    ];
    expect(values(same, MONDAY, MONDAY)).toEqual([2]);
  });

  test('is that of an interval that touches it', () => {
    const stored = {
      price: 5,
      valid_from_at: MONDAY - 9 * DAY,
      valid_to_at: MONDAY + DAY,
      observed_at: MONDAY - 9 * DAY,
    };
    expect(values([stored], MONDAY, MONDAY + 3 * DAY)).toEqual([5, 5, null, null]);
    expect(values([stored], MONDAY - 3 * DAY, MONDAY)).toEqual([5, 5, 5, 5]);
    expect(values([{ ...stored, valid_to_at: MONDAY - 1 }], MONDAY, MONDAY + DAY)).toEqual([null, null]);
    // one that was written the wrong way round
    const turned = { ...stored, valid_from_at: MONDAY + DAY, valid_to_at: MONDAY };
    expect(values([turned], MONDAY, MONDAY + 2 * DAY)).toEqual([5, 5, null]);
  });

  test('is that of the interval that was observed last', () => {
    const old = { price: 1, valid_from_at: MONDAY + DAY, valid_to_at: MONDAY + 2 * DAY, observed_at: MONDAY };
    const young = { price: 2, valid_from_at: MONDAY, valid_to_at: MONDAY + DAY, observed_at: MONDAY + 1 };
    expect(values([young, old], MONDAY, MONDAY + 2 * DAY)).toEqual([2, 2, 1]);
  });

  test('is that of an observation within it', () => {
    expect(values([{ price: 7, observed_at: MONDAY + DAY }], MONDAY, MONDAY + 2 * DAY)).toEqual([null, 7, null]);
  });
});

describe('times', () => {
  const instant = fc.integer({ min: at('0001-01-02T00:00:00Z'), max: at('9999-12-30T00:00:00Z') });

  test('are read and written in any zone', () => {
    fc.assert(
      fc.property(instant, fc.integer({ min: -1439, max: 1439 }), (time, minutes) => {
        expect(parseIso(isoZ(time))).toBe(time);
        const pair = (number: number): string => String(number).padStart(2, '0');
        const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
        const zone = `${minutes < 0 ? '-' : '+'}${pair(hours)}:${pair(rest)}`;
        expect(parseIso(isoZ(time).replace('Z', zone))).toBe(time - minutes * 60 * 1_000_000);
      }),
    );
  });

  test('are refused in other forms', () => {
    const TIMES: readonly (readonly [text: string, time: number | undefined])[] = [
      ['2026-02-02T00:00:00.1234569Z', MONDAY + 123_456],
      ['2026-02-02', Number.NaN],
      ['2026-02-02T00:00:00', Number.NaN],
      ['2026-0202', undefined],
      ['2026-02-02T00:0000Z', undefined],
      ['2026-02-02T24:00:00Z', undefined],
      ['2026-13-01T00:00:00Z', undefined],
      ['2026-02-02T00:00:00z', undefined],
      ['', undefined],
    ];
    for (const [text, time] of TIMES) expect(parseIso(text), text).toBe(time);
  });
});
