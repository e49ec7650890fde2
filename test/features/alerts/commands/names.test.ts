/** Names that look mistyped cause a warning. The result and the exit status do not depend on it. */
import { beforeAll, describe, expect, it } from 'vitest';
import { answer, faultServer } from '../../../support/servers.ts';
import { svc } from '../../../support/svc.ts';
import { seedFleet } from './fleet.ts';
import { type Reply, scripted, wireAlert } from './scripted.ts';
import { printed, sharedService } from './service.ts';

const service = sharedService();

describe('a name that looks mistyped', () => {
  beforeAll(() => seedFleet(service.url()).then(() => undefined));
  const run = (...argv: string[]) => service.svc(['alerts', ...argv]);

  const LABEL = 'unknown label sevrity: did you mean severity?';
  const NAME = 'unknown alert name Dsik: did you mean Disk?';
  const RECEIVER = 'unknown receiver pagr: did you mean pager?';

  it.each([
    [['list', 'sevrity=critical'], LABEL],
    [['list', 'sevrity=critical', '-o', 'json'], LABEL],
    [['list', 'sevrity=critical', '-o', 'ndjson', '-a'], LABEL],
    [['list', 'sevrity=critical', '--group-by', 'team'], LABEL],
    [['list', 'Dsik'], NAME],
    [['list', 'Dsik', 'id=x'], NAME],
    [['groups', 'sevrity=critical'], LABEL],
    [['groups', 'Dsik', '-a', '-o', 'json'], NAME],
    [['list', '-r', 'pagr'], RECEIVER],
    [['list', '-r', 'pagr', '-o', 'json'], RECEIVER],
    [['groups', '-r', 'pagr'], RECEIVER],
  ])('%j: a warning, exit 0', async (argv, text) => {
    const { code, stderr } = await run(...argv);
    expect([code, stderr]).toEqual([0, expect.stringContaining(`warning: ${text}\n`)]);
    expect(stderr.match(/did you mean/g)).toHaveLength(1);
  });

  it.each([
    ['list', 'severity=nosuch'],
    ['list', 'Watchdogs'],
    ['list', 'id=plain', 'sevrity!=critical'],
    ['list', 'Disk'], // silenced, and so not listed
    ['list', 'rack=7'],
    ['groups', 'Disk', '--state', 'inhibited'],
  ])('%j: no warning', async (...argv) => {
    const { code, stderr } = await run(...argv);
    expect(code).toBe(0);
    expect(stderr).not.toContain('did you mean');
  });

  it.each([
    [['sevrity=critical'], 0, [LABEL]],
    [['sevrity=critical', '--wait', '1m'], 0, [LABEL]],
    [['Dsik', '--state', 'silenced'], 0, [NAME]],
    [['Dsik', '--min', '1'], 1, [NAME]],
    [['Dsik', '--expect'], 1, [NAME]],
    [['Dsik', 'sevrity=x'], 0, [NAME, LABEL]],
    [['-r', 'pagr'], 0, [RECEIVER]],
    [['sevrity=x', '-r', 'pagr'], 0, [LABEL, RECEIVER]],
    [['severity=nosuch'], 0, []],
    [['severity=critcal'], 0, ['unknown severity critcal: did you mean critical?']],
    [['Disk'], 0, []],
    [['sevrity!=critical'], 1, []],
    [['-r', 'pager', 'id=nobody'], 0, []],
  ])('check %j: exit %i, warns once of %j', async (argv, status, texts) => {
    const { code, stdout, stderr } = await run('check', ...argv, '-o', 'json');
    expect([code, JSON.parse(stdout)]).toEqual([status, expect.objectContaining({ ok: status === 0 })]);
    expect(stderr.match(/unknown .*/g) ?? []).toEqual(texts);
  });

  it.each([['list'], ['groups'], ['check']])('%s warns of an expression that matches no receiver', async (command) => {
    const text = 'warning: no receiver matches payments: the expression must match the complete name\n';
    expect(await run(command, '-r', 'payments')).toMatchObject({ code: 0, stderr: expect.stringContaining(text) });
    expect((await run(command, '-r', 'payments-.*', 'id=nobody')).stderr).not.toContain('no receiver matches');
  });

  it.each([
    [['list', 'id=nobody'], 'no active alerts match; use -a to include silenced, inhibited and muted ones'],
    [['list', 'id=nobody', '--group-by', 'team'], 'no active alerts match; use -a to include'],
    [['list', 'id=nobody', '-a'], 'no alerts match'],
    [['list', '--query', 'alertname'], '--query selects nothing'],
    [['list', 'id=nobody', '--state', 'silenced', '-i'], 'no silenced or inhibited alerts match'],
    [
      ['groups', 'id=nobody'],
      'no groups with active alerts match; use -a to include silenced, inhibited and muted ones',
    ],
    [['groups', 'id=nobody', '-a'], 'no groups with alerts match'],
    [['groups', 'id=nobody', '--state', 'suppressed'], 'no groups with suppressed alerts match'],
  ])('%j: %s', async (argv, text) => {
    const { code, stdout, stderr } = await run(...argv);
    expect([code, stdout, stderr.trimEnd()]).toEqual([0, '', expect.stringMatching(new RegExp(`^${text}`))]);
    if (!text.includes('use -a')) expect(stderr).not.toContain('-a');
  });
});

