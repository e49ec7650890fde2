import { type ClusterRow, listCommand, type RunContext } from '../../../cli/command.ts';
import type { Candidate, Candidates } from '../../../cli/flags.ts';
import { poll } from '../../../cli/poll.ts';
import { tryParseDuration } from '../../../duration.ts';
import { SvcError } from '../../../errors.ts';
import {
  type AnyOutput,
  type Column,
  type ListOutput,
  RawJson,
  type Snapshot,
  type WatchOutput,
} from '../../../output/types.ts';
import type { Settings } from '../../../store/settings.ts';
import { type Alertmanager, openAlertmanager } from '../api.ts';
import { ALERT_LIST, alertList, alertTitle, labelCells, OWN_COLUMN, ownValue } from '../columns.ts';
import { warnOfNames } from '../known-names.ts';
import { formatMatcher, matcher } from '../matcher.ts';
import { isPlainValue } from '../matcher-arguments.ts';
import type { Alert } from '../schema.ts';
import {
  AGE_FLAG,
  ALERT_STATES,
  type AlertSelection,
  type AlertState,
  alertFilter,
  alertQuery,
  collect,
  filterAsync,
  type GivenFilter,
  ifNone,
  inServerOrder,
  keepsAlert,
  noneText,
  SELECTION_FLAGS,
  type Severities,
  selects,
  serverSelects,
  severitiesOf,
  type WantedStates,
  wantedStates,
  worstFirst,
} from '../selection.ts';

const QUERY_STATES = ['silenced', 'inhibited', 'unprocessed', 'active'] as const;

export const alertsList = listCommand({
  id: 'alerts list',
  suggestFor: ['firing'],
  summary: 'List alerts (active by default)',
  description:
    'A matcher is name=value, name!=value, name=~regex or name!~regex. Regular expressions are RE2 and match the complete value. A first matcher without an operator is an alert name. Labels that all alerts share are shown once.',
  details:
    '--watch redraws the table at a terminal until q or Ctrl-C. In a pipe, or with -o ndjson, it prints one event per line: {"event":"added|changed|resolved","at","alert"}, and {"event":"unreachable|recovered","at"} for an outage. The alerts of the first response are all added. An alert that becomes silenced is reported as changed.',
  effect: 'read',
  service: 'alerts',
  clusters: { merge: mergeAlerts },
  streams: ({ watch }) => watch !== undefined,
  args: { matcher: { help: 'Only alerts that match all of these', repeat: true } },
  flags: {
    ...SELECTION_FLAGS,
    state: { ...SELECTION_FLAGS.state, choices: ALERT_STATES },
    ...AGE_FLAG,
    limit: { type: 'integer', min: 0, help: 'Maximum number of results' },
    'group-by': {
      type: 'string',
      list: true,
      value: 'labels',
      repeat: true,
      help: 'Count alerts by these labels',
    },
    watch: { type: 'optional-value', value: 'interval', help: 'Refresh continuously (default: every 5s)' },
    // The options of `amtool alert query`.
    silenced: { type: 'boolean', short: 's', hidden: true, help: 'Same as --state silenced' },
    inhibited: { type: 'boolean', short: 'i', hidden: true, help: 'Same as --state inhibited' },
    unprocessed: { type: 'boolean', short: 'u', hidden: true, help: 'Same as --state unprocessed' },
    active: { type: 'boolean', hidden: true, help: 'Same as --state active' },
  },
  examples: [
    {
      run: 'svc alerts list severity=critical team=~"db|storage" --older-than 15m',
      why: 'Critical alerts of two teams that started 15 minutes ago or earlier',
    },
    { run: 'svc alerts list -a --group-by team,severity', why: 'Count alerts by team and severity' },
    { run: 'svc alerts list severity=critical --watch=10s', why: 'Follow critical alerts' },
    {
      run: 'svc alerts list --state silenced --columns alertname,label:instance,silenced-by',
      why: 'Show which silences mute which instances',
    },
  ],
  output: ALERT_LIST,
  outputOf: listOutput,
  offers: alertCandidates,
  async run(input, ctx) {
    const { watch, olderThan, groupBy } = input;
    if (watch !== undefined && groupBy.length > 0)
      throw new SvcError('usage', '--group-by and --watch cannot be used together');
    const selection = { wanted: statesOf(input), olderThan };
    const given = alertFilter(input, ctx);
    const alertmanager = openAlertmanager(ctx.target);
    const severities = severitiesOf(ctx.settings);
    if (watch !== undefined) {
      const every = watch === true ? USUAL_INTERVAL : watch;
      const value = watchAlerts(alertmanager, given, selection, parseInterval(every), ctx);
      return { value, as: watchOutput(selection, every, severities) };
    }
    const query = { ...alertQuery(selection.wanted), ...given.filter };
    const isRaw =
      groupBy.length === 0 && ctx.wants.rawJson && olderThan === undefined && serverSelects(selection.wanted);
    const raw = isRaw ? await alertmanager.alertsRaw(query) : undefined;
    if (raw !== undefined) {
      if (raw.isEmpty) await warnOfNames(given, alertmanager, ctx);
      return { value: new RawJson(raw.bytes) };
    }
    const now = ctx.now();
    const selected = filterAsync(alertmanager.alerts(query), (alert) => selects(alert, selection, now));
    const alerts = ifNone(selected, () => warnOfNames(given, alertmanager, ctx));
    if (groupBy.length > 0) return { value: await tallyAlerts(alerts, labelNames(groupBy)), as: listOutput(input) };
    if (inServerOrder(ctx.wants, input)) return { value: alerts };
    const value = worstFirst(await collect(alerts), severities);
    return { value, as: alertList(severities, noneText(selection.wanted)) };
  },
});

