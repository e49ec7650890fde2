import { listCommand, type RunContext } from '../../../cli/command.ts';
import { FILE } from '../../../cli/flags.ts';
import { parseTime } from '../../../cli/time.ts';
import { SvcError } from '../../../errors.ts';
import type { AnyOutput, ListOutput } from '../../../output/types.ts';
import { openAlertmanager } from '../api.ts';
import { labelCells } from '../columns.ts';
import { parseLabels } from '../matcher-arguments.ts';
import type { RoutingConfig } from '../routing/config.ts';
import { CONFIG_FILE, readConfig, readYamlFile } from '../routing/source.ts';
import type { MatchedRoute } from '../routing/tree.ts';
import type { Alert } from '../schema.ts';
import { collect } from '../selection.ts';

type Labels = Readonly<Record<string, string>>;

interface RouteRow extends MatchedRoute {
  /** The labels of the group that the alert joins. */
  readonly group: Labels;
  readonly mutedBy: readonly string[];
  /** Fingerprints; null if that is not known, because no server was asked. */
  readonly inhibitedBy: readonly string[] | null;
}

const ROUTES: ListOutput<RouteRow> = {
  kind: 'list',
  columns: [
    { name: 'receiver', cell: ({ receiver }) => receiver, vital: true },
    { name: 'path', cell: ({ path }) => path.map(pathText).join(' > ') || 'default', below: true },
    { name: 'group', cell: ({ group }) => labelCells(group), shrinks: true, below: true },
    { name: 'muted-by', cell: (row) => row.mutedBy, vital: true },
    { name: 'inhibited-by', cell: ({ inhibitedBy }) => inhibitedBy ?? undefined, vital: true },
    { name: 'wait', cell: ({ groupWait }) => groupWait },
    { name: 'interval', cell: ({ groupInterval }) => groupInterval },
    { name: 'repeat', cell: ({ repeatInterval }) => repeatInterval },
  ],
  id: ({ receiver }) => receiver,
};

/** As `svc alerts routes` shows it. */
const pathText = (matchers: string): string => (matchers === '{}' ? '(every alert)' : matchers);

interface Facts {
  readonly receivers: readonly string[];
  /** Those that a time interval mutes. */
  readonly muted?: readonly string[] | undefined;
  readonly group_by?: readonly string[] | undefined;
}

interface Outcome extends Facts {
  readonly ok: boolean;
  readonly name: string;
  readonly labels: Labels;
  /** Only what the file says. */
  readonly expected: Facts;
}

const OUTCOMES: ListOutput<Outcome> = {
  kind: 'list',
  columns: [
    {
      name: 'result',
      cell: ({ ok }) => (ok ? { text: 'ok', tone: 'good' } : { text: 'failed', tone: 'bad' }),
      vital: true,
    },
    { name: 'name', cell: ({ name, labels }) => name || labelCells(labels).join(' '), shrinks: true },
    { name: 'expected', cell: ({ expected }) => factsText(expected, expected), vital: true },
    { name: 'receivers', cell: ({ expected, ...found }) => factsText(found, expected), vital: true },
  ],
  id: ({ ok, name, labels }) => (ok ? undefined : name || labelCells(labels).join(' ')),
  empty: 'the file has no expectations',
};

/** `team-db (muted), pager by alertname,cluster`. Shows only what is expected. */
function factsText({ receivers, muted = [], group_by: groupBy = [] }: Facts, expected: Facts): string {
  const isMuted = (name: string) => expected.muted !== undefined && muted.includes(name);
  const names = receivers.map((name) => (isMuted(name) ? `${name} (muted)` : name)).join(',');
  return expected.group_by === undefined ? names : `${names} by ${groupBy.join(',') || '(nothing)'}`;
}

const outputOf = ({ expectations }: { readonly expectations: string | undefined }): AnyOutput =>
  expectations === undefined ? ROUTES : OUTCOMES;

