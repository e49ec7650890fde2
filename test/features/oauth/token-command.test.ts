/** The token command and the password file of a profile: when they are used, and what a failure means. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { interruptionOf } from '../../../src/errors.ts';
import { failure, type RunOptions, svc } from '../../support/svc.ts';
import { TOKEN as GATEWAY_TOKEN, gateway } from '../trade/gateway.ts';
import { LISTS, profileServer, SILENCE, withProfile } from './profiles.ts';

const server = await profileServer();

/** With a profile of these values. `runs` counts how often its scripts, which write to the file of that name, have run. */
function setUp(values: (home: string) => Record<string, unknown>, address = server.url) {
  const { home, run } = withProfile(address, values);
  const log = join(home, 'runs');
  return {
    home,
    run: (argv: readonly string[], { env, ...options }: RunOptions = {}) =>
      run(argv, {
        sleepsUntil: (ms) => (ms === 10_000 ? new Promise(() => {}) : undefined),
        ...options,
        env: { PATH: process.env['PATH'], ...env },
      }),
    runs: () => (existsSync(log) ? readFileSync(log, 'utf8').length : 0),
  };
}

/** A shell script as token command. */
const script = (text: string, service = 'alerts') =>
  setUp((home) => ({ [`${service}.tokenCommand`]: ['sh', '-c', `printf x >> '${home}/runs'; ${text}`] }));

/** Its n-th token is `token-n`. */
const counting = () =>
  setUp((home) => ({
    'alerts.tokenCommand': ['sh', '-c', 'printf x >> "$0"; echo token-$(($(wc -c < "$0")))', join(home, 'runs')],
  }));

