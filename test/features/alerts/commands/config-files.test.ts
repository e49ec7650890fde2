import { describe, expect, it } from 'vitest';
import { answer, faultServer } from '../../../support/servers.ts';
import { svc } from '../../../support/svc.ts';

const CONFIG = `route:
  receiver: ops
  routes:
    - matchers: [team="db"]
      receiver: team-db
receivers: [{ name: ops }, { name: team-db }]
`;
const check = (stdin: string | Uint8Array, ...argv: string[]) =>
  svc(['alerts', 'config', 'check', '-', ...argv], { stdin: stdin as string });
const indented = (text: string, by = '    ') => text.replace(/^/gm, by).trimEnd();

describe('svc alerts config check', () => {
  it.each([
    [
      'a Secret as YAML',
      `apiVersion: v1\nkind: Secret\ndata: { alertmanager.yaml: ${Buffer.from(CONFIG).toString('base64')} }\n`,
    ],
    ['a list as JSON', JSON.stringify({ apiVersion: 'v1', kind: 'List', items: [] }, undefined, 2)],
  ])('refuses %s, with the way to the configuration in it', async (_, text) => {
    const { code, stdout, stderr } = await check(text);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain('is a Kubernetes object, not a configuration');
    expect(stderr).toContain("kubectl get secret NAME -o jsonpath='{.data.alertmanager\\.yaml}' | base64 -d");
  });
});

const WITH_INTERVAL = (fields: string) =>
  `${CONFIG}time_intervals:\n  - name: x\n    time_intervals: [{ ${fields} }]\n`;

describe('svc alerts config check of a configuration', () => {
  it('names what is wrong in a time interval', async () => {
    const faults: Readonly<Record<string, string>> = {
      'weekdays: ["a:b:c"]': 'a:b:c is not a range: write begin:end',
      'weekdays: [someday]': 'someday is not a weekday',
      'weekdays: ["friday:monday"]': 'the last day is before the first; a week begins on Sunday',
      'days_of_month: ["x"]': 'x is not a number',
      'times: [{ start_time: "25:00", end_time: "26:00" }]': '25:00 is not a time of day: write HH:MM',
      'times: [{ start_time: "24:00", end_time: "24:00" }]': 'start_time must be before end_time',
      'times: [{ start_time: "", end_time: "09:00" }]': 'an empty text is not a time of day: write HH:MM',
      'location: "+01:00"': '+01:00',
      'location: nowhere': 'nowhere',
    };
    for (const [fields, message] of Object.entries(faults)) {
      const run = await check(WITH_INTERVAL(fields), '-o', 'json');
      expect([fields, run.code, run.stdout]).toEqual([fields, 1, expect.stringContaining(message)]);
    }
    expect(await check(WITH_INTERVAL('times: [{ start_time: "22:00", end_time: "24:00" }]'))).toMatchObject({
      code: 0,
    });
  });

  it('names a matcher that cannot be read', async () => {
    for (const matcher of ['{"my name"="b"', '"my name"="b"}', '{"my name"}', 'a=~"["']) {
      const run = await check(CONFIG.replace('team="db"', JSON.stringify(matcher)), '-o', 'json');
      expect([matcher, run.code]).toEqual([matcher, 1]);
    }
    for (const label of ['1a', '~']) {
      const run = await check(CONFIG.replace('- matchers: [team="db"]', `- match: { ${label}: b }`), '-o', 'json');
      expect([run.code, run.stdout]).toEqual([1, expect.stringContaining(`\\"${label}\\" is not a label name`)]);
    }
  });
});

const CHAIN = (routes: string) =>
  `receivers: [{ name: ops }, { name: a }, { name: b }]\nroute:\n  receiver: ops\n  routes:\n${indented(routes)}\n`;

describe('svc alerts config check of routes', () => {
  it.each([
    ['after one without matchers', '- { receiver: a }\n- { matchers: [team="db"], receiver: b }', 6],
    ['after one with the same matchers', '- { matchers: [a="1", b="2"] }\n- { matchers: [b="2", a="1"] }', 6],
    ['after one with fewer matchers', '- { matchers: [a="1"] }\n- { match: { a: "1", b: "2" } }', 6],
    ['below another route', '- matchers: [a="1"]\n  routes:\n    - {}\n    - { receiver: a }', 8],
  ])('warns of one that no alert can reach, %s', async (_, routes, line) => {
    const run = await check(CHAIN(routes), '-o', 'json');
    const message = expect.stringContaining('no alert can reach this route: ');
    expect([run.code, JSON.parse(run.stdout)]).toMatchObject([0, [{ line, severity: 'warning', message }]]);
    const drawn = await svc(['alerts', 'routes', '--config-file', '-'], { stdin: CHAIN(routes) });
    expect([drawn.code, drawn.stderr]).toEqual([0, expect.stringContaining(`warning: -:${line}:`)]);
  });

  it.each([
    ['after one with continue', '- { receiver: a, continue: true }\n- { matchers: [team="db"], receiver: b }'],
    ['after one with more matchers', '- { matchers: [a="1", b="2"] }\n- { matchers: [a="1"] }'],
    ['after one with another operator', '- { matchers: [a="1"] }\n- { matchers: [a=~"1"] }'],
  ])('does not warn of one %s', async (_, routes) => {
    expect(await check(CHAIN(routes), '-o', 'json')).toMatchObject({ code: 0, stdout: '[]\n' });
  });
});

