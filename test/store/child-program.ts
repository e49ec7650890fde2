/** What the tests run in processes of their own, so that they can be killed, and can race. Bundled by `child.ts`. */
import { readFileSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { SvcError } from '../../src/errors.ts';
import { writeAtomic } from '../../src/store/atomic-write.ts';
import { clientKey, withCredentials } from '../../src/store/credentials.ts';
import { withLock } from '../../src/store/lock.ts';
import { FILE, type SecretContext } from '../../src/store/secret-store.ts';
import { changeSettings } from '../../src/store/settings-editor.ts';
import { signingSecretKey, withWebhookSecrets } from '../../src/store/webhook-secrets.ts';

const context: SecretContext = {
  env: process.env,
  settings: { get: () => process.env['STORE'] ?? FILE },
  warn: (text) => void writeSync(2, `${text}; `),
  signal: new AbortController().signal,
  sleep: (ms, signal) => sleep(ms, undefined, signal === undefined ? {} : { signal }),
  now: Date.now,
  random: Math.random,
  pid: process.pid,
};

const [mode, path = '', count = '1', name = ''] = process.argv.slice(2);
const paths = { config: path, state: path, cache: path };

const CLIENT = {
  issuer: 'https://h',
  client_id: 'c1',
  redirect_uris: [],
  registered_at: 0,
  token_endpoint_auth_method: 'none',
} as const;

const modes: Record<string, () => Promise<void>> = {
  /** Increments a counter, which is correct only without concurrent writers. */
  async increment() {
    const file = join(path, 'counter');
    for (let i = 0; i < Number(count); i++) {
      await withLock(`${file}.lock`, context, async () => {
        const value = Number(readFileSync(file, 'utf8'));
        await sleep(0);
        writeAtomic(file, String(value + 1));
      });
    }
  },
  /**
   * Fails where somebody else is inside at the same time. The clock is asked between seeing a dead owner and removing its
   * lock: a slow one makes that gap wide enough for others to come in between.
   */
  async takeovers() {
    const now = () => {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, Math.random() * 6);
      return Date.now();
    };
    for (let i = 0; i < Number(count); i++) {
      const inside = join(path, `${i}.inside`);
      await withLock(join(path, `${i}.lock`), { ...context, now }, async () => {
        writeFileSync(inside, '', { flag: 'wx' });
        await sleep(3);
        rmSync(inside);
      });
    }
  },
  async hold() {
    await withLock(path, context, async () => {
      writeSync(1, 'held\n');
      await sleep(60_000);
    });
  },
  async settings() {
    for (let i = 0; i < Number(count); i++) {
      await changeSettings(paths, context, (document) => ({ ...document, [`${name}-${i}`]: 'x'.repeat(40) }));
    }
  },
  async secrets() {
    for (let i = 0; i < Number(count); i++) {
      const entry = { base_url: null, endpoint_id: `${name}-${i}`, secret: 'whsec_x', stored_at: '' };
      await withWebhookSecrets(paths, context, (store) => store.set(signingSecretKey(entry), entry));
    }
  },
  async credentials() {
    await withCredentials(paths, context, async (store) => {
      await store.reserve();
      writeSync(2, 'room is there; ');
      await store.set(clientKey(CLIENT), CLIENT);
      writeSync(2, 'saved');
    });
  },
  async 'add-clients'() {
    for (let i = 0; i < Number(count); i++) {
      await withCredentials(paths, context, async (store) => {
        await sleep(0);
        const client = { ...CLIENT, issuer: name, client_id: `${i}` };
        await store.set(clientKey(client), client);
      });
    }
  },
  async write() {
    writeAtomic(path, 'n'.repeat(Number(count)));
  },
};

try {
  await modes[mode ?? '']?.();
} catch (error) {
  if (!(error instanceof SvcError)) throw error;
  writeSync(2, `${error.code}: ${error.message}`);
  process.exitCode = error.exit;
}