describe('the token command of a profile', () => {
  it('signs in, and its token is not shown', async () => {
    const { run } = script('echo " token-of-a-command "');
    const { stdout, stderr } = await run([...LISTS.alerts, '--debug']);
    expect(new Set(server.sent())).toEqual(new Set(['Bearer token-of-a-command']));
    expect(stdout + stderr).not.toContain('token-of-a-command');
  });

  it('signs in to the trading gateway, and again if its token has expired', async () => {
    const trading = await gateway();
    const tokens = `n=$(wc -c < "$0"); [ $n -gt 1 ] && echo ${GATEWAY_TOKEN} || echo expired-token`;
    const { run, runs } = setUp(
      (home) => ({ 'trade.tokenCommand': ['sh', '-c', `printf x >> "$0"; ${tokens}`, `${home}/runs`] }),
      trading.url,
    );
    try {
      expect(await run(['trade', 'stream', 'Order', '--until', '1ms'])).toMatchObject({ code: 0 });
      expect(runs()).toBe(2);
    } finally {
      await trading.stop();
    }
  });

  it('may be one program, or a JSON array as text', async () => {
    const printing = setUp((home) => {
      writeFileSync(join(home, 'token.sh'), '#!/bin/sh\necho from-a-program\n', { mode: 0o700 });
      return { 'alerts.tokenCommand': join(home, 'token.sh') };
    });
    await printing.run(LISTS.alerts);
    const { run } = setUp(() => ({}));
    await run(['config', 'set', 'alerts.tokenCommand', '["echo", "from an array"]']);
    await run(LISTS.alerts);
    expect(server.sent()).toEqual(['Bearer from-a-program', 'Bearer from an array']);
  });

  it("runs once per command, without svc's credentials and without input", async () => {
    const { run, runs } = script('cat; env | grep -c SVC_ALERTS_TOKEN; true', 'webhooks');
    await run(['webhooks', 'list'], { env: { SVC_ALERTS_TOKEN: 'not-for-the-command' }, stdin: 'piped' });
    await run(['doctor', 'webhooks']);
    expect({ sent: [...new Set(server.sent())], runs: runs() }).toEqual({ sent: ['Bearer 0'], runs: 2 });
  });

  it('runs once more after a 401, and the request is repeated', async () => {
    for (const [method, argv] of [
      ['GET', LISTS.alerts],
      ['POST', SILENCE],
    ] as const) {
      server.accepted = { method, token: 'token-2' };
      const { run, runs } = counting();
      expect(await run(argv)).toMatchObject({ code: 0 });
      const requests = server.requests.filter((request) => request.method === method);
      const tokens = requests.map(({ headers }) => headers['authorization']);
      expect(tokens.slice(-2)).toEqual(['Bearer token-1', 'Bearer token-2']);
      expect(runs()).toBe(2);
    }
  });

  it('runs once more for parallel requests with an expired token', async () => {
    const rows = Array.from({ length: 40 }, (_, index) => ({
      matchers: [{ name: 'job', value: `j${index}`, isRegex: false, isEqual: true }],
      startsAt: '2020-01-01T00:00:00Z',
      endsAt: '2099-01-01T00:00:00Z',
      createdBy: 'me',
      comment: 'x',
    }));
    server.accepted = { method: 'POST', token: 'token-2' };
    const { run, runs } = counting();
    expect(await run(['silences', 'import', '-', '--yes'], { stdin: JSON.stringify(rows) })).toMatchObject({ code: 0 });
    const posts = server.requests
      .filter(({ method }) => method === 'POST')
      .map(({ headers }) => headers['authorization']);
    expect(posts.filter((token) => token === 'Bearer token-2')).toHaveLength(40);
    expect(runs()).toBe(2);
  });

  it('whose token does not change after a 401 leads to no second request', async () => {
    server.accepted = { method: 'GET', token: 'another' };
    const { run, runs } = script('echo the-same-token');
    expect(await run(LISTS.alerts)).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('check alerts.tokenCommand'),
    });
    expect({ sent: server.sent(), runs: runs() }).toEqual({ sent: ['Bearer the-same-token'], runs: 2 });
  });

  it('that prints no token ends svc with exit status 4, and nothing is sent', async () => {
    for (const [text, why] of [
      [
        'echo part-of-a-token; echo "no key for part-of-a-token; password=hunter22" >&2; exit 3',
        /failed with exit status 3: no key for \*\*\*/,
      ],
      ['kill -9 $$', /failed with exit status 137$/m],
      ['(echo "the vault is sealed"; echo "ask ops") >&2', /printed nothing: the vault is sealed; ask ops/],
      ['echo "  "', /printed nothing$/m],
    ] as const) {
      const { run } = script(text);
      for (const argv of [LISTS.alerts, SILENCE]) {
        const { code, stdout, stderr } = await run(argv);
        expect({ code, stdout, stderr }).toEqual({ code: 4, stdout: '', stderr: expect.stringMatching(why) });
        expect(stderr).not.toMatch(/part-of-a-token|hunter22/);
      }
    }
    expect(server.requests).toEqual([]);
  });

  const hanging = () => {
    const { run, home } = script('echo "waiting for a touch" >&2; echo $$ > "$PIDFILE"; exec sleep 600');
    const path = join(home, 'pid');
    const pid = async (): Promise<number> => {
      while (!existsSync(path) || !readFileSync(path, 'utf8').endsWith('\n')) await sleep(5);
      return Number(readFileSync(path, 'utf8'));
    };
    const isGone = (process_: number): boolean => {
      try {
        return !process.kill(process_, 0);
      } catch {
        return true;
      }
    };
    return {
      pid,
      run: (options: RunOptions) => run(LISTS.alerts, { env: { PIDFILE: path }, ...options }),
      gone: async () => {
        const child = await pid();
        while (!isGone(child)) await sleep(5);
      },
    };
  };

  it('that hangs is killed after 10 seconds', async () => {
    const { run, pid, gone } = hanging();
    const { code, stderr } = await run({ sleepsUntil: (ms) => (ms === 10_000 ? pid().then(() => {}) : undefined) });
    expect({ code, stderr }).toEqual({ code: 4, stderr: expect.stringContaining('did not finish within 10 s') });
    await gone();
    expect(server.requests).toEqual([]);
  });

  it('is ended by Ctrl-C', async () => {
    const { run, pid, gone } = hanging();
    const interrupt = new AbortController();
    const running = run({ signal: interrupt.signal });
    await pid();
    interrupt.abort(interruptionOf('SIGINT'));
    expect(await running).toMatchObject({ code: 130, stderr: '' });
    await gone();
    expect(server.requests).toEqual([]);
  });

  it('that does not exist is named, with the way to write arguments', async () => {
    const { run } = setUp(() => ({ 'alerts.tokenCommand': 'pass show alerts' }));
    const { code, stderr } = await run(LISTS.alerts);
    expect(code).toBe(4);
    expect(stderr).toMatch(/cannot be run: not found[\s\S]*as a JSON array/);
  });

  it('that runs svc for the same service does not recurse', async () => {
    const { run } = setUp(() => ({ 'webhooks.tokenCommand': ['svc', 'oauth', 'token'] }));
    const { code, stderr } = await run(LISTS.webhooks, { env: { SVC_TOKEN_COMMANDS: ',webhooks' } });
    expect({ code, stderr }).toEqual({ code: 4, stderr: expect.stringContaining('runs svc') });
  });

  it('does not run in a dry run of a write, or if the environment has a token', async () => {
    const { run, runs } = script('echo a-token');
    await run([...SILENCE, '--dry-run']);
    await run(LISTS.alerts, { env: { SVC_ALERTS_TOKEN: 'from-the-environment' } });
    expect({ sent: server.sent(), runs: runs() }).toEqual({ sent: ['Bearer from-the-environment'], runs: 0 });
  });

  it('is sent only to the address of its profile', async () => {
    const { run, runs } = setUp((home) => ({
      'alerts.url': 'http://127.0.0.1:1',
      'alerts.tokenCommand': ['sh', '-c', `printf x >> '${home}/runs'`],
    }));
    expect(await run([...LISTS.alerts, '--base-url', server.url])).toMatchObject({ code: 2 });
    expect({ sent: server.sent(), runs: runs() }).toEqual({ sent: [], runs: 0 });
  });

  it('is refused by config set if it names no program', async () => {
    const { run } = setUp(() => ({}));
    for (const value of ['[]', '[""]', '[1]', '["a"', './token.sh', '["bin/token"]'])
      expect(await run(['config', 'set', 'alerts.tokenCommand', value]), value).toMatchObject({ code: 2 });
  });

  it('replaces a login', async () => {
    const { run } = script('echo a-token', 'webhooks');
    expect(await run(['oauth', 'token'])).toMatchObject({ code: 0, stdout: 'a-token\n' });
    const { stdout } = await run(['oauth', 'status', '-o', 'json']);
    expect(JSON.parse(stdout)).toMatchObject({ state: 'signed_in', source: 'webhooks.tokenCommand' });
  });
});

