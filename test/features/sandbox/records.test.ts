import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readSandboxes, recordSandbox } from '../../../src/features/sandbox/records.ts';
import { sandboxEnv } from '../../../src/features/sandbox/schema.ts';
import { temporaryHome } from '../../support/homes.ts';

const NOW = Date.UTC(2026, 5, 1, 12);
const ENV = {
  SVC_ALERTS_URL: 'http://127.0.0.1:4001',
  SVC_WEBHOOKS_URL: 'http://127.0.0.1:4002',
  SVC_WEBHOOKS_TOKEN: 'pat_sandbox_0123456789abcdef01234567',
  SVC_CATALOG_URL: 'http://127.0.0.1:4003',
  SVC_TRADE_URL: 'http://127.0.0.1:4004',
  SVC_TRADE_TOKEN: '0123456789abcdef0123456789abcdef01234567',
};

function machine() {
  const home = temporaryHome();
  const paths = { config: join(home, 'config'), state: join(home, 'state') };
  const at = (now: number) => ({ paths, now: () => now, random: Math.random, identity: () => 'ann@host' });
  return { paths, at, folder: join(paths.state, 'sandboxes') };
}

test('other files are ignored', async () => {
  const { paths, at, folder } = machine();
  recordSandbox(at(NOW), { startedBy: 'start', traps: [], env: ENV });
  const [own = ''] = readdirSync(folder);
  const whole: Record<string, unknown> = JSON.parse(readFileSync(join(folder, own), 'utf8'));
  mkdirSync(join(folder, 'folder.json'));
  writeFileSync(join(folder, 'other.txt'), JSON.stringify(whole));
  const strange = [
    fc.string(),
    fc.json(),
    ...Object.keys(whole).map((name) =>
      fc.jsonValue().map((value) =>
        JSON.stringify({
          ...whole,
          [name]: JSON.stringify(value) === JSON.stringify(whole[name]) ? null : { value },
        }),
      ),
    ),
    ...Object.keys(ENV).map((name) =>
      fc.string().map((value) => JSON.stringify({ ...whole, env: { ...ENV, [name]: `${value}\n` } })),
    ),
  ];
  await fc.assert(
    fc.asyncProperty(fc.oneof(...strange), async (text) => {
      writeFileSync(join(folder, 'strange.json'), text);
      expect(await readSandboxes(paths)).toHaveLength(1);
      expect(readFileSync(join(folder, 'strange.json'), 'utf8')).toBe(text);
    }),
    { numRuns: 100 },
  );
});

test('a record with an address of another machine or a shell command is refused', () => {
  expect(sandboxEnv.parse({ ...ENV, PATH: '/bin' })).toEqual(ENV);
  for (const value of [
    'http://127.0.0.1.evil.example:1',
    'https://127.0.0.1:1',
    'http://127.0.0.1:1/$(reboot)',
    '',
    undefined,
  ]) {
    expect(sandboxEnv.safeParse({ ...ENV, SVC_TRADE_URL: value }).success).toBe(false);
  }
  for (const value of ['$(reboot)', 'a b c d e f', 'short', "''''''''", undefined]) {
    expect(sandboxEnv.safeParse({ ...ENV, SVC_TRADE_TOKEN: value }).success).toBe(false);
  }
});
