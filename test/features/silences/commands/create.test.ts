import { describe, expect, it } from 'vitest';
import { getJson } from '../../../support/alertmanager.ts';
import { answer, faultServer } from '../../../support/servers.ts';
import { failure, svc, temporaryHome } from '../../../support/svc.ts';
import { lines, printed, sharedService } from '../../alerts/commands/service.ts';
import { creating, HOUR, iso, type Posted, posted } from './posted.ts';

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const service = sharedService();

describe('svc silences create', () => {
  const { create, stored, refused } = creating(service);

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
    expect(value).toEqual({ id: expect.stringMatching(uuid), ...silence, matched: { alerts: 0, active: 0 } });
    const there = await getJson<Record<string, unknown>>(service.url(), `/api/v2/silence/${value.id}`);
    expect(there).toMatchObject({ ...silence, startsAt: expect.any(String), status: { state: 'active' } });
  });

  it.each([
    [['--for', '30m'], 0, HOUR / 2],
    [['-d', '1d12h'], 0, 36 * HOUR],
    [['--until', '2h'], 0, 2 * HOUR],
    [['--until', 'in 2h'], 0, 2 * HOUR],
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

  it('prints with -q only the id', async () => {
    const run = await create(['a=quiet', '-c', 'x', '-q']);
    expect([run.code, run.stderr]).toEqual([0, '']);
    expect(run.stdout).toMatch(new RegExp(`${uuid.source.slice(0, -1)}\n$`));
    expect(await stored()).toContain(run.stdout.trim());
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
    [['a=b', '-c', 'x', '--for', '1h', '--until', '2h'], 'cannot be used together'],
    [['a=b', '-c', 'x', '--for', '0'], 'longer than zero'],
    [['a=b', '-c', 'x', '--for', '1.5h'], 'not a duration'],
    [['a=b', '-c', 'x', '--until', '1h ago'], 'in the past'],
    [['a=b', '-c', 'x', '--until', '9999-12-31T23:59:59Z'], 'later than the server can store'],
    [['a=b', '-c', 'x', '--from', '3h ago', '--until', '1h ago'], 'in the past'],
    [['a=b', '-c', 'x', '--from', '2h', '--until', '1h'], 'before it starts'],
    [['a=b', '-c', 'x', '--until', 'tomorrow'], 'not a time'],
    [['a!=b', '-c', 'x'], '--all-alerts'],
    [['a!=b', 'c=', '-c', 'x', '--yes'], '--all-alerts'],
    [['a', '=', '-c', 'x'], 'is not one plain matcher'],
    [['foo==(', '-c', 'x'], 'is not one plain matcher'],
  ])('refuses %j with exit 2, and sends nothing', async (argv, why) => {
    const run = await refused(argv);
    expect([run.code, lines(run.sent)]).toEqual([2, []]);
    expect(run.stderr).toContain(why);
  });

  it('exits 3 for a regular expression that the server refuses, with its reason', async () => {
    const expressions = {
      'foo=~(': 'missing closing )',
      'foo=~"(?=x)y"': 'invalid or unsupported Perl syntax',
      'foo=~"(a)\\\\1"': 'invalid escape sequence',
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
  const date = new Date(Date.now() + 90_000).toUTCString();
  await using server = await faultServer((socket, { method }) =>
    socket.write(answer(200, method === 'GET' ? '[]' : '{"silenceID":"x"}', { date })),
  );
  const run = await svc(['silences', 'create', 'a=b', '-c', 'x', '--base-url', server.url]);
  expect(run.code).toBe(0);
  expect(run.stderr).toMatch(/warning: the server's clock is (89|90|91) s ahead/);
});
