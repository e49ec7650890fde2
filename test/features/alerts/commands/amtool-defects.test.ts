/** The defects of amtool 0.25, one by one, as behavior that svc does not have. */
import { beforeAll, describe, expect, it } from 'vitest';
import { getJson, postAlerts, postSilence } from '../../../support/alertmanager.ts';
import { answer, faultServer } from '../../../support/servers.ts';
import { failure, svc } from '../../../support/svc.ts';
import { inTurn } from '../../../support/turns.ts';
import { idsOf, seedFleet, type WireAlert } from './fleet.ts';
import { printed, sharedService, writes } from './service.ts';

const HOUR = 3_600_000;
const FORMATS = ['table', 'wide', 'json', 'ndjson', 'csv', 'tsv', 'yaml', 'id'] as const;

/** What steers a terminal, forges lines or hides: line feeds apart, which end lines. */
const STEERING = /[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]/;

let services = 0;

const service = sharedService();

describe('hostile text', () => {
  const turn = services++;
  const run = (...argv: string[]) => service.svc(argv);

  it('B1: update -q prints the id, not the address of one', async () => {
    const matchers = [{ name: 'a', value: 'b', isRegex: false }];
    const id = await postSilence(service.url(), { matchers });
    expect((await run('silences', 'update', id, '-c', 'new', '-q')).stdout).toBe(`${id}\n`);
  });

  it.each([
    ['status', '-o', 'wide'],
    ['status', '--config'],
    ['status', '-o', 'yaml'],
    ['receivers', '-o', 'wide'],
  ])('B2: %s %s shows values, not pointers', async (...argv) => {
    const { code, stdout } = await run('alerts', ...argv);
    expect(code).toBe(0);
    expect(stdout).not.toMatch(/0x[0-9a-f]{4,}|\[object|undefined/);
    expect(stdout).toContain(argv[0] === 'receivers' || argv[1] === '--config' ? 'payments-chat' : 'disabled');
  });

  describe('with alerts', () => {
    beforeAll(async () => {
      await seedFleet(service.url());
    });

    it('B3: finds a silenced and inhibited alert by either state', async () => {
      for (const state of ['silenced', 'inhibited', 'suppressed']) {
        const found = await run('alerts', 'list', '--state', state, '-o', 'json');
        expect(idsOf(printed<WireAlert[]>(found))).toContain('both');
      }
    });
  });

  it('B4: a malformed matcher never creates another silence', async () => {
    const before = await getJson<unknown[]>(service.url(), '/api/v2/silences');
    const made = await run('silences', 'create', '-c', 'hi', 'foo=~(');
    expect([made.code, made.stdout, writes(made.sent)]).toEqual([3, '', []]);
    expect(await getJson(service.url(), '/api/v2/silences')).toHaveLength(before.length);
  });

  it('B5: an end alone does not move the start', async () => {
    const now = Date.now();
    const end = new Date(now + 400 * 24 * HOUR).toISOString();
    const made = await service.svc(['alerts', 'create', 'foo2', `--end=${end}`], { now: () => now });
    expect(made.code).toBe(0);
    expect(writes(made.sent).map(({ body }) => JSON.parse(body)[0].startsAt)).toEqual([new Date(now).toISOString()]);
    const [stored] = await getJson<WireAlert[]>(service.url(), '/api/v2/alerts?filter=alertname%3Dfoo2');
    expect([stored?.startsAt, stored?.endsAt]).toEqual([new Date(now).toISOString(), end]);
  });

  describe('B6: hostile text', () => {
    const HOSTILE = {
      color: '\x1b[31mred',
      title: '\x1b]0;pwn\x07',
      lines: 'one\ntwo\r\nthree',
      tab: 'a\tb',
      quotes: 'say "hi" \\ there',
      csi: '\x9b2J',
      bidi: '\u202egnp.exe\u2066',
      hidden: 'a\u200bb\ufeffc\u2028d',
      formula: '=cmd|calc',
      nul: 'x\x00\x7fy',
    };
    let id = '';
    let fingerprint = '';
    beforeAll(async () => {
      const labels = { alertname: 'Hostile\x1b[2J', ...HOSTILE };
      await postAlerts(service.url(), [{ labels, annotations: { ...HOSTILE, summary: '\x1b[1mbold\nforged line' } }]);
      const matchers = Object.entries(HOSTILE).map(([name, value]) => ({ name, value, isRegex: false }));
      id = await postSilence(service.url(), {
        matchers,
        createdBy: 'x\x1b[0m\ny',
        comment: Object.values(HOSTILE).join('|'),
      });
      const all = await getJson<WireAlert[]>(service.url(), '/api/v2/alerts');
      fingerprint = all.find(({ labels }) => labels['tab'] === 'a\tb')?.fingerprint ?? '';
    });

    const COLUMNS = 'label:lines,annotation:tab,label:title';
    const TABULAR = ['table', 'wide', 'csv', 'tsv'];
    it.each<[string, () => string[], readonly string[]]>([
      ['alerts list', () => ['alerts', 'list', '-a', 'tab!=""'], FORMATS],
      ['alerts list, parsed', () => ['alerts', 'list', '-a', 'tab!=""', '--sort', 'alertname'], FORMATS],
      ['alerts list, by column', () => ['alerts', 'list', '-a', 'tab!=""', '--columns', COLUMNS], TABULAR],
      ['alerts get', () => ['alerts', 'get', fingerprint], FORMATS],
      ['alerts groups', () => ['alerts', 'groups', '-a', 'tab!=""'], FORMATS],
      ['silences list', () => ['silences', 'list', 'tab="a\tb"'], FORMATS],
      ['silences get', () => ['silences', 'get', id], FORMATS],
      ['silences update', () => ['silences', 'update', id, '-c', '\x1b[31mnew\nline'], FORMATS],
    ])('in every rendering of %s', async (_, argv, formats) => {
      const ways = formats.flatMap((format) => [{}, { terminal: 80 }].map((options) => ({ format, options })));
      // All services together meet each.
      for (const { format, options } of inTurn(ways, turn, Math.ceil(ways.length / 4))) {
        const { code, stdout, stderr } = await service.svc([...argv(), '-o', format, '--color', 'never'], options);
        expect([format, code, stdout === '']).toEqual([format, 0, false]);
        expect(format === 'tsv' ? stdout.replaceAll('\t', '') : stdout).not.toMatch(STEERING);
        expect(stderr).not.toMatch(STEERING);
        expect(stdout).not.toMatch(/^(two|three|forged|line)/m);
      }
    });

    it('in JSON the value equals the stored one', async () => {
      const list = printed<WireAlert[]>(await run('alerts', 'list', '-a', 'tab!=""', '-o', 'json'));
      expect(list.map(({ labels }) => labels)).toEqual([{ alertname: 'Hostile\x1b[2J', ...HOSTILE }]);
      const silence = printed<{ matchers: { value: string }[] }>(await run('silences', 'get', id, '-o', 'json'));
      expect(silence.matchers.map(({ value }) => value)).toEqual(Object.values(HOSTILE));
    });

    it('a matcher spelled in a table can be typed again', async () => {
      const { stdout } = await run('silences', 'get', id);
      expect(stdout).toContain('quotes="say \\"hi\\" \\\\ there"');
      expect((await run('silences', 'list', '-q', 'quotes="say \\"hi\\" \\\\ there"')).stdout).toBe(`${id}\n`);
    });

    it('a failure that quotes the value', async () => {
      const refused = await run('silences', 'create', 'a=~"(\x1b[31m\u202e"', '-c', 'x', '--all-alerts', '--yes');
      expect(refused.code).toBe(3);
      expect(refused.stderr).not.toMatch(STEERING);
    });
  });

  it("B7: the server's own words for a 422", async () => {
    const refused = await run('alerts', 'create', 'A', '--for', '1h', '--generator-url', 'not a url');
    expect(refused.code).toBe(3);
    expect(refused.stderr).toContain('generatorURL in body must be of type uri: "not a url"');
    expect(refused.stderr).not.toMatch(/422|\{\}/);
  });

  it('B8: durations accept days and weeks everywhere', async () => {
    for (const argv of [
      ['silences', 'list', '--within', '2d'],
      ['silences', 'list', '--expired', '--within', '1w2d'],
      ['alerts', 'list', '--older-than', '1y'],
      ['alerts', 'list', '--older-than', '2d12h'],
    ]) {
      expect((await run(...argv)).code).toBe(0);
    }
  });

  describe('B9: a wrong path', () => {
    const commands = [
      ['alerts', 'list'],
      ['alerts', 'groups'],
      ['alerts', 'receivers'],
      ['alerts', 'status'],
      ['alerts', 'get', 'abc'],
      ['alerts', 'create', 'A', '--for', '1h'],
      ['silences', 'list'],
      ['silences', 'get', '00000000-0000-4000-8000-000000000000'],
      ['silences', 'create', 'a=b', '-c', 'x'],
      ['silences', 'update', '00000000-0000-4000-8000-000000000000', '-c', 'x'],
      ['silences', 'expire', '00000000-0000-4000-8000-000000000000', '--yes'],
    ];
    it.each(commands)('%s %s below /nope: exit 3, never "not found"', async (...argv) => {
      const made = await service.svc([...argv, '--base-url', `${service.url()}/nope`, '-o', 'json']);
      expect([made.code, made.stdout]).toEqual([3, '']);
      expect(failure(made)).toMatchObject({ code: 'wrong_path', http_status: 404 });
      expect(failure(made).hint).toContain('--base-url');
    });

    it.each(['', '/', '/api/v2', '/api/v2/', '/?x'])(
      '%j after the address is understood, or refused before anything is sent',
      async (end) => {
        const made = await service.svc(['alerts', 'receivers', '-q', '--base-url', `${service.url()}${end}`]);
        expect(made.code).toBe(end === '/?x' ? 2 : 0);
      },
    );

    it('// before the path counts as one slash, so that exit 0 means the alert is stored', async () => {
      const made = await service.svc([
        'alerts',
        'create',
        'Slashes',
        '--for',
        '1h',
        '--base-url',
        `${service.url()}//`,
      ]);
      const there = await getJson<unknown[]>(service.url(), '/api/v2/alerts?filter=alertname%3DSlashes');
      expect([made.code, there.length]).toEqual([0, 1]);
    });
  });
});

describe('B7: a response of an unknown form', () => {
  it.each([
    [
      'html',
      answer(404, '<!doctype html><title>No such host</title>', { 'content-type': 'text/html' }),
      'No such host',
    ],
    ['text', answer(422, 'plainly wrong', { 'content-type': 'text/plain' }), 'plainly wrong'],
    ['another object', answer(400, '{"error":"said otherwise"}'), 'said otherwise'],
  ])('%s: shows its message', async (_, bytes, message) => {
    await using server = await faultServer((socket) => socket.write(bytes));
    const refused = await svc(['alerts', 'list', '--base-url', server.url]);
    expect(refused.code).toBe(3);
    expect(refused.stderr).toContain(message);
  });
});

describe('B10: the exit status names the cause', () => {
  const OK = answer(200, '[]');
  const text = { 'content-type': 'text/plain' };
  it.each([
    ['done', 0, ['alerts', 'list'], OK],
    ['usage', 2, ['alerts', 'list', '--nope'], OK],
    ['refused', 3, ['alerts', 'list'], answer(400, '"bad"')],
    ['not signed in', 4, ['alerts', 'list'], answer(401, 'Unauthorized\n', text)],
    ['not allowed', 4, ['alerts', 'list'], answer(403, 'Forbidden\n', text)],
    ['not found', 5, ['alerts', 'get', 'abc'], OK],
    ['limited', 6, ['alerts', 'list'], answer(429, 'slow down', text)],
    ['failing', 7, ['alerts', 'list'], answer(500, '"boom"')],
    ['no JSON', 7, ['alerts', 'list'], answer(200, 'Connected', text)],
    ['cut', 7, ['alerts', 'list'], 'HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n[{'],
    ['a write that failed', 8, ['alerts', 'create', 'A'], answer(500, '"boom"')],
  ] as const)('%s: %i', async (_, code, argv, bytes) => {
    await using server = await faultServer((socket) => {
      socket.write(bytes);
      socket.end();
    });
    const ended = await svc([...argv, '--base-url', server.url, '-o', 'json']);
    expect(ended.code).toBe(code);
    if (code !== 0) expect(ended.stdout).toBe('');
  });

  it('nothing listens: 7', async () => {
    const server = await faultServer(() => {});
    await server.close();
    const ended = await svc(['alerts', 'create', 'A', '--base-url', server.url, '-o', 'json']);
    expect([ended.code, failure(ended).code]).toEqual([7, 'connect_failed']);
  });
});
