/** amtool decides which receivers an alert has, how the tree is drawn, and which configuration is valid. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RoutingConfig, readRoutingConfig } from '../../../../src/features/alerts/routing/config.ts';
import { matchRoutes, walkRoutes } from '../../../../src/features/alerts/routing/tree.ts';
import { AMTOOL_RELEASES, alertmanagerExamples, amtoolBinary } from '../../../support/peers.ts';
import { IS_HARD } from '../../../support/turns.ts';
import { damaged, pick, type Random, randomConfig, randomLabels, seededRandom } from './random-configs.ts';

type Labels = Readonly<Record<string, string>>;

const SEED = 20_261_123;
const examples = alertmanagerExamples();
/** Examples of the integrations of receivers, which svc does not check. */
const INTEGRATION = /conf\.(?:opsgenie|rocketchat|slack|smtp|sns|victorops)-/;

/** Children of the root route that amtool reads, or refuses. */
const ROUTES = [
  '&a { receiver: pager, group_wait: 10s }, &b { match: { x: y }, continue: true }, { <<: [*a, *b], group_wait: 1m }',
  '&a { receiver: pager, match: { a: x }, match_re: { c: y } }, { <<: *a, match: { b: y }, match_re: { d: z } }',
  '&a { match: { a: x } }, { <<: *a, match: { a: y } }',
  '&a { matchers: [a=1] }, { <<: *a, matchers: [b=2] }',
  '&a { receiver: pager }, &b { matchers: [a=1] }, { <<: *a, <<: *b, group_by: [x] }, { <<: *b, matchers: null }',
  '&a { match: { a: b }, routes: [{ <<: *a }] }',
  '{ <<: pager }',
  '{ receiver: *nope }',
  '{ match: { code: 500, ok: true, port: 0x10, f: 1.50, none: } }',
  '{ match: { a: yes, b: On, c: y, d: "true" }, continue: on }',
  '{ match: { yes: a, "yes": b } }',
  '{ match: { ? : a, "": b } }',
  'null, { match: { a: b } }',
  '{ mute_time_intervals: [x] }',
];
/** Other sections. */
const SECTIONS = [
  'route: {{ .Values.route }}',
  'route: { receiver: pager, continue: true }',
  'route: { receiver: pager, matchers: [a=b] }',
  'route: { receiver: pager, mute_time_intervals: [x] }',
  'route: { receiver: pager, active_time_intervals: [x] }',
  'route: { routes: [{ match: { a: b }, receiver: pager }] }',
  'time_intervals: [{ name: x }, { name: x }]',
  'mute_time_intervals: [{ name: x }, { name: x }]',
  'time_intervals: [{ name: x }]\nmute_time_intervals: [{ name: x }]',
  'time_intervals: [{ name: never }, { name: empty, time_intervals: [] }, null]',
  "time_intervals: [{ name: x, time_intervals: [{ weekdays: ['saturday:sunday'] }] }]",
  "time_intervals: [{ name: x, time_intervals: [{ months: ['march:january'] }] }]",
  "time_intervals: [{ name: x, time_intervals: [{ days_of_month: ['25:26', '-1'], years: ['2025:2030'] }] }]",
  "time_intervals: [{ name: x, time_intervals: [{ times: [{ start_time: '18:00', end_time: '08:00' }] }] }]",
  'inhibit_rules: [null]',
];
const RECEIVER = 'receivers: [{ name: pager }]\n';
const SHAPES = [
  ...ROUTES.map((routes) => `${RECEIVER}route: { receiver: pager, routes: [${routes}] }\n`),
  ...SECTIONS.map((text) => `${RECEIVER}${text}\n${text.startsWith('route') ? '' : 'route: { receiver: pager }\n'}`),
];

/** One line for each route, as amtool draws it. */
function treeOf({ route }: RoutingConfig): string[] {
  return [...walkRoutes(route)].map((drawn) => {
    const matchers = [...drawn.matchers].sort((one, other) => (sortKey(one) < sortKey(other) ? -1 : 1)).join(',');
    const branch = drawn.depth === 0 ? '└── ' : `    ${drawn.branch}`;
    const goesOn = drawn.continue ? '  continue: true' : '';
    return `${branch}${matchers === '' ? 'default-route' : `{${matchers}}`}${goesOn}  receiver: ${drawn.receiver}`;
  });
}

/** By name, value and operator. */
const sortKey = (matcher: string): string =>
  matcher.replace(/^(\w+)([=!~]+)(.*)$/, (_, name, operator, value) =>
    [name, value, ['=', '!=', '=~', '!~'].indexOf(operator)].join('\0'),
  );

async function receiversOf({ route }: RoutingConfig, labels: Labels): Promise<string> {
  return (await matchRoutes(route, labels)).map(({ receiver }) => receiver).join(',');
}

