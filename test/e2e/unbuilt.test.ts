/** The launcher of a checkout that was not built, or not whole. */
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { HOME, LAUNCHER, start } from './binary.ts';

const launcher = join(HOME, 'unbuilt/bin/svc.cjs');
const run = (...argv: string[]) => start(process.execPath, [launcher, ...argv]).ended;

beforeAll(() => {
  mkdirSync(join(HOME, 'unbuilt/bin'), { recursive: true });
  cpSync(LAUNCHER, launcher);
});

it('says how to build it', async () => {
  const message = { code: 70, stdout: '', stderr: 'svc: not built yet: run npm ci && npm run build\n' };
  for (const argv of [['--version'], ['alerts', 'list']]) expect(await run(...argv)).toMatchObject(message);
});

it('names the Node.js version that it needs', async () => {
  const preload = join(HOME, 'unbuilt/old.cjs');
  writeFileSync(preload, "Object.defineProperty(process, 'versions', { value: { node: '18.20.8' } });");
  const { code, stderr } = await start(process.execPath, ['--require', preload, LAUNCHER, '--version']).ended;
  expect({ code, stderr }).toEqual({
    code: 70,
    stderr: 'svc: needs Node.js 20.19 or later, and this is 18.20.8\n',
  });
});
