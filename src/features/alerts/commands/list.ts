import { listCommand, type RunContext } from '../../../cli/command.ts';
import { type WatchInterval, watchInterval, watchRows } from '../../../cli/poll.ts';
import { SvcError } from '../../../errors.ts';
import { type AnyOutput, RawJson, type Snapshot, type WatchOutput } from '../../../output/types.ts';
import type { Alertmanager } from '../api.ts';
import { ALERT_LIST, alertCandidates, labelCells, OWN_COLUMN } from '../columns.ts';
import type { Alert } from '../schema.ts';
import {
  type AlertSelection,
  alertFilter,
  alertQuery,
  collectAlerts,
  filterAsync,
  type GivenFilter,
  ifNone,
  refuseUnknownLabels,
  selects,
  serverSelects,
  wantedStates,
  warnOfNames,
} from '../selection.ts';
import { type AlertTally, countOutput, countValues, tallyAlerts, tallyOutput, type ValueCount } from '../tally.ts';

export const alertsList = listCommand({
  id: 'alerts list',
  aliases: ['ls', 'query'],
  summary: 'List alerts, active ones unless told otherwise',
  description:
    'A matcher is name=value, name!=value, name=~regex or name!~regex; the server\'s regular expressions are RE2 and match the whole value. A bare word as the first matcher is an alert\'s name. Labels that all rows have are told once, beside the table.\n--watch redraws the table on a terminal; in a pipe, or with -o ndjson, it prints {"event":"added|changed|resolved","at","alert"} per line, every alert of the first look as added, and {"event":"unreachable|recovered","at"} for an outage. An alert that is silenced has changed, and is then out of the list of active ones.',
  effect: 'read',
  service: 'alerts',
  streams: ({ watch }) => watch !== undefined,
  args: { matcher: { help: 'Only alerts that match all of these', repeat: true } },
  flags: {
    state: {
      type: 'choice',
      repeat: true,
      choices: ['active', 'silenced', 'inhibited', 'muted', 'suppressed', 'unprocessed'],
      help: 'Only alerts in this state; muted is by a time interval, suppressed is any of silenced, inhibited and muted (default active)',
    },
    all: { type: 'boolean', short: 'a', help: 'Alerts in every state' },
    receiver: {
      type: 'string',
      short: 'r',
      value: 'regex',
      complete: 'receivers',
      help: 'Only alerts routed to receivers whose whole name matches',
    },
    'older-than': { type: 'duration', help: 'Only alerts that started longer ago' },
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
    watch: { type: 'optional-value', value: 'interval', help: 'Look again and again, every 5s unless told otherwise' },
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
    const { openAlertmanager } = await import('../api.ts');
    checkModes(input);
    const { watch, olderThan, newerThan, failIfAny } = input;
    const selection = { wanted: wantedStates(input), olderThan, newerThan };
    const every = watch === undefined ? undefined : watchInterval(watch);
    const given = await alertFilter(input, ctx);
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
    if (input.groupBy.length > 0 || input.countBy !== undefined) {
      const { groupBy, countBy } = input;
      const value = countBy === undefined ? await tallyAlerts(alerts, groupBy) : await countValues(alerts, countBy);
      await refuseUnknownLabels(
        missingLabels(value, input),
        countBy === undefined ? '--group-by' : '--count-by',
        alertmanager,
      );
      return { value, as: listOutput(input), code: code(value.length > 0) };
    }
    if (!failIfAny) return { value: alerts };
    const all = await collectAlerts(alerts);
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

/** Those to count by that none of the counted alerts has. */
function missingLabels(rows: readonly (AlertTally | ValueCount)[], { groupBy, countBy }: Modes): readonly string[] {
  if (rows.length === 0) return [];
  const values = (name: string) => rows.map((row) => ('value' in row ? row.value : row.labels[name]));
  return (countBy === undefined ? groupBy : [countBy]).filter((name) => values(name).every((value) => value === ''));
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
      const alerts = await collectAlerts(alertmanager.alerts(filter));
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

interface AlertChange {
  /** `resolved` only where the server has it no more; one that is still there but not wanted any more has `changed`. */
  readonly event: 'added' | 'changed' | 'resolved';
  readonly row: Alert;
}

interface AlertUpdate {
  /** The wanted ones. */
  readonly rows: readonly Alert[];
  readonly changes: readonly AlertChange[];
}

/** What happened to the wanted alerts since they were last read. */
class AlertChanges {
  #known = new Map<string, { readonly alert: Alert; readonly digest: string }>();

  /** `alerts` are those in every state, so that a silenced one is not taken for a resolved one. */
  update(alerts: Iterable<Alert>, isWanted: (alert: Alert) => boolean): AlertUpdate {
    const before = this.#known;
    const now: typeof before = new Map();
    const changes: AlertChange[] = [];
    for (const alert of alerts) {
      const { fingerprint } = alert;
      const known = before.get(fingerprint);
      before.delete(fingerprint);
      const wanted = isWanted(alert);
      if (!wanted && known === undefined) continue;
      const digest = digestOf(alert);
      if (wanted) now.set(fingerprint, { alert, digest });
      if (known === undefined) changes.push({ event: 'added', row: alert });
      else if (!wanted || known.digest !== digest) changes.push({ event: 'changed', row: alert });
    }
    for (const { alert } of before.values()) changes.push({ event: 'resolved', row: alert });
    this.#known = now;
    return { rows: [...now.values()].map(({ alert }) => alert), changes };
  }
}

/** What makes an alert another one to a person. The source's every sign of life moves `endsAt` and `updatedAt`. */
function digestOf({ annotations, generatorURL, receivers, startsAt, status }: Alert): string {
  return JSON.stringify([annotations, generatorURL, receivers, startsAt, status]);
}
