/** kill -9 at random moments of a login, a refresh and a logout: the next command works, and no other login is lost. */
import { expect, it } from 'vitest';
import { type Ended, type Running, type StartOptions, startSvc, svc } from '../e2e/binary.ts';
import { type Fields, PlainServer } from '../features/oauth/commands/plain-server.ts';
import { browse } from '../support/oidc.ts';
import { freshHome, killedAtRandom, slowNetwork, soon } from './random-kills.ts';

/** A service that takes every refresh token once, with two profiles that are signed in: the one that is killed, and `other`. */
async function startSignedIn(lifetimeS = 3600) {
  const server = await PlainServer.start();
  const network = await slowNetwork(server.url);
  const { root, env } = freshHome();
  const options = { env: { ...env, SVC_WEBHOOKS_URL: network.url } };
  let grants = 0;
  server.change = (part, fields) => {
    if (part !== 'token') return JSON.parse(JSON.stringify(fields).replaceAll(server.url, network.url)) as Fields;
    grants += 1;
    return { ...fields, expires_in: lifetimeS };
  };
  const start = (command: string): Running => startSvc(['oauth', command, '-o', 'json'], options);
  const startLogin = (): Running => visited(startSvc(['oauth', 'login', '--paste', '-o', 'json'], options));
  const run = (argv: readonly string[], more: StartOptions = {}) =>
    soon(svc(['oauth', ...argv], { ...options, ...more }));
  const isSignedIn = async (at: string): Promise<boolean> => {
    const { code, stdout } = await run(['status', '-o', 'json']);
    const { state } = JSON.parse(stdout) as { readonly state: string };
    const isIn = state !== 'not_signed_in';
    expect(code, at).toBe(isIn ? 0 : 4);
    return isIn;
  };
  const signIn = async (at: string): Promise<void> => {
    expect(await soon(startLogin().ended), at).toMatchObject({ code: 0 });
    expect(await isSignedIn(at), at).toBe(true);
  };
  await signIn('at first');
  const { stdout: token } = await run(['token']);
  const other = ['--profile', 'other'];
  expect(await svc(['config', 'set', 'webhooks.url', network.url, ...other], options)).toMatchObject({ code: 0 });
  expect(await run(['login', '--token-stdin', ...other], { input: token })).toMatchObject({ code: 0 });
  return {
    server,
    root,
    start,
    startLogin,
    run,
    isSignedIn,
    signIn,
    /** How many tokens the server has given. */
    async grants(): Promise<number> {
      await network.arrived();
      return grants;
    },
    async expectOtherSafe(at: string): Promise<void> {
      expect(await run(['token', ...other]), at).toMatchObject({ code: 0, stdout: token });
    },
    async [Symbol.asyncDispose](): Promise<void> {
      server.close();
      await network[Symbol.asyncDispose]();
    },
  };
}

/** A login, and a person who agrees as soon as its address is printed, unless svc dies before. */
function visited(login: Running): Running {
  const visit = async (): Promise<void> => {
    await login.printed('response_type=code');
    await browse(/^http:\S+response_type=\S+/m.exec(login.texts.stderr)?.[0] ?? '');
  };
  const ended = Promise.all([login.ended, visit().catch(() => {})]).then(([end]) => end);
  return { ...login, ended };
}

it('oauth login, without an earlier one: signed in or not, and a new login works', async ({ task }) => {
  await using service = await startSignedIn();
  const { startLogin, run, isSignedIn, signIn } = service;
  const figures = { signedIn: 0, not: 0 };
  const begin = async (): Promise<Running> => {
    expect(await run(['logout'])).toMatchObject({ code: 0 });
    return startLogin();
  };
  for await (const { at, isAcknowledged } of killedAtRandom(task, service.root, begin)) {
    const isIn = await isSignedIn(at);
    figures[isIn ? 'signedIn' : 'not'] += 1;
    if (isAcknowledged) expect(isIn, at).toBe(true);
    if (isIn) expect(await run(['refresh']), at).toMatchObject({ code: 0 });
    await service.expectOtherSafe(at);
    await signIn(at);
  }
  task.meta.figures = `login: ${figures.signedIn} signed in afterwards, ${figures.not} not`;
});

