/** Commands whose logins and signing secrets are in a credential helper. */
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { SvcError } from '../../../../src/errors.ts';
import { credentialsFile, loginKey } from '../../../../src/store/credentials.ts';
import { withSecrets } from '../../../../src/store/secret-store.ts';
import { type TestHelper, testHelper } from '../../../support/credential-helper.ts';
import { lockContext } from '../../../support/folder.ts';
import { FIRST, keep, login, rotatingServer } from '../../../support/rotating-server.ts';
import { answer, type FaultServer, faultServer } from '../../../support/servers.ts';
import { type RunOptions, svc, temporaryHome } from '../../../support/svc.ts';

const SECRET = 'whsec_0123456789abcdef';
const NEW_SECRET = 'whsec_fedcba9876543210';
const PERSONAL = 'pat-0123456789abcdef';
let home: string;
let helper: TestHelper;
let service: FaultServer;
/** The part of an entry's name that is the service. */
let host: string;
beforeAll(async () => {
  service = await faultServer((socket) => socket.write(answer(200, '{"items":[]}')));
  host = service.url.replace(/[^\w.]+/g, '-');
});
afterAll(() => service.close());
beforeEach(() => {
  home = temporaryHome();
  const folder = join(home, 'helper');
  mkdirSync(folder);
  helper = testHelper(folder);
});

const run = (line: string, { env, ...options }: RunOptions = {}) =>
  svc(line.split(' '), {
    home,
    sleeps: true,
    ...options,
    env: { ...helper.env, SVC_WEBHOOKS_URL: service.url, ...env },
  });
const json = async (line: string) => JSON.parse((await run(`${line} -o json`)).stdout);
const files = () =>
  ['credentials', 'webhook-secrets'].map((name) => readFileSync(join(home, 'config', `${name}.json`), 'utf8')).join('');
/** A login and a signing secret in files, and then the setting that names the helper. */
const begin = async () => {
  keep(join(home, 'config'), login(service.url, 3600));
  expect(await run('webhooks secrets import ep_1', { stdin: SECRET })).toMatchObject({ code: 0 });
  expect(await run('config set credentials.helper small')).toMatchObject({ code: 0 });
};

it('svc with a credential helper does not use what is in its files, and says what to do', async () => {
  await begin();
  for (const [line, again] of [
    ['oauth token', 'sign in again: svc oauth login'],
    ['webhooks secrets export ep_1', 'import it again: svc webhooks secrets import, or: svc webhooks rotate'],
  ]) {
    expect(await run(line ?? ''), line).toMatchObject({
      code: 4,
      stdout: '',
      stderr: expect.stringContaining(
        `is in a file, and credentials.helper is small\nhint: ${again}, or: svc config unset credentials.helper\n`,
      ),
    });
  }
  expect(await json('oauth status')).toMatchObject({ source: null, advice: expect.stringMatching(/sign in again/) });
  expect(helper.names()).toEqual([]);
});

it('a credential helper takes a new login and a new signing secret, and the files lose the old ones', async () => {
  await begin();
  expect(await run('oauth login --token-stdin', { stdin: PERSONAL })).toMatchObject({ code: 0 });
  expect(await run('webhooks secrets import ep_1 --yes', { stdin: NEW_SECRET })).toMatchObject({ code: 0 });
  for (const secret of [FIRST.access, FIRST.refresh, PERSONAL, SECRET, NEW_SECRET]) {
    expect(files()).not.toContain(secret);
  }
  expect(helper.names()).toEqual([`login/default/${host}/*`, `signing/${host}/ep_1/*`]);
  expect(await run('oauth token')).toMatchObject({ code: 0, stdout: `${PERSONAL}\n`, stderr: '' });
  expect(await run('webhooks secrets export ep_1')).toMatchObject({ stdout: `${NEW_SECRET}\n` });
  expect(await json('oauth status')).toMatchObject({ state: 'signed_in', source: 'small' });
  expect(await run('oauth logout')).toMatchObject({ code: 0 });
  expect(helper.names()).toEqual([`signing/${host}/ep_1/*`]);
});

