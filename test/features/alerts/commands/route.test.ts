/** Routes of a real server, with time intervals and inhibition, and of files. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { postAlerts, type RunningAlertmanager, startAlertmanager } from '../../../support/alertmanager.ts';
import { alertmanagerBinary } from '../../../support/peers.ts';
import { svc } from '../../../support/svc.ts';

const CONFIG = `
route:
  receiver: ops
  group_by: [alertname, cluster]
  routes:
    - matchers: [severity="critical"]
      receiver: pager
      continue: true
    - matchers: [team="db"]
      receiver: team-db
      group_wait: 10s
      mute_time_intervals: [nights]
    - match: { team: web }
      receiver: team-web
      active_time_intervals: [nights]
inhibit_rules:
  - source_matchers: [severity="critical"]
    target_matchers: [severity=~"warning|info"]
    equal: [cluster]
time_intervals:
  - name: nights
    time_intervals:
      - times: [{ start_time: "22:00", end_time: "24:00" }]
        location: Europe/Berlin
receivers: [{ name: ops }, { name: pager }, { name: team-db }, { name: team-web }]
`;
const NOON = '2026-07-01T12:00:00Z';
/** 22:30 in Berlin, in summer. */
const NIGHT = '2026-07-01T20:30:00Z';

const fromFile = (argv: readonly string[], config = CONFIG) => svc([...argv, '--config-file', '-'], { stdin: config });
const route = async (...argv: string[]) => fromFile(['alerts', 'route', ...argv]);
const rows = async (...argv: string[]) => JSON.parse((await route(...argv, '-o', 'json')).stdout);

describe('svc alerts route', () => {
  it('prints receivers, paths, groups and timers', async () => {
    expect(await rows('team=db', 'severity=critical', 'cluster=eu', '--at', NOON)).toMatchObject([
      { receiver: 'pager', path: ['severity="critical"'], group: { alertname: '', cluster: 'eu' }, groupWait: '30s' },
      { receiver: 'team-db', path: ['team="db"'], groupWait: '10s', mutedBy: [], inhibitedBy: null },
    ]);
    expect(await rows('team=none')).toMatchObject([{ receiver: 'ops', path: [] }]);
  });

  it.each([
    ['team=db', NOON, []],
    ['team=db', NIGHT, ['nights']],
    ['team=web', NOON, ['nights']],
    ['team=web', NIGHT, []],
    ['team=db', '2026-01-01T20:30:00Z', []], // 21:30 in winter
    ['team=db', '2026-01-01T21:00:00Z', ['nights']],
  ])('says that %s at %s is muted by %j', async (label, at, mutedBy) => {
    expect(await rows(label, '--at', at)).toMatchObject([{ mutedBy }]);
  });

  it('names a route without matchers', async () => {
    const { stdout } = await fromFile(
      ['alerts', 'route', 'team=db'],
      CONFIG.replace('matchers: [team="db"]', 'continue: false'),
    );
    expect(stdout).toContain('(every alert)');
  });

  it('exits with --expect 1 for other receivers, and 2 for an unknown name', async () => {
    const expecting = (names: string) => route('team=db', 'severity=critical', '--expect', names);
    expect((await expecting('team-db,pager')).code).toBe(0);
    expect(await expecting('pager')).toMatchObject({ code: 1, stderr: expect.stringContaining('pager,team-db') });
    expect(await expecting('pagr')).toMatchObject({ code: 2, stderr: expect.stringContaining('team-web') });
  });

  it('refuses a configuration with the place of the problem', async () => {
    const run = await fromFile(['alerts', 'route', 'team=db'], CONFIG.replace('receiver: team-db', 'receiver: nope'));
    expect(run).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('-:10:17: no receiver is named nope'),
    });
  });
});

it('svc alerts routes draws the tree', async () => {
  const run = await fromFile(['alerts', 'routes']);
  expect(run.code, run.stderr).toBe(0);
  expect(run.stdout).toMatch(/^default +ops/m);
  expect(run.stdout).toMatch(/^├── severity="critical" +pager +continue/m);
  expect(run.stdout).toMatch(/^└── team="web" +team-web .*nights$/m);
});

