/** Which server a command reaches, and which credential it sends there: option > environment > profile, and --profile is an option. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { credentialsText } from '../../../support/credentials.ts';
import { answer, type FaultServer, faultServer, type Received } from '../../../support/servers.ts';
import { type RunOptions, svc, temporaryHome } from '../../../support/svc.ts';

const SILENCE = {
  id: '2f1a4c0e-1111-4222-8333-444455556666',
  matchers: [{ name: 'alertname', value: 'NodeDown', isRegex: false, isEqual: true }],
  startsAt: '2126-01-15T11:00:00.000Z',
  updatedAt: '2026-01-15T11:00:00.000Z',
  endsAt: '2126-01-15T13:00:00.000Z',
  createdBy: 'ann',
  comment: 'change 42',
  status: { state: 'pending' },
};

type Name = 'old' | 'new';
const servers = {} as Record<Name, FaultServer>;

/** `old` has a silence, `new` has none. */
const respond = (name: Name, { method, path }: Received): string => {
  if (method === 'POST') return answer(200, '{"silenceID":"77c09d3b-1111-4222-8333-444455556666"}');
  const isList = path.startsWith('/api/v2/silences');
  if (path.startsWith('/v1/webhooks')) return answer(200, '{"items":[],"total":0}');
  return answer(200, isList && name === 'old' ? JSON.stringify([SILENCE]) : '[]');
};

beforeAll(async () => {
  for (const name of ['old', 'new'] as const) {
    servers[name] = await faultServer((socket, request) => void socket.write(respond(name, request)));
  }
});
afterAll(() => Promise.all(Object.values(servers).map((server) => server.close())));
beforeEach(() => {
  for (const { requests } of Object.values(servers)) requests.length = 0;
});

type Service = 'alerts' | 'webhooks' | 'catalog' | 'trade';

function homeWith(logins: readonly Name[] = []): string {
  const home = temporaryHome();
  const config = join(home, 'config');
  mkdirSync(config, { recursive: true, mode: 0o700 });
  const profile = (name: Name) =>
    Object.fromEntries(
      (['alerts', 'webhooks', 'catalog', 'trade'] as const).map((service) => [`${service}.url`, servers[name].url]),
    );
  const profiles = { default: {}, old: profile('old'), new: profile('new'), bare: {} };
  writeFileSync(join(config, 'settings.json'), JSON.stringify({ profile: 'default', profiles }), { mode: 0o600 });
  if (logins.length > 0) {
    const credentials = logins.map((name) => ({
      kind: 'personal' as const,
      profile: name,
      base_url: servers[name].url,
      access_token: `login-of-${name}`,
      obtained_at: 1_800_000_000,
    }));
    writeFileSync(join(config, 'credentials.json'), credentialsText({ clients: [], credentials }), { mode: 0o600 });
  }
  return home;
}

const tokens = (name: Name): string[] => [
  ...new Set(servers[name].requests.map(({ headers }) => headers['authorization'] ?? 'none')),
];
const paths = (name: Name): string[] => servers[name].requests.map(({ method, path }) => `${method} ${path}`);
const run = (argv: readonly string[], options: RunOptions = {}) =>
  svc(argv, { now: () => 1_800_000_001_000, ...options });

describe('svc silences export --profile old | svc silences import --profile new', () => {
  it('reads from one server and writes to the other, whatever SVC_ALERTS_URL says', async () => {
    const home = homeWith();
    const env = { SVC_ALERTS_URL: servers.old.url };
    const exported = await run(['silences', 'export', '--profile', 'old', '-a'], { home, env });
    expect([exported.code, exported.stderr]).toEqual([0, expect.not.stringContaining('overrides')]);
    expect(paths('new')).toEqual([]);
    const before = servers.old.requests.length;
    const imported = await run(['silences', 'import', '-', '--profile', 'new'], { home, env, stdin: exported.stdout });
    expect([imported.code, imported.server]).toEqual([0, `server: ${new URL(servers.new.url).host} (profile new)`]);
    expect(imported.stderr).toContain(`--profile new overrides SVC_ALERTS_URL, which names ${servers.old.url}`);
    expect(servers.old.requests.length).toBe(before);
    expect(paths('new').filter((line) => line.startsWith('POST'))).toEqual(['POST /api/v2/silences']);
  });

  it('names the server in the dry run', async () => {
    const env = { SVC_ALERTS_URL: servers.new.url };
    const argv = ['silences', 'expire', SILENCE.id, '--profile', 'old', '--dry-run=curl'];
    const dry = await run(argv, { home: homeWith(), env });
    expect([dry.code, dry.stdout]).toEqual([0, expect.stringContaining(`${servers.old.url}/api/v2/silence/`)]);
    expect(paths('new')).toEqual([]);
  });
});

