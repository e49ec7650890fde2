// Drawing the chart of 20,000 prices, reading 1,000 products at three stores, and listing 400,000 products.
import { median, medianOf, startService } from './measure.mjs';
import { compareLines, loadOf } from './programs.mjs';
import { cellsOf, figure, mebibytes, milliseconds } from './table.mjs';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const NOW = Date.now();
const STORES = ['chizhik', 'fixprice', 'perekrestok'];
/** The time in which the service responds with the stores and prices of a product. */
const DELAY_MS = 10;

export async function measureCatalog(bench) {
  const service = await startService(answer);
  try {
    return [
      await measureChart(bench, service.url),
      await measureMovers(bench, service.url),
      await measureProducts(bench, service.url),
    ];
  } finally {
    service.close();
  }
}

/** The base URL of a service with these numbers of stores, days and products. */
function baseOf(url, stores, days, products) {
  return `--base-url ${url}/${stores}/${days}/${products}`;
}

async function measureChart(bench, url) {
  const hours = 20_000;
  const [since, until] = [NOW - (hours - 1) * HOUR, NOW].map((time) => new Date(time).toISOString());
  const chart = `catalog history ${idOf(1)} --since ${since} --until ${until} --interval 1h`;
  const base = baseOf(url, 1, Math.ceil(hours / 24), 1);
  const samples = await compareLines(bench, { version: '--version', chart: `${chart} ${base}` }, { rounds: 11 });
  return {
    work: 'the chart of 20,000 prices',
    against: 'CPU time above that of `svc --version`',
    cells: cellsOf(bench, (column) => {
      const starts = samples[`${column} version`];
      const above = samples[`${column} chart`].map(({ cpu }, round) => cpu - starts[round].cpu);
      return [milliseconds(median(above), 150)];
    }),
    reason: 'loading commander, undici and zod takes most of the time allowed, and zod checks every snapshot.',
  };
}

async function measureMovers(bench, url) {
  const line = `catalog movers --search crackers ${baseOf(url, STORES.length, 30, loadOf(bench, 1000))}`;
  const samples = await compareLines(bench, { svc: line }, { rounds: 1 });
  return {
    work: '`catalog movers` of 1,000 products at three stores',
    against: '',
    cells: cellsOf(bench, (column) => {
      const ours = samples[`${column} svc`];
      return [figure(medianOf(ours, 'wall'), { unit: 's', digits: 1 }), mebibytes(medianOf(ours, 'mib'))];
    }),
  };
}

async function measureProducts(bench, url) {
  const line = `catalog products list --all -o ndjson ${baseOf(url, 1, 1, loadOf(bench, 400_000))}`;
  const samples = await compareLines(bench, { svc: line }, { rounds: 1 });
  return {
    work: '`products list --all -o ndjson` of 400,000 products',
    against: '',
    cells: cellsOf(bench, (column) => [mebibytes(medianOf(samples[`${column} svc`], 'mib'))]),
  };
}

/** After the numbers of `baseOf`, the paths are `products`, `products/<id>/sources` and `products/<id>/snapshots`. */
function answer(request, response) {
  const { pathname, searchParams } = new URL(request.url, 'http://bench.test');
  const [, stores, days, products, , id, what] = pathname.split('/');
  if (id === undefined) {
    response.end(renderPage(searchParams, products, product));
    return;
  }
  const sources = () => renderPage(searchParams, stores, (index) => offer(id, index, 0));
  const snapshot = (index) => ({ id: index, ...offer(id, index % stores, Math.floor(index / stores)) });
  const body = what === 'sources' ? sources() : renderPage(searchParams, stores * days, snapshot);
  setTimeout(() => response.end(body), DELAY_MS);
}

function renderPage(query, of, item) {
  const [limit, offset, total] = [query.get('limit') ?? 20, query.get('offset') ?? 0, of].map(Number);
  const length = Math.max(0, Math.min(limit, total - offset));
  const items = Array.from({ length }, (_, index) => item(offset + index));
  return JSON.stringify({ items, meta: { limit, offset, total } });
}

function idOf(index) {
  return `6dacfd24-0b2d-4adf-b27f-${String(index).padStart(12, '0')}`;
}

function product(index) {
  return {
    canonical_product_id: idOf(index),
    title: `Rice crackers, ${index} g`,
    brand: 'Green Milk',
    price_from: 99.9,
    price_unit: 'RUB',
    sources_count: 3,
    observed_at_latest: '2026-01-05T10:30:00Z',
    image_url: 'https://images.example/1/1.webp',
    parsers: STORES,
  };
}

/** The price of a product at a store, some days ago: none on every 97th day. */
function offer(id, store, daysAgo) {
  const [from, to] = [daysAgo + 1, daysAgo].map((days) => new Date(NOW - days * DAY).toISOString());
  return {
    canonical_product_id: id,
    parser_name: STORES[store],
    source_id: `${STORES[store]}:${id}`,
    title_original: id,
    settlement: { id: 1, name: 'Moscow', region: 'Moscow' },
    price: daysAgo % 97 === 96 ? null : 50 + (Number(id.slice(-4)) % 100) + 5 * store + (daysAgo % 7),
    price_unit: 'RUB',
    unit: 'PCE',
    observed_at: to,
    valid_from_at: from,
    valid_to_at: to,
  };
}
