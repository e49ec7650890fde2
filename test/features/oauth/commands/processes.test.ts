/** Many processes and one login; processes that die; disks that are full. With the built binary. */
import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { nameOwner } from '../../../../src/store/lock.ts';
import { HOME, LAUNCHER, SVC, shell, startSvc, svc } from '../../../e2e/binary.ts';
import { parseCredentials } from '../../../support/credentials.ts';
import { startOidc } from '../../../support/oidc.ts';
import { ANY_TOKEN, FIRST, keep, login, type Meddle, rotatingServer } from '../../../support/rotating-server.ts';
import { ordinaryUser } from '../../../support/stranger.ts';
import { IS_HARD } from '../../../support/turns.ts';
import { login as signIn } from './signing-in.ts';

const EXPIRED = -10;
const folder = (): string => mkdtempSync(join(HOME, 'login-'));
const environment = (config: string, url: string) => ({ SVC_CONFIG_DIR: config, SVC_WEBHOOKS_URL: url });
const stored = (config: string) => parseCredentials(readFileSync(join(config, 'credentials.json'), 'utf8'));
const names = (config: string) => readdirSync(config).filter((name) => !/\.lock\.[\w-]{36}$/.test(name));

/** The long suites start up to a hundred. */
const MANY = IS_HARD ? 20 : 4;

describe('many processes of svc at once', () => {
  it.each([
    ['an expired token', EXPIRED, ['oauth', 'token']],
    ['a token that the service refuses', 3000, ['oauth', 'status', '--check', '-q']],
  ])('make one refresh call for %s, and all succeed', async (_, left, argv) => {
    await using server = await rotatingServer({ latency: 150 });
    const config = folder();
    keep(config, login(server.url, left));
    if (left > 0) server.forget();
    const runs = await Promise.all(
      Array.from({ length: MANY }, () => svc(argv, { env: environment(config, server.url) })),
    );
    const printed = left > 0 ? `${server.url}\n` : 'at-1-abcdefghijkl\n';
    expect(runs.map(({ code, stdout, stderr }) => [code, stdout, stderr])).toEqual(runs.map(() => [0, printed, '']));
    expect({ calls: server.calls, alive: server.alive }).toEqual({ calls: 1, alive: true });
    expect(stored(config)).toMatchObject({ credentials: [{ refresh_token: server.current }] });
    expect(names(config)).toEqual(['credentials.json']);
  });

  it('notice at once that the login has ended, and none deletes it', async () => {
    await using server = await rotatingServer({ latency: 100 });
    server.meddle = ({ answer }) => answer(400, { error: 'invalid_grant' });
    const config = folder();
    keep(config, login(server.url, EXPIRED));
    const env = environment(config, server.url);
    const runs = await Promise.all(Array.from({ length: MANY }, () => svc(['oauth', 'token'], { env })));
    expect(runs.map(({ code, stdout }) => [code, stdout])).toEqual(runs.map(() => [4, '']));
    for (const { stderr } of runs) expect(stderr).toContain('svc oauth login');
    expect(server.calls).toBe(1);
    expect(stored(config).credentials[0]).toMatchObject({
      refresh_token: FIRST.refresh,
      login_required: { reason: expect.stringContaining('invalid_grant') },
    });
  });
});

it('many processes send one refresh request to a real server, which ends a login whose token is used twice', async () => {
  const server = await startOidc();
  onTestFinished(() => server.close());
  const { home } = await signIn({ url: server.url, args: ['--auth-method', 'client_secret_basic'] });
  const config = join(home, 'config');
  const env = environment(config, server.url);
  for (let round = 1; round <= 2; round++) {
    const { clients = [], credentials = [] } = stored(config);
    keep(config, { clients, credentials: credentials.map((one) => ({ ...one, expires_at: one.obtained_at - 10 })) });
    const before = server.tokenRequests().length;
    const runs = await Promise.all(Array.from({ length: MANY }, () => svc(['oauth', 'token'], { env })));
    const printed = `${stored(config).credentials[0]?.access_token}\n`;
    expect(runs.map(({ code, stdout, stderr }) => [code, stdout, stderr])).toEqual(runs.map(() => [0, printed, '']));
    expect(server.tokenRequests().length - before).toBe(1);
  }
});