describe('a credential from the environment', () => {
  const argv = ['webhooks', 'list'];

  it('is not used with a profile that has a login', async () => {
    const env = { SVC_WEBHOOKS_TOKEN: 'of-the-environment' };
    const used = await run([...argv, '--profile', 'old'], { home: homeWith(['old']), env });
    expect([used.code, tokens('old')]).toEqual([0, ['Bearer login-of-old']]);
    expect(used.stderr).toContain('SVC_WEBHOOKS_TOKEN is not used: profile old has its own credential');
    const shown = await run(['oauth', 'token', '--profile', 'old'], { home: homeWith(['old']), env });
    expect(shown.stdout).toBe('login-of-old\n');
  });

  it('that is empty does not block a login, and is mentioned once', async () => {
    const options = { home: homeWith(), env: { SVC_WEBHOOKS_TOKEN: '' }, stdin: 'personal-token-1234567890' };
    const login = await run(['oauth', 'login', '--token-stdin', '--base-url', servers.new.url], options);
    expect(login.stderr.match(/SVC_WEBHOOKS_TOKEN/g)).toHaveLength(1);
    expect(login.stderr).toContain('SVC_WEBHOOKS_TOKEN is set, and svc uses it instead of the login');
    expect(login.code).toBe(0);
    // Any other request fails before it is sent.
    servers.new.requests.length = 0;
    const listed = await run(['webhooks', 'list', '--base-url', servers.new.url], { env: { SVC_WEBHOOKS_TOKEN: '' } });
    expect([listed.code, paths('new')]).toEqual([2, []]);
  });
});

interface Line {
  readonly service: Exclude<Service, 'trade'>;
  readonly option: Name | undefined;
  readonly profile: Name | 'bare' | undefined;
  readonly fromEnvironment: boolean;
  readonly variable: Name | undefined;
  readonly token: boolean;
}

describe('precedence', () => {
  const READS: Readonly<Record<Exclude<Service, 'trade'>, readonly string[]>> = {
    alerts: ['alerts', 'list'],
    webhooks: ['webhooks', 'list'],
    catalog: ['catalog', 'settlements', 'list'],
  };
  const name = fc.constantFrom<Name | undefined>('old', 'new', undefined);
  const line: fc.Arbitrary<Line> = fc.record({
    service: fc.constantFrom('alerts' as const, 'webhooks' as const, 'catalog' as const),
    option: name,
    profile: fc.constantFrom<Name | 'bare' | undefined>('old', 'new', 'bare', undefined),
    fromEnvironment: fc.boolean(),
    variable: name,
    token: fc.boolean(),
  });

  /** The server that the rules say, without the option. */
  function configured({ profile, fromEnvironment, variable }: Line): Name | undefined {
    const ofProfile = profile === 'bare' ? undefined : profile;
    const explicit = profile !== undefined && !fromEnvironment;
    return explicit ? (ofProfile ?? variable) : (variable ?? ofProfile);
  }

  /** A second, simple reading of the rules: the server and the token, or undefined for none and a refusal. */
  function expected(one: Line): { at?: Name; token?: boolean } {
    const own = configured(one);
    const at = one.option ?? own;
    if (at === undefined) return {};
    // A profile that the option names has its own server: the token of another one is not for it.
    const elsewhere = !one.fromEnvironment && own === one.profile && one.variable !== undefined && one.variable !== own;
    const token = one.token && !elsewhere;
    // Bound to the configured address: nothing is sent to another one.
    if (token && own !== undefined && own !== at) return {};
    // Without a credential, svc sends no request to the recording service.
    return !token && one.service === 'webhooks' ? {} : { at, token };
  }

  function invocation(one: Line): readonly [argv: readonly string[], env: Record<string, string>] {
    const prefix = `SVC_${one.service.toUpperCase()}`;
    const env: Record<string, string> = {};
    const argv = [...READS[one.service]];
    if (one.profile !== undefined && one.fromEnvironment) env['SVC_PROFILE'] = one.profile;
    if (one.profile !== undefined && !one.fromEnvironment) argv.push('--profile', one.profile);
    if (one.variable) env[`${prefix}_URL`] = servers[one.variable].url;
    if (one.token) env[`${prefix}_TOKEN`] = 'of-the-environment';
    if (one.option) argv.push('--base-url', servers[one.option].url);
    return [argv, env];
  }

  it('equals the documented table, and a token reaches one server only', async () => {
    let sent = 0;
    const home = homeWith();
    await fc.assert(
      fc.asyncProperty(line, async (one) => {
        for (const { requests } of Object.values(servers)) requests.length = 0;
        const [argv, env] = invocation(one);
        await run(argv, { home, env });
        const { at, token } = expected(one);
        const reached = (['old', 'new'] as const).flatMap((server) => tokens(server).map((sentTo) => [server, sentTo]));
        const wanted = [at, token ? 'Bearer of-the-environment' : 'none'];
        expect(reached).toEqual(at === undefined ? [] : [wanted]);
        sent += reached.length;
      }),
      { numRuns: 900 },
    );
    expect(sent).toBeGreaterThan(80);
  });
});

it('svc config shows where an address comes from', async () => {
  const env = { SVC_TRADE_URL: servers.old.url };
  const home = homeWith();
  const origin = async (...argv: string[]): Promise<string> =>
    (await run(['config', 'list', '--show-origin', '-o', 'json', ...argv], { home, env })).stdout;
  const row = (text: string) =>
    JSON.stringify(JSON.parse(text).find(({ key }: { key: string }) => key === 'trade.url'));
  expect(row(await origin('--profile', 'new'))).toContain(servers.new.url);
  expect(row(await origin('--profile', 'new'))).toContain('profile new');
  expect(row(await origin())).toContain('SVC_TRADE_URL');
});
