/** A stored login in all that can happen to it, in this process. */
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { OAuthCredential } from '../../../../src/store/credentials.ts';
import { withLock } from '../../../../src/store/lock.ts';
import { parseCredentials } from '../../../support/credentials.ts';
import { lockContext } from '../../../support/folder.ts';
import {
  ANY_TOKEN,
  FIRST,
  keep,
  login,
  type Meddle,
  type RotatingServer,
  rotatingServer,
} from '../../../support/rotating-server.ts';
import { answer, faultServer } from '../../../support/servers.ts';
import { type RunOptions, svc, temporaryHome } from '../../../support/svc.ts';

const EXPIRED = -10;
const DAY = 86_400;

interface SignedIn extends RunOptions {
  /** How long the access token is still valid, in seconds. */
  readonly left?: number;
  /** Further fields of the login. */
  readonly more?: object;
  readonly rotates?: boolean;
  readonly meddle?: Meddle;
  readonly replacing?: (server: RotatingServer, home: string) => Meddle;
}

async function signedIn(argv: readonly string[], options: SignedIn = {}) {
  const { left = EXPIRED, more = {}, env, rotates = true, meddle, replacing, ...others } = options;
  await using server = await rotatingServer({ rotates });
  const home = temporaryHome();
  const path = keep(join(home, 'config'), login(server.url, left, more));
  server.meddle = replacing?.(server, home) ?? meddle;
  const run = await svc(['oauth', ...argv], { home, env: { SVC_WEBHOOKS_URL: server.url, ...env }, ...others });
  const file = parseCredentials(readFileSync(path, 'utf8'));
  return { ...run, calls: server.calls, file, stored: file.credentials[0] as OAuthCredential };
}