/** The values that prompts offer. */
function alertCandidates(alert: Alert): Candidates {
  return {
    fingerprints: [{ value: alert.fingerprint, note: alertTitle(alert) }],
    matchers: Object.entries(alert.labels).flatMap(matcherCandidates),
  };
}

/** A value that needs no quotes in a matcher. */
const SIMPLE_VALUE = /^[\p{L}\p{N}_./:@+-]+(?: [\p{L}\p{N}_./:@+-]+)*$/u;

/** The label as a matcher; an alert name also alone, because commands take it so. */
function matcherCandidates([name, value]: [string, string]): readonly Candidate[] {
  if (!/^[a-zA-Z_]\w*$/.test(name) || value === '') return [];
  const exact = matcher(name, '=', value);
  if (!SIMPLE_VALUE.test(value) || !isPlainValue(value)) return [{ value: formatMatcher(exact) }];
  return [{ value: `${name}=${value}` }, ...(name === 'alertname' ? [{ value, note: 'alert' }] : [])];
}

type ClusterAlert = Alert & ClusterRow;

/** An alert that is in the same state in several clusters is one row. */
function mergeAlerts(rows: readonly ClusterAlert[], settings: Settings): readonly Alert[] {
  const merged = new Map<string, ClusterAlert>();
  for (const row of rows) {
    const key = `${row.fingerprint} ${row.status.state}`;
    const other = merged.get(key);
    merged.set(key, other === undefined ? row : { ...other, cluster: `${other.cluster},${row.cluster}` });
  }
  return worstFirst([...merged.values()], severitiesOf(settings));
}

type States = { readonly all: boolean; readonly state: readonly AlertState[] } & {
  readonly [name in (typeof QUERY_STATES)[number]]: boolean;
};

function statesOf(input: States): WantedStates {
  return wantedStates({ all: input.all, state: [...input.state, ...QUERY_STATES.filter((name) => input[name])] });
}

function listOutput({ groupBy, ...states }: States & { readonly groupBy: readonly string[] }): AnyOutput {
  return groupBy.length > 0 ? tallyOutput(labelNames(groupBy), noneText(statesOf(states))) : ALERT_LIST;
}

function labelNames(lists: readonly string[]): readonly string[] {
  return lists.flatMap((names) => names.split(','));
}

