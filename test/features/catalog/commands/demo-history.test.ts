import { afterAll, beforeAll, expect, test } from 'vitest';
import { type CatalogEmulator, startCatalogEmulator } from '../../../../src/sandbox/catalog/server.ts';
import { svc } from '../../../support/svc.ts';

const NOW = Date.UTC(2026, 10, 21, 12);

let emulator: CatalogEmulator;
beforeAll(async () => {
  emulator = await startCatalogEmulator({ now: () => NOW, seed: 'demo' });
});
afterAll(() => emulator.close());

const run = (...argv: string[]) =>
  svc(['catalog', ...argv], { now: () => NOW, env: { SVC_CATALOG_URL: emulator.url } });

test('draws, compares and checks every product of the sandbox', async () => {
  const { stdout } = await run('products', 'list', '--all', '-o', 'id');
  const ids = stdout.split('\n').filter(Boolean);
  expect(ids.length).toBeGreaterThan(5);
  for (const id of ids) {
    expect(await run('history', id, '--since', '-400d'), id).toMatchObject({ code: 0 });
    expect(await run('compare', id), id).toMatchObject({ code: 0 });
    expect([0, 1, 11], id).toContain((await run('check', id, '--below', '100', '--any')).code);
  }
});

test("the history from snapshots equals the service's own for each source, hour by hour", async () => {
  const { stdout } = await run('products', 'list', '--search', 'coffee, medium', '--limit', '1', '-o', 'id');
  const id = stdout.trim();
  const window = ['--since', '2024-08-15T12:00:00Z', '--interval', '1h'];
  const histories = JSON.parse((await run('history', id, ...window, '-o', 'json')).stdout);
  expect(histories).toHaveLength(2);
  for (const { parser_name, source_id, dates, values } of histories) {
    const source = ['--store', parser_name, '--source', source_id];
    const own = JSON.parse((await run('products', 'dynamics', id, ...source, ...window, '-o', 'json')).stdout);
    expect(dates).toHaveLength(19_873);
    expect(own.dates).toEqual(dates);
    expect(own.values).toEqual(values);
  }
});

test('daily runs give one line per place', async () => {
  const { stdout } = await run('products', 'list', '--search', '930', '--limit', '1', '-o', 'id');
  const id = stdout.trim();
  const histories = JSON.parse((await run('history', id, '-o', 'json')).stdout);
  expect(histories).toHaveLength(3);
  for (const { statistics } of histories) expect(statistics.covered).toBe(30);
  expect(JSON.parse((await run('compare', id, '-o', 'json')).stdout)).toHaveLength(3);
});