describe('the refresh of a stored login', () => {
  it('happens a minute before the end, and not earlier', async () => {
    const now = Math.floor(Date.now() / 1000);
    for (const [left, calls] of [
      [61, 0],
      [60, 1],
    ] as const) {
      const more = { obtained_at: now + left - 3600, expires_at: now + left };
      expect(await signedIn(['token'], { more, at: now * 1000 })).toMatchObject({ code: 0, calls });
    }
  });

  it('leaves the old refresh token if none is returned, and unknown fields', async () => {
    const { stored } = await signedIn(['refresh'], {
      rotates: false,
      left: 3000,
      more: { later: { x: 1 }, login_required: undefined },
    });
    expect(stored).toMatchObject({
      refresh_token: FIRST.refresh,
      access_token: 'at-1-abcdefghijkl',
      later: { x: 1 },
      email: '',
    });
  });

  it('that fails does not change the login, and the rest of the old token is used', async () => {
    const responding = (answered: (...step: Parameters<Meddle>) => void) => ({
      meddle: ((step) => answered(step)) as Meddle,
    });
    for (const [fault, code] of [
      [{ more: { token_endpoint: 'http://127.0.0.1:9/oauth/token' } }, 7],
      [responding(({ response }) => response.destroy()), 7],
      [responding(({ answer }) => answer(500, {})), 7],
      [responding(({ response }) => response.writeHead(429).end()), 6],
      [responding(({ answer }) => answer(401, { error: 'invalid_client' })), 4],
      [responding(({ answer }) => answer(400, { error: 'invalid_request' })), 4],
      [responding(({ response }) => response.writeHead(307, { location: '/x' }).end()), 3],
    ] as const) {
      const expired = await signedIn(['token'], fault);
      expect(expired).toMatchObject({ code, stdout: '', stored: { refresh_token: FIRST.refresh } });
      expect(expired.stored.login_required).toBeUndefined();
      expect(expired.stderr).not.toMatch(ANY_TOKEN);
      const left = await signedIn(['token'], { ...fault, left: 30 });
      expect(left).toMatchObject({ code: 0, stdout: `${FIRST.access}\n` });
      expect(left.stderr).toContain('could not be refreshed');
      expect(await signedIn(['refresh'], { ...fault, left: 30 })).toMatchObject({ code, stdout: '' });
    }
  });

  it.each(['invalid_client', 'unauthorized_client'])(
    'with a forgotten client says so, and how to register again: %s',
    async (error) => {
      const meddle: Meddle = ({ answer }) => answer(401, { error, error_description: 'no such client' });
      const { code, stderr, stored } = await signedIn(['refresh'], { meddle });
      expect([code, stored.login_required]).toEqual([4, undefined]);
      expect(stderr).toMatch(/client: no such client.*the service may have deleted the stored client \S+, or its/);
      expect(stderr).toContain('hint: sign in again with: svc oauth login --new-client\n');
    },
  );

  it('sends nothing if the login was deleted while it waited for another process', async () => {
    await using server = await rotatingServer({ rotates: true });
    const home = temporaryHome();
    const path = keep(join(home, 'config'), login(server.url, EXPIRED));
    const { run } = await withLock(`${path}.lock`, lockContext, async () => {
      let run: ReturnType<typeof svc> | undefined;
      await new Promise<void>((resolve) => {
        const sleepsUntil = (): undefined => resolve() as undefined;
        run = svc(['oauth', 'token'], { home, env: { SVC_WEBHOOKS_URL: server.url }, sleepsUntil });
      });
      rmSync(path);
      return { run };
    });
    const ended = await run;
    expect({ ...ended, calls: server.calls }).toMatchObject({ code: 4, stdout: '', calls: 0 });
    expect(ended?.stderr).toContain('the login was deleted');
  });

  it('that is answered in another shape is not sent again: the service has spent the token', async () => {
    const meddle: Meddle = ({ commit, answer }) => answer(200, { ...commit(), access_token: 7 });
    const run = await signedIn(['token'], { meddle });
    expect(run).toMatchObject({ code: 3, calls: 1 });
    expect(run.stderr).toContain('access_token');
  });

  it('that is refused marks the login, and nothing is sent again', async () => {
    const meddle: Meddle = ({ answer }) =>
      answer(400, { error: 'invalid_grant', error_description: `gone \u001b[31m ${FIRST.refresh}` });
    const first = await signedIn(['token'], { meddle });
    expect(first).toMatchObject({
      code: 4,
      calls: 1,
      stored: { refresh_token: FIRST.refresh, login_required: { at: expect.any(Number) } },
    });
    expect(first.stderr).toContain('svc oauth login');
    expect(first.stderr + first.stored.login_required?.reason).not.toMatch(/\u001b\[31m.*\u001b|rt-0/);
    const more = { login_required: first.stored.login_required };
    expect(await signedIn(['token'], { more })).toMatchObject({ code: 4, calls: 0 });
    expect(await signedIn(['status'], { more })).toMatchObject({ code: 4, calls: 0 });
  });

  it('that lost against another process uses what that wrote, and deletes nothing', async () => {
    const replacedBy =
      (left: number) =>
      (server: RotatingServer, home: string): Meddle =>
      ({ answer }) => {
        const more = { access_token: 'at-9-abcdefghijkl', refresh_token: 'rt-9-abcdefghijkl' };
        keep(join(home, 'config'), login(server.url, left, more));
        answer(400, { error: 'invalid_grant' });
      };
    const won = await signedIn(['token'], { replacing: replacedBy(3600) });
    expect(won).toMatchObject({ code: 0, calls: 1, stdout: 'at-9-abcdefghijkl\n' });
    const lost = await signedIn(['token'], { replacing: replacedBy(EXPIRED) });
    expect(lost).toMatchObject({ code: 4, calls: 1, stored: { refresh_token: 'rt-9-abcdefghijkl' } });
    expect(lost.stored.login_required).toBeUndefined();
  });
});

describe('a command of several requests', () => {
  const LIST = '{"items":[{"id":"ep_1","url":"https://192.0.2.7/","events":["webhook.ping"],"status":1}]}';
  const ANOTHER = { access_token: 'at-9-abcdefghijkl', refresh_token: 'rt-9-abcdefghijkl' };

  interface Happening {
    /** The status of the answer to a refresh. */
    readonly refreshStatus?: number;
    /** The status of the answer to the first request. */
    readonly firstStatus?: number;
    /** Seconds until the answer to the first request comes. */
    readonly takes?: number;
    /** Seconds that a login is valid which another process stores meanwhile. */
    readonly replaced?: number;
  }

  async function deleting(left: number, happening: Happening) {
    const { refreshStatus = 200, firstStatus = 200, takes = 0, replaced } = happening;
    const home = temporaryHome();
    const config = join(home, 'config');
    let now = Date.now();
    const sent: string[] = [];
    const meanwhile = () => {
      now += takes * 1000;
      if (replaced !== undefined) keep(config, login(server.url, replaced, ANOTHER));
    };
    await using server = await faultServer((socket, { method, path, headers, body }, index) => {
      if (path === '/oauth/token') {
        sent.push(`refresh with ${new URLSearchParams(body).get('refresh_token')}`);
        socket.write(answer(refreshStatus, '{"access_token":"at-10-abcdefghijkl","expires_in":3600}'));
        return;
      }
      sent.push(`${method} ${headers['authorization']}`);
      if (index === 1) meanwhile();
      socket.write(answer(index === 1 ? firstStatus : 200, method === 'GET' ? LIST : '{"ok":true}'));
    });
    keep(config, login(server.url, left));
    const argv = ['webhooks', 'delete', 'ep_1', '--yes'];
    const env = { SVC_WEBHOOKS_URL: server.url };
    const { code } = await svc(argv, { home, env, now: () => now });
    return { code, sent };
  }

  it('goes on with its token, whatever another process stores meanwhile', async () => {
    expect(await deleting(3000, { replaced: 3600, takes: 60 })).toEqual({
      code: 0,
      sent: [`GET Bearer ${FIRST.access}`, `DELETE Bearer ${FIRST.access}`],
    });
  });

  it('tries once to refresh a token that is about to expire', async () => {
    expect(await deleting(30, { refreshStatus: 503 })).toEqual({
      code: 0,
      sent: [`refresh with ${FIRST.refresh}`, `GET Bearer ${FIRST.access}`, `DELETE Bearer ${FIRST.access}`],
    });
  });

  it.each([
    ['is about to expire', 30],
    ['has expired', -3600],
  ])('refreshes the login of another process, which %s, after the service refused its own', async (_name, replaced) => {
    expect(await deleting(3000, { firstStatus: 401, replaced })).toEqual({
      code: 0,
      sent: [
        `GET Bearer ${FIRST.access}`,
        `refresh with ${ANOTHER.refresh_token}`,
        'GET Bearer at-10-abcdefghijkl',
        'DELETE Bearer at-10-abcdefghijkl',
      ],
    });
  });
});

describe('svc oauth status', () => {
  it('shows one of three states', async () => {
    const states = [
      [{ left: EXPIRED }, 'expired, refreshed by the next request', 'expired'],
      [{ left: 3000 }, 'signed in', 'signed_in'],
      [{ left: EXPIRED, more: { refresh_token: undefined } }, 'not signed in', 'not_signed_in'],
    ] as const;
    for (const [options, text, state] of states) {
      expect((await signedIn(['status'], options)).stdout).toMatch(new RegExp(`^STATE +${text}$`, 'm'));
      expect(JSON.parse((await signedIn(['status', '-o', 'json'], options)).stdout)).toMatchObject({ state });
    }
  });

  it('ignores white space around a token of the environment, and says so', async () => {
    const env = { SVC_WEBHOOKS_TOKEN: `  ${FIRST.access}\r\n` };
    expect(await signedIn(['status', '--check'], { left: 3000, env })).toMatchObject({
      code: 0,
      stderr: 'SVC_WEBHOOKS_TOKEN begins or ends with white space, which svc leaves out\n',
    });
  });

  it('sends no request, and advises what to do', async () => {
    const alive = await signedIn(['status', '-o', 'json']);
    expect(alive).toMatchObject({ code: 0, calls: 0, stderr: '' });
    expect(JSON.parse(alive.stdout)).toMatchObject({
      state: 'expired',
      source: 'file',
      kind: 'oauth',
      checked: false,
      advice: null,
    });
    expect(alive.stdout).not.toMatch(ANY_TOKEN);
    const seconds = Math.floor(Date.now() / 1000);
    const cases: [object, number, RegExp | null][] = [
      [{ refresh_token: undefined }, 4, /svc oauth login/],
      [{ refresh_obtained_at: seconds - 91 * DAY }, 4, /svc oauth login/],
      [{ refresh_obtained_at: seconds - 88 * DAY }, 0, /in 2 days.*svc oauth refresh|in 1|tomorrow/],
      [{ kind: 'personal', expires_at: undefined, obtained_at: seconds }, 0, null],
      [{ kind: 'personal', expires_at: seconds - 1, obtained_at: seconds - DAY }, 4, /new token/],
      [{ kind: 'personal', expires_at: seconds + 3 * DAY, obtained_at: seconds }, 0, /in (2|3) days/],
    ];
    for (const [more, code, advice] of cases) {
      const run = await signedIn(['status', '-o', 'json'], { more });
      expect({ more, code: run.code }).toEqual({ more, code });
      if (advice === null) expect(JSON.parse(run.stdout).advice).toBeNull();
      else expect(JSON.parse(run.stdout).advice).toMatch(advice);
    }
  });

  it('asks the service with --check', async () => {
    expect(await signedIn(['status', '--check'], { left: 3000 })).toMatchObject({ code: 0, calls: 0 });
    const refused = await signedIn(['status', '--check', '-o', 'json'], {
      left: 3000,
      more: { kind: 'personal', access_token: 'other-0123456789' },
    });
    expect(refused).toMatchObject({ code: 4 });
    expect(JSON.parse(refused.stdout)).toMatchObject({
      state: 'not_signed_in',
      checked: true,
      advice: expect.stringContaining('personal token'),
    });
  });

  it('knows the login of one profile and address', async () => {
    const other = await signedIn(['token', '--base-url', 'http://127.0.0.1:9'], { left: 3000 });
    expect(other).toMatchObject({ code: 4, stdout: '' });
    expect((await signedIn(['token', '--base-url', 'http://127.0.0.1:9/x'], { left: 3000 })).code).toBe(4);
  });
});

describe('the other commands of a stored login', () => {
  it('print a token at a terminal only with --force', async () => {
    expect(await signedIn(['token'], { left: 3000, terminal: 80 })).toMatchObject({ code: 2, stdout: '' });
    expect(await signedIn(['token', '--force'], { left: 3000, terminal: 80 })).toMatchObject({
      stdout: `${FIRST.access}\n`,
    });
  });

  it('delete the login at a logout, whatever the service responds', async () => {
    const answer = await signedIn(['logout']);
    expect(answer).toMatchObject({ code: 0, calls: 0, file: { credentials: [], clients: [{ client_id: 'c1' }] } });
    expect(answer.stderr).toContain('90 days');
    const failed = await signedIn(['logout', '-o', 'json'], {
      more: { revocation_endpoint: 'http://127.0.0.1:9/revoke' },
    });
    expect(failed).toMatchObject({ code: 0, file: { credentials: [] } });
    expect(JSON.parse(failed.stdout)).toMatchObject({ signed_out: true, revoked: false });
  });

  it('forget a client that a login needs only with --force', async () => {
    expect(await signedIn(['clients', 'forget', 'c1'])).toMatchObject({ code: 2, file: { clients: [{}] } });
    expect(await signedIn(['clients', 'forget', 'c1', '--force'])).toMatchObject({ code: 0, file: { clients: [] } });
    expect(await signedIn(['clients', 'forget', 'c9'])).toMatchObject({ code: 5 });
    const other = await signedIn(['clients', 'forget', 'c1', '--issuer', 'https://idp.example']);
    expect(other).toMatchObject({ code: 5, stderr: expect.stringMatching(/client c1 is of http\S+, not of https:/) });
    expect((await signedIn(['clients', 'list', '-o', 'json'])).stdout).toContain('"used_by"');
  });
});

it('a corrupt file of logins is reported, and the next login sets it aside', async () => {
  await using server = await rotatingServer();
  const home = temporaryHome();
  const env = { SVC_WEBHOOKS_URL: server.url };
  const path = keep(join(home, 'config'), `{"credentials": "${FIRST.refresh}`);
  for (const command of ['token', 'status', 'refresh']) {
    const run = await svc(['oauth', command], { home, env });
    expect(run, command).toMatchObject({ code: 2, stdout: '' });
    expect(run.stderr).toContain(`${path} cannot be used: it is not JSON`);
    expect(run.stderr).toContain('hint: restore it, or sign in again: svc oauth login');
    expect(run.stderr).not.toMatch(ANY_TOKEN);
  }
  // With a token in the environment, svc does not read the file.
  const given = { ...env, SVC_WEBHOOKS_TOKEN: 'given-0123456789' };
  expect(await svc(['oauth', 'token'], { home, env: given })).toMatchObject({ code: 0, stderr: '' });
  const signedInAgain = await svc(['oauth', 'login', '--token-stdin'], { home, env, stdin: FIRST.access });
  expect(signedInAgain).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(/not JSON; svc moved it to .*corrupt-/),
  });
  expect(await svc(['oauth', 'token'], { home, env })).toMatchObject({ code: 0, stdout: `${FIRST.access}\n` });
});

