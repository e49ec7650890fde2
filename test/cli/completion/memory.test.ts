/** What a command shows at a terminal is offered to the next one: by main, in process, against a service that answers. */
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { parseMatcherArguments } from '../../../src/features/alerts/matcher-arguments.ts';
import { svc, temporaryHome } from '../../support/svc.ts';
import { HOSTILE } from './hostile.ts';

const NOW = Date.UTC(2026, 0, 15, 12);
const ALERT = {
  fingerprint: 'b62dae5b00000001',
  labels: { alertname: 'NodeDown', instance: 'node-07' },
  annotations: {},
  receivers: [{ name: 'team (db)' }, { name: 'slack.oncall' }],
  status: { state: 'active', silencedBy: [], inhibitedBy: [] },
  startsAt: '2026-01-15T11:00:00Z',
  endsAt: '2026-01-15T13:00:00Z',
  updatedAt: '2026-01-15T11:00:00Z',
};
const SILENCE = {
  id: '2f1a4c0e-1111-4222-8333-444455556666',
  matchers: [{ name: 'alertname', value: 'NodeDown', isRegex: false, isEqual: true }],
  comment: 'disk\u202eswap',
  createdBy: 'ann',
  startsAt: '2026-01-15T11:00:00Z',
  endsAt: '2026-01-15T13:00:00Z',
  updatedAt: '2026-01-15T11:00:00Z',
  status: { state: 'active' },
};

let server: Server;
let address: string;
let requests = 0;
let answers: Readonly<Record<string, unknown>>;
let home: string;

