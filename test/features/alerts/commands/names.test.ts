import { beforeAll, describe, expect, it } from 'vitest';
import { svc } from '../../../support/svc.ts';
import { seedFleet } from './fleet.ts';
import { scripted, wireAlert } from './scripted.ts';
import { sharedService } from './service.ts';

const service = sharedService();
beforeAll(() => seedFleet(service.url()).then(() => undefined));
const run = (...argv: string[]) => service.svc(['alerts', ...argv]);

const LABEL = 'unknown label sevrity: did you mean severity?';
const NAME = 'unknown alert name Dsik: did you mean Disk?';
const RECEIVER = 'unknown receiver pagr: did you mean pager?';

describe('a name that may be mistyped', () => {
  it.each([
    [['list', 'sevrity=critical'], LABEL],
    [['list', 'sevrity=critical', '--group-by', 'team'], LABEL],
    [['list', 'Dsik', 'id=x'], NAME],
    [['groups', 'Dsik', '-a', '-o', 'json'], NAME],
    [['list', '-r', 'pagr', '-o', 'json'], RECEIVER],
  ])('is a warning of svc alerts %j, and exit 0', async (argv, text) => {
    const { code, stderr } = await run(...argv);
    expect([code, stderr]).toEqual([0, expect.stringContaining(`warning: ${text}\n`)]);
    expect(stderr.match(/did you mean/g)).toHaveLength(1);
  });

  it('is no other value, no value with digits, and no label without a match of its own', async () => {
    const others = [
      ['list', 'severity=nosuch'],
      ['list', 'id=plain', 'sevrity!=critical'],
      ['list', 'Disk'], // silenced, and so not listed
      ['list', 'rack=7'],
      ['groups', 'Disk', '--state', 'inhibited'],
    ];
    for (const argv of others) {
      const { code, stderr } = await run(...argv);
      expect([argv, code, stderr.includes('did you mean')]).toEqual([argv, 0, false]);
    }
  });

  it.each([
    [['sevrity=critical', '--wait', '1m'], 0, [LABEL]],
    [['Dsik', '--expect'], 1, [NAME]],
    [['Dsik', 'sevrity=x'], 0, [NAME, LABEL]],
    [['sevrity=x', '-r', 'pagr'], 0, [LABEL, RECEIVER]],
    [['severity=critcal'], 0, ['unknown severity critcal: did you mean critical?']],
    [['critical'], 0, ['no alert is named critical: did you mean severity=critical?']],
    [['alertname=~Dsik'], 0, []],
    [['sevrity!=critical'], 1, []],
    [['-r', 'pager', 'id=nobody'], 0, []],
  ])('leaves the verdict of svc alerts check %j: exit %i, warnings %j', async (argv, status, texts) => {
    const { code, stdout, stderr } = await run('check', ...argv, '-o', 'json');
    expect([code, JSON.parse(stdout)]).toEqual([status, expect.objectContaining({ ok: status === 0 })]);
    expect(stderr.match(/(?:unknown|no alert) .*/g) ?? []).toEqual(texts);
  });

  it('may be an expression that matches no receiver', async () => {
    const text = 'warning: no receiver matches payments: the expression must match the complete name\n';
    for (const command of ['list', 'groups', 'check']) {
      expect(await run(command, '-r', 'payments')).toMatchObject({ code: 0, stderr: expect.stringContaining(text) });
      expect((await run(command, '-r', 'payments-.*', 'id=nobody')).stderr).not.toContain('no receiver matches');
    }
  });

  it('is a warning once in a watch', async () => {
    // The replies after the first answer what svc reads to know the names: alerts.
    await using script = await scripted([[], [wireAlert('a', { severity: 'info' })], [], [], []]);
    const { server, signal } = script;
    const argv = ['alerts', 'list', '--watch', 'sevrity=info', '--base-url', server.url];
    const { code, stderr } = await svc(argv, { signal });
    expect([code, stderr.match(/did you mean/g)]).toEqual([130, expect.objectContaining({ length: 1 })]);
  });
});

describe('where nothing matches', () => {
  const REST = 'use -a to include silenced, inhibited and muted ones';
  it.each([
    [['list', 'id=nobody'], `no active alerts match; ${REST}`],
    [['list', 'id=nobody', '-a'], 'no alerts match'],
    [['list', '--query', 'alertname'], '--query selects nothing'],
    [['list', 'id=nobody', '--state', 'silenced', '-i'], 'no silenced or inhibited alerts match'],
    [['groups', 'id=nobody'], `no groups with active alerts match; ${REST}`],
    [['groups', 'id=nobody', '-a'], 'no groups with alerts match'],
  ])('svc alerts %j exits 0 and says: %s', async (argv, text) => {
    expect(await run(...argv)).toMatchObject({ code: 0, stdout: '', stderr: `${text}\n` });
  });
});