describe.each(AMTOOL_RELEASES.map((release) => ({ release })))('svc and amtool $release', ({ release }) => {
  const peer = amtoolBinary(release);
  let folder = '';
  let file = '';
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'svc-routing-'));
    file = join(folder, 'alertmanager.yml');
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const amtool = (...args: string[]) =>
    spawnSync(peer?.command ?? '', args, { encoding: 'utf8', env: { ...process.env, HOME: folder } });
  /** Warnings of its parser come first. */
  const theirReceivers = (path: string, labels: Labels) => {
    const args = Object.entries(labels).map(([name, value]) => `${name}=${value}`);
    return amtool('config', 'routes', 'test', `--config.file=${path}`, ...args)
      .stdout.trim()
      .split('\n')
      .at(-1);
  };
  const theirTree = (path: string) => {
    const { stdout } = amtool('config', 'routes', 'show', `--config.file=${path}`);
    const lines = stdout.split('\n').filter((line) => line.includes('── '));
    // It shows match_re as the server compiles it, and before 0.28 indents with other spaces.
    return lines.map((line) => line.replaceAll('\u00a0', ' ').replace(/=~"\^\(\?:(.*?)\)\$"(?=[,}])/g, '=~"$1"'));
  };
  const ours = async (source: string): Promise<RoutingConfig> => {
    const { config, ...rest } = await readRoutingConfig(source, release);
    if (config === undefined) throw new Error(`${JSON.stringify(rest)}\n${source}`);
    return config;
  };

  const compare = async (config: RoutingConfig, path: string, name: string, random: Random): Promise<void> => {
    expect(treeOf(config), name).toEqual(theirTree(path));
    for (let round = 0; round < (IS_HARD ? 20 : 1); round++) {
      const labels = pick(random, [randomLabels(random), { test: pick(random, ['1', '2', '3']) }]);
      expect(await receiversOf(config, labels), name).toBe(theirReceivers(path, labels));
    }
  };

  it.skipIf(peer === undefined)('find the same receivers in random trees', { timeout: 600_000 }, async () => {
    const random = seededRandom(SEED);
    for (let round = 0; round < (IS_HARD ? 500 : 5); round++) {
      const source = randomConfig(random);
      writeFileSync(file, source);
      await compare(await ours(source), file, source, random);
    }
  });

  it.skipIf(peer === undefined || examples === undefined)(
    'read the examples of Alertmanager in the same way',
    { timeout: 600_000 },
    async () => {
      const random = seededRandom(SEED + 3);
      const files = readdirSync(examples ?? '', { recursive: true, encoding: 'utf8' });
      const configs = files
        .filter((name) => name.endsWith('.yml') && (IS_HARD || !INTEGRATION.test(name)))
        .map((name) => join(examples ?? '', name));
      expect(configs.length).toBeGreaterThan(10);
      for (const path of configs) {
        const isValid = amtool('check-config', path).status === 0;
        const { config, unknown } = await readRoutingConfig(readFileSync(path, 'utf8'), release);
        const isOurs = config !== undefined && unknown.length === 0;
        if (isValid || !INTEGRATION.test(path)) expect(isOurs, path).toBe(isValid);
        if (isValid && config !== undefined) await compare(config, path, path, random);
      }
    },
  );

  it.skipIf(peer === undefined)(
    'accept and refuse the same merges, values and sections',
    { timeout: 600_000 },
    async () => {
      const isNewest = release === AMTOOL_RELEASES.at(-1);
      for (const source of SHAPES.filter((_, index) => IS_HARD || isNewest || index % 4 === 0)) {
        writeFileSync(file, source);
        const isTheirs = amtool('check-config', file).status === 0;
        const { config, unknown, ...rest } = await readRoutingConfig(source, release);
        const isOurs = config !== undefined && unknown.length === 0;
        expect(isOurs, `${JSON.stringify([unknown, rest])}\n${source}`).toBe(isTheirs);
        if (config !== undefined && isOurs) expect(treeOf(config), source).toEqual(theirTree(file));
      }
    },
  );

  it.skipIf(peer === undefined)('find a fault in the same damaged files', { timeout: 600_000 }, async () => {
    const random = seededRandom(SEED + 1);
    const verdicts = { valid: 0, invalid: 0 };
    for (let round = 0; round < (IS_HARD ? 500 : 8); round++) {
      const source = damaged(randomConfig(random), random);
      writeFileSync(file, source);
      const checked = await readRoutingConfig(source, release);
      const theirs = amtool('check-config', file);
      const problems = [...checked.unknown, ...(checked.problems ?? [])];
      verdicts[theirs.status === 0 ? 'valid' : 'invalid']++;
      expect(problems.length === 0, `${JSON.stringify(problems)}\n${theirs.stdout}\n${source}`).toBe(
        theirs.status === 0,
      );
      for (const { line, column } of problems) {
        expect(line).toBeLessThanOrEqual(source.split('\n').length);
        expect(column).toBeGreaterThan(0);
      }
    }
    expect(Math.min(verdicts.valid, verdicts.invalid)).toBeGreaterThan(IS_HARD ? 10 : 0);
  });
});
