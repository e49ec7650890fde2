// npm run bench -- catalog: the cost of drawing 20,000 points, the time to read 1,000 products, and the memory of long lists.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { compare } from './measure.mjs';

const SELF = fileURLToPath(import.meta.url);
const HOUR = 3_600_000;
const FROM = Date.UTC(2024, 0, 1);
const POINTS = 20_000;
const ROUNDS = 11;
const NOW = Date.now();

/** A price that moves every day, with gaps and one spike. */
function snapshot(k) {
  const [from, to] = [0, 24 * HOUR - 1].map((ms) => new Date(FROM + k * 24 * HOUR + ms).toISOString());
  const price = k === 99 ? 400 : Math.round((100 + 20 * Math.sin(k / 20) + ((k * 7919) % 13)) * 100) / 100;
  return {
    id: k,
    ...SOURCE,
    price: k % 97 === 5 ? null : price,
    observed_at: to,
    valid_from_at: from,
    valid_to_at: to,
  };
}

const SOURCE = { canonical_product_id: 'p', parser_name: 'fixprice', source_id: 'r:1', price_unit: 'RUB', unit: 'PCE' };

function page(query, total, item) {
  const [limit, offset] = [Number(query.get('limit') ?? 20), Number(query.get('offset') ?? 0)];
  const items = Array.from({ length: Math.max(0, Math.min(limit, total - offset)) }, (_, n) => item(offset + n));
  return JSON.stringify({ items, meta: { limit, offset, total } });
}

function product(n) {
  return {
    canonical_product_id: `6dacfd24-0b2d-4adf-b27f-${String(n).padStart(12, '0')}`,
    title: `Rice crackers, ${n} g`,
    brand: 'Green Milk',
    price_from: 99.9,
    price_unit: 'RUB',
    sources_count: 3,
    observed_at_latest: '2026-01-05T10:30:00Z',
    image_url: 'https://images.example/1/1.webp',
    parsers: ['chizhik', 'fixprice', 'perekrestok'],
  };
}

const STORES = ['chizhik', 'fixprice', 'perekrestok'];
const DAYS = 30;
const PRODUCTS = 1000;
/** The time in which the server of many products responds. */
const DELAY_MS = 10;

/** The price of a product at a store, so many days ago. */
function offer(id, store, daysAgo = 0) {
  const [from, to] = [daysAgo + 1, daysAgo].map((days) => new Date(NOW - days * 24 * HOUR).toISOString());
  const price = 50 + (Number(id.slice(-4)) % 100) + 5 * STORES.indexOf(store) + (daysAgo % 7);
  const keys = { canonical_product_id: id, parser_name: store, source_id: `${store}:${id}`, title_original: id };
  const settlement = { id: 1, name: 'Moscow', region: 'Moscow' };
  return { ...SOURCE, ...keys, settlement, price, observed_at: to, valid_from_at: from, valid_to_at: to };
}

/** The responses about many products, each of which is sold by three stores. */
function many(path, query, total) {
  const [, , , id, what] = path.split('/');
  if (what === 'sources') return page(query, STORES.length, (n) => offer(id, STORES[n]));
  if (what === undefined) return page(query, total, product);
  return page(query, STORES.length * DAYS, (n) => ({ id: n, ...offer(id, STORES[n % 3], Math.floor(n / 3)) }));
}

/** The first part of a path is the number of items; after `slow-`, the number of products, with a delay. */
function serve() {
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url, 'http://bench.test');
    const [, first] = pathname.split('/');
    response.setHeader('content-type', 'application/json');
    if (first.startsWith('slow-')) {
      setTimeout(() => response.end(many(pathname, searchParams, Number(first.slice(5)))), DELAY_MS);
      return;
    }
    const much = Number(first);
    if (pathname.endsWith('/snapshots')) response.end(page(searchParams, Math.ceil(much / 24), snapshot));
    else if (pathname.endsWith('/sources')) response.end(page(searchParams, 1, () => SOURCE));
    else response.end(page(searchParams, much, product));
  });
  server.listen(0, '127.0.0.1', () => console.log(server.address().port));
}

