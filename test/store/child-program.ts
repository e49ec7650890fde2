/** What the tests run in processes of their own, so that they can be killed, and can race. Bundled by `child.ts`. */
import { writeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { SvcError } from '../../src/errors.ts';
import { writeAtomic } from '../../src/store/atomic-write.ts';
import { clientKey, withCredentials } from '../../src/store/credentials.ts';
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
  client_secret: 'secret',
  token_endpoint_auth_method: 'client_secret_post',
} as const;

const modes: Record<string, () => Promise<void>> = {
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
