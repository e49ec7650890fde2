/** `svc oauth login --device` at a real authorization server, with the test as the person on another device. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type OidcServer, startOidc } from '../../../support/oidc.ts';
import { type Run, type RunOptions, svc, temporaryHome } from '../../../support/svc.ts';
import { secretsIn, stored } from './signing-in.ts';

let server: OidcServer;
beforeAll(async () => {
  server = await startOidc({ device: true });
});
afterAll(() => server.close());

const SHOWN = /^to sign in, open (http:\S+) on any device and enter the code (\S+)$/m;

/** `decide` gets the code that is shown. */
async function login(
  decide: (userCode: string) => Promise<void>,
  {
    url = server.url,
    args = [],
    ...options
  }: RunOptions & { readonly url?: string; readonly args?: readonly string[] } = {},
): Promise<Run & { readonly home: string }> {
  const home = options.home ?? temporaryHome();
  let decided: Promise<void> | undefined;
  const run = await svc(['oauth', 'login', '--device', '--base-url', url, ...args], {
    ...options,
    home,
    onStderr(text) {
      const [, , code] = SHOWN.exec(text) ?? [];
      if (code !== undefined) decided ??= decide(code);
    },
  });
  await decided;
  return { ...run, home };
}

describe('svc oauth login --device', () => {
  it.each(['none', 'client_secret_basic', 'client_secret_post'])('%s', async (method) => {
    const { code, stdout, stderr, home } = await login((shown) => server.enterCode(shown), {
      args: ['--auth-method', method, '-o', 'json', '--debug'],
    });
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ kind: 'oauth', auth_method: method, scope: 'mcp:connect' });
    expect(stderr).toMatch(SHOWN);
    const document = stored(home);
    expect(document?.credentials).toMatchObject([{ refresh_token: expect.any(String), issuer: server.url }]);
    const [device] = server.requests.filter(({ path }) => path === '/device/auth').slice(-1);
    expect(new URLSearchParams(device?.body).get('scope')).toBe('mcp:connect');
    const codes = server.tokenRequests().flatMap(({ device_code }) => device_code ?? []);
    for (const secret of [...secretsIn(document), ...codes]) {
      expect(stdout).not.toContain(secret);
      expect(stderr).not.toContain(secret);
    }
    expect(await svc(['oauth', 'refresh', '--base-url', server.url], { home })).toMatchObject({ code: 0 });
  });

  it('polls until the user has decided, and reuses its client', async () => {
    const home = temporaryHome();
    const before = server.tokenRequests().length;
    let asked = 0;
    const patient = async (shown: string): Promise<void> => {
      while (server.tokenRequests().length < before + 3) await new Promise((done) => setImmediate(done));
      asked = server.tokenRequests().length - before;
      await server.enterCode(shown);
    };
    expect((await login(patient, { home })).code).toBe(0);
    expect(asked).toBeGreaterThanOrEqual(3);
    expect((await login((shown) => server.enterCode(shown), { home })).code).toBe(0);
    expect(stored(home)?.clients).toHaveLength(1);
  });

  it('shows a QR code at a terminal that is wide enough', async () => {
    const wide = await login((shown) => server.enterCode(shown), { terminal: 80 });
    const code = wide.stderr.split('\n').filter((line) => /^[█▀▄ ]+$/.test(line));
    expect(wide.code).toBe(0);
    // A square of two rows to a line.
    expect(code.length).toBe(Math.ceil((code[0]?.length ?? 0) / 2));
    expect(wide.stderr.indexOf('█')).toBeLessThan(wide.stderr.indexOf('enter the code'));
    for (const options of [{ terminal: 20 }, { terminal: 80, env: { LANG: 'C' } }, {}]) {
      expect((await login((shown) => server.enterCode(shown), options)).stderr).not.toContain('█');
    }
  });

  it('ends if the user refuses', async () => {
    const run = await login((shown) => server.enterCode(shown, false));
    expect(run).toMatchObject({ code: 4, stderr: expect.stringContaining('access_denied') });
    expect(stored(run.home)?.credentials ?? []).toEqual([]);
  });

  it('ends when the time is over', async () => {
    const run = await login(async () => {}, { args: ['--wait', '1s'] });
    expect(run).toMatchObject({ code: 4, stderr: expect.stringContaining('no sign-in within 1 s') });
  });

  it('says what to do if the service does not offer it', async () => {
    const other = await startOidc();
    const run = await login(async () => {}, { url: other.url });
    await other.close();
    expect(run).toMatchObject({ code: 3, stderr: expect.stringContaining('does not offer device authorization') });
    expect(run.stderr).toContain('svc oauth login --no-browser');
  });

  it('refuses options of a browser', async () => {
    expect(await login(async () => {}, { args: ['--port', '8250'] })).toMatchObject({ code: 2 });
    expect(await login(async () => {}, { args: ['--token-stdin'] })).toMatchObject({ code: 2 });
  });
});
