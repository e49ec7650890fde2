/** What is the same for all endpoints, byte for byte: methods, paths, headers, the shapes of errors, paging. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, describe, expect, test } from 'vitest';
import { wire } from '../../support/alertmanager.ts';
import { catalogOf, category, row, settlement, snapshot, startCatalog } from './service.ts';

const service = await startCatalog({
  catalog: catalogOf({
    sources: [row({ price: 99, canonical_product_id: 'p1' }), row({ id: 2, canonical_product_id: 'a b%/c' })],
    categories: [category({})],
    settlements: [settlement({})],
    snapshots: [snapshot({}), snapshot({ id: 2, canonical_product_id: 'only-snapshots' })],
  }),
});
afterAll(() => service.close());

const NOT_FOUND = '{"detail":"Not Found"}';

describe('the catalog of the sandbox', () => {
  test('has the headers of the real server', async () => {
    const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk;
    });
    socket.write('GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
    await once(socket, 'close');
    expect(text).toBe(
      'HTTP/1.1 200 OK\r\ndate: Sun, 01 Feb 2026 12:00:00 GMT\r\nserver: uvicorn\r\ncontent-type: application/json\r\ncontent-length: 15\r\nConnection: close\r\n\r\n{"status":"ok"}',
    );
  });

  test('allows GET only, at its routes', async () => {
    for (const path of ['/healthz', '/products', '/products/count', '/products/p1/dynamics', '/sync/cursors']) {
      const { status, headers, body } = await wire(service.url, path, { method: 'POST', body: '{}' });
      expect([status, headers.allow, body]).toEqual([405, 'GET', '{"detail":"Method Not Allowed"}']);
    }
    const head = await wire(service.url, '/healthz', { method: 'HEAD' });
    expect([head.status, head.headers['content-length'], head.body]).toEqual([405, '31', '']);
    for (const path of ['/', '/products/a/b', '/products/', '/products/a%2Fb', '/Products', '//products', '/sync']) {
      expect(await service.get(path), path).toEqual([404, NOT_FOUND]);
    }
    // An id is the decoded path.
    expect((await service.get('/products/a%20b%25'))[1]).toBe('{"detail":"product_not_found"}');
  });

  test('refuses other host names that resolve to loopback', async () => {
    const { status, body } = await wire(service.url, '/healthz', { headers: { host: 'evil.example' } });
    expect([status, body]).toEqual([403, 'The sandbox answers to loopback addresses only.\n']);
  });
});

const at = (where: string, name: string) => `"loc":["${where}","${name}"]`;
const BELOW_1 = '"msg":"Input should be greater than or equal to 1"';
const NO_INTEGER = '"msg":"Input should be a valid integer, unable to parse string as an integer"';

describe('refusals', () => {
  test('are these bytes', async () => {
    const REFUSED: readonly (readonly [path: string, status: number, detail: string])[] = [
      ['/products?sort=price', 400, '"unsupported sort: price"'],
      ['/products?sort=toString', 400, '"unsupported sort: toString"'],
      ['/products/p1/sources?sort=price_asc', 400, '"unsupported sort: price_asc"'],
      ['/products/p1/snapshots?sort=', 400, '"unsupported sort: "'],
      ['/products/common/count', 400, '"scope must be one of: stores, regions"'],
      ['/products/common/count?scope=all_stores', 400, '"scope must be one of: stores, regions"'],
      ['/products/nobody', 404, '"product_not_found"'],
      ['/products/nobody/sources', 404, '"product_not_found"'],
      ['/products/nobody/snapshots', 404, '"product_not_found"'],
      ['/categories/2', 404, '"category_not_found"'],
      ['/settlements/2', 404, '"settlement_not_found"'],
      ['/products?limit=0', 422, `[{"type":"greater_than_equal",${at('query', 'limit')},${BELOW_1},"input":"0"}]`],
      [
        '/categories?limit=101',
        422,
        `[{"type":"less_than_equal",${at('query', 'limit')},"msg":"Input should be less than or equal to 100","input":"101"}]`,
      ],
      [
        '/settlements?offset=-1',
        422,
        `[{"type":"greater_than_equal",${at('query', 'offset')},"msg":"Input should be greater than or equal to 0","input":"-1"}]`,
      ],
      [
        '/products?promo=maybe&price_min=cheap',
        422,
        `[{"type":"bool_parsing",${at('query', 'promo')},"msg":"Input should be a valid boolean, unable to interpret input","input":"maybe"},{"type":"float_parsing",${at('query', 'price_min')},"msg":"Input should be a valid number, unable to parse string as a number","input":"cheap"}]`,
      ],
      ['/categories/abc', 422, `[{"type":"int_parsing",${at('path', 'category_id')},${NO_INTEGER},"input":"abc"}]`],
      ['/settlements/1.5', 422, `[{"type":"int_parsing",${at('path', 'settlement_id')},${NO_INTEGER},"input":"1.5"}]`],
      ['/products?limit=', 422, `[{"type":"int_parsing",${at('query', 'limit')},${NO_INTEGER},"input":""}]`],
      // what is wrong with a parameter comes before what is wrong with the order
      [
        '/products?sort=x&depth=x&limit=%C3%A9',
        422,
        `[{"type":"int_parsing",${at('query', 'limit')},${NO_INTEGER},"input":"é"}]`,
      ],
    ];
    for (const [path, status, detail] of REFUSED) {
      expect(await service.get(path), path).toEqual([status, `{"detail":${detail}}`]);
    }
  });

  test('name every missing parameter', async () => {
    const [status, body] = await service.get('/products/p1/dynamics?source_id=&interval=1d');
    expect(status).toBe(422);
    const missing = (name: string): string =>
      `{"type":"missing","loc":["query","${name}"],"msg":"Field required","input":null}`;
    const short = `{"type":"string_too_short",${at('query', 'source_id')},"msg":"String should have at least 1 character","input":""}`;
    const parts = [missing('parser_name'), short, missing('field'), missing('date_from'), missing('date_to')];
    expect(body).toBe(`{"detail":[${parts.join(',')}]}`);
  });

  test('read numbers as the framework does', async () => {
    for (const [limit, read] of [
      ['+5', 5],
      ['%205%20', 5],
      ['7&limit=3', 3],
    ] as const) {
      const { meta } = await service.json<{ meta: unknown }>(`/categories?limit=${limit.replace('+', '%2B')}`);
      expect(meta).toEqual({ limit: read, offset: 0, total: 1 });
    }
  });
});

describe('records and lists', () => {
  test('are these bytes', async () => {
    const times = '"updated_at":"2026-02-01T12:00:00Z"';
    const place = `{"id":1,"country":"RU","region":"Moscow","region_normalized":"moscow","name":"Moscow","settlement_type":"city","alias":null,${times}}`;
    expect(await service.get('/settlements/1')).toEqual([200, place]);
    expect(await service.get('/settlements')).toEqual([
      200,
      `{"items":[${place}],"meta":{"limit":20,"offset":0,"total":1}}`,
    ]);
    const shelf = `{"id":1,"parser_name":"chizhik","source_uid":"10-food","parent_source_uid":null,"title":"Food","alias":null,"depth":0,"sort_order":0,${times}}`;
    expect(await service.get('/categories/1')).toEqual([200, shelf]);
    expect(await service.get('/products/p1')).toEqual([
      200,
      '{"canonical_product_id":"p1","title":null,"brand":null,"price_from":99,"price_unit":null,"sources_count":1,"observed_at_latest":"2026-02-01T12:00:00Z","image_url":null,"parsers":["chizhik"]}',
    ]);
  });

  test('are empty past the end, with the right total', async () => {
    expect(await service.get('/products?offset=7&limit=5')).toEqual([
      200,
      '{"items":[],"meta":{"limit":5,"offset":7,"total":2}}',
    ]);
  });

  test('are those of snapshots only if the product is gone', async () => {
    expect((await service.get('/products/only-snapshots'))[0]).toBe(404);
    expect(await service.get('/products/only-snapshots/sources')).toEqual([
      200,
      '{"items":[],"meta":{"limit":20,"offset":0,"total":0}}',
    ]);
    const { meta } = await service.json<{ meta: { total: number } }>('/products/only-snapshots/snapshots');
    expect(meta.total).toBe(1);
    expect((await service.get('/products/only-snapshots/snapshots?source_id=other'))[1]).toContain('"total":0');
    // a product that is there, but not in that store
    expect((await service.get('/products/p1/snapshots?parser_name=fixprice'))[0]).toBe(200);
  });
});
