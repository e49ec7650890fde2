/** Signing in without a terminal, over ssh and in a container. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SvcError } from '../../../../src/errors.ts';
import { type OidcServer, startOidc } from '../../../support/oidc.ts';
import { freePort } from '../../../support/ports.ts';
import { svc } from '../../../support/svc.ts';
import { exchangeBytes, isOpen, statusOf } from '../raw.ts';
import { login, redirectOf } from './signing-in.ts';

let server: OidcServer;
beforeAll(async () => {
  server = await startOidc();
});
afterAll(() => server.close());

describe('svc oauth login without a terminal', () => {
  const begin = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
    svc(['oauth', 'login', '--base-url', server.url, '--wait', '10ms', ...args], { env, sleeps: true });

  it('exits 2 at once where there is no browser either', async () => {
    const before = server.requests.length;
    for (const args of [[], ['--no-browser'], ['-o', 'json']]) {
      const run = await begin(args, { DISPLAY: ':0' });
      expect(run).toMatchObject({ code: 2, stdout: '' });
      expect(run.stderr).toContain('a sign-in needs a terminal or a browser, and there is neither');
      for (const option of ['--paste', '--callback-port', '--token-stdin']) expect(run.stderr).toContain(option);
    }
    expect(server.requests).toHaveLength(before);
  });

  it('goes on with --paste, with a port, or with a browser that the user named', async () => {
    for (const [args, env] of [
      [['--paste'], {}],
      [['--callback-port', String(await freePort()), '--no-browser'], {}],
      [[], { BROWSER: 'firefox' }],
    ] as const) {
      const run = await begin(args, env);
      expect(run).toMatchObject({ code: 4, stderr: expect.stringContaining('no sign-in within') });
      expect(run.opened).toHaveLength('BROWSER' in env ? 1 : 0);
    }
  });
});

describe('svc oauth login over ssh', () => {
  const SSH_CONNECTION = '192.0.2.1 1 192.0.2.2 22';

  it('says how to forward the port', async () => {
    const hidden = (): Promise<string> => new Promise(() => {});
    const run = await login({ url: server.url, terminal: 200, env: { SSH_CONNECTION, NO_COLOR: '1' }, hidden });
    const { port } = redirectOf(run.authorization);
    expect(run).toMatchObject({ code: 0, opened: [] });
    expect(run.stderr).toContain(`first run: ssh -L ${port}:127.0.0.1:${port} <this machine>\n`);
  });
});

describe('svc oauth login in a container', () => {
  it('listens at --callback-host, and its redirect stays on loopback', async () => {
    const port = String(await freePort());
    const run = await login({ url: server.url, args: ['--callback-host', '0.0.0.0', '--callback-port', port] });
    expect(run).toMatchObject({ code: 0, visited: { status: 200 } });
    expect(redirectOf(run.authorization).origin).toBe(`http://127.0.0.1:${port}`);
    expect(run.stderr).toContain(`svc listens on port ${port} of 0.0.0.0, which other machines may reach\n`);
    const stop = new AbortController();
    const again = await login({
      url: server.url,
      home: run.home,
      args: ['--callback-host', '127.0.0.2', '--callback-port', port],
      signal: stop.signal,
      visit: async (url) => {
        const { pathname } = redirectOf(url);
        expect(await isOpen(Number(port), '127.0.0.1')).toBe(false);
        // A request for another name is refused, as on loopback.
        const answer = await exchangeBytes(Number(port), `GET ${pathname} HTTP/1.1\r\nHost: evil\r\n\r\n`, '127.0.0.2');
        expect(statusOf(answer)).toBe(400);
        stop.abort(new SvcError('interrupted', 'interrupted'));
        return undefined;
      },
    });
    expect(again.code).toBe(130);
    expect(again.stderr).not.toContain('other machines');
    expect(again.authorization?.searchParams.get('client_id')).toBe(run.authorization?.searchParams.get('client_id'));
  });

  it('refuses an address that is not of this machine, and options that contradict each other', async () => {
    for (const [args, text] of [
      ['--callback-host localhost --callback-port 8250', 'is not an IP address'],
      ['--callback-host 0.0.0.0 --paste', '--callback-host needs --callback-port'],
      ['--callback-host 192.0.2.1 --callback-port 18251', '192.0.2.1 is not an address of this machine'],
      ['--callback-host 0.0.0.0 --callback-port 8250 --token-stdin', '--token-stdin cannot be combined'],
    ] as const) {
      const run = await login({ url: server.url, args: args.split(' ') });
      expect(run).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(text) });
    }
  });
});
