import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { fieldsOf, type Recording, visitFields } from './changed-fields.ts';

const recorded = (name: string): unknown =>
  JSON.parse(readFileSync(new URL(`catalog/${name}.json`, import.meta.url), 'utf8'));

const ID = '5f6c2a9e-0c1d-4f3b-9a57-2b1e8d3c4a10';
/** Read if a list of the product is empty. */
const PRODUCT = { [`GET /products/${ID}`]: recorded('product') };
const DYNAMICS = '--store fixprice --source receiver:run-1:1 --since 2026-02-01T00:00:00Z --until 2026-02-03T00:00:00Z';

const RECORDINGS: readonly Recording[] = [
  {
    request: 'GET /products',
    body: recorded('products'),
    argv: ['catalog', 'products', 'list'],
    needed: { items: 'the list', 'items.*.canonical_product_id': 'left out' },
  },
  {
    request: `GET /products/${ID}`,
    body: recorded('product'),
    argv: ['catalog', 'products', 'get', ID],
    needed: { canonical_product_id: 'refused' },
  },
  {
    request: `GET /products/${ID}/sources`,
    body: recorded('sources'),
    argv: ['catalog', 'products', 'sources', ID],
    others: PRODUCT,
    needed: { items: 'the list' },
  },
  {
    request: `GET /products/${ID}/snapshots`,
    body: recorded('snapshots'),
    argv: ['catalog', 'products', 'snapshots', ID],
    others: PRODUCT,
    needed: { items: 'the list' },
  },
  {
    request: 'GET /categories',
    body: recorded('categories'),
    argv: ['catalog', 'categories', 'list'],
    needed: { items: 'the list' },
  },
  {
    request: 'GET /settlements',
    body: recorded('settlements'),
    argv: ['catalog', 'settlements', 'list'],
    needed: { items: 'the list' },
  },
  {
    request: 'GET /sync/cursors',
    body: recorded('cursors'),
    argv: ['catalog', 'cursors'],
    needed: { items: 'the list' },
  },
  {
    request: 'GET /products/count',
    body: recorded('count'),
    argv: ['catalog', 'products', 'count'],
    needed: { products_count: 'refused' },
  },
  {
    request: 'GET /products/common/count',
    body: recorded('common'),
    argv: ['catalog', 'products', 'common', '--scope', 'regions'],
    needed: { common_products_count: 'refused' },
  },
  {
    request: `GET /products/${ID}/dynamics`,
    body: recorded('dynamics'),
    argv: ['catalog', 'products', 'dynamics', ID, ...DYNAMICS.split(' ')],
    needed: { dates: 'refused', values: 'refused' },
  },
  { request: 'GET /categories/5', body: recorded('category'), argv: ['catalog', 'categories', 'get', '5'] },
  { request: 'GET /settlements/3', body: recorded('settlement'), argv: ['catalog', 'settlements', 'get', '3'] },
  { request: 'GET /healthz', body: recorded('health'), argv: ['catalog', 'health'], needed: { status: 'refused' } },
];

test.each(RECORDINGS.map((one) => [one.argv.join(' '), one] as const))(
  'svc %s reads a response of which a field is missing, null or strange',
  async (_name, recording) => {
    const { fields } = await visitFields(recording);
    expect(fields).toBe(fieldsOf(recording.body).size);
  },
);
