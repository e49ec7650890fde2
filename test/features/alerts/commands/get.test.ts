import { beforeAll, describe, expect, it } from 'vitest';
import { getJson } from '../../../support/alertmanager.ts';
import { answer, faultServer } from '../../../support/servers.ts';
import { failure, type RunOptions, svc } from '../../../support/svc.ts';
import { seedFleet, type WireAlert } from './fleet.ts';
import { wireAlert } from './scripted.ts';
import { lines, printed, sharedService } from './service.ts';

const GONE = '2f1a4c0e-1111-4222-8333-444455556666';

const service = sharedService();

describe('svc alerts get', () => {
  let alerts: WireAlert[] = [];
  let silence = '';
  beforeAll(async () => {
    silence = await seedFleet(service.url());
    alerts = await getJson<WireAlert[]>(service.url(), '/api/v2/alerts');
  });
  const get = (...argv: string[]) => service.svc(['alerts', 'get', ...argv]);
  const named = (id: string): WireAlert => {
    const found = alerts.find(({ labels }) => labels['id'] === id);
    if (found === undefined) throw new Error(`there is no ${id}`);
    return found;
  };

  it('finds an alert by its fingerprint, a beginning of it, and in upper case', async () => {
    for (const alert of alerts) {
      const { fingerprint } = alert;
      for (const text of [fingerprint, fingerprint.slice(0, 8), fingerprint.toUpperCase()]) {
        const run = await get(text, '-o', 'json');
        expect([run.code, run.stderr]).toEqual([0, '']);
        expect(printed(run)).toMatchObject(alert);
      }
    }
  });

  it('names the silences and alerts that mute it', async () => {
    const both = printed<WireAlert & { silences: unknown[]; inhibitors: unknown[] }>(
      await get(named('both').fingerprint, '-o', 'json'),
    );
    expect(both.silences).toEqual([await getJson(service.url(), `/api/v2/silence/${silence}`)]);
    expect(both.inhibitors).toEqual([named('source')]);
    const { stdout } = await get(named('both').fingerprint);
    expect(stdout).toMatch(new RegExp(`SILENCED-BY +${silence} until \\S+Z by keeper: CHG-7 night work\\n`));
    expect(stdout).toMatch(/INHIBITED-BY +[0-9a-f]{16} Down cluster=eu id=source severity=critical team=platform\n/);
  });

  it('requests only the silences and alerts that the alert names', async () => {
    const sent = async (id: string) => lines((await get(named(id).fingerprint)).sent).sort();
    const [alerts, one] = ['GET /api/v2/alerts', `GET /api/v2/silence/${silence}`];
    expect(await sent('plain')).toEqual([alerts]);
    expect(await sent('silenced')).toEqual([alerts, one]);
    expect(await sent('inhibited')).toEqual([alerts, alerts]);
    expect(await sent('both')).toEqual([alerts, alerts, one]);
  });

  it('exits 5 for an unknown fingerprint', async () => {
    const run = await get('0000000000000000', '-o', 'json');
    expect([run.code, run.stdout]).toEqual([5, '']);
    expect(failure(run)).toMatchObject({ code: 'not_found', message: expect.stringContaining('0000000000000000') });
  });

  it('refuses what is no fingerprint with exit 2, and sends nothing', async () => {
    for (const argv of [[''], ['xyz'], ['12345678901234567'], ['-1'], ['../status'], ['abc '], [], ['aa', 'bb']]) {
      expect([argv, await get('--', ...argv)]).toMatchObject([argv, { code: 2, stdout: '', sent: [] }]);
    }
  });

  it('still names a silence or an inhibitor that has ended meanwhile', async () => {
    const status = { state: 'suppressed', silencedBy: [GONE], inhibitedBy: ['f000000000000000'] };
    const alerts = JSON.stringify([wireAlert('a', {}, { status })]);
    await using server = await faultServer((socket, { path }) => {
      socket.write(path.startsWith('/api/v2/silence/') ? answer(404, '', { 'content-type': '' }) : answer(200, alerts));
    });
    const get = (...argv: string[]) => svc(['alerts', 'get', 'a', '--base-url', server.url, ...argv]);
    expect(printed(await get('-o', 'json'))).toMatchObject({ silences: [], inhibitors: [], status });
    expect((await get()).stdout).toMatch(new RegExp(`SILENCED-BY +${GONE}\\nINHIBITED-BY +f000000000000000\\n`));
  });

  it('refuses the beginning of several fingerprints with exit 2, and names them', async () => {
    const alerts = ['abc0000000000001', 'abc0000000000002', 'abd0000000000003'].map((one) => wireAlert(one));
    await using server = await faultServer((socket) => socket.write(answer(200, JSON.stringify(alerts))));
    const get = (text: string) => svc(['alerts', 'get', text, '--base-url', server.url, '-o', 'json']);
    const two = await get('abc');
    expect([two.code, two.stdout]).toEqual([2, '']);
    expect(two.stderr).toContain('abc0000000000001, abc0000000000002');
    expect(two.stderr).not.toContain('abd');
    expect((await get('ab')).stderr).toContain('3 alerts begin with ab');
    const bare = { silences: [], inhibitors: [], mutedGroups: [] };
    expect(printed(await get('abd'))).toEqual({ ...alerts[2], ...bare });
    expect(printed(await get('abc0000000000002'))).toEqual({ ...alerts[1], ...bare });
  });
});

