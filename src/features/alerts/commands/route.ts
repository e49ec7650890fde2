import { listCommand } from '../../../cli/command.ts';
import { SvcError } from '../../../errors.ts';
import type { ListOutput } from '../../../output/types.ts';
import { openAlertmanager } from '../api.ts';
import { labelCells } from '../columns.ts';
import { parseLabels } from '../matcher-arguments.ts';
import type { RoutingConfig } from '../routing/config.ts';
import { CONFIG_FILE, readConfig } from '../routing/source.ts';
import { groupLabels, inhibitors, type MatchedRoute, matchRoutes, mutedBy } from '../routing/tree.ts';
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

export const alertsRoute = listCommand({
  id: 'alerts route',
  summary: 'Show which receivers an alert with these labels has',
  description:
    'Shows each receiver, the path to it, the group of the alert, the time intervals that mute it and the firing alerts that inhibit it. Receivers are compared with --expect in any order. With --config-file, inhibition is not evaluated.',
  details:
    'Time intervals without a zone, or in the zone Local, are evaluated in UTC.\nThe JSON has one object for each route: receiver, path, groupBy, group, groupWait, groupInterval, repeatInterval, mutedBy, inhibitedBy (fingerprints; null with --config-file) and what the route itself says. The path has the matchers of each route below the root, {} for none.',
  effect: 'read',
  service: 'alerts',
  args: { label: { help: 'Labels, as name=value', repeat: true } },
  flags: {
    at: { type: 'time', bare: 'forward', help: 'Evaluate time intervals at this time (default now)' },
    ...CONFIG_FILE,
    expect: {
      type: 'string',
      aliases: ['verify.receivers'],
      list: true,
      value: 'names',
      help: 'Exit 1 unless these are the receivers',
    },
  },
  exits: ['condition_false'],
  examples: [
    { run: 'svc alerts route team=db severity=critical', why: 'Who would be notified' },
    { run: 'svc alerts route team=db --at "2026-12-24T23:00:00Z"', why: 'And on Christmas Eve' },
    {
      run: 'svc alerts route team=db --config-file alertmanager.yml --expect team-db,pager',
      why: 'In CI: exit 1 if the receivers differ',
    },
  ],
  output: ROUTES,
  async run({ label, at, expect, configFile }, ctx) {
    const labels = parseLabels(label);
    const from = configFile ?? openAlertmanager(ctx.target);
    const config = await readConfig(from, ctx);
    const expected = expect === undefined ? undefined : splitNames(expect, config);
    const routes = await matchRoutes(config.route, labels);
    const inhibiting =
      typeof from === 'string'
        ? undefined
        : await inhibitors(config.inhibitRules, labels, await collect(from.alerts()));
    const ms = at?.ms ?? ctx.now();
    const value = routes.map(
      (route): RouteRow => ({
        ...route,
        group: groupLabels(route, labels),
        mutedBy: mutedBy(route, config, ms),
        inhibitedBy: inhibiting?.map(({ fingerprint }) => fingerprint) ?? null,
      }),
    );
    const receivers = [...new Set(routes.map(({ receiver }) => receiver))];
    const differs = expected !== undefined && !sameNames(expected, receivers);
    if (differs) ctx.warn(`the receivers are ${receivers.join(',')}, and ${expected.join(',')} was expected`);
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

function sameNames(one: readonly string[], other: readonly string[]): boolean {
  return new Set(one).size === new Set(other).size && one.every((name) => other.includes(name));
}

function splitNames(text: string, { receivers }: RoutingConfig): string[] {
  const names = text.split(',').map((name) => name.trim());
  const unknown = names.find((name) => !receivers.includes(name));
  if (unknown === undefined) return names;
  throw new SvcError('invalid_value', `--expect: no receiver is named ${unknown}`, {
    hint: `one of: ${receivers.join(', ')}`,
  });
}
