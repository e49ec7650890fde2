/** A new login replaces the earlier one of the same profile and address, which the service then ends. */
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import type { OAuthCredential } from '../../../../src/store/credentials.ts';
import { browse } from '../../../support/oidc.ts';
import { svc, temporaryHome } from '../../../support/svc.ts';
import { PlainServer } from './plain-server.ts';
import { login, stored } from './signing-in.ts';

let server: PlainServer;
let home: string;
beforeEach(async () => {
  server = await PlainServer.start();
  home = temporaryHome();
  onTestFinished(() => server.close());
});

const addProfile = () => svc(['config', 'set', 'webhooks.url', server.url, '--profile', 'other'], { home });
const signIn = (...args: readonly string[]) => login({ url: server.url, home, args });
const refresh = () => svc(['oauth', 'refresh', '--base-url', server.url], { home });

function refreshTokenOf(profile = 'default'): string {
  const found = stored(home)?.credentials.find((one) => one.profile === profile);
  return (found as OAuthCredential | undefined)?.refresh_token ?? '';
}

it('a replaced login is revoked once the new one is stored', async () => {
  expect((await signIn()).code).toBe(0);
  expect(server.revoked).toEqual([]);
  const earlier = refreshTokenOf();
  const second = await signIn();
  expect(second).toMatchObject({ code: 0 });
  expect(second.stdout + second.stderr).not.toContain(earlier);
  expect(server.revoked).toEqual([earlier]);
  expect([...server.refreshTokens.keys()]).toEqual([refreshTokenOf()]);
  expect((await refresh()).code).toBe(0);
});

it('a replaced login is revoked for a personal token, too', async () => {
  await signIn();
  const { access_token = '' } = stored(home)?.credentials[0] ?? {};
  const earlier = refreshTokenOf();
  const run = await svc(['oauth', 'login', '--token-stdin', '--base-url', server.url], { home, stdin: access_token });
  expect(run.code).toBe(0);
  expect(server.revoked).toEqual([earlier]);
});

it('a replaced login is revoked by the token that a refresh gave meanwhile', async () => {
  await signIn();
  const second = await login({
    url: server.url,
    home,
    visit: async (url) => {
      expect((await refresh()).code).toBe(0);
      return browse(url);
    },
  });
  expect(second.code).toBe(0);
  expect(server.revoked).toHaveLength(1);
  expect([...server.refreshTokens.keys()]).toEqual([refreshTokenOf()]);
});

it('a replaced login that cannot be revoked leads to a warning, and the new login is stored', async () => {
  await signIn();
  for (const status of [400, 503]) {
    server.revocationStatus = status;
    const run = await signIn();
    expect(run.code).toBe(0);
    expect(run.stderr).toContain('svc stored the new login, but could not revoke the earlier one: ');
  }
  expect(server.revoked).toHaveLength(2);
  expect((await refresh()).code).toBe(0);
});

it('a replaced login is not revoked if the service has ended it, or gave no refresh token', async () => {
  await signIn();
  server.refreshTokens.clear();
  expect((await refresh()).code).toBe(4);
  server.change = (part, fields) => (part === 'token' ? { ...fields, refresh_token: undefined } : fields);
  expect((await signIn()).code).toBe(0);
  expect((await signIn()).code).toBe(0);
  expect(server.revoked).toEqual([]);
});

it('a replaced login is not revoked if the new one has the same refresh token', async () => {
  server.change = (part, fields) => (part === 'token' ? { ...fields, refresh_token: 'the-same-0123456789' } : fields);
  for (let time = 0; time < 2; time++) expect((await signIn()).code).toBe(0);
  expect(server.revoked).toEqual([]);
});

it('a login of another profile is never revoked', async () => {
  await addProfile();
  expect((await signIn('--profile', 'other')).code).toBe(0);
  await signIn('--new-client');
  const earlier = refreshTokenOf();
  await signIn();
  expect(server.revoked).toEqual([earlier]);
  expect(server.refreshTokens.has(refreshTokenOf('other'))).toBe(true);
});

it('the stored one of two logins at once stays valid', async () => {
  await signIn();
  const runs = await Promise.all([signIn('--new-client'), signIn('--new-client')]);
  expect(runs.map(({ code }) => code)).toEqual([0, 0]);
  expect([...server.refreshTokens.keys()]).toEqual([refreshTokenOf()]);
  expect((await refresh()).code).toBe(0);
});