describe('the password file of a profile', () => {
  const withPassword = (values: Record<string, unknown> = { 'alerts.user': 'ops' }) =>
    setUp((home) => {
      writeFileSync(join(home, 'password'), 'sécret pass\n', { mode: 0o600 });
      const path = join(home, 'password');
      return { 'alerts.passwordFile': path, 'catalog.passwordFile': path, 'catalog.user': 'ops', ...values };
    });
  const basic = (user: string) => `Basic ${Buffer.from(`${user}:sécret pass`).toString('base64')}`;

  it('signs in with the user of the profile', async () => {
    const { run } = withPassword();
    for (const argv of [LISTS.alerts, LISTS.catalog]) {
      const { stdout, stderr } = await run([...argv, '--debug']);
      expect(stdout + stderr).not.toContain('sécret pass');
    }
    expect(new Set(server.sent())).toEqual(new Set([basic('ops')]));
    expect(server.requests.length).toBeGreaterThan(1);
  });

  it('is used with the user of the environment unless --profile is given', async () => {
    const { run } = withPassword();
    await run([...LISTS.alerts, '--profile', 'default'], { env: { SVC_ALERTS_USER: 'other' } });
    await run(LISTS.alerts, { env: { SVC_ALERTS_USER: 'other' } });
    expect(server.sent()).toEqual([basic('ops'), basic('other')]);
  });

  it('of the environment needs a user, and is the only credential of its service', async () => {
    for (const [env, why] of [
      [{ SVC_ALERTS_PASSWORD: 'secret' }, 'SVC_ALERTS_PASSWORD is set without a user'],
      [
        { SVC_ALERTS_PASSWORD: 'secret', SVC_ALERTS_TOKEN: 't' },
        'SVC_ALERTS_TOKEN and SVC_ALERTS_PASSWORD are both set',
      ],
    ] as const) {
      const run = await svc(['alerts', 'list', '-o', 'json', '--base-url', 'http://127.0.0.1:9'], { env });
      expect(run.code).toBe(2);
      expect(failure(run)).toMatchObject({ code: 'config_invalid', message: expect.stringContaining(why) });
    }
  });

  it('needs a user, and is the only credential of its service', async () => {
    for (const [values, why] of [
      [{}, 'without a user'],
      [{ 'alerts.user': 'ops', 'alerts.tokenCommand': 'true' }, 'two credentials'],
    ] as const) {
      const run = await withPassword(values).run([...LISTS.alerts, '-o', 'json']);
      expect(run.code).toBe(2);
      expect(failure(run)).toMatchObject({ code: 'config_invalid', message: expect.stringContaining(why) });
    }
    expect(server.requests).toEqual([]);
  });
});
