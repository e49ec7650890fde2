/** Commands whose logins and signing secrets are in a credential helper. */
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { type TestHelper, testHelper } from '../../../support/credential-helper.ts';
import { type RunOptions, svc, temporaryHome } from '../../../support/svc.ts';
import { FIRST, keep, login } from './rotating-server.ts';

const SERVICE = 'https://webhooks.example.com';
const SECRET = 'whsec_0123456789abcdef';
let home: string;
let helper: TestHelper;
beforeEach(() => {
  home = temporaryHome();
  const folder = join(home, 'helper');
  mkdirSync(folder);
  helper = testHelper(folder);
  const document = login(SERVICE, 3600);
  keep(join(home, 'config'), { ...document, gateway_tokens: [{ ...GATEWAY, obtained_at: 1 }] });
});

const GATEWAY = { profile: 'default', base_url: 'https://trade.example.com', access_token: 'gateway-token-0123456789' };

const run = (line: string, { env, ...options }: RunOptions = {}) =>
  svc(line.split(' '), {
    home,
    sleeps: true,
    ...options,
    env: { ...helper.env, SVC_WEBHOOKS_URL: SERVICE, SVC_TRADE_URL: GATEWAY.base_url, ...env },
  });
const json = async (line: string) => JSON.parse((await run(`${line} -o json`)).stdout);
const files = () =>
  ['credentials', 'webhook-secrets'].map((name) => readFileSync(join(home, 'config', `${name}.json`), 'utf8')).join('');
const secrets = [FIRST.access, FIRST.refresh, GATEWAY.access_token, SECRET];

it('moves everything there and back, and names the next steps', async () => {
  expect(await run('webhooks secrets import ep_1', { stdin: SECRET })).toMatchObject({ code: 0 });
  expect(await run('oauth move --to helper')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('svc config set credentials.helper pass'),
  });
  await run('config set credentials.helper small');
  for (const line of ['oauth token', 'webhooks secrets export ep_1']) {
    expect(await run(line), line).toMatchObject({
      code: 4,
      stdout: '',
      stderr: expect.stringMatching(
        /is in a file, and credentials\.helper is small\nhint: .*svc oauth move --to helper/,
      ),
    });
  }
  const status = await run('oauth status -o json');
  expect([status.code, JSON.parse(status.stdout)]).toMatchObject([
    4,
    { store: 'file', advice: expect.stringMatching(/oauth move/) },
  ]);
  expect(await run('oauth move --to helper --dry-run')).toMatchObject({ code: 0, stderr: 'nothing was changed\n' });
  expect([helper.names(), await json('oauth move --to helper')]).toEqual([
    [],
    { store: 'small', credentials: 2, signing_secrets: 1 },
  ]);
  for (const secret of secrets) expect(files()).not.toContain(secret);
  expect(helper.names()).toEqual([
    'signing/webhooks.example.com/ep_1/*',
    'trade/default/trade.example.com/*',
    'webhooks/default/webhooks.example.com/*',
  ]);
  expect(await run('oauth token')).toMatchObject({ code: 0, stdout: `${FIRST.access}\n`, stderr: '' });
  expect(await run('webhooks secrets export ep_1')).toMatchObject({ stdout: `${SECRET}\n` });
  helper.forget();
  expect(await json('oauth status')).toMatchObject({ state: 'signed_in', source: 'helper', store: 'small' });
  expect(await json('oauth status --all')).toMatchObject([
    { service: 'webhooks', source: 'small' },
    { service: 'trade', source: 'small' },
  ]);
  expect(await json('trade status')).toMatchObject({ source: 'helper', store: 'small' });
  // Data that is not secret needs no passphrase.
  expect(helper.calls).toEqual([]);
  const back = await run('oauth move --to file');
  expect(back).toMatchObject({ code: 0, stderr: expect.stringContaining('svc config unset credentials.helper') });
  for (const secret of secrets) expect(files()).toContain(secret);
  expect(helper.names()).toEqual([]);
});

it('applies to all profiles without their own store, and leaves nothing behind', async () => {
  await run('config set credentials.helper small');
  await run('config set webhooks.url https://eu.example.com --profile eu');
  expect(await run('config list --show-origin --profile eu')).toMatchObject({
    stdout: expect.stringMatching(/credentials\.helper +small +.*\(profile default\)/),
  });
  await run('oauth move --to helper');
  expect(await run('oauth logout')).toMatchObject({ code: 0 });
  expect(helper.names()).toEqual(['trade/default/trade.example.com/*']);
  expect(await run('config purge --yes')).toMatchObject({ code: 0 });
  expect(helper.names()).toEqual([]);
});

it('is checked by doctor, which names a broken helper', async () => {
  await run('config set credentials.helper small');
  const findings = async (fault = '') => {
    const { stdout } = await run('doctor --offline -o json', { env: { HELPER_FAULT: fault } });
    return JSON.parse(stdout).filter(({ check }: { check: string }) => check === 'store');
  };
  expect(await findings()).toMatchObject([
    { status: 'ok', detail: 'the credential helper small stores, reads and erases' },
    { status: 'fail', fix: 'svc oauth move --to helper' },
  ]);
  await run('oauth move --to helper');
  expect(await findings('fail store')).toMatchObject([
    { status: 'fail', detail: expect.stringMatching(/the key store is locked/) },
  ]);
  expect(await run('oauth token', { env: { HELPER_FAULT: 'fail get' } })).toMatchObject({ code: 4, stdout: '' });
  expect(await run('oauth token', { env: { PATH: '/nonexistent' } })).toMatchObject({
    code: 4,
    stderr: expect.stringContaining('install docker-credential-small'),
  });
});
