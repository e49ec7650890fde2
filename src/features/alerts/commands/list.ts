import { listCommand, type RunContext } from '../../../cli/command.ts';
import { type WatchInterval, watchInterval, watchRows } from '../../../cli/poll.ts';
import { SvcError } from '../../../errors.ts';
import {
  type AnyOutput,
  type Column,
  type ListOutput,
  RawJson,
  type Snapshot,
  type WatchOutput,
} from '../../../output/types.ts';
import { type Alertmanager, openAlertmanager } from '../api.ts';
import { ALERT_LIST, alertCandidates, EMPTY, labelCells, OWN_COLUMN, ownValue } from '../columns.ts';
import { refuseUnknownLabels, warnOfNames } from '../known-names.ts';
import type { Alert } from '../schema.ts';
import {
  AGE_FLAG,
  ALERT_STATES,
  type AlertSelection,
  alertFilter,
  alertQuery,
  collect,
  filterAsync,
  type GivenFilter,
  ifNone,
  keepsAlert,
  SELECTION_FLAGS,
  selects,
  serverSelects,
  wantedStates,
} from '../selection.ts';

export const alertsList = listCommand({
  id: 'alerts list',
  aliases: ['ls', 'query'],
  summary: 'List alerts (active by default)',
  description:
    'A matcher is name=value, name!=value, name=~regex or name!~regex; the server\'s regular expressions are RE2 and match the whole value. A bare word as the first matcher is an alert\'s name. Labels that all rows have are shown once, beside the table.\n--watch redraws the table on a terminal; in a pipe, or with -o ndjson, it prints {"event":"added|changed|resolved","at","alert"} per line, every alert of the first look as added, and {"event":"unreachable|recovered","at"} for an outage. An alert that is silenced has changed, and is then out of the list of active ones.',
  effect: 'read',
  service: 'alerts',
  streams: ({ watch }) => watch !== undefined,
  args: { matcher: { help: 'Only alerts that match all of these', repeat: true } },
  flags: {
    ...SELECTION_FLAGS,
    state: { ...SELECTION_FLAGS.state, choices: ALERT_STATES },
    ...AGE_FLAG,
    'newer-than': { type: 'duration', help: 'Only alerts that started since' },
    limit: { type: 'integer', value: 'n', min: 0, help: 'At most so many' },
    'group-by': {
      type: 'string',
      value: 'label',
      repeat: true,
      help: 'Count the alerts of each combination of values',
    },
    'count-by': { type: 'string', value: 'label', help: 'Count the alerts of each value, most frequent first' },
    count: { type: 'boolean', help: 'Print how many there are, and nothing else' },
    watch: { type: 'optional-value', value: 'interval', help: 'Refresh continuously (default: every 5s)' },
    'fail-if-any': { type: 'boolean', help: 'Exit with 1 if there are any' },
  },
  exits: ['condition_false'],
  examples: [
    { run: 'svc alerts list', why: 'What fires now' },
    {
      run: 'svc alerts list severity=critical team=~"db|storage" --older-than 15m',
      why: 'Critical, of two teams, for a while',
    },
    { run: 'svc alerts list -a --count', why: 'How many there are in all' },
    { run: 'svc alerts list -a --group-by team --group-by severity', why: 'Whose they are, and how bad' },
    { run: 'svc alerts list severity=critical --watch=10s', why: 'What fires, as it comes and goes' },
    {
      run: 'svc alerts list --state silenced --columns alertname,label:instance,silenced-by',
      why: 'Who is silenced by what',
    },
  ],
  output: ALERT_LIST,
  outputOf: listOutput,
  offers: alertCandidates,
  async run(input, ctx) {
    checkModes(input);
    const { watch, olderThan, newerThan, failIfAny } = input;
    const selection = { wanted: wantedStates(input), olderThan, newerThan };
    const every = watch === undefined ? undefined : watchInterval(watch);
    const given = alertFilter(input, ctx);
    const alertmanager = openAlertmanager(ctx.target);
    if (every !== undefined) return watched(alertmanager, given, selection, every, ctx);
    const query = { ...alertQuery(selection.wanted), ...given.filter };
    const untouched = !input.count && input.countBy === undefined && input.groupBy.length === 0 && !failIfAny;
    const serversOwn = serverSelects(selection.wanted) && olderThan === undefined && newerThan === undefined;
    if (ctx.wants.rawJson && untouched && serversOwn) {
      const raw = await alertmanager.alertsRaw(query);
      if (raw?.isEmpty === true) await warnOfNames(given.matchers, alertmanager, ctx);
      if (raw !== undefined) return { value: new RawJson(raw.bytes) };
    }
    const now = ctx.now();
    const selected = filterAsync(alertmanager.alerts(query), (alert) => selects(alert, selection, now));
    const alerts = ifNone(selected, () => warnOfNames(given.matchers, alertmanager, ctx));
    const code = (any: boolean) => (failIfAny && any ? 'condition_false' : undefined);
    if (input.count) {
      let count = 0;
      for await (const _ of alerts) count++;
      return { value: count, as: listOutput(input), code: code(count > 0) };
    }
    const { groupBy, countBy } = input;
    const names = countBy === undefined ? groupBy : [countBy];
    if (names.length > 0) {
      const tallies = await tallyAlerts(alerts, names);
      const missing = names.filter((name) => tallies.every(({ labels }) => labels[name] === ''));
      const option = countBy === undefined ? '--group-by' : '--count-by';
      if (tallies.length > 0) await refuseUnknownLabels(missing, option, alertmanager);
      const value = countBy === undefined ? tallies : tallies.map((tally) => countOf(tally, countBy));
      return { value, as: listOutput(input), code: code(value.length > 0) };
    }
    if (!failIfAny) return { value: alerts };
    const all = await collect(alerts);
    return { value: all, code: code(all.length > 0) };
  },
});

