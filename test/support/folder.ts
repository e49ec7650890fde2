import { setMaxListeners } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach } from 'vitest';
import type { Paths } from '../../src/context.ts';
import { FILE, type SecretContext } from '../../src/store/secret-store.ts';

/** A folder of its own for each test: `config` in it does not exist yet. */
export function testFolder(): { readonly path: string; readonly paths: Paths } {
  const folder = { path: '', paths: { config: '', state: '' } };
  beforeEach(() => {
    folder.path = mkdtempSync(join(tmpdir(), 'svc-store-'));
    const config = join(folder.path, 'config');
    folder.paths = { config, state: join(folder.path, 'state') };
  });
  afterEach(() => rmSync(folder.path, { recursive: true, force: true }));
  return folder;
}

/** Twenty wait for one lock in some tests. */
const { signal } = new AbortController();
setMaxListeners(0, signal);

export const lockContext: SecretContext = {
  env: {},
  settings: { get: () => FILE },
  warn: () => {},
  signal,
  sleep: (ms, signal) => sleep(ms, undefined, signal === undefined ? {} : { signal }),
  now: Date.now,
  random: Math.random,
  pid: process.pid,
};
