import { describe, expect, it } from 'vitest';
import { getJson, postAlerts } from '../../../support/alertmanager.ts';
import { answer, faultServer } from '../../../support/servers.ts';
import { failure, type RunOptions, svc, temporaryHome } from '../../../support/svc.ts';
import { lines, printed, type Sent, sharedService, writes } from '../../alerts/commands/service.ts';

const HOUR = 3_600_000;
const iso = (ms: number): string => new Date(ms).toISOString();

interface Posted {
  readonly id: string;
  readonly matched: { readonly alerts: number; readonly active: number } | null;
}

function posted(sent: readonly Sent[]): Record<string, unknown>[] {
  return writes(sent).map(({ method, path, body }) => {
    expect(`${method} ${path}`).toBe('POST /api/v2/silences');
    return JSON.parse(body) as Record<string, unknown>;
  });
}

const service = sharedService();
const create = (argv: readonly string[], options?: RunOptions) => service.svc(['silences', 'create', ...argv], options);
const end = (id: string) => service.svc(['silences', 'expire', '--yes', id.trim()]);
/** Fails the test where svc sent a silence all the same. */
const refused = async (argv: readonly string[], options?: RunOptions) => {
  const run = await create(argv, options);
  expect([run.stdout, writes(run.sent)]).toEqual(['', []]);
  return run;
};

