/** What the tests run in processes of their own, so that they can be killed, and can race. Bundled by `child.ts`. */
import { writeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { clientKey, credentialsFile } from '../../src/store/credentials.ts';
import { FILE, type SecretContext, withSecrets } from '../../src/store/secret-store.ts';
import { changeSettings } from '../../src/store/settings-editor.ts';
import { signingSecretKey, webhookSecretsFile } from '../../src/store/webhook-secrets.ts';
import { processContext, runMode } from './run-mode.ts';

const context: SecretContext = {
  env: process.env,
  settings: { get: () => process.env['STORE'] ?? FILE },
  warn: (text) => void writeSync(2, `${text}; `),
  ...processContext,
};

const [mode, path = '', count = '1', name = ''] = process.argv.slice(2);
const paths = { config: path, state: path };

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
      await withSecrets(webhookSecretsFile(paths), context, (store) => store.set(signingSecretKey(entry), entry));
    }
  },
  async credentials() {
    await withSecrets(credentialsFile(paths), context, async (store) => {
      await store.reserve();
      writeSync(2, 'room is there; ');
      await store.set(clientKey(CLIENT), CLIENT);
      writeSync(2, 'saved');
    });
  },
  async 'add-clients'() {
    for (let i = 0; i < Number(count); i++) {
      await withSecrets(credentialsFile(paths), context, async (store) => {
        await sleep(0);
        const client = { ...CLIENT, issuer: name, client_id: `${i}` };
        await store.set(clientKey(client), client);
      });
    }
  },
};

await runMode(modes[mode ?? '']);
