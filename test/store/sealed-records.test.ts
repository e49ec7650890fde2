/** Secrets in a credential helper: the contents of the file, the state after a crash, and the errors of a broken helper. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { NO_CREDENTIALS, type OAuthCredential, withClient, withCredential } from '../../src/store/credentials.ts';
import { readCredentials, readOpened, withCredentials } from '../../src/store/credentials-file.ts';
import type { VaultContext } from '../../src/store/sealed-records.ts';
import { changeWebhookSecrets, openWebhookSecret, readWebhookSecrets } from '../../src/store/webhook-secrets.ts';
import { type TestHelper, testHelper } from '../support/credential-helper.ts';
import { lockContext, testFolder } from './folder.ts';

const folder = testFolder();
const path = () => join(folder.paths.config, 'credentials.json');
const stored = () => JSON.parse(readFileSync(path(), 'utf8'));

const LOGIN: OAuthCredential = {
  kind: 'oauth',
  profile: 'default',
  base_url: 'https://webhooks.example.com/x',
  issuer: 'https://h',
  token_endpoint: 'https://h/oauth/token',
  client_id: 'c1',
  access_token: 'at-0123456789',
  obtained_at: 1_700_000_000,
  refresh_token: 'rt-0123456789',
};
const CLIENT = {
  issuer: 'https://h',
  client_id: 'c1',
  client_secret: 'ü secret',
  token_endpoint_auth_method: 'client_secret_post' as const,
  redirect_uris: [],
  registered_at: 1,
};
const STORED = withClient(withCredential(NO_CREDENTIALS, LOGIN), CLIENT);

let helper: TestHelper;
beforeEach(() => {
  mkdirSync(folder.paths.config, { recursive: true, mode: 0o700 });
  helper = testHelper(folder.path);
});

const context = (more: Record<string, string> = {}, store = 'small'): VaultContext => ({
  ...lockContext,
  env: { ...helper.env, ...more },
  settings: { get: () => store },
});
const save = (change = STORED, vault = context()) =>
  withCredentials(folder.paths, vault, async (file) => {
    const [client, login] = [file.document.clients[0], file.document.credentials[0]];
    if (client !== undefined) await file.open(client);
    if (login !== undefined) await file.open(login);
    return file.save({ ...file.document, ...change });
  });
const login = async (vault = context()) =>
  (await readOpened(folder.paths, vault, ({ credentials }) => credentials[0])).record;

describe('a login in a credential helper', () => {
  it('leaves no secret in the file, and is restored completely', async () => {
    await save();
    const text = readFileSync(path(), 'utf8');
    for (const secret of [LOGIN.access_token, LOGIN.refresh_token, CLIENT.client_secret]) {
      expect(text).not.toContain(secret);
    }
    expect(helper.names()).toEqual(['client/h/c1/*', 'webhooks/default/webhooks.example.com/x/*']);
    expect(await login()).toMatchObject(LOGIN);
    const client = (await readOpened(folder.paths, context(), ({ clients }) => clients[0])).record;
    expect(client).toMatchObject(CLIENT);
    // What it is, and until when, needs no helper.
    const { document } = await readCredentials(folder.paths, context({ PATH: '' }));
    expect(document.credentials[0]).toMatchObject({ base_url: LOGIN.base_url, access_token: '', refresh_token: '' });
  });

  it('that is too large for an entry is split', async () => {
    const large = { ...LOGIN, access_token: 'a'.repeat(5000), refresh_token: 'r'.repeat(1500) };
    await save(withCredential(STORED, large));
    expect(helper.names().filter((name) => name.startsWith('webhooks'))).toEqual(
      [1, 2, 3, 4].map((part) => `webhooks/default/webhooks.example.com/x/*/${part}`),
    );
    expect(await login()).toMatchObject(large);
    await save(STORED);
    expect([await login(), helper.names().length]).toEqual([expect.objectContaining(LOGIN), 2]);
  });

  it('is written again only if its secrets change, and the old entry is erased', async () => {
    await save();
    const before = stored();
    helper.forget();
    await withCredentials(folder.paths, context(), async (file) => {
      const [first] = file.document.credentials;
      if (first !== undefined) await file.save(withCredential(file.document, { ...first, obtained_at: 2 }));
    });
    expect([helper.calls, stored().credentials[0]]).toEqual([[], { ...before.credentials[0], obtained_at: 2 }]);
    await withCredentials(folder.paths, context(), async (file) => {
      await file.reserve();
      await file.save(withCredential(file.document, { ...LOGIN, access_token: 'new' }));
    });
    // The check and its three calls, then what is stored, read back, and what it replaces.
    expect(helper.calls).toEqual(['store', 'get', 'erase', 'store', 'get', 'erase']);
    expect(await login()).toMatchObject({ access_token: 'new' });
    expect(stored().credentials[0].sealed.entry).not.toBe(before.credentials[0].sealed.entry);
    expect(stored().clients).toEqual(before.clients);
    expect([helper.names().length, stored().erasing]).toEqual([2, undefined]);
  });

  it('is erased with the next change if erasing failed', async () => {
    await save();
    const next = withCredential(STORED, { ...LOGIN, access_token: 'new' });
    await withCredentials(folder.paths, context({ HELPER_FAULT: 'fail erase' }), async (file) => {
      expect(await file.save({ ...file.document, credentials: next.credentials })).toBe(1);
    });
    expect([await login(), stored().erasing.length]).toEqual([expect.objectContaining({ access_token: 'new' }), 1]);
    await save(withCredential(STORED, { ...LOGIN, access_token: 'newer' }));
    expect([helper.names().length, stored().erasing]).toEqual([2, undefined]);
  });

  it('is read again if another process replaces it meanwhile', async () => {
    await save();
    let first = true;
    const found = await readOpened(folder.paths, context(), (document) => {
      if (!first) return document.credentials[0];
      first = false;
      const [one] = document.credentials;
      return one?.sealed && { ...one, sealed: { ...one.sealed, entry: 'https://svc.invalid/gone' } };
    });
    expect(found.record).toMatchObject(LOGIN);
  });
});

describe('a process that dies before it replaces the file', () => {
  it('leaves the old login, and an entry that nothing names', async () => {
    await save();
    const before = readFileSync(path(), 'utf8');
    // Erasing comes after that step, and is left out.
    await withCredentials(folder.paths, context({ HELPER_FAULT: 'fail erase' }), async (file) => {
      await file.save(withCredential(file.document, { ...LOGIN, access_token: 'new', refresh_token: 'rt-new' }));
    });
    writeFileSync(`${path()}.new`, readFileSync(path()), { mode: 0o600 });
    writeFileSync(path(), before);
    await withCredentials(folder.paths, context(), () => {});
    expect([readFileSync(path(), 'utf8'), existsSync(`${path()}.new`)]).toEqual([before, false]);
    expect([await login(), helper.names().length]).toEqual([expect.objectContaining(LOGIN), 3]);
  });
});

describe('a broken helper', () => {
  /** The time of one that hangs is over as soon as it has been called. */
  const soon = (vault: VaultContext): VaultContext => {
    if (!vault.env['HELPER_FAULT']?.startsWith('hang')) return vault;
    const sleep: VaultContext['sleep'] = async (ms, signal) => {
      const hung = vault.env['HELPER_FAULT']?.slice('hang '.length);
      if (ms < 15_000) return lockContext.sleep(ms, signal);
      const calls = helper.calls.length;
      while (helper.calls.length === calls) await lockContext.sleep(2, signal);
      if (helper.calls.at(-1) !== hung) await lockContext.sleep(ms, signal);
    };
    return { ...vault, sleep };
  };

  it.each([
    ['hang get', 'did not finish within 15 s', 'passphrase'],
    ['fail get', 'failed to read with exit status 1: the key store is locked', 'svc doctor'],
    ['lie get', 'printed no entry of the protocol', 'svc doctor'],
  ])('%s: exit 4, with the next step', async (fault, message, hint) => {
    await save();
    const vault = soon(context({ HELPER_FAULT: fault }));
    await expect(login(vault)).rejects.toMatchObject({
      exit: 4,
      message: expect.stringContaining(`the credential helper small ${message}`),
      hint: expect.stringContaining(hint),
    });
  });

  it('that is missing, or is only in the working directory or another relative folder: exit 4', async () => {
    await save();
    for (const PATH of ['/nonexistent', '', '.', ':/nonexistent', '../bin']) {
      await expect(login(context({ PATH }))).rejects.toMatchObject({
        exit: 4,
        message: 'the credential helper small is not available: docker-credential-small is not found',
        hint: expect.stringContaining('install docker-credential-small'),
      });
    }
  });

  it.each(['hang store', 'fail store', 'lie store'])('%s: the old login stays', async (fault) => {
    await save();
    const before = readFileSync(path(), 'utf8');
    const next = withCredential(STORED, { ...LOGIN, access_token: 'new' });
    const write = withCredentials(folder.paths, soon(context({ HELPER_FAULT: fault })), async (file) =>
      file.save({ ...file.document, credentials: next.credentials }),
    );
    await expect(write).rejects.toMatchObject({ exit: 4 });
    expect([readFileSync(path(), 'utf8'), existsSync(`${path()}.new`)]).toEqual([before, false]);
    expect(await login()).toMatchObject(LOGIN);
    // Found out before there is anything to lose.
    const reserve = withCredentials(folder.paths, soon(context({ HELPER_FAULT: fault })), (file) => file.reserve());
    await expect(reserve).rejects.toMatchObject({ exit: 4 });
  });

  it('shows no secret in errors', async () => {
    writeFileSync(join(folder.path, 'docker-credential-small'), '#!/bin/sh\ncat\nexit 1\n');
    const error = await save().catch((error) => error);
    expect(error).toMatchObject({ exit: 4, message: expect.stringContaining('failed to store') });
    const { message } = await withCredentials(folder.paths, context(), (file) => file.save(STORED)).then(
      () => ({ message: '' }),
      (error: Error) => error,
    );
    expect(message).toContain('"Secret":"***"');
  });
});

describe('the other store', () => {
  it('is never used silently', async () => {
    await save();
    await expect(login(context({}, 'file'))).rejects.toMatchObject({
      exit: 4,
      message:
        'the login of profile default to https://webhooks.example.com/x is in the credential helper small, and credentials.helper is not set',
      hint: 'sign in again, or: svc config set credentials.helper small',
    });
    await expect(login(context({}, 'pass'))).rejects.toMatchObject({
      hint: 'sign in again, or: svc config set credentials.helper small',
    });
    await withCredentials(folder.paths, context({}, 'file'), (file) => file.save(STORED));
    expect(helper.names()).toEqual([]);
    await expect(login()).rejects.toMatchObject({
      exit: 4,
      message: expect.stringContaining('is in a file, and credentials.helper is small'),
      hint: 'sign in again, or: svc config unset credentials.helper',
    });
    expect(await login(context({ PATH: '' }, 'file'))).toMatchObject(LOGIN);
  });

  it('does not matter for a record that has no secret', async () => {
    const { client_secret: _, ...open } = { ...CLIENT, token_endpoint_auth_method: 'none' as const };
    await withCredentials(folder.paths, context(), async (file) => {
      await file.save(withClient(file.document, open));
    });
    const find = () => readOpened(folder.paths, context(), ({ clients }) => clients[0]);
    expect([(await find()).record, helper.names()]).toEqual([open, []]);
  });
});

describe('signing secrets in a credential helper', () => {
  const SECRET = { base_url: 'https://h', endpoint_id: 'ep_1', secret: 'whsec_0123456789', stored_at: '' };
  const file = () => join(folder.paths.config, 'webhook-secrets.json');
  const add = (secret: typeof SECRET, vault = context()) =>
    changeWebhookSecrets(folder.paths, vault, (secrets) => [...secrets, secret]);
  const all = async (vault = context()) => {
    const { secrets } = await readWebhookSecrets(folder.paths);
    return Promise.all(secrets.map((one) => openWebhookSecret(one, vault)));
  };

  it('work like those in the file', async () => {
    await add(SECRET);
    await add({ ...SECRET, base_url: null as unknown as string, endpoint_id: 'ep_2', secret: 'whsec_other' });
    expect(readFileSync(file(), 'utf8')).not.toContain('whsec');
    expect(helper.names()).toEqual(['signing/h/ep_1/*', 'signing/no-service/ep_2/*']);
    expect((await all()).map(({ secret }) => secret)).toEqual([SECRET.secret, 'whsec_other']);
    await expect(all(context({}, 'file'))).rejects.toMatchObject({ exit: 4 });
    await changeWebhookSecrets(folder.paths, context(), (secrets) => secrets.slice(1));
    expect(helper.names()).toEqual(['signing/no-service/ep_2/*']);
  });

  it('of a process that died before it replaced the file do not exist', async () => {
    await add(SECRET);
    writeFileSync(`${file()}.new`, readFileSync(file()), { mode: 0o600 });
    writeFileSync(file(), '{"version":1,"secrets":[]}', { mode: 0o600 });
    await changeWebhookSecrets(folder.paths, context(), (secrets) => secrets);
    expect([await all(), existsSync(`${file()}.new`)]).toEqual([[], false]);
  });
});