beforeAll(async () => {
  server = createServer((request, response) => {
    requests++;
    const path = new URL(request.url ?? '', 'http://x').pathname.replace('/api/v2', '');
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(answers[path] ?? []));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  home = temporaryHome();
  answers = { '/alerts': [ALERT], '/silences': [SILENCE], '/receivers': ALERT.receivers };
});

interface Options {
  readonly terminal?: boolean;
  readonly now?: number;
  readonly env?: Readonly<Record<string, string>>;
}

async function run(line: string, { terminal = true, now = NOW, env = {} }: Options = {}): Promise<void> {
  const { code, stderr } = await svc(line.split(' '), {
    home,
    now: () => now,
    env: { SVC_ALERTS_URL: address, SVC_WEBHOOKS_URL: address, SVC_CATALOG_URL: address, ...env },
    ...(terminal ? { terminal: 80 } : {}),
  });
  expect(code, stderr).toBe(0);
}

/** A command line that completes the names of each kind. */
const LINES = {
  fingerprints: 'alerts get',
  receivers: 'alerts list -r',
  silences: 'silences get',
  subscriptions: 'webhooks get',
  products: 'catalog products get',
  stores: 'catalog history --store',
  sources: 'catalog history --source',
  settings: 'config get',
  profiles: 'config use',
} as const;

/** The candidates after these words, with their descriptions. */
async function offered(typed: readonly string[], prefix: string, { now = NOW, env = {} }: Options): Promise<string[]> {
  const before = requests;
  const { code, stdout, stderr } = await svc(['__complete', `matching=${prefix}`, ...typed], {
    home,
    now: () => now,
    env: { SVC_ALERTS_URL: address, SVC_WEBHOOKS_URL: address, SVC_CATALOG_URL: address, ...env },
  });
  expect({ code, stderr, requests: requests - before }).toEqual({ code: 0, stderr: '', requests: 0 });
  const [kind, ...lines] = stdout.split('\n');
  expect(kind).toMatch(/^(values\t.*|any\t)?$/);
  return lines.filter((line) => line !== '');
}

/** `options` are options of svc before the command. */
function asked(source: keyof typeof LINES, run: Options = {}, prefix = '', ...options: string[]): Promise<string[]> {
  return offered([...options, ...LINES[source].split(' ')], prefix, run);
}

const cacheFile = (): string => join(home, 'cache/completion-alerts.json');

describe('the cached names', () => {
  it('are those that lists and single items show, with a description', async () => {
    await run('alerts list');
    expect(await asked('fingerprints')).toEqual(['b62dae5b00000001\tNodeDown instance=node-07']);
    expect(await asked('receivers')).toEqual(['team \\(db\\)', 'slack.oncall']);
    await run('silences list');
    expect(await asked('silences')).toEqual([
      '2f1a4c0e-1111-4222-8333-444455556666\talertname="NodeDown" disk\\u202eswap',
    ]);
    expect(await asked('fingerprints'), 'is kept beside the new').toHaveLength(1);
  });

  it.each(['alerts get b62d', 'alerts list -o wide --limit 1', 'alerts list --sort alertname'])('%s', async (line) => {
    await run(line);
    expect(await asked('fingerprints')).toHaveLength(1);
  });

  it.each(['webhooks list', 'webhooks get ep_'])('%s', async (line) => {
    answers = { '/v1/webhooks': { items: [{ id: 'ep_1', url: 'https://x.test/a', events: [], status: 1 }] } };
    await run(line, { env: { SVC_WEBHOOKS_TOKEN: 'token-1' } });
    expect(await asked('subscriptions')).toEqual(['ep_1\thttps://x.test/a']);
    expect(await asked('subscriptions', {}, 'zz'), 'begins with something else').toEqual([]);
  });

  it('catalog products list, and the sources of one', async () => {
    const source = { source_id: 'receiver:run-1:1', parser_name: 'fixprice', settlement: { name: 'Химки' } };
    answers = {
      '/products': { items: [{ canonical_product_id: 'p1', title: 'Чай', parsers: ['chizhik', 'fixprice'] }] },
      '/products/p1/sources': { items: [source, { ...source, source_id: 'x', settlement: null }] },
    };
    await run('catalog products list --all');
    expect(await asked('products')).toEqual(['p1\tЧай']);
    expect(await asked('stores')).toEqual(['chizhik', 'fixprice']);
    await run('catalog products sources p1');
    expect(await asked('sources')).toEqual(['receiver:run-1:1\tfixprice, Химки', 'x\tfixprice']);
    expect(await asked('stores')).toContain('fixprice');
  });

  it.each(['alerts receivers', 'alerts groups'])('%s', async (line) => {
    answers = {
      ...answers,
      '/alerts/groups': ALERT.receivers.map((receiver) => ({ labels: {}, receiver, alerts: [ALERT] })),
    };
    await run(line);
    expect(await asked('receivers')).toEqual(['team \\(db\\)', 'slack.oncall']);
  });

  it('include a new silence', async () => {
    answers = { ...answers, '/silences': { silenceID: '77c00000-1111-4222-8333-444455556666' } };
    await run('silences create alertname=NodeDown -c why --yes');
    expect(await asked('silences')).toEqual(['77c00000-1111-4222-8333-444455556666\talertname="NodeDown" why']);
  });

  it('are not updated when the output is a pipe', async () => {
    await run('alerts list', { terminal: false });
    expect(readdirSync(home)).not.toContain('cache');
  });

  it('are at most a thousand', async () => {
    answers = {
      '/alerts': Array.from({ length: 1200 }, (_, i) => ({ ...ALERT, fingerprint: i.toString(16).padStart(16, '0') })),
    };
    await run('alerts list');
    const offered = await asked('fingerprints');
    expect(offered).toHaveLength(1000);
    expect(offered[0]).toMatch(/^0{16}\t/);
    expect(await asked('receivers')).toHaveLength(2);
  });
});

describe('a matcher', () => {
  const matching = (typed: string, ...before: string[]) => offered(['alerts', 'list', ...before], typed, {});

  it('completes to a label with its operator, or to the name of an alert', async () => {
    const labels = { alertname: 'NodeDown', severity: 'critical', 'a.b': 'x', job: 'a, "b"', empty: '', zone: 'ü 1' };
    answers = {
      '/alerts': [
        { ...ALERT, labels },
        { ...ALERT, labels: { ...labels, severity: 'info' } },
      ],
    };
    await run('alerts list');
    expect(await matching('')).toEqual(['alertname=', 'severity=', 'job=', 'zone=', 'NodeDown\talert']);
    expect(await matching('', 'severity=info')).toEqual(['alertname=', 'severity=', 'job=', 'zone=']);
    expect(await matching('severity=')).toEqual(['critical', 'info']);
    expect(await matching('severity!=i')).toEqual(['info']);
    expect(await matching('severity=~')).toEqual([]);
    expect(await matching('zone=')).toEqual(['ü 1']);
    expect(await matching('job=')).toEqual(['"a, \\"b\\""']);
    expect(await offered(['silences', 'run'], 'sev', {})).toEqual(['severity=']);
    expect(await offered(['silences', 'run', 'a=b'], 'sev', {})).toEqual(['severity=']);
    expect(await offered(['silences', 'update', '2f1a'], '--matcher=severity=c', {})).toEqual(['critical']);
  });

  it.each(HOSTILE)('reads back with the value %s', async (value) => {
    answers = { '/alerts': [{ ...ALERT, labels: { job: value } }] };
    await run('alerts list');
    const [typed = ''] = await matching('job=');
    expect(parseMatcherArguments([`job=${typed}`])).toEqual([{ name: 'job', value, isRegex: false, isEqual: true }]);
  });
});

describe('the offered names', () => {
  it('are at most a minute old', async () => {
    await run('alerts list');
    expect(await asked('fingerprints', { now: NOW + 59_999 })).toHaveLength(1);
    expect(await asked('fingerprints', { now: NOW + 60_000 })).toEqual([]);
    expect(await asked('fingerprints', { now: NOW - 1 }), 'a clock that was set back').toEqual([]);
    await run('alerts receivers', { now: NOW + 50_000 });
    expect(await asked('fingerprints', { now: NOW + 60_000 }), 'another command keeps it no longer').toEqual([]);
    expect(await asked('receivers', { now: NOW + 60_000 })).toHaveLength(2);
  });

  it('belong to the profile and address of the command line', async () => {
    mkdirSync(join(home, 'config'), { mode: 0o700 });
    const profiles = { prod: { 'alerts.url': address }, other: { 'alerts.url': 'http://127.0.0.1:1' } };
    writeFileSync(join(home, 'config/settings.json'), JSON.stringify({ profiles }), { mode: 0o600 });
    const env = { SVC_ALERTS_URL: '' };
    await run('alerts list --profile prod', { env });
    const prod = ['b62dae5b00000001\tNodeDown instance=node-07'];
    expect(await asked('fingerprints', { env }, '', '--profile', 'prod')).toEqual(prod);
    expect(await asked('fingerprints', { env }, '', '--profile=prod')).toEqual(prod);
    expect(await asked('fingerprints', { env: { ...env, SVC_PROFILE: 'prod' } })).toEqual(prod);
    expect(await asked('fingerprints', { env }, '', '--profile', 'other')).toEqual([]);
    expect(await offered(['alerts', 'get', '--', '--profile', 'prod'], '', { env })).toEqual([]);
    expect(await asked('fingerprints', { env })).toEqual([]);
    const elsewhere = ['', '--profile', 'prod', '--base-url', 'http://127.0.0.1:1'];
    expect(await asked('fingerprints', { env }, ...elsewhere)).toEqual([]);
    await run(`alerts list --profile prod --base-url ${address}/`, { env });
    expect(await asked('fingerprints', { env }, '', '--profile', 'prod'), 'replaced by another').toEqual([]);
  });

  it('begin with the typed word, and with a dash only if it does', async () => {
    answers = { '/receivers': ['ann', 'bob', '-rf', 'x\ny', 'x\x1b[31m', ''].map((name) => ({ name })) };
    await run('alerts receivers');
    expect(await asked('receivers')).toEqual(['ann', 'bob', 'x\\x{a}y', 'x\\x{1b}\\[31m']);
    expect(await asked('receivers', {}, 'b')).toEqual(['bob']);
    expect(await asked('receivers', {}, '-')).toEqual(['-rf']);
  });

  it('are empty if nothing is cached, whatever else is wrong', async () => {
    expect(await asked('silences')).toEqual([]);
    expect(await asked('silences', { env: { SVC_ALERTS_URL: 'not an address' } })).toEqual([]);
    expect(await asked('silences', { env: { SVC_PROFILE: 'none' } })).toEqual([]);
    for (const word of ['bogus', '__proto__', 'constructor', '']) expect(await offered([word], '', {})).toEqual([]);
    await run('alerts list');
    const good = readFileSync(cacheFile(), 'utf8');
    for (const bad of [
      '',
      '{',
      'null',
      '[]',
      good.replace(/"kinds":.*/, '"kinds":null}'),
      good.replaceAll('[[', '[[['),
    ]) {
      writeFileSync(cacheFile(), bad);
      expect(await asked('fingerprints'), bad).toEqual([]);
    }
    await run('alerts list');
    expect(await asked('fingerprints'), 'a broken file is replaced').toHaveLength(1);
  });

  it('include every setting and profile of this machine', async () => {
    expect(await asked('settings', {}, 'alerts.u')).toEqual([
      'alerts.url\tAddress of the alert manager',
      'alerts.urls\tAddresses of the members of one HA cluster, instead of alerts.url',
      'alerts.user\tUser for basic authentication to the alert manager',
    ]);
    expect(await asked('profiles')).toEqual(['default']);
    mkdirSync(join(home, 'config'), { mode: 0o700 });
    writeFileSync(join(home, 'config/settings.json'), '{"profiles":{"prod":{},"a\\nb":{}}}', { mode: 0o600 });
    expect(await asked('profiles')).toEqual(['default', 'prod']);
    writeFileSync(join(home, 'config/settings.json'), '{');
    expect(await asked('profiles')).toEqual([]);
  });
});

describe('the file', () => {
  it('is readable by its owner only', async () => {
    await run('alerts list');
    expect(statSync(cacheFile()).mode & 0o777).toBe(0o600);
    expect(statSync(join(home, 'cache')).mode & 0o777).toBe(0o700);
    expect(readdirSync(join(home, 'cache'))).toEqual(['completion-alerts.json']);
  });

  it('does not fail a command if it cannot be written', async () => {
    writeFileSync(join(home, 'cache'), 'a file stands there');
    await run('alerts list');
    rmSync(join(home, 'cache'));
    mkdirSync(cacheFile(), { recursive: true });
    await run('alerts list');
    expect(readdirSync(join(home, 'cache'))).toEqual(['completion-alerts.json']);
  });
});
