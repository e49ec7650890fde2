import { afterAll, beforeAll, expect, test } from 'vitest';
import { type CatalogEmulator, startCatalogEmulator } from '../../../src/sandbox/catalog/server.ts';
import { svc } from '../../support/svc.ts';

const NOW = Date.UTC(2026, 10, 21, 12);

let emulator: CatalogEmulator;
beforeAll(async () => {
  emulator = await startCatalogEmulator({ now: () => NOW, seed: 'demo' });
});
afterAll(() => emulator.close());

const run = (...argv: string[]) =>
  svc(['catalog', ...argv], { now: () => NOW, env: { SVC_CATALOG_URL: emulator.url } });

test('every product of the sandbox can be drawn, compared and checked', async () => {
  const { stdout } = await run('products', 'list', '--all', '-o', 'id');
  const ids = stdout.split('\n').filter(Boolean);
  expect(ids.length).toBeGreaterThan(10);
  for (const id of ids) {
    expect(await run('history', id, '--from', '-400d'), id).toMatchObject({ code: 0 });
    expect(await run('compare', id, '--trend'), id).toMatchObject({ code: 0 });
    expect([0, 1], id).toContain((await run('check', id, '--below', '100', '--any')).code);
  }
});

test('its history in parts is its history at once', async () => {
  const { stdout } = await run('products', 'list', '--search', 'coffee', '--limit', '1', '-o', 'id');
  const id = stdout.trim();
  const whole = await run('history', id, '--from', '-830d', '--interval', '1h', '-o', 'json');
  const parts = await run('history', id, '--from', '-900d', '--interval', '1h', '-o', 'json');
  const [one] = JSON.parse(whole.stdout);
  const [other] = JSON.parse(parts.stdout);
  expect(one.dates).toHaveLength(19_921);
  expect(other.dates.slice(-19_921)).toEqual(one.dates);
  expect(other.values.slice(-19_921)).toEqual(one.values);
});

test('what it sells no more is stale, and is still drawn', async () => {
  const { stdout } = await run('products', 'list', '--search', 'chicory', '-o', 'id');
  const id = stdout.trim();
  expect((await run('compare', id)).stderr).toContain('stale: observed more than 7 days ago');
  expect(JSON.parse((await run('history', id, '-o', 'json')).stdout)[0].statistics.covered).toBe(0);
  expect(
    JSON.parse((await run('history', id, '--from', '-300d', '-o', 'json')).stdout)[0].statistics.covered,
  ).toBeGreaterThan(50);
});
