/** What people write for amtool, verbatim after `svc`, compared with the real amtool on a real server. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import {
  getJson,
  postAlerts,
  postSilence,
  type RunningAlertmanager,
  type SeedAlert,
  startAlertmanager,
  wire,
} from '../../support/alertmanager.ts';
import { alertmanagerBinary, amtoolBinary } from '../../support/peers.ts';
import { svc } from '../../support/svc.ts';

const HOUR = 3_600_000;
const peer = amtoolBinary();

interface WireSilence {
  readonly id: string;
  readonly status: { readonly state: string };
  readonly matchers: readonly unknown[];
  readonly createdBy: string;
  readonly comment: string;
  readonly startsAt: string;
  readonly endsAt: string;
}

describe.skipIf(peer === undefined || alertmanagerBinary() === undefined)('the lines of amtool', () => {
  let server: RunningAlertmanager;
  let folder = '';
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'svc-amtool-'));
    server = await startAlertmanager();
    await postAlerts(server.url, [
      { labels: { alertname: 'DiskFull', severity: 'critical', instance: 'a' } },
      { labels: { alertname: 'DiskFull', severity: 'warning', instance: 'b' } },
      { labels: { alertname: 'Silenced', team: 'db' } },
    ]);
    const active = () => getJson<unknown[]>(server.url, '/api/v2/alerts?inhibited=false');
    await vi.waitFor(async () => expect(await active()).toHaveLength(2), 20_000);
    const matchers = [{ name: 'team', value: 'db', isRegex: false }];
    await postSilence(server.url, { matchers, createdBy: 'ann', comment: 'CHG-1' });
    const later = new Date(Date.now() + 20 * HOUR).toISOString();
    const others = [{ name: 'team', value: 'web', isRegex: false }];
    await postSilence(server.url, { matchers: others, createdBy: 'bob', comment: 'CHG-2', endsAt: later });
    const expired = await postSilence(server.url, { matchers: others, createdBy: 'bob', comment: 'CHG-3' });
    await wire(server.url, `/api/v2/silence/${expired}`, { method: 'DELETE' });
  });
  afterAll(async () => {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const amtool = (argv: readonly string[]): string =>
    execFileSync(peer?.command ?? '', [`--alertmanager.url=${server.url}`, ...argv], {
      encoding: 'utf8',
      env: { ...process.env, ...peer?.env, HOME: folder, TZ: 'UTC' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  const verbatim = (argv: readonly string[]) => svc([`--alertmanager.url=${server.url}`, ...argv]);
  const keys = (json: string): string[] =>
    (JSON.parse(json) as { fingerprint?: string; id?: string }[])
      .map(({ fingerprint, id }) => fingerprint ?? id ?? '')
      .sort();
  const silences = () => getJson<WireSilence[]>(server.url, '/api/v2/silences');
  const silence = (id: string) => getJson<WireSilence>(server.url, `/api/v2/silence/${id.trim()}`);

  it('print the same', async () => {
    const queries = [
      'alert',
      'silence',
      'alert query alertname=DiskFull',
      'alert query DiskFull severity=critical',
      'alert query alertname=~Disk.* --receiver=pager',
      'alert query --silenced',
      'alert query -s --active',
      'silence query team=db',
      'silence query --within 8h',
      'silence query --expired',
      'silence query --expired --within=2h',
      'silence query --created-by ann',
    ];
    for (const query of queries) {
      const argv = [...query.split(' '), '-o', 'json'];
      const run = await verbatim(argv);
      expect([query, run.code]).toEqual([query, 0]);
      const theirs = keys(amtool(argv));
      expect([query, keys(run.stdout)]).toEqual([query, theirs]);
      expect(theirs).not.toEqual([]);
    }
    const lines = (text: string) => text.trim().split('\n').sort();
    const quiet = ['silence', 'query', '-q'];
    expect(lines((await verbatim(quiet)).stdout)).toEqual(lines(amtool(quiet)));
  });

  it('may have the formats and the option -a of amtool', async () => {
    for (const format of ['simple', 'extended', 'json']) {
      const run = await verbatim(['alert', 'query', '-o', format]);
      expect([run.code, run.stdout]).toEqual([0, expect.stringContaining('DiskFull')]);
      if (format === 'extended') expect(run.stdout).toContain(keys(amtool(['alert', 'query', '-o', 'json']))[0]);
    }
    const all = await verbatim(['alert', 'query', '-a', '-o', 'table']);
    expect([all.code, all.stdout, all.stderr]).toEqual([0, expect.stringContaining('Silenced'), '']);
  });

  it('send the same alert', async () => {
    const end = new Date(Date.now() + HOUR).toISOString();
    const sent = [];
    for (const [name, send] of [['FromAmtool', amtool] as const, ['FromSvc', verbatim] as const]) {
      const options = ['--annotation=runbook=http://runbook.example', '--generator-url=http://prom.example/g'];
      await send(['alert', 'add', name, 'node=bar', ...options, `--end=${end}`]);
      const [alert] = await getJson<[SeedAlert]>(server.url, `/api/v2/alerts?filter=alertname%3D${name}`);
      const { labels, annotations, generatorURL, endsAt = '' } = alert;
      sent.push({ ...labels, alertname: '', annotations, generatorURL, endsAt: Date.parse(endsAt) });
    }
    expect(sent[1]).toEqual(sent[0]);
  });

  const START = new Date(Date.now() + HOUR).toISOString();
  const END = new Date(Date.now() + 5 * HOUR).toISOString();
  it.each([
    [['alertname=foo', 'node=bar', '-a', 'me', '-d', '2h', '-c', 'why']],
    [['foo', 'node=~b.*', '--author=me', '--duration=90m', '--comment=why']],
    [['foo', '--author', 'me', '--comment', 'why', '--start', START, '--end', END]],
  ])('create with %j the same silence', async (argv) => {
    const made = [await silence(amtool(['silence', 'add', ...argv]))];
    const run = await verbatim(['silence', 'add', ...argv, '-q']);
    expect(run.code, run.stderr).toBe(0);
    made.push(await silence(run.stdout));
    const facts = made.map(({ matchers, createdBy, comment, startsAt, endsAt }) => ({
      matchers,
      createdBy,
      comment,
      minutes: Math.round((Date.parse(endsAt) - Date.parse(startsAt)) / 60_000),
      start: argv.includes('--start') ? Date.parse(startsAt) : 'now',
    }));
    expect(facts[1]).toEqual(facts[0]);
  });

  it.each([
    [['--comment=new'], 'active'],
    [['-d', '3h', '-c', 'new'], 'active'],
    [['-d', '2h'], 'pending'],
    [['--start', START, '--end', END], 'pending'],
  ])('change with %j the same of a silence that is %s', async (argv, state) => {
    const made = [];
    const start = Date.now() + (state === 'active' ? 0 : 2 * HOUR);
    const times = { startsAt: new Date(start).toISOString(), endsAt: new Date(start + HOUR).toISOString() };
    for (const send of [amtool, verbatim]) {
      const id = await postSilence(server.url, { matchers: [{ name: 'u', value: 'x', isRegex: false }], ...times });
      const run = await send(['silence', 'update', ...argv, id]);
      if (typeof run !== 'string') expect(run.code, run.stderr).toBe(0);
      const { startsAt, endsAt, comment } = await silence(id);
      const minutes = (text: string) => Math.round((Date.parse(text) - start) / 60_000);
      made.push([minutes(startsAt), minutes(endsAt), comment]);
      await wire(server.url, `/api/v2/silence/${id}`, { method: 'DELETE' });
    }
    expect(made[1]).toEqual(made[0]);
  });

  it('import what silence query -o json printed', async () => {
    const file = join(folder, 'silences.json');
    writeFileSync(file, amtool(['silence', 'query', '-o', 'json', 'team=web']));
    for (const { id } of JSON.parse(amtool(['silence', 'query', '-o', 'json', 'team=web'])) as WireSilence[]) {
      await wire(server.url, `/api/v2/silence/${id}`, { method: 'DELETE' });
    }
    const run = await verbatim(['silence', 'import', file]);
    expect(run.code, run.stderr).toBe(0);
    expect(JSON.parse(amtool(['silence', 'query', '-o', 'json', 'team=web']))).toMatchObject([{ comment: 'CHG-2' }]);
  });

  it('expire what silence query -q printed, with --yes in a script', async () => {
    const ids = amtool(['silence', 'query', '-q']).trim().split('\n');
    const refused = await verbatim(['silence', 'expire', ...ids]);
    const line = `hint: to confirm, type: svc --alertmanager.url=${server.url} silence expire ${ids.join(' ')} --yes\n`;
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining(line)]);
    expect((await verbatim(['silence', 'expire', ...ids, '--yes'])).code).toBe(0);
    expect((await silences()).filter(({ status }) => status.state !== 'expired')).toEqual([]);
  });
});