describe('the text of a configuration file', () => {
  it.each([
    ['a byte order mark and Windows line ends', `\ufeff${CONFIG.replaceAll('\n', '\r\n')}`],
    [
      'JSON',
      JSON.stringify({
        route: { receiver: 'ops', routes: [{ match: { team: 'db' }, receiver: 'team-db' }] },
        receivers: [{ name: 'ops' }, { name: 'team-db' }],
      }),
    ],
    [
      'hundreds of aliases',
      `${CONFIG.replace('- matchers: [team="db"]', '- &r\n      matchers: [&m team="db"]')}`.replace(
        'receivers:',
        `${'    - { <<: *r, group_by: [a], matchers: [*m, a="b"], continue: true }\n'.repeat(300)}receivers:`,
      ),
    ],
  ])('may have %s', async (_, text) => {
    const stdin = text as string;
    expect((await check(stdin)).code).toBe(0);
    const routed = await svc(['alerts', 'route', 'team=db', '--config-file', '-', '-q'], { stdin });
    expect([routed.code, routed.stdout]).toEqual([0, 'team-db\n']);
  });

  it('may have several documents, of which the server reads the first', async () => {
    const run = await check(`${CONFIG}---\nroute: { receiver: nope }\n`, '-o', 'json');
    expect([run.code, JSON.parse(run.stdout)]).toMatchObject([0, [{ line: 8, severity: 'warning' }]]);
  });

  it('is refused if it is not UTF-8', async () => {
    expect(await check(Buffer.from([0x72, 0xff, 0xfe]))).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('not UTF-8'),
    });
  });
});

describe('the keys of a mapping in a configuration file', () => {
  it.each([
    ['twice', 'route:\n  receiver: ops\n  receiver: ops\n', '3'],
    ['twice, once in quotes', 'route:\n  receiver: ops\n  "receiver": ops\n', '3'],
    ['twice in a flow mapping', 'route: {receiver: ops, "receiver": ops}\n', '1'],
    ['twice below a list', 'route: {receiver: ops}\nreceivers:\n- name: ops\n  name: ops\n', '4'],
  ])('are an error with its line if one is there %s', async (_, text, line) => {
    const { code, stdout } = await check(text.includes('receivers') ? text : `${text}receivers: [{name: ops}]\n`);
    expect(code).toBe(1);
    expect(stdout).toMatch(new RegExp(`^ +${line} .*Map keys must be unique`, 'm'));
  });
});

describe('a running configuration', () => {
  const running = (original: string, version = '0.40.0') =>
    faultServer((socket, { path }) => {
      const status = { cluster: { status: 'ready' }, versionInfo: { version }, config: { original }, uptime: '' };
      socket.write(answer(200, path.endsWith('/status') ? JSON.stringify(status) : '[]'));
    });

  it.each([
    ['a new section', `event_recorder: { outputs: [{ stdout: {} }] }\nfuture: &a [1]\n${CONFIG}`],
    [
      'a new field of a route',
      CONFIG.replace('receiver: team-db', 'receiver: team-db\n      labels: { a: b }\n      future: 1'),
    ],
    [
      'a new field of an inhibition rule',
      `${CONFIG}inhibit_rules: [{ source_matchers: [a="b"], target_matchers: [c="d"], future: 1 }]\n`,
    ],
    [
      'a new field of a time interval',
      `${CONFIG}time_intervals: [{ name: x, time_intervals: [{ future: 1, months: [may] }] }]\n`,
    ],
  ])('may have %s', async (_, config) => {
    await using server = await running(config);
    const routed = await svc(['alerts', 'route', 'team=db', '-q', '--base-url', server.url]);
    expect([routed.code, routed.stdout]).toEqual([0, 'team-db\n']);
    const drawn = await svc(['alerts', 'routes', '--base-url', server.url]);
    expect([drawn.code, drawn.stderr]).toEqual([
      0,
      expect.stringMatching(/warning: the running configuration:\d+:\d+: the field future is not known/),
    ]);
  });
});