it('oauth login, over an earlier one: the earlier login or the new one works', async ({ task }) => {
  await using service = await startSignedIn();
  const { startLogin, run, signIn } = service;
  const figures = { earlier: 0, later: 0, lost: 0 };
  let before = 0;
  const begin = async (): Promise<Running> => {
    before = await service.grants();
    return startLogin();
  };
  for await (const { at, isAcknowledged } of killedAtRandom(task, service.root, begin)) {
    // One token for the login. Once the earlier one is revoked, svc refreshes the new one, which shows whether it has survived.
    const granted = (await service.grants()) - before;
    expect(await run(['status', '--check']), at).toMatchObject({ code: 0 });
    const refreshed = await run(['refresh']);
    if (refreshed.code === 0) {
      figures[granted === 0 ? 'earlier' : 'later'] += 1;
    } else {
      figures.lost += 1;
      expectLost(refreshed, at);
      expect({ granted, isAcknowledged }, at).toEqual({ granted: 2, isAcknowledged: false });
    }
    await service.expectOtherSafe(at);
    await signIn(at);
  }
  const { earlier, later, lost } = figures;
  task.meta.figures = `login over another: ${earlier} ended before the service gave a token, ${later} after, ${lost} lost in its refresh`;
});

function expectLost(run: Ended, at: string): void {
  expect(run, at).toMatchObject({ code: 4, stderr: expect.stringContaining('sign in again with: svc oauth login') });
}

it('oauth refresh: the next command has a token, unless the service had already replaced it', async ({ task }) => {
  // Due as soon as it is given: every command refreshes it.
  await using service = await startSignedIn(0);
  const { server, start, run, signIn } = service;
  const figures = { before: 0, stored: 0, lost: 0 };
  let before = 0;
  const begin = async (): Promise<Running> => {
    before = await service.grants();
    return start('refresh');
  };
  for await (const { at, isAcknowledged } of killedAtRandom(task, service.root, begin)) {
    const granted = (await service.grants()) - before;
    expect(granted, at).toBeLessThanOrEqual(1);
    const next = await run(['token']);
    if (next.code === 0) {
      figures[granted === 0 ? 'before' : 'stored'] += 1;
      const headers = { authorization: `Bearer ${next.stdout.trim()}` };
      expect((await fetch(`${server.url}/v1/webhooks`, { headers })).status, at).toBe(200);
    } else {
      figures.lost += 1;
      expectLost(next, at);
      expect({ granted, isAcknowledged }, at).toEqual({ granted: 1, isAcknowledged: false });
      await signIn(at);
    }
    await service.expectOtherSafe(at);
  }
  const { before: early, stored, lost } = figures;
  task.meta.figures = `refresh: ${early} ended before the service gave a token, ${stored} after it was stored, ${lost} lost between`;
});

it('oauth logout: signed in or not, and a new logout works', async ({ task }) => {
  await using service = await startSignedIn();
  const { start, run, isSignedIn, signIn } = service;
  const figures = { signedIn: 0, not: 0 };
  const begin = async (round: number): Promise<Running> => {
    if (!(await isSignedIn(`before round ${round}`))) await signIn(`before round ${round}`);
    return start('logout');
  };
  for await (const { at, isAcknowledged } of killedAtRandom(task, service.root, begin)) {
    const isIn = await isSignedIn(at);
    figures[isIn ? 'signedIn' : 'not'] += 1;
    if (isAcknowledged) expect(isIn, at).toBe(false);
    // It is revoked only once it is deleted here.
    if (isIn) expect(await run(['refresh']), at).toMatchObject({ code: 0 });
    expect(await run(['logout']), at).toMatchObject({ code: 0 });
    expect(await isSignedIn(at), at).toBe(false);
    await service.expectOtherSafe(at);
  }
  task.meta.figures = `logout: ${figures.signedIn} still signed in afterwards, ${figures.not} not`;
});