describe('svc alerts get --web', () => {
  const GENERATOR = 'https://prometheus.example/graph?g0.expr=up';
  const RUNBOOK = 'https://runbooks.example/up';
  const runbook = (value: string) => ({ generatorURL: GENERATOR, annotations: { runbook_url: value } });
  const get = async (argv: readonly string[], alert: Partial<WireAlert> = runbook(RUNBOOK), more: RunOptions = {}) => {
    const body = JSON.stringify([wireAlert('a', {}, alert)]);
    await using server = await faultServer((socket) => socket.write(answer(200, body)));
    const env = { NO_COLOR: '1', DISPLAY: ':0' };
    return await svc(['alerts', 'get', 'a', '--base-url', server.url, ...argv], {
      terminal: 80,
      env,
      browser: () => undefined,
      ...more,
    });
  };

  it.each([
    ['--web', GENERATOR],
    ['--web=generator', GENERATOR],
    ['--web=runbook', RUNBOOK],
  ])('%s opens the page and prints its address', async (option, address) => {
    expect(await get([option])).toMatchObject({ code: 0, stdout: `${address}\n`, stderr: '', opened: [address] });
    expect((await get([option, '-o', 'json'])).stdout).toBe(`${JSON.stringify(address)}\n`);
  });

  it('prints the address if there is no browser', async () => {
    const remote = await get(['--web'], undefined, { env: { NO_COLOR: '1', SSH_TTY: '/dev/pts/1' } });
    expect(remote).toMatchObject({ code: 0, stdout: `${GENERATOR}\n`, opened: [] });
    expect(remote.stderr).toBe('no browser was opened: an ssh session; open the address yourself\n');
    const failing = await get(['--web'], undefined, { browser: () => 'there is no program that opens it' });
    expect(failing).toMatchObject({ code: 0, stdout: `${GENERATOR}\n` });
    expect(failing.stderr).toContain('there is no program that opens it');
  });

  it.each([
    ['file:///etc/passwd', /has "file:\/\/\/etc\/passwd", which is not a web address, as its runbook/],
    ['https://a.example/\u001b[2J', /has "https:\/\/a\.example\/\\x1b\[2J", which is not a web address/],
  ])('does not open %j', async (value, message) => {
    const run = await get(['--web=runbook'], runbook(value));
    expect(run).toMatchObject({ code: 5, stdout: '', opened: [], stderr: expect.stringMatching(message) });
  });
});
