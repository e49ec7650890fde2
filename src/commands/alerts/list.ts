import { listCommand, type RunContext } from '../../cli/command.ts';
import { SvcError } from '../../errors.ts';
import { type Cell, type Column, type ColumnFamily, RawJson, type Tone } from '../../output/types.ts';
import {
  type AlertState,
  alertQuery,
  effectiveState,
  keepsAlert,
  serverSelects,
  type WantedStates,
} from '../../services/alertmanager/alert-state.ts';
import type { Alert } from '../../services/alertmanager/schema.ts';

const SEVERITY_TONES: Readonly<Record<string, Tone>> = { critical: 'bad', page: 'bad', error: 'bad', warning: 'warn' };

/** Those that have a column of their own are not repeated among the labels. */
const OWN_COLUMN = new Set(['alertname', 'severity']);

export const labelFamily = (name: string): Column<Alert> => ({
  name: `label:${name}`,
  cell: ({ labels }) => labels[name],
  flex: true,
});
const annotationFamily: ColumnFamily<Alert> = (name) => ({
  name: `annotation:${name}`,
  cell: ({ annotations }) => annotations?.[name],
  flex: true,
});
export const ALERT_FAMILIES = { label: labelFamily, annotation: annotationFamily };

export function stateCell(alert: Alert): Cell {
  const text = effectiveState(alert);
  return { text, tone: text === 'active' ? 'strong' : 'dim' };
}

export function severityCell({ labels }: Alert): Cell {
  const severity = labels['severity'];
  const tone = SEVERITY_TONES[severity ?? ''];
  return severity === undefined || tone === undefined ? severity : { text: severity, tone };
}

/** `name=value` for each label, in the order of their names. */
export function labelCells(
  labels: Readonly<Record<string, string>>,
  without: ReadonlySet<string> = new Set(),
): string[] {
  const names = Object.keys(labels).filter((name) => !without.has(name));
  return names.sort().map((name) => `${name}=${labels[name]}`);
}

const ALERT_COLUMNS: readonly Column<Alert>[] = [
  { name: 'state', cell: stateCell },
  { name: 'severity', cell: severityCell },
  { name: 'alertname', cell: ({ labels }) => labels['alertname'] },
  { name: 'labels', cell: ({ labels }) => labelCells(labels, OWN_COLUMN), flex: true },
  {
    name: 'summary',
    cell: ({ annotations }) => annotations?.['summary'] ?? annotations?.['description'] ?? annotations?.['message'],
    flex: true,
  },
  { name: 'since', cell: ({ startsAt }) => ({ time: startsAt }) },
  { name: 'id', cell: ({ fingerprint }) => fingerprint.slice(0, 8) },
  { name: 'receivers', cell: ({ receivers }) => receivers.map(({ name }) => name), wide: true },
  { name: 'silenced-by', cell: ({ status }) => status.silencedBy, wide: true },
  { name: 'inhibited-by', cell: ({ status }) => status.inhibitedBy, wide: true },
  { name: 'ends', cell: ({ endsAt }) => ({ time: endsAt }), wide: true },
  { name: 'updated', cell: ({ updatedAt }) => ({ time: updatedAt }), wide: true },
  { name: 'generator', cell: ({ generatorURL }) => generatorURL, wide: true },
  { name: 'fingerprint', cell: ({ fingerprint }) => fingerprint, wide: true },
];

export const alertsList = listCommand({
  id: 'alerts list',
  aliases: ['ls', 'query'],
  summary: 'List alerts, active ones unless told otherwise',
  description:
    "A matcher is name=value, name!=value, name=~regex or name!~regex; the server's regular expressions are RE2 and match the whole value. A bare word as the first matcher is an alert's name.",
  effect: 'read',
  service: 'alerts',
  args: { matcher: { help: 'Only alerts that match all of these', repeat: true } },
  flags: {
    state: {
      type: 'choice',
      repeat: true,
      choices: ['active', 'silenced', 'inhibited', 'suppressed', 'unprocessed'],
      help: 'Only alerts in this state; suppressed is silenced or inhibited (default active)',
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
  },
  examples: [
    { run: 'svc alerts list', why: 'What fires now' },
    {
      run: 'svc alerts list severity=critical team=~"db|storage" --older-than 15m',
      why: 'Critical, of two teams, for a while',
    },
    { run: "svc alerts list -a -o json --query 'length(@)'", why: 'How many there are in all' },
    {
      run: 'svc alerts list --state silenced --columns alertname,label:instance,silenced-by',
      why: 'Who is silenced by what',
    },
  ],
  output: {
    kind: 'list',
    columns: ALERT_COLUMNS,
    families: ALERT_FAMILIES,
    id: ({ fingerprint }) => fingerprint,
    empty: 'no such alerts (suppressed ones are listed with -a)',
  },
  async run(input, ctx) {
    const { openAlertmanager } = await import('../../services/alertmanager/client.ts');
    const wanted = wantedStates(input);
    const query = { ...alertQuery(wanted), ...(await alertFilter(input, ctx)) };
    const alertmanager = openAlertmanager(ctx.target);
    const { olderThan, newerThan } = input;
    if (ctx.wants.rawJson && serverSelects(wanted) && olderThan === undefined && newerThan === undefined) {
      return { value: new RawJson(await alertmanager.alertsRaw(query)) };
    }
    const now = ctx.now();
    const keeps = (alert: Alert): boolean => {
      const age = now - Date.parse(alert.startsAt);
      return (
        keepsAlert(alert, wanted) &&
        (olderThan === undefined || age > olderThan) &&
        (newerThan === undefined || age <= newerThan)
      );
    };
    return { value: kept(alertmanager.alerts(query), keeps) };
  },
});

export function wantedStates({
  all,
  state,
}: {
  readonly all: boolean;
  readonly state: readonly AlertState[];
}): WantedStates {
  if (all && state.length > 0) throw new SvcError('usage', '--all and --state contradict each other');
  return all ? 'all' : state;
}

/** What the server filters by: one `filter` for each matcher, and the receiver. */
export async function alertFilter(
  { matcher, receiver }: { readonly matcher: readonly string[]; readonly receiver: string | undefined },
  ctx: Pick<RunContext, 'notice'>,
): Promise<{ readonly filter: readonly string[]; readonly receiver: string | undefined }> {
  const { parseMatcherArguments } = await import('../../services/alertmanager/matcher-argument.ts');
  const { formatMatcher } = await import('../../services/alertmanager/matcher.ts');
  const { matchers, notices } = parseMatcherArguments(matcher);
  for (const notice of notices) ctx.notice(notice);
  return { filter: matchers.map(formatMatcher), receiver };
}

export async function* kept<T>(items: AsyncIterable<T>, keeps: (item: T) => boolean): AsyncGenerator<T> {
  for await (const item of items) if (keeps(item)) yield item;
}