describe('svc silences create', () => {
  it('reads times of day in --tz, and shows them in UTC', async () => {
    const now = Date.parse('2026-11-23T12:00:00Z');
    const argv = ['team=tz', '-c', 'why', '--from', 'tomorrow 02:00', '--until', '2026-11-24 04:00'];
    const run = await create([...argv, '--tz', 'Europe/Berlin', '--dry-run', '-o', 'json'], { now: () => now });
    expect(run.stderr.trimEnd().split('\n')).toEqual([
      '--until 2026-11-24 04:00 in Europe/Berlin is 2026-11-24T03:00:00.000Z',
      '--from tomorrow 02:00 in Europe/Berlin is 2026-11-24T01:00:00.000Z',
    ]);
    expect(printed<{ body: object }>(run).body).toMatchObject({
      startsAt: '2026-11-24T01:00:00.000Z',
      endsAt: '2026-11-24T03:00:00.000Z',
    });
    for (const [wrong, message] of [
      [['--until', '25:00'], '--until: "25:00" names a day or time that does not exist'],
      [['--until', '18:00', '--tz', 'Nowhere'], '--tz: there is no time zone "Nowhere"'],
    ] as const) {
      const refusedRun = await refused(['team=tz', '-c', 'why', ...wrong, '-o', 'json']);
      expect([refusedRun.code, failure(refusedRun).message]).toEqual([2, message]);
    }
  });

  it('creates a silence of an hour, and prints it', async () => {
    const now = Date.now();
    const run = await create(['team=db', 'host!=a', 'job=~"x|y"', 'env!~".*-test"', '-c', 'why', '-o', 'json'], {
      now: () => now,
    });
    expect([run.code, run.stderr]).toEqual([0, expect.stringContaining('mutes 0 alerts now')]);
    const silence = {
      matchers: [
        { name: 'team', value: 'db', isRegex: false, isEqual: true },
        { name: 'host', value: 'a', isRegex: false, isEqual: false },
        { name: 'job', value: 'x|y', isRegex: true, isEqual: true },
        { name: 'env', value: '.*-test', isRegex: true, isEqual: false },
      ],
      startsAt: iso(now),
      endsAt: iso(now + HOUR),
      createdBy: 'tester@host',
      comment: 'why',
    };
    expect(posted(run.sent)).toEqual([silence]);
    const value = printed<Posted>(run);
    expect(value).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
      ...silence,
      matched: { alerts: 0, active: 0 },
    });
    const there = await getJson<Record<string, unknown>>(service.url(), `/api/v2/silence/${value.id}`);
    expect(there).toMatchObject({ ...silence, startsAt: expect.any(String), status: { state: 'active' } });
  });

  it.each([
    [['--for', '30m'], 0, HOUR / 2],
    [['--until', '2h'], 0, 2 * HOUR],
    [['--from', '1h'], HOUR, 2 * HOUR],
    [['--from', '+1h', '--for', '3h'], HOUR, 4 * HOUR],
    [['--from', '1h ago', '--until', '1h'], -HOUR, HOUR],
  ])('sends the times of %j by the clock', async (argv, start, end) => {
    const now = Date.now();
    const run = await create(['a=b', '-c', 'x', '--yes', ...argv], { now: () => now });
    expect(run.code).toBe(0);
    expect(posted(run.sent)).toMatchObject([{ startsAt: iso(now + start), endsAt: iso(now + end) }]);
    expect(run.stdout).toContain(iso(now + end));
  });

  it('reads a bare word as the name of an alert, with a notice', async () => {
    const run = await create(['NodeDown', '-c', 'x']);
    expect(run.stderr).toContain('NodeDown means alertname="NodeDown"');
    expect(posted(run.sent)).toMatchObject([{ matchers: [{ name: 'alertname', value: 'NodeDown' }] }]);
    const second = await refused(['a=b', 'NodeDown', '-c', 'x']);
    expect([second.code, lines(second.sent)]).toEqual([2, []]);
  });

  it('takes the author from the option, the environment, the profile, or user@host', async () => {
    const home = temporaryHome();
    const by = async (argv: readonly string[], env: Record<string, string>): Promise<unknown> => {
      const run = await create(['a=author', '-c', 'x', ...argv], { home, env, here: true });
      expect(run.code).toBe(0);
      return posted(run.sent)[0]?.['createdBy'];
    };
    expect(await by([], {})).toBe('tester@host');
    expect((await svc(['config', 'set', 'alerts.author', 'profile'], { home })).code).toBe(0);
    expect(await by([], {})).toBe('profile');
    expect(await by([], { SVC_ALERTS_AUTHOR: '' })).toBe('profile');
    expect(await by([], { SVC_ALERTS_AUTHOR: 'environment' })).toBe('environment');
    expect(await by(['--author', 'option'], { SVC_ALERTS_AUTHOR: 'environment' })).toBe('option');
  });

  it('sends quotes, line feeds and other scripts as they are', async () => {
    const quoted = await create(['a="ü \\"\\\\ 火"', '-c', 'ü\n"x"', '--author', 'Ünal <u@x>', '-o', 'json']);
    expect(quoted.code).toBe(0);
    const { id } = printed<Posted>(quoted);
    expect(await getJson(service.url(), `/api/v2/silence/${id}`)).toMatchObject({
      matchers: [{ name: 'a', value: 'ü "\\ 火' }],
      comment: 'ü\n"x"',
      createdBy: 'Ünal <u@x>',
    });
  });

  it.each([
    [[], '--comment is required'],
    [['-c', 'x'], 'no matcher'],
    [['a=b'], '--comment is required'],
    [['a=b', '-c', ' '], 'is empty'],
    [['a=b', 'a=c', '-c', 'x'], `write 'a=~"b|c"'`],
    [['a=~', 'b=c', '-c', 'x'], `write 'a=""'`],
    [['a=b', '-c', 'x', '--until', '2027-02-30'], 'names a day or time that does not exist'],
    [['a=b', '-c', 'x', '--for', '1h', '--until', '2h'], 'cannot be used together'],
    [['a=b', '-c', 'x', '--until', '1h ago'], 'in the past'],
    [['a=b', '-c', 'x', '--until', '9999-12-31T23:59:59Z'], 'later than the server can store'],
    [['a=b', '-c', 'x', '--from', '2h', '--until', '1h'], 'before it starts'],
    [['a!=b', '-c', 'x'], '--all-alerts'],
    [['a!=b', 'c=', '-c', 'x', '--yes'], '--all-alerts'],
  ])('refuses %j with exit 2, and sends nothing', async (argv, why) => {
    const run = await refused(argv);
    expect([run.code, lines(run.sent)]).toEqual([2, []]);
    expect(run.stderr).toContain(why);
  });

  it('exits 3 for a regular expression that the server refuses, with its reason', async () => {
    const expressions = {
      'foo=~(': 'missing closing )',
      'foo!~"["': 'missing closing ]',
    };
    for (const [matcher, why] of Object.entries(expressions)) {
      const run = await refused([matcher, 'team=db', '-c', 'hi', '-o', 'json']);
      expect([matcher, run.code]).toEqual([matcher, 3]);
      expect(failure(run)).toMatchObject({ code: 'refused', http_status: 400, hint: expect.stringContaining('RE2') });
      expect(failure(run).message).toContain(why);
    }
    expect((await refused(['-c', 'hi', 'foo=~('])).code).toBe(3);
  });

  it('prints with --dry-run the request, and does not connect', async () => {
    const now = Date.now();
    const dry = (...argv: string[]) => create([...argv, '-c', "it's"], { now: () => now });
    const run = await dry('alertname=~"Node.+"', '--dry-run', '-o', 'json');
    expect([run.code, run.sent]).toEqual([0, []]);
    expect(printed(run)).toEqual({
      method: 'POST',
      url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/api\/v2\/silences$/),
      headers: expect.objectContaining({ 'content-type': 'application/json' }),
      body: {
        matchers: [{ name: 'alertname', value: 'Node.+', isRegex: true, isEqual: true }],
        startsAt: iso(now),
        endsAt: iso(now + HOUR),
        createdBy: 'tester@host',
        comment: "it's",
      },
    });
    const curl = await dry('a=b', '--dry-run=curl');
    expect([curl.code, curl.sent]).toEqual([0, []]);
    expect(curl.stdout).toContain('/api/v2/silences');
    expect(curl.stdout).toContain(`"comment":"it'"'"'s"`);
  });
});

