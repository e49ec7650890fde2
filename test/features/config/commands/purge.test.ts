import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { svc, temporaryHome } from '../../../support/svc.ts';

const OWN = [
  'config/credentials.json.lock',
  'config/settings.json',
  'config/settings.json.new',
  'config/webhook-secrets.json',
];

let home = '';
const files = () =>
  readdirSync(home, { recursive: true, encoding: 'utf8', withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name).slice(home.length + 1))
    // Links by which an executable finds these folders.
    .filter((path) => !path.startsWith('xdg-'))
    .sort();

function put(path: string, text = ''): void {
  mkdirSync(join(home, path, '..'), { recursive: true });
  writeFileSync(join(home, path), text, { mode: 0o600 });
}

beforeEach(() => {
  home = temporaryHome();
  for (const path of OWN) put(path, path.endsWith('settings.json') ? '{}' : '');
  const secret = { base_url: null, endpoint_id: 'ep_1', secret: 'whsec_1', stored_at: '2026-01-01T00:00:00.000Z' };
  put('config/webhook-secrets.json', JSON.stringify({ version: 1, secrets: [secret] }));
  put('state/trade/orders.ndjson');
  put('cache/completion-alerts.json');
});

it('deletes every file of svc and its folders, once confirmed', async () => {
  const run = await svc(['config', 'purge'], { home, terminal: 120, answer: true });
  expect(run).toMatchObject({ code: 0, asked: ['Delete 6 files, with 1 signing secret?'] });
  expect(files()).toEqual([]);
  expect(['config', 'state', 'cache'].filter((folder) => existsSync(join(home, folder)))).toEqual([]);
  expect(await svc(['config', 'purge', '-o', 'json'], { home })).toMatchObject({ code: 0, stdout: '[]\n' });
});

it.each([
  [['--dry-run'], {}, 0],
  [[], { terminal: 120, answer: false }, 2],
  [[], {}, 2],
] as const)('with %j and %j deletes nothing', async (args, options, code) => {
  const before = files();
  expect((await svc(['config', 'purge', ...args], { home, ...options })).code).toBe(code);
  expect(files()).toEqual(before);
});

it('does not delete files of other programs', async () => {
  const other = join(temporaryHome(), 'notes.txt');
  writeFileSync(other, 'mine');
  put('config/settings.txt');
  put('config/project/settings.json');
  symlinkSync(join(other, '..'), join(home, 'state', 'link'));
  expect((await svc(['config', 'purge', '--yes'], { home })).code).toBe(0);
  expect(files()).toEqual(['config/project/settings.json', 'config/settings.txt']);
  expect(readFileSync(other, 'utf8')).toBe('mine');
});

it('deletes files that svc cannot read', async () => {
  put('config/credentials.json', 'no JSON');
  put('config/settings.json', 'no JSON');
  expect(await svc(['config', 'purge', '--yes', '-o', 'id'], { home })).toMatchObject({ code: 0 });
  expect(files()).toEqual([]);
});
