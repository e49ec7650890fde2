import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { knownTables } from '../../../src/features/trade/known-tables.ts';
import { testFolder } from '../../store/folder.ts';

const folder = testFolder();
const OWNER = { address: 'https://gateway.example.com/', token: '0123456789abcdef' };
const DAY_MS = 86_400_000;
const ROWS = [{ accountId: '654061', accountName: '00654061' }];

let now = 0;
const tables = (owner: Partial<typeof OWNER> = {}) =>
  knownTables(folder.paths, { ...OWNER, ...owner }, { now: () => now, pid: 7 });
const files = () => readdirSync(folder.paths.cache).map((name) => join(folder.paths.cache, name));

it('keeps rows for a day', () => {
  now = 5 * DAY_MS;
  expect(tables().read('Account')).toBeUndefined();
  tables().keep('Account', ROWS);
  tables().keep('Offer', []);
  now += DAY_MS - 1;
  expect(tables().read('Account')).toEqual(ROWS);
  expect(tables().read('Offer')).toEqual([]);
  expect(tables().read('constructor')).toBeUndefined();
  now += 1;
  expect(tables().read('Account')).toBeUndefined();
  // A clock that was put back makes nothing last longer.
  now = 4 * DAY_MS;
  expect(tables().read('Account')).toBeUndefined();
});

it('separates addresses and tokens, and never stores the token', () => {
  tables().keep('Account', ROWS);
  expect(tables({ address: 'https://other.example.com/' }).read('Account')).toBeUndefined();
  expect(tables({ token: 'another' }).read('Account')).toBeUndefined();
  const [path = ''] = files();
  expect(path + readFileSync(path, 'utf8')).not.toContain(OWNER.token);
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

it.each([
  '',
  '{',
  'null',
  '[]',
  '{"version":2,"tables":{"Account":{"at":0,"rows":[]}}}',
  '{"version":1}',
  '{"version":1,"tables":{"Account":null}}',
  '{"version":1,"tables":{"Account":{"at":0,"rows":"x"}}}',
  '{"version":1,"tables":{"Account":{"rows":[]}}}',
])('replaces a file with %s', (text) => {
  tables().keep('Offer', ROWS);
  const [path = ''] = files();
  writeFileSync(path, text);
  expect(tables().read('Account')).toBeUndefined();
  tables().keep('Account', ROWS);
  expect(tables().read('Account')).toEqual(ROWS);
});

it('ignores a failed write', () => {
  writeFileSync(folder.paths.cache, '');
  tables().keep('Account', ROWS);
  expect(tables().read('Account')).toBeUndefined();
});
