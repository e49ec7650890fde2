import { describe, expect, it } from 'vitest';
import { answer, faultServer } from '../../../support/servers.ts';
import { type RunOptions, svc, temporaryHome } from '../../../support/svc.ts';
import type { WireAlert } from './fleet.ts';
import { SILENCED, wireAlert } from './scripted.ts';

const started = (hour: number) => ({ startsAt: `2026-11-20T${String(hour).padStart(2, '0')}:00:00.000Z` });
const severe = (id: string, severity: string, hour = 12): WireAlert => wireAlert(id, { severity }, started(hour));

/** As a server sorts them: by fingerprint. */
const ALERTS: readonly WireAlert[] = [
  severe('a', 'info'),
  { ...severe('b', 'critical'), ...SILENCED },
  severe('c', 'custom'),
  severe('d', 'critical', 9),
  wireAlert('e'),
  severe('f', 'critical', 11),
  severe('0', 'warning'),
];
const WORST_FIRST = ['f', 'd', '0', 'a', 'c', 'e', 'b'];

async function run(argv: readonly string[], body: unknown = ALERTS, options: RunOptions = {}) {
  await using server = await faultServer((socket) => socket.write(answer(200, JSON.stringify(body))));
  return await svc([...argv, '--base-url', server.url], options);
}

const ids = (stdout: string): string[] => stdout.split('\n').flatMap((line) => line[0] ?? []);

async function listed(...argv: string[]): Promise<string[]> {
  const { code, stdout } = await run(['alerts', 'list', '-a', '-o', 'tsv', '--columns', 'id', '--no-headers', ...argv]);
  expect(code).toBe(0);
  return ids(stdout);
}

describe('the order of alerts', () => {
  it('is worst first: unsuppressed, then by severity, then the newest', async () => {
    // Those of no rank are equally severe and started at once: the fingerprint decides.
    expect(await listed()).toEqual(WORST_FIRST);
    for (const alerts of [ALERTS, ALERTS.toReversed()])
      expect(ids((await run(['alerts', 'list', '-a', '-q'], alerts)).stdout)).toEqual(WORST_FIRST);
  });

  it('applies to --limit in every format; JSON and NDJSON without it have the order of the server', async () => {
    expect(await listed('--limit', '2')).toEqual(['f', 'd']);
    const { stdout } = await run(['alerts', 'list', '-a', '-o', 'ndjson', '--limit', '3']);
    expect(stdout.match(/(?<="fingerprint":")./g)).toEqual(['f', 'd', '0']);
    const all = await run(['alerts', 'list', '-a', '-o', 'ndjson']);
    expect(all.stdout.match(/(?<="fingerprint":")./g)).toEqual(ALERTS.map(({ fingerprint }) => fingerprint[0]));
    expect(JSON.parse((await run(['alerts', 'list', '-a', '-o', 'json'])).stdout)).toEqual(ALERTS);
  });

  it('follows the ranks of alerts.severities, which must be a list of different names', async () => {
    const home = temporaryHome();
    const set = (value: string) => svc(['config', 'set', 'alerts.severities', value], { home });
    for (const value of ['critical,,info', 'a, b', 'a,a']) {
      expect(await set(value)).toMatchObject({ code: 2, stderr: expect.stringContaining('alerts.severities') });
    }
    expect((await set('custom,info')).code).toBe(0);
    const { stdout } = await run(['alerts', 'list', '-a', '-q'], ALERTS, { home });
    expect(ids(stdout)).toEqual(['c', 'a', '0', 'e', 'f', 'd', 'b']);
  });

  it('is that of the alerts that fail a check', async () => {
    const { code, stdout } = await run(['alerts', 'check', '-a', '-o', 'json']);
    expect(code).toBe(1);
    const { alerts } = JSON.parse(stdout) as { alerts: WireAlert[] };
    expect(alerts.map(({ fingerprint }) => fingerprint[0])).toEqual(WORST_FIRST);
  });

  it('of groups is that of their worst alerts', async () => {
    const group = (name: string, ...alerts: WireAlert[]) => ({ labels: {}, receiver: { name }, alerts });
    const groups = [
      group('quiet', severe('1', 'info')),
      group('loud', severe('2', 'info'), severe('3', 'critical')),
      group('silenced', { ...severe('4', 'critical'), ...SILENCED }),
    ];
    const argv = ['alerts', 'groups', '-a', '-o', 'tsv', '--columns', 'receiver', '--no-headers'];
    expect((await run(argv, groups)).stdout).toBe('loud\nquiet\nsilenced\n');
  });

  it('of --sort severity is by rank, then unknown severities, then alerts without one', async () => {
    expect(await listed('--sort', 'severity')).toEqual(['f', 'd', 'b', '0', 'a', 'c', 'e']);
    expect(await listed('--sort', '-severity')).toEqual(['c', 'a', '0', 'f', 'd', 'b', 'e']);
  });
});