interface Modes {
  readonly groupBy: readonly string[];
  readonly countBy: string | undefined;
  readonly count: boolean;
  readonly watch: string | true | undefined;
  readonly failIfAny: boolean;
  readonly limit: number | undefined;
}

function checkModes({ groupBy, countBy, count, watch, failIfAny, limit }: Modes): void {
  const modes = [
    groupBy.length > 0 ? '--group-by' : undefined,
    countBy === undefined ? undefined : '--count-by',
    count ? '--count' : undefined,
    watch === undefined ? undefined : '--watch',
  ].filter((mode) => mode !== undefined);
  const [one, other = watch !== undefined && failIfAny ? '--fail-if-any' : undefined] = modes;
  if (other !== undefined) throw new SvcError('usage', `${one} and ${other} cannot be used together`);
  if (count && limit !== undefined)
    throw new SvcError('usage', '--count counts all of them, so --limit has no meaning');
  if ([...groupBy, countBy].includes('')) throw new SvcError('invalid_value', 'a label to count by has an empty name');
}

function listOutput({ count, groupBy, countBy }: Modes): AnyOutput {
  if (count) return { kind: 'text' };
  if (countBy !== undefined) return countOutput(countBy);
  return groupBy.length > 0 ? tallyOutput(groupBy) : ALERT_LIST;
}

/** The alerts with one combination of values. To the service a label that is missing and an empty one are the same. */
interface Tally {
  readonly labels: Readonly<Record<string, string>>;
  readonly alerts: number;
  readonly active: number;
  readonly suppressed: number;
  /** The start of the one that fires longest. */
  readonly oldest: string;
}

/** Most alerts first. */
async function tallyAlerts(alerts: AsyncIterable<Alert>, names: readonly string[]): Promise<Tally[]> {
  const tallies = new Map<string, { -readonly [K in keyof Tally]: Tally[K] }>();
  for await (const alert of alerts) {
    const { startsAt } = alert;
    const labels = Object.fromEntries(names.map((name) => [name, ownValue(alert.labels, name) ?? '']));
    const key = JSON.stringify(Object.values(labels));
    const tally = tallies.get(key) ?? { labels, alerts: 0, active: 0, suppressed: 0, oldest: startsAt };
    tallies.set(key, tally);
    tally.alerts++;
    if (keepsAlert(alert, ['active'])) tally.active++;
    if (keepsAlert(alert, ['suppressed'])) tally.suppressed++;
    if (Date.parse(startsAt) < Date.parse(tally.oldest)) tally.oldest = startsAt;
  }
  return [...tallies].sort(([a, one], [b, other]) => other.alerts - one.alerts || (a < b ? -1 : 1)).map(([, of]) => of);
}