describe('svc that is killed while it refreshes a login', () => {
  const killed = async (meddle: Meddle) => {
    await using server = await rotatingServer();
    const config = folder();
    keep(config, login(server.url, EXPIRED));
    const env = environment(config, server.url);
    const running = startSvc(['oauth', 'token'], { env });
    await new Promise<void>((resolve) => {
      server.meddle = async (step) => {
        server.meddle = undefined;
        running.child.kill('SIGKILL');
        await meddle(step);
        resolve();
      };
    });
    expect((await running.ended).signal).toBe('SIGKILL');
    return { next: await svc(['oauth', 'token'], { env }), config, calls: server.calls };
  };

  it('before the service acted: the next command refreshes', async () => {
    const { next, config, calls } = await killed(({ response }) => void response.destroy());
    // The lock of a dead process must be broken; otherwise this would time out.
    expect(next).toMatchObject({ code: 0, stdout: 'at-1-abcdefghijkl\n', stderr: '' });
    expect([calls, names(config)]).toEqual([2, ['credentials.json']]);
  });

  // The one window in which a login is lost: the service has spent the old token, and the new one is not in the file yet.
  it('after the service acted: the next command says to sign in again, and leaves the rest', async () => {
    const { next, config } = await killed(({ commit }) => void commit());
    expect(next).toMatchObject({ code: 4, stdout: '' });
    expect(next.stderr).toContain('svc oauth login');
    expect(stored(config)).toMatchObject({ clients: [{ client_id: 'c1' }], credentials: [{ client_id: 'c1' }] });
    expect(names(config)).toEqual(['credentials.json']);
  });

  it('after the new file was written: the next command removes it, and uses the old login', async () => {
    await using server = await rotatingServer();
    const config = folder();
    keep(config, login(server.url, EXPIRED));
    const newer = login(server.url, 3600, { access_token: 'at-7-abcdefghijkl', refresh_token: 'rt-7-abcdefghijkl' });
    keep(config, newer, 'credentials.json.new');
    const dead = spawnSync(process.execPath, ['-e', '']).pid;
    keep(config, JSON.stringify({ ...nameOwner(process), pid: dead, start: '1' }), 'credentials.json.lock');
    const next = await svc(['oauth', 'token'], { env: environment(config, server.url) });
    expect(next).toMatchObject({ code: 0, stdout: 'at-1-abcdefghijkl\n', stderr: '' });
    expect([server.calls, names(config)]).toEqual([1, ['credentials.json']]);
  });

  it('right after the response: the next command has the new token, or says to sign in again', async () => {
    for (let round = 0; round < (IS_HARD ? 20 : 2); round++) {
      await using server = await rotatingServer();
      const config = folder();
      keep(config, login(server.url, EXPIRED));
      const env = environment(config, server.url);
      const running = startSvc(['oauth', 'token'], { env });
      await new Promise<void>((resolve) => {
        server.meddle = ({ commit, answer }) => {
          answer(200, commit());
          setTimeout(resolve, round);
        };
      });
      running.child.kill('SIGKILL');
      await running.ended;
      server.meddle = undefined;
      const next = await svc(['oauth', 'token'], { env });
      if (next.code === 0) expect(stored(config)).toMatchObject({ credentials: [{ refresh_token: server.current }] });
      else expect({ round, ...next }).toMatchObject({ code: 4, stderr: expect.stringContaining('svc oauth login') });
      // A lock that the killed process left goes with the next change.
      await svc(['oauth', 'refresh'], { env });
      expect(names(config)).toEqual(['credentials.json']);
    }
  });
});

describe('svc that refreshes a login', () => {
  it.each(['SIGINT', 'SIGTERM'] as const)('ends at %s once the new token is stored', async (signal) => {
    await using server = await rotatingServer();
    const config = folder();
    keep(config, login(server.url, EXPIRED));
    const running = startSvc(['oauth', 'status', '--check'], { env: environment(config, server.url) });
    server.meddle = ({ commit, answer }) => {
      const body = commit();
      running.child.kill(signal);
      // Nothing tells when the process has received the signal; it must not end before this response.
      setTimeout(() => answer(200, body), 100);
    };
    expect((await running.ended).code).toBe(signal === 'SIGINT' ? 130 : 143);
    expect(stored(config)).toMatchObject({ credentials: [{ refresh_token: server.current }] });
    expect(names(config)).toEqual(['credentials.json']);
  });
});