export const alertsRoute = listCommand({
  id: 'alerts route',
  summary: 'Show which receivers an alert with these labels has',
  description:
    'Shows each receiver, the path to it, the group of the alert, the time intervals that mute it and the firing alerts that inhibit it. Receivers are compared with --expect in any order. With --config-file, inhibition is not evaluated.',
  details:
    'A file of expectations is a YAML list: labels, receivers, and optionally name and group_by (the labels by which all of its routes group). With at (a time) it also has muted: the receivers that a time interval mutes then.\nTime intervals without a zone, or in the zone Local, are evaluated in UTC.\nThe JSON has one object for each route: receiver, path, groupBy, group, groupWait, groupInterval, repeatInterval, mutedBy, inhibitedBy (fingerprints; null with --config-file) and what the route itself says. With --expectations, it has one for each: ok, name, labels, receivers, muted and group_by as they are, and expected (those of the file). The path has the matchers of each route below the root, {} for none.',
  effect: 'read',
  service: 'alerts',
  args: { label: { help: 'Labels, as name=value', repeat: true } },
  flags: {
    at: { type: 'time', bare: 'forward', help: 'Evaluate time intervals at this time (default now)' },
    ...CONFIG_FILE,
    expect: { type: 'string', list: true, value: 'names', help: 'Exit 1 unless these are the receivers' },
    expectations: { ...FILE, help: 'Test every expectation of a YAML file' },
  },
  exits: ['condition_false'],
  examples: [
    { run: 'svc alerts route team=db severity=critical', why: 'Who would be notified' },
    { run: 'svc alerts route team=db --at "2026-12-24T23:00:00Z"', why: 'And on Christmas Eve' },
    {
      run: 'svc alerts route team=db --config-file alertmanager.yml --expect team-db,pager',
      why: 'In CI: exit 1 if the receivers differ',
    },
    {
      run: 'svc alerts route --config-file alertmanager.yml --expectations routes.yml',
      why: 'In CI: test many label sets',
    },
  ],
  output: ROUTES,
  outputOf,
  async run(input, ctx) {
    const { label, at, expect, expectations, configFile } = input;
    if (expectations !== undefined) {
      if (label.length > 0 || expect !== undefined)
        throw new SvcError('usage', '--expectations cannot be used with labels or --expect');
      return testExpectations(input, expectations, ctx);
    }
    const labels = parseLabels(label);
    const from = configFile ?? openAlertmanager(ctx.target);
    const config = await readConfig(from, ctx);
    const expected = expect === undefined ? undefined : splitNames(expect, config);
    const { groupLabels, inhibitors, matchRoutes, mutedBy } = await import('../routing/tree.ts');
    const routes = await matchRoutes(config.route, labels);
    const inhibiting =
      typeof from === 'string'
        ? undefined
        : await inhibitors(
            config.inhibitRules,
            labels,
            once(async () => collect(from.alerts())),
          );
    const ms = at?.ms ?? ctx.now();
    const value = routes.map(
      (route): RouteRow => ({
        ...route,
        group: groupLabels(route, labels),
        mutedBy: mutedBy(route, config, ms),
        inhibitedBy: inhibiting?.map(({ fingerprint }) => fingerprint) ?? null,
      }),
    );
    const differs = expected !== undefined && !sameNames(expected, namesOf(routes));
    if (differs) ctx.warn(`the receivers are ${namesOf(routes).join(',')}, and ${expected.join(',')} was expected`);
    return {
      value,
      code: differs ? 'condition_false' : undefined,
      footer: inhibiting === undefined ? 'inhibition was not evaluated' : inhibitedText(inhibiting),
    };
  },
});

function inhibitedText(alerts: readonly Alert[]): string | undefined {
  if (alerts.length === 0) return undefined;
  return alerts
    .map(({ labels, fingerprint }) => `inhibited by ${fingerprint} ${labelCells(labels).join(' ')}`)
    .join('\n');
}

/** Several inhibition rules may need the alerts. */
function once<T>(read: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | undefined;
  return () => {
    result ??= read();
    return result;
  };
}

const namesOf = (routes: readonly MatchedRoute[]): string[] => [...new Set(routes.map(({ receiver }) => receiver))];

function sameNames(one: readonly string[], other: readonly string[]): boolean {
  return new Set(one).size === new Set(other).size && one.every((name) => other.includes(name));
}

function splitNames(text: string, { receivers }: RoutingConfig): string[] {
  const names = text.split(',').map((name) => name.trim());
  refuseUnknown(names, receivers, '--expect');
  return names;
}

function refuseUnknown(names: readonly string[], receivers: readonly string[], where: string): void {
  const unknown = names.find((name) => !receivers.includes(name));
  if (unknown === undefined) return;
  throw new SvcError('invalid_value', `${where}: no receiver is named ${unknown}`, {
    hint: `one of: ${receivers.join(', ')}`,
  });
}

interface ExpectationOptions {
  readonly configFile: string | undefined;
  readonly at: { readonly ms: number } | undefined;
}

async function testExpectations(input: ExpectationOptions, path: string, ctx: RunContext) {
  const { expectationList } = await import('../routing/expectations.ts');
  const { matchRoutes, mutedBy } = await import('../routing/tree.ts');
  const expectations = await readYamlFile(path, expectationList, ctx);
  const config = await readConfig(input.configFile ?? openAlertmanager(ctx.target), ctx);
  const outcomes: Outcome[] = [];
  const now = ctx.now();
  for (const [index, { name, labels, at, ...expected }] of expectations.entries()) {
    const { receivers, muted, group_by: groupBy } = expected;
    refuseUnknown([...receivers, ...(muted ?? [])], config.receivers, `${path}, expectation ${index + 1}`);
    const routes = await matchRoutes(config.route, labels);
    const ms = at === undefined ? (input.at?.ms ?? now) : parseTime(at, { now, bare: 'forward' }).ms;
    const found = {
      receivers: namesOf(routes),
      muted: namesOf(routes.filter((route) => mutedBy(route, config, ms).length > 0)),
      group_by: [...new Set(routes.flatMap((route) => route.groupBy))],
    };
    const ok =
      sameNames(receivers, found.receivers) &&
      (muted === undefined || sameNames(muted, found.muted)) &&
      (groupBy === undefined || routes.every((route) => sameNames(groupBy, route.groupBy)));
    outcomes.push({ ok, name, labels, expected, ...found });
  }
  const failed = outcomes.filter(({ ok }) => !ok).length;
  if (failed > 0) ctx.warn(`${failed} of ${outcomes.length} expectations failed`);
  return { value: outcomes, as: OUTCOMES, code: failed > 0 ? ('condition_false' as const) : undefined };
}