it('svc doctor checks the credential helper, and names a broken one', async () => {
  await begin();
  const findings = async (fault = '') => {
    const { stdout } = await run('doctor --offline -o json', { env: { HELPER_FAULT: fault } });
    return JSON.parse(stdout).filter(({ check }: { check: string }) => check === 'store');
  };
  expect(await findings()).toMatchObject([
    { status: 'ok', detail: 'the credential helper small stores, reads and erases' },
    { status: 'fail', fix: 'svc oauth login' },
  ]);
  expect(await run('oauth login --token-stdin', { stdin: PERSONAL })).toMatchObject({ code: 0 });
  expect(await findings('fail store')).toMatchObject([
    { status: 'fail', detail: expect.stringMatching(/the key store is locked/) },
    { status: 'fail', fix: 'svc webhooks secrets import <id>' },
  ]);
  expect(await run('oauth token', { env: { HELPER_FAULT: 'fail get' } })).toMatchObject({ code: 4, stdout: '' });
  expect(await run('oauth token', { env: { PATH: '/nonexistent' } })).toMatchObject({
    code: 4,
    stderr: expect.stringContaining('install docker-credential-small'),
  });
});

it('svc webhooks secrets import moves the same secret to the credential helper', async () => {
  await begin();
  expect(await run('webhooks secrets import ep_1', { stdin: SECRET })).toMatchObject({ code: 0 });
  expect(await run('webhooks secrets export ep_1')).toMatchObject({ code: 0, stdout: `${SECRET}\n` });
  expect(files()).not.toContain(SECRET);
});

it('svc replaces, deletes and ends what a missing credential helper has', async () => {
  await begin();
  expect(await run('oauth login --token-stdin', { stdin: PERSONAL })).toMatchObject({ code: 0 });
  expect(await run('webhooks secrets import ep_1 --yes', { stdin: NEW_SECRET })).toMatchObject({ code: 0 });
  expect(await run('webhooks secrets import ep_2', { stdin: SECRET })).toMatchObject({ code: 0 });
  const missing = { env: { PATH: '/nonexistent' } };
  expect(await run('webhooks secrets list', missing)).toMatchObject({
    code: 10,
    stderr: expect.stringContaining('docker-credential-small is not found'),
  });
  expect(await run('config set credentials.helper file')).toMatchObject({ code: 0 });
  const asked = await run('webhooks secrets import ep_1', { ...missing, stdin: SECRET });
  expect(asked).toMatchObject({ code: 2, stderr: expect.stringContaining('which cannot be read') });
  expect(await run('webhooks secrets import ep_1 --yes', { ...missing, stdin: SECRET })).toMatchObject({ code: 0 });
  expect(await run('webhooks secrets export ep_1', missing)).toMatchObject({ stdout: `${SECRET}\n` });
  expect(await run('webhooks secrets delete ep_2 --yes', missing)).toMatchObject({ code: 0 });
  expect(await run('oauth logout', missing)).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('the token could not be revoked: the credential helper small is not available'),
  });
  expect(await run('oauth status', missing)).toMatchObject({ code: 4 });
  expect(files()).not.toContain('svc.invalid');
});

it('svc stores a refreshed login in a credential helper although it is interrupted meanwhile', async () => {
  await using server = await rotatingServer();
  const env = { ...helper.env, SVC_WEBHOOKS_URL: server.url };
  expect(await run('config set credentials.helper small')).toMatchObject({ code: 0 });
  const context = { ...lockContext, env, settings: { get: () => 'small' } };
  const [due] = login(server.url, -10).credentials;
  await withSecrets(credentialsFile({ config: join(home, 'config'), state: home }), context, (store) =>
    due === undefined ? undefined : store.set(loginKey(due), due),
  );
  const stop = new AbortController();
  server.meddle = ({ commit, answer }) => {
    server.meddle = undefined;
    const body = commit();
    stop.abort(new SvcError('interrupted', 'interrupted'));
    answer(200, body);
  };
  const first = await svc(['oauth', 'token'], { home, env, sleeps: true, signal: stop.signal });
  expect([first.code, server.calls]).toEqual([expect.any(Number), 1]);
  const next = await svc(['oauth', 'token'], { home, env, sleeps: true });
  expect(next).toMatchObject({ code: 0, stdout: 'at-1-abcdefghijkl\n' });
  expect(server.calls).toBe(1);
});