it('a personal token is sent after its date, too: the service decides, and nothing refreshes it', async () => {
  await using server = await faultServer((socket) => socket.write(answer(200, '{"items":[]}')));
  const home = temporaryHome();
  const at = Math.floor(Date.now() / 1000);
  const personal = {
    kind: 'personal' as const,
    profile: 'default',
    base_url: server.url,
    access_token: 'pt-0123456789',
    obtained_at: at - 90 * DAY,
    expires_at: at - 1,
  };
  keep(join(home, 'config'), { clients: [], credentials: [personal] });
  const run = await svc(['webhooks', 'list', '-o', 'json'], { home, env: { SVC_WEBHOOKS_URL: server.url } });
  expect(run).toMatchObject({ code: 0, stdout: '[]\n' });
  expect(server.requests.map(({ headers }) => headers['authorization'])).toEqual(['Bearer pt-0123456789']);
});

it('svc webhooks doctor says until when a login lasts, and how to renew it', async () => {
  await using server = await rotatingServer();
  const home = temporaryHome();
  const now = Math.floor(Date.now() / 1000);
  const last = new Date((now + 30 * DAY) * 1000).toISOString().slice(0, 16).replace('T', ' ');
  for (const [more, status, detail, fix] of [
    [{ refresh_obtained_at: now - 60 * DAY }, 'ok', `from the stored login, until ${last} UTC`, null],
    [{ refresh_obtained_at: now - 86 * DAY }, 'warn', /^the refresh token expires in [34] days/, 'svc oauth refresh'],
    [{ refresh_token: undefined }, 'warn', /^the login has no refresh token/, 'svc oauth login'],
    [{ refresh_token: undefined, expires_at: now - 1 }, 'fail', /^the login has ended/, 'svc oauth login'],
  ] as const) {
    keep(join(home, 'config'), login(server.url, 3000, more as Partial<OAuthCredential>));
    const run = await svc(['webhooks', 'doctor', '-o', 'json'], { home, env: { SVC_WEBHOOKS_URL: server.url } });
    const found = (JSON.parse(run.stdout) as readonly { check: string }[]).find(({ check }) => check === 'sign-in');
    expect(found).toMatchObject({ status, detail: expect.stringMatching(detail), fix });
  }
});

it('an empty variable for the token is no sign-in', async () => {
  const { code, stdout } = await signedIn(['status', '-o', 'json'], { env: { SVC_WEBHOOKS_TOKEN: '' } });
  expect([code, JSON.parse(stdout).advice]).toEqual([4, 'SVC_WEBHOOKS_TOKEN is empty: unset it, or give it its value']);
});