describe('svc that cannot write its file of logins', () => {
  const onFullDisk = (argv: string, env: Record<string, string>) =>
    shell(`trap '' XFSZ; ulimit -f 16; exec ${SVC.map((part) => `"${part}"`).join(' ')} ${argv}`, { env });

  it('finds a full disk before it spends the refresh token', async () => {
    await using server = await rotatingServer();
    const config = folder();
    const path = keep(config, login(server.url, EXPIRED));
    const before = readFileSync(path, 'utf8');
    const run = await onFullDisk('oauth token', environment(config, server.url));
    expect(run).toMatchObject({ code: 2, stdout: '' });
    expect(run.stderr).toContain(`cannot write ${path}`);
    expect([server.calls, readFileSync(path, 'utf8'), names(config)]).toEqual([0, before, ['credentials.json']]);
  });

  it('uses a token that is still valid', async () => {
    await using server = await rotatingServer();
    const config = folder();
    keep(config, login(server.url, 55));
    const run = await onFullDisk('oauth token', environment(config, server.url));
    expect(run).toMatchObject({ code: 0, stdout: `${FIRST.access}\n` });
    expect(run.stderr).toMatch(/^the access token is valid for another \d+ s: cannot write /);
    expect([server.calls, names(config)]).toEqual([0, ['credentials.json']]);
  });

  const ordinary = ordinaryUser(LAUNCHER);
  it.skipIf(ordinary === undefined)('spends no refresh token in a folder that is read-only', async () => {
    await using server = await rotatingServer();
    const config = mkdtempSync(join(tmpdir(), 'svc-login-'));
    onTestFinished(() => rmSync(config, { recursive: true }));
    const { uid = process.getuid?.() ?? 0, gid = process.getgid?.() ?? 0 } = ordinary ?? {};
    // The last token is about to expire, and would be refreshed.
    for (const left of [3000, EXPIRED, 55]) {
      const document = login(server.url, left);
      chownSync(keep(config, document), uid, gid);
      chownSync(config, uid, gid);
      chmodSync(config, 0o500);
      const env = { ...environment(config, server.url), HOME: '/nonexistent' };
      const run = await svc(['oauth', 'token'], { env, ...ordinary });
      if (left > 0) expect(run).toMatchObject({ code: 0, stdout: `${FIRST.access}\n` });
      else expect(run).toMatchObject({ code: 2, stdout: '' });
      if (left < 3000) expect(run.stderr).toContain('cannot lock');
      expect(await svc(['oauth', 'refresh'], { env, ...ordinary })).toMatchObject({ code: 2 });
      chmodSync(config, 0o700);
      // svc does not send a refresh whose result would be lost.
      expect(server.calls).toBe(0);
      expect(stored(config)).toMatchObject(document);
    }
  });

  it('needs no file and no lock for a token of the environment', async () => {
    await using server = await rotatingServer();
    const env = { SVC_WEBHOOKS_URL: server.url, SVC_WEBHOOKS_TOKEN: FIRST.access, HOME: '/proc/nothing' };
    expect(await svc(['oauth', 'token'], { env })).toMatchObject({ code: 0, stdout: `${FIRST.access}\n`, stderr: '' });
    expect(await svc(['oauth', 'status', '--check'], { env })).toMatchObject({ code: 0, stderr: '' });
    expect(server.reads).toBe(1);
  });
});

it('the commands of svc oauth never show a token', async () => {
  await using server = await rotatingServer();
  const config = folder();
  const env = { ...environment(config, server.url), NODE_DEBUG: '' };
  for (const argv of [['status', '--check'], ['refresh'], ['status', '-o', 'json'], ['clients', 'list'], ['logout']]) {
    keep(
      config,
      login(server.url, EXPIRED, { refresh_token: server.current, revocation_endpoint: `${server.url}/oauth/revoke` }),
    );
    const run = await svc(['oauth', ...argv, '--debug'], { env });
    expect(run.code).toBe(0);
    expect(run.stdout + run.stderr).not.toMatch(ANY_TOKEN);
    if (argv[0] === 'refresh') expect(run.stderr).toMatch(/POST .*\/oauth\/token/);
  }
  expect(server.revoked).toEqual([server.current]);
});