it.each([['list'], ['list', '-o', 'json'], ['groups']])('%j is complete without the warning', async (...argv) => {
  await using server = await faultServer((socket, { path }) => {
    socket.write(path.includes('filter=') ? answer(200, '[]') : answer(401, '"no"'));
  });
  const { code, stderr } = await svc(['alerts', ...argv, 'sevrity=critical', '--base-url', server.url]);
  expect([code, stderr]).toEqual([0, expect.not.stringContaining('warning')]);
  expect(server.requests).toHaveLength(2);
});

it('a watch warns once, after its first read', async () => {
  // The replies after the first answer what svc reads to know the names: alerts.
  await using script = await scripted([[], [wireAlert('a', { severity: 'info' })], [], [], []]);
  const { server, signal } = script;
  const argv = ['alerts', 'list', '--watch', 'sevrity=info', '--base-url', server.url];
  const { code, stderr } = await svc(argv, { signal });
  expect(code).toBe(130);
  expect(stderr.match(/did you mean/g)).toHaveLength(1);
});

describe('check names the alerts that made it fail', () => {
  async function check(replies: readonly Reply[], ...argv: string[]) {
    await using script = await scripted(replies);
    return await svc(['alerts', 'check', '--base-url', script.server.url, ...argv]);
  }
  const alerts = (count: number) =>
    Array.from({ length: count }, (_, i) => wireAlert(`a${String(i).padStart(2, '0')}`));
  const [down] = [wireAlert('b62d', { severity: 'critical', instance: 'n7', cluster: 'eu' })];

  it('on one line each, with the id', async () => {
    expect(await check([[down, wireAlert('c')]])).toMatchObject({
      code: 1,
      stdout: [
        'failed: 2 alerts (expected none)',
        '  b62d0000 critical Alertb62d cluster=eu instance=n7 since 2026-11-20T12:00:00.000Z',
        '  c0000000 Alertc since 2026-11-20T12:00:00.000Z',
        '',
      ].join('\n'),
    });
  });

  it('ten in text, all of them in JSON', async () => {
    const { stdout } = await check([alerts(12)]);
    expect(stdout.trimEnd().split('\n')).toHaveLength(12);
    expect(stdout).toMatch(/\n {2}a0900000 [^\n]*\n {2}… 2 more\n$/);
    const json = await check([alerts(12)], '-o', 'json');
    expect(printed(json)).toMatchObject({ ok: false, count: 12, alerts: alerts(12) });
  });

  it('after a wait, those of the last read', async () => {
    const run = await check([[down], [down, wireAlert('c')]], '--wait', '1ms', '-o', 'json');
    expect(printed<{ alerts: { fingerprint: string }[] }>(run).alerts.length).toBeGreaterThan(0);
  });

  it('none if it passes; the existing ones if there are too few', async () => {
    expect(printed(await check([[down]], '--expect', '-o', 'json'))).toMatchObject({ ok: true, count: 1, alerts: [] });
    expect(printed(await check([[down]], '--min', '2', '-o', 'json'))).toMatchObject({ ok: false, alerts: [down] });
  });

  it('hostile text stays on its line', async () => {
    const { stdout } = await check([[wireAlert('e', { team: 'x\n\x1b[31mok: 0 alerts' })]]);
    expect(stdout.split('\n')).toHaveLength(3);
    expect(stdout).not.toContain('\x1b');
  });
});