describe('svc alerts config check', () => {
  const check = (config: string, ...argv: string[]) =>
    svc(['alerts', 'config', 'check', '-', '-o', 'json', ...argv], { stdin: config });

  it('accepts a valid file, and says what it did not check', async () => {
    const run = await svc(['alerts', 'config', 'check', '-'], { stdin: CONFIG });
    expect(run).toMatchObject({ code: 0, stderr: expect.stringContaining('integrations were not checked') });
  });

  it.each([
    ['receiver: pager', 'receiver: nope', 7, 17],
    ['team="db"', 'team=~"("', 9, 18],
    ['mute_time_intervals: [nights]', 'mute_time_intervals: [day]', 12, 29],
    ['"22:00"', '"25:00"', 23, 31],
    ['Europe/Berlin', 'Mars/Phobos', 24, 19],
    ['group_wait: 10s', 'group_wait: soon', 11, 19],
    ['{ name: ops }', '{ name: ops }, { name: ops }', 25, 36],
    ['team="db"]', 'team="db"', 10, 7],
    ['receiver: ops', '<<: ops', 3, 7],
  ])('reports %j changed to %j at %i:%i', async (from, to, line, column) => {
    const run = await check(CONFIG.replace(from, to));
    expect(run.code).toBe(1);
    expect(JSON.parse(run.stdout)[0]).toMatchObject({ line, column });
  });

  it.each([
    ['lists in brackets', `route: ${'['.repeat(12_000)}`],
    ['mappings', `route: {a: ${'e: '.repeat(60_000)}\n`],
    ['routes', `route: ${'{routes: ['.repeat(2000)}${']}'.repeat(2000)}`],
  ])('reports %s that are nested too deeply', async (_, config) => {
    const run = await check(config);
    expect(run.code, run.stderr).toBe(1);
    expect(JSON.parse(run.stdout)[0]).toMatchObject({ line: 1, message: 'the values are nested too deeply' });
  });

  it.each([
    ['group_wait: 10s', 'group_weight: 10s', 11, 7, 'the field group_weight is not known'],
    ['\nreceivers:', '\nfuture: { a: [1] }\nreceivers:', 25, 1, 'the field future is not known'],
    ['receivers:', 'event_recorder: {}\nnope: 1\nreceivers:', 26, 1, 'the field nope is not known'],
  ])('warns of %j changed to %j at %i:%i', async (from, to, line, column, message) => {
    const config = CONFIG.replace(from, to);
    const run = await check(config);
    expect([run.code, JSON.parse(run.stdout)]).toEqual([0, [{ line, column, severity: 'warning', message }]]);
    // By the rules of a version that svc knows, it is an error.
    const strict = await check(config, '--server-version', '0.33');
    expect([strict.code, JSON.parse(strict.stdout)[0]]).toMatchObject([1, { line, severity: 'error', message }]);
    expect((await check(config, '--server-version', '0.99')).code).toBe(0);
    for (const argv of [['routes'], ['route', 'team=db']]) {
      const { code, stderr } = await fromFile(['alerts', ...argv], config);
      expect([code, stderr]).toEqual([0, expect.stringContaining(`warning: -:${line}:${column}: ${message}`)]);
    }
  });

  it('accepts fields of a newer version, and with --server-version only of this one', async () => {
    const config = CONFIG.replace('group_wait: 10s', 'labels: { a: b }').replace(
      'receivers:',
      'event_recorder: {}\nreceivers:',
    );
    expect(JSON.parse((await check(config)).stdout)).toEqual([]);
    expect((await check(config, '--server-version', '0.34.1')).code).toBe(0);
    expect((await check(config, '--server-version', '0.33.1')).code).toBe(1);
    expect((await check(config, '--server-version', 'old')).code).toBe(2);
  });
});

describe.skipIf(alertmanagerBinary() === undefined)('svc alerts route by the running configuration', () => {
  let server: RunningAlertmanager;
  beforeAll(async () => {
    server = await startAlertmanager({ config: CONFIG });
    await postAlerts(server.url, [
      { labels: { alertname: 'NodeDown', severity: 'critical', cluster: 'eu' } },
      { labels: { alertname: 'NodeDown', severity: 'critical', cluster: 'us' } },
    ]);
  });
  afterAll(() => server.stop());

  it('names the firing alerts that inhibit the alert', async () => {
    const run = await svc(['alerts', 'route', 'severity=warning', 'cluster=eu', '--base-url', server.url]);
    expect(run.code).toBe(0);
    expect(run.stderr).toMatch(/^inhibited by [0-9a-f]{16} alertname=NodeDown cluster=eu severity=critical$/m);
    const other = await svc([...'alerts route severity=warning cluster=x -o json --base-url'.split(' '), server.url]);
    expect(JSON.parse(other.stdout)).toMatchObject([{ inhibitedBy: [] }]);
  });
});
