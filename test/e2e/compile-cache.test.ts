/** Compiled code is executed at the next start: it is stored only where nobody else can write. */
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { otherNode } from '../support/peers.ts';
import { HOME, LAUNCHER, start } from './binary.ts';

const { version, unpack } = otherNode();
const node = unpack?.(join(HOME, 'node')) ?? '';

/** Runs a command in a home of its own, and returns the names in its cache folder. */
async function cachedBy(home: string, env: Readonly<Record<string, string>> = {}): Promise<readonly string[]> {
  const { code, stderr } = await start(node, [LAUNCHER, 'config', 'path'], { env: { HOME: home, ...env } }).ended;
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const folder = join(env['XDG_CACHE_HOME'] ?? join(home, '.cache'), 'svc');
  return existsSync(folder) ? readdirSync(folder) : [];
}

const emptyHome = (): string => mkdtempSync(join(HOME, 'home-'));

describe.skipIf(unpack === undefined)(`compiled code on Node.js ${version}`, () => {
  it('is stored in a folder of the cache that only the user can read, and nowhere else', async () => {
    const home = emptyHome();
    expect(await cachedBy(home)).toEqual([expect.stringContaining(`v${version}`)]);
    expect(statSync(join(home, '.cache/svc')).mode & 0o777).toBe(0o700);
    const XDG_CACHE_HOME = join(emptyHome());
    expect(await cachedBy(emptyHome(), { XDG_CACHE_HOME })).toHaveLength(1);
  });

  it('is neither stored nor read where others can write, or where the folder cannot be written', async () => {
    for (const [folder, mode] of [
      ['', 0o777],
      ['.cache', 0o770],
      ['.cache/svc', 0o722],
    ] as const) {
      const home = emptyHome();
      mkdirSync(join(home, '.cache/svc'), { mode: 0o700, recursive: true });
      chmodSync(join(home, folder), mode);
      expect([folder, await cachedBy(home)]).toEqual([folder, []]);
    }
    const file = join(HOME, 'a-file');
    expect(await cachedBy(emptyHome(), { XDG_CACHE_HOME: join(file, 'missing') })).toEqual([]);
    expect(await cachedBy(emptyHome(), { XDG_CACHE_HOME: 'relative' })).toEqual([]);
  });

  it('is not stored with NODE_DISABLE_COMPILE_CACHE', async () => {
    expect(await cachedBy(emptyHome(), { NODE_DISABLE_COMPILE_CACHE: '1' })).toEqual([]);
  });
});