it('svc silences create warns of a wrong clock', async () => {
  const at = Date.UTC(2026, 10, 23, 12);
  const date = new Date(at + 90_000).toUTCString();
  await using server = await faultServer((socket, { method }) =>
    socket.write(answer(200, method === 'GET' ? '[]' : '{"silenceID":"x"}', { date })),
  );
  const run = await svc(['silences', 'create', 'a=b', '-c', 'x', '--base-url', server.url], { at });
  expect(run.code).toBe(0);
  expect(run.stderr).toContain("warning: the server's clock is 90 s ahead");
});

describe('the guards of svc silences create', () => {
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
    await Promise.all([run, again].map((one) => end(printed<Posted>(one).id)));
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
    await end(run.stdout);
    const all = await create(['alertname=Crowd', '-c', 'x', '-o', 'json']);
    expect([all.code, all.stderr]).toEqual([0, expect.stringContaining('mutes 24 active alerts now')]);
    await end(printed<Posted>(all).id);
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
      await end(run.stdout);
    }
  });

  it.each([[['alertname=~.+']], [['alertname=~".*"', 'severity!=info']], [['a!=b', 'c!~d']], [['a!=""']]])(
    'needs --all-alerts for %j, whatever fires',
    async (matchers) => {
      for (const argv of [[], ['--yes'], ['--dry-run']]) {
        const run = await refused([...matchers, '-c', 'x', '-o', 'json', ...argv]);
        expect([run.code, failure(run).code]).toEqual([2, 'invalid_value']);
        expect(failure(run).message).toContain('could mute everything');
        expect(failure(run).hint).toContain('--all-alerts');
      }
      for (const options of [{}, { terminal: 100 }]) {
        const run = await create([...matchers, '-c', 'x', '--all-alerts', '-q'], options);
        expect([run.code, run.asked]).toEqual([0, []]);
        await end(run.stdout);
      }
    },
  );

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
