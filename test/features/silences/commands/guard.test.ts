import { describe, expect, it } from 'vitest';
import { postAlerts } from '../../../support/alertmanager.ts';
import { answer, faultServer } from '../../../support/servers.ts';
import { failure, svc, temporaryHome } from '../../../support/svc.ts';
import { lines, printed, sharedService, writes } from '../../alerts/commands/service.ts';
import { creating, HOUR, iso, type Posted, posted } from './posted.ts';

const service = sharedService();

describe('svc silences create', () => {
  const { create, refused } = creating(service);

  const CROWD = Array.from({ length: 24 }, (_, n) => ({
    labels: {
      alertname: 'Crowd',
      n: `${n}`,
      half: n < 12 ? 'a' : 'b',
      most: n < 13 ? 'yes' : 'no',
      few: n < 5 ? 'yes' : 'no',
    },
  }));
  const seed = () => postAlerts(service.url(), CROWD);

  it('says how many alerts a silence mutes', async () => {
    await seed();
    const run = await create(['few=yes', '-c', 'x', '-o', 'json', '--until', '1h']);
    expect(run.code).toBe(0);
    expect(printed<Posted>(run).matched).toEqual({ alerts: 5, active: 5 });
    expect(run.stderr).toContain('few="yes" mutes 5 active alerts now; it ends at ');
    expect(lines(run.sent)).toEqual(['GET /api/v2/alerts?filter=few%3D%22yes%22', 'POST /api/v2/silences']);
    // They are silenced now, and counted so.
    const again = await create(['few=yes', '-c', 'x', '-o', 'json']);
    expect(printed<Posted>(again).matched).toEqual({ alerts: 5, active: 0 });
    expect((await service.svc(['silences', 'expire', '--yes', printed<Posted>(run).id])).code).toBe(0);
    expect((await service.svc(['silences', 'expire', '--yes', printed<Posted>(again).id])).code).toBe(0);
  });

  it('says that a silence which has not started yet will mute alerts', async () => {
    await seed();
    const at = Date.now();
    const run = await create(['n=3', '-c', 'x', '--from', '1h', '--for', '2h'], { now: () => at });
    const span = `from ${iso(at + HOUR)} until ${iso(at + 3 * HOUR)}`;
    expect(run.stderr).toContain(`n="3" will mute alerts ${span}; it would mute 1 active alert now`);
    expect(run.stdout).toMatch(/^MATCHES +1 alert now, 1 active$/m);
    expect(run.stdout + run.stderr).not.toContain('mutes');
  });

  it('does not ask in a script, however many alerts it mutes', async () => {
    await seed();
    const run = await create(['most=yes', '-c', 'x', '-q', '-v']);
    expect([run.code, posted(run.sent).length]).toEqual([0, 1]);
    expect(lines(run.sent)).toEqual(['GET /api/v2/alerts?filter=most%3D%22yes%22', 'POST /api/v2/silences']);
    await service.svc(['silences', 'expire', '--yes', run.stdout.trim()]);
    const all = await create(['alertname=Crowd', '-c', 'x', '-o', 'json']);
    expect([all.code, all.stderr]).toEqual([0, expect.stringContaining('mutes 24 active alerts now')]);
    await service.svc(['silences', 'expire', '--yes', printed<Posted>(all).id]);
  });

  it('asks at a terminal about more than half of the firing alerts', async () => {
    await seed();
    const no = await create(['most=yes', '-c', 'x'], { terminal: 100, answer: false });
    expect([no.code, writes(no.sent)]).toEqual([2, []]);
    expect(no.asked).toEqual(['Silence most="yes"? This mutes 13 of the 24 active alerts.']);
    expect(no.stderr).toContain('declined: nothing was sent');
    for (const [argv, count] of [
      [['half=a'], 0],
      [['most=yes', '--all-alerts'], 0],
      [['most=yes', '--yes'], 0],
      [['most=yes'], 1],
    ] as const) {
      const run = await create([...argv, '-c', 'x', '-q'], { terminal: 100, answer: true });
      expect([argv, run.code, run.asked.length]).toEqual([argv, 0, count]);
      await service.svc(['silences', 'expire', '--yes', run.stdout.trim()]);
    }
  });

  it.each([
    [['alertname=~.+']],
    [['alertname=~".*"', 'severity!=info']],
    [['a!=b', 'c!~d']],
    [['a!=""']],
    [['alertname=~".?.*"']],
  ])('needs --all-alerts for %j, whatever fires', async (matchers) => {
    for (const argv of [[], ['--yes'], ['--dry-run']]) {
      const run = await refused([...matchers, '-c', 'x', '-o', 'json', ...argv]);
      expect([run.code, failure(run).code]).toEqual([2, 'invalid_value']);
      expect(failure(run).message).toContain('could mute everything');
      expect(failure(run).hint).toContain('--all-alerts');
    }
    for (const options of [{}, { terminal: 100 }]) {
      const run = await create([...matchers, '-c', 'x', '--all-alerts', '-q'], options);
      // A server of any version refuses what only accepts an absent label.
      const empty = matchers.every((text) => text.includes('x|') || text.includes('.?.*'));
      expect([run.code, run.asked]).toEqual([empty ? 3 : 0, []]);
      if (!empty) await service.svc(['silences', 'expire', '--yes', run.stdout.trim()]);
    }
  });

  it('warns of a name that may be mistyped', async () => {
    await seed();
    const warned = async (...argv: string[]): Promise<string[]> => {
      const run = await create([...argv, '-c', 'x', '--yes']);
      expect(run.code).toBe(0);
      return run.stderr.split('\n').filter((line) => line.startsWith('warning: unknown '));
    };
    expect(await warned('Crwd')).toEqual(['warning: unknown alert name Crwd: did you mean Crowd?']);
    expect(await warned('alertnaem=Crowd')).toEqual(['warning: unknown label alertnaem: did you mean alertname?']);
    expect(await warned('Crowd', 'n=999')).toEqual([]);
    expect(await warned('Crowd', 'n=1')).toEqual([]);
    expect(await warned('Different', 'otherlabel=1')).toEqual([]);
  });

  it('asks about a silence longer than a day, and needs --yes for it in a script', async () => {
    const at = Date.now();
    const now = (): number => at;
    expect((await create(['a=day', '-c', 'x', '--for', '24h', '-q'], { now })).code).toBe(0);
    const long = await refused(['a=day', '-c', 'x', '--for', '30d', '-o', 'json'], { now });
    expect([long.code, failure(long).code]).toEqual([2, 'confirmation_required']);
    expect(failure(long).message).toContain('It lasts longer than 24h (alerts.maxSilence).');
    // The number of alerts and the time are two questions.
    expect((await refused(['a=day', '-c', 'x', '--for', '30d', '--all-alerts'], { now })).code).toBe(2);
    expect((await create(['a=day', '-c', 'x', '--for', '30d', '--yes', '-q'], { now })).code).toBe(0);
    const asked = await create(['a=day', '-c', 'x', '--for', '30d'], { now, terminal: 100, answer: true });
    expect([asked.code, asked.asked]).toEqual([0, ['Silence a="day"? It lasts longer than 24h (alerts.maxSilence).']]);
  });

  it('asks about a silence longer than alerts.maxSilence', async () => {
    const home = temporaryHome();
    const at = Date.now();
    const now = (): number => at;
    await svc(['config', 'set', 'alerts.maxSilence', '1d'], { home });
    expect((await create(['a=long', '-c', 'x', '--for', '1d', '-q'], { home, now })).code).toBe(0);
    const long = await refused(['a=long', '-c', 'x', '--for', '1d1ms'], { home, now });
    expect(long.code).toBe(2);
    expect(long.stderr).toContain('longer than 1d');
    const late = await create(['a=long', '-c', 'x', '--from', '5d', '--for', '1d', '-q'], { home, now });
    expect(late.code).toBe(0);
    const past = await create(['a=long', '-c', 'x', '--from', '5d ago', '--until', '1h', '-q'], { home, now });
    expect(past.code).toBe(0);
    const asked = await create(['a=long', '-c', 'x', '--for', '2d'], { home, terminal: 100, answer: true });
    expect([asked.code, asked.asked.length]).toEqual([0, 1]);
  });
});

it('svc silences create does not fail if the known names cannot be read', async () => {
  await using server = await faultServer((socket, { method, path }) => {
    const isRead = method === 'GET' && !path.includes('filter=');
    socket.write(isRead ? answer(401, '"no"') : answer(200, method === 'GET' ? '[]' : '{"silenceID":"a"}'));
  });
  const run = await svc(['silences', 'create', 'Crwd', '-c', 'x', '-q', '--base-url', server.url]);
  expect([run.code, run.stdout]).toEqual([0, 'a\n']);
});