/** The alerts with one combination of values. For the service, a missing label is an empty one. */
interface Tally {
  readonly labels: Readonly<Record<string, string>>;
  readonly alerts: number;
  readonly active: number;
  readonly suppressed: number;
  /** When the oldest alert started. */
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

function tallyOutput(names: readonly string[], empty: string): ListOutput<Tally> {
  return {
    kind: 'list',
    columns: [
      ...names.map((name): Column<Tally> => ({ name, cell: ({ labels }) => labels[name], shrinks: true })),
      { name: 'alerts', cell: ({ alerts }) => alerts, align: 'right' },
      { name: 'active', cell: ({ active }) => active, align: 'right' },
      { name: 'suppressed', cell: ({ suppressed }) => suppressed, align: 'right' },
      { name: 'oldest', cell: ({ oldest }) => ({ time: oldest }) },
    ],
    id: ({ labels }) => labelCells(labels).join(' '),
    empty,
  };
}

type WatchedAlerts = Pick<Snapshot<Alert>, 'rows' | 'changes'>;

/** Reads all states: an alert just silenced is not resolved. If a read fails, the rows stay. */
async function* watchAlerts(
  alertmanager: Alertmanager,
  given: GivenFilter,
  selection: AlertSelection,
  intervalMs: number,
  ctx: RunContext,
): AsyncGenerator<Snapshot<Alert>, void, void> {
  const changes = new AlertChanges(severitiesOf(ctx.settings));
  const shown = shownText(selection, given.filter);
  let seen: WatchedAlerts = { rows: [], changes: [] };
  let readAt: number | undefined;
  const read = async (): Promise<readonly Alert[]> => {
    const alerts = await collect(alertmanager.alerts(given.filter));
    if (readAt === undefined && alerts.length === 0) await warnOfNames(given, alertmanager, ctx);
    return alerts;
  };
  for await (const { at, value, trouble, outage } of poll(read, { intervalMs }, ctx)) {
    if (value === undefined) {
      const age = readAt === undefined ? 'not read yet' : `read ${Math.round((at - readAt) / 1000)} s ago`;
      const error = trouble?.message ?? outage?.reason;
      yield { at, readAt: readAt ?? null, ...seen, changes: [], error, outage, footer: `${shown}; ${age}` };
    } else {
      seen = changes.update(value, (alert) => selects(alert, selection, at));
      readAt = at;
      yield { at, ...seen, outage, footer: `${shown}; up to date` };
    }
  }
}

function watchOutput({ wanted }: AlertSelection, every: string, severities: Severities): WatchOutput<Alert> {
  return {
    kind: 'watch',
    list: alertList(severities, noneText(wanted)),
    noun: 'alert',
    title: ({ labels }) =>
      [labels['severity'], labels['alertname'], ...labelCells(labels, OWN_COLUMN)].filter(Boolean).join(' '),
    every,
  };
}

const USUAL_INTERVAL = '5s';
const SHORTEST_MS = 1000;

function parseInterval(text: string): number {
  const ms = tryParseDuration(text);
  if (ms !== undefined && ms >= SHORTEST_MS) return ms;
  throw new SvcError('invalid_value', `--watch: ${text} is not a duration of at least 1s`);
}

/** `active severity="critical"` */
function shownText({ wanted }: AlertSelection, { filter, receiver }: GivenFilter['filter']): string {
  const states = wanted === 'all' ? 'every state' : wanted.join(', ');
  return [states, ...filter, ...(receiver === undefined ? [] : [`receiver=~"${receiver}"`])].join(' ');
}

/** Compares the selected alerts with those of the response before. */
class AlertChanges {
  readonly #severities: Severities;
  #known = new Map<string, Alert>();

  constructor(severities: Severities) {
    this.#severities = severities;
  }

  /** `alerts` has every state: an alert that exists, but is no longer selected, has `changed`. */
  update(all: readonly Alert[], isWanted: (alert: Alert) => boolean): WatchedAlerts {
    const before = this.#known;
    const alerts = worstFirst(all, this.#severities);
    const rows = alerts.filter(isWanted);
    this.#known = new Map(rows.map((alert) => [alert.fingerprint, alert]));
    const changes = alerts.flatMap((row): WatchedAlerts['changes'] => {
      const known = before.get(row.fingerprint);
      before.delete(row.fingerprint);
      const wanted = this.#known.has(row.fingerprint);
      if (known === undefined) return wanted ? [{ event: 'added', row }] : [];
      return !wanted || digestOf(known) !== digestOf(row) ? [{ event: 'changed', row }] : [];
    });
    const resolved = [...before.values()].map((row) => ({ event: 'resolved' as const, row }));
    return { rows, changes: [...changes, ...resolved] };
  }
}

/** Without `endsAt` and `updatedAt`: they move whenever the source repeats the alert. */
function digestOf({ annotations, generatorURL, receivers, startsAt, status }: Alert): string {
  return JSON.stringify([annotations, generatorURL, receivers, startsAt, status]);
}