/** Lines of the report. `roundsOf` returns the number of rounds to run instead of the usual one. */
export async function catalogBench(svc, env, roundsOf) {
  const server = spawn(process.execPath, [SELF], { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    const [port] = await once(server.stdout, 'data');
    const at = (much) => `--base-url http://127.0.0.1:${String(port).trim()}/${much}`;
    return [
      ...(await charts(svc, at, env, roundsOf(ROUNDS))),
      ...(await manyProducts(svc, at, env, roundsOf(PRODUCTS) === 1 ? PRODUCTS / 100 : PRODUCTS)),
      ...(await lists(svc, at, env)),
    ];
  } finally {
    server.kill();
  }
}

async function charts(svc, at, env, rounds) {
  const window = (points) => {
    const to = new Date(FROM + (points - 1) * HOUR).toISOString();
    return `--since ${new Date(FROM).toISOString()} --until ${to} --interval 1h ${at(points)}`;
  };
  const history = (points, more = '') => `${svc} catalog history p ${window(points)} ${more}`;
  const results = await compare(
    {
      'svc --version': `${svc} --version`,
      'history, 2 points': history(2),
      'history, 20,000 points': history(POINTS),
      'history, 20,000 points, --svg -': history(POINTS, '--svg -'),
      'history, 20,000 points, -o csv': history(POINTS, '-o csv'),
    },
    { rounds, env },
  );
  const start = results[0].cpu;
  return [
    `## catalog: a chart (${rounds} rounds)`,
    '',
    '| command | CPU ms | over the start | MiB | budget |',
    '|---|---|---|---|---|',
    ...results.map(({ name, cpu, mib }) => {
      const over = (cpu - start) * 1000;
      const budget = name === 'history, 20,000 points' ? `< 150 ms ${over < 150 ? 'met' : 'MISSED'}` : '';
      return `| ${name} | ${(cpu * 1000).toFixed(0)} | ${over.toFixed(0)} | ${mib?.toFixed(0) ?? ''} | ${budget} |`;
    }),
  ];
}

const MOST_SECONDS = 20;
const MOST_MIB = 200;

async function manyProducts(svc, at, env, count) {
  const all = `--search crackers ${at(`slow-${count}`)}`;
  const commands = {
    history: `${svc} catalog history ${all}`,
    'history --interval 1d -o csv': `${svc} catalog history --interval 1d -o csv ${all}`,
    check: `${svc} catalog check --below 70 ${all}`,
    'check --change': `${svc} catalog check --change 5% --since 7d ${all}`,
    movers: `${svc} catalog movers ${all}`,
  };
  const results = await compare(commands, { rounds: 1, env });
  return [
    '',
    `## catalog: ${count.toLocaleString('en')} products at ${STORES.length} stores, from a server that answers in ${DELAY_MS} ms`,
    '',
    '| command | seconds | CPU ms | MiB | budget |',
    '|---|---|---|---|---|',
    ...results.map(({ name, wall, cpu, mib }) => {
      const met = wall < MOST_SECONDS && (mib ?? 0) < MOST_MIB;
      const budget = `< ${MOST_SECONDS} s, < ${MOST_MIB} MiB ${met ? 'met' : 'MISSED'}`;
      return `| ${name} | ${wall.toFixed(1)} | ${(cpu * 1000).toFixed(0)} | ${mib?.toFixed(0) ?? ''} | ${budget} |`;
    }),
  ];
}

async function lists(svc, at, env) {
  const list = (count) => `${svc} catalog products list --all -o ndjson ${at(count)}`;
  const counts = [1000, 10_000, 100_000, 400_000];
  const commands = Object.fromEntries(counts.map((count) => [count.toLocaleString('en'), list(count)]));
  const results = await compare(commands, { rounds: 1, env });
  return [
    '',
    '## catalog: products list --all -o ndjson',
    '',
    '| products | CPU ms | MiB |',
    '|---|---|---|',
    ...results.map(({ name, cpu, mib }) => `| ${name} | ${(cpu * 1000).toFixed(0)} | ${mib?.toFixed(0) ?? ''} |`),
  ];
}

if (process.argv[1] === SELF) serve();