interface ValueCount {
  readonly value: string;
  readonly count: number;
}

function countOf({ labels, alerts }: Tally, name: string): ValueCount {
  return { value: labels[name] ?? '', count: alerts };
}

function tallyOutput(names: readonly string[]): ListOutput<Tally> {
  return {
    kind: 'list',
    columns: [
      ...names.map((name): Column<Tally> => ({ name, cell: ({ labels }) => labels[name], flex: true })),
      { name: 'alerts', cell: ({ alerts }) => alerts, align: 'right' },
      { name: 'active', cell: ({ active }) => active, align: 'right' },
      { name: 'suppressed', cell: ({ suppressed }) => suppressed, align: 'right' },
      { name: 'oldest', cell: ({ oldest }) => ({ time: oldest }) },
    ],
    id: ({ labels }) => labelCells(labels).join(' '),
    ...EMPTY,
  };
}

function countOutput(name: string): ListOutput<ValueCount> {
  return {
    kind: 'list',
    columns: [
      { name, cell: ({ value }) => value, flex: true },
      { name: 'count', cell: ({ count }) => count, align: 'right' },
    ],
    id: ({ value }) => value,
    ...EMPTY,
  };
}

/** Reads every state, so that an alert that is silenced is not taken for a resolved one. */
async function watched(
  alertmanager: Alertmanager,
  { filter, matchers }: GivenFilter,
  selection: AlertSelection,
  interval: WatchInterval,
  ctx: RunContext,
): Promise<{ readonly value: AsyncIterable<Snapshot<Alert>>; readonly as: WatchOutput<Alert> }> {
  const changes = new AlertChanges();
  let isFirst = true;
  const value = watchRows(
    async () => {
      const alerts = await collect(alertmanager.alerts(filter));
      if (isFirst && alerts.length === 0) await warnOfNames(matchers, alertmanager, ctx);
      isFirst = false;
      return alerts;
    },
    (alerts, at) => changes.update(alerts, (alert) => selects(alert, selection, at)),
    interval,
    ctx,
  );
  const title = ({ labels }: Alert): string => [labels['alertname'], ...labelCells(labels, OWN_COLUMN)].join(' ');
  return { value, as: { kind: 'watch', list: ALERT_LIST, noun: 'alert', title, every: interval.text } };
}

interface AlertUpdate {
  /** The wanted ones. */
  readonly rows: readonly Alert[];
  /** `resolved` only where the server has it no more; one that is still there but not wanted any more has `changed`. */
  readonly changes: readonly { readonly event: 'added' | 'changed' | 'resolved'; readonly row: Alert }[];
}

/** What happened to the wanted alerts since they were last read. */
class AlertChanges {
  #known = new Map<string, Alert>();

  /** `alerts` are those in every state. */
  update(alerts: readonly Alert[], isWanted: (alert: Alert) => boolean): AlertUpdate {
    const before = this.#known;
    const rows = alerts.filter(isWanted);
    this.#known = new Map(rows.map((alert) => [alert.fingerprint, alert]));
    const changes = alerts.flatMap((row): AlertUpdate['changes'] => {
      const known = before.get(row.fingerprint);
      before.delete(row.fingerprint);
      const wanted = this.#known.has(row.fingerprint);
      if (known === undefined) return wanted ? [{ event: 'added', row }] : [];
      return !wanted || digestOf(known) !== digestOf(row) ? [{ event: 'changed', row }] : [];
    });
    return { rows, changes: [...changes, ...[...before.values()].map((row) => ({ event: 'resolved' as const, row }))] };
  }
}

/** What makes an alert another one to a person. The source's every sign of life moves `endsAt` and `updatedAt`. */
function digestOf({ annotations, generatorURL, receivers, startsAt, status }: Alert): string {
  return JSON.stringify([annotations, generatorURL, receivers, startsAt, status]);
}
