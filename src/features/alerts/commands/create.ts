import { listCommand, type RunContext } from '../../../cli/command.ts';
import { FILE, type Instant } from '../../../cli/flags.ts';
import { SvcError } from '../../../errors.ts';
import { Plan } from '../../../http/endpoint.ts';
import { timeCell } from '../../../output/cells.ts';
import type { ListOutput } from '../../../output/types.ts';
import { openAlertmanager } from '../api.ts';
import { labelCells } from '../columns.ts';
import { type Row, readRows } from '../file.ts';
import { parseLabels } from '../matcher-arguments.ts';
import { memberAnswer } from '../on-members.ts';
import type { PostableAlert } from '../schema.ts';

const POSTED: ListOutput<PostableAlert> = {
  kind: 'list',
  columns: [
    { name: 'alertname', cell: ({ labels }) => labels['alertname'] },
    { name: 'labels', cell: ({ labels }) => labelCells(labels, new Set(['alertname'])), shrinks: true },
    { name: 'starts', cell: ({ startsAt }) => timeCell(startsAt) },
    { name: 'ends', cell: ({ endsAt }) => timeCell(endsAt) },
  ],
  id: ({ labels }) => labelCells(labels).join(' '),
};

export const alertsCreate = listCommand({
  id: 'alerts create',
  summary: 'Send an alert, or a file of alerts',
  description:
    'The server resolves an alert without an end after its resolve timeout (5m by default). Send the same labels again to extend the alert, or with --until now to resolve it.',
  effect: 'write',
  service: 'alerts',
  clusters: {},
  args: {
    name: { help: 'The alert name, or name=value', promptUnless: ['file'] },
    label: { help: 'Labels, as name=value', repeat: true },
  },
  flags: {
    annotation: { type: 'pairs', help: 'Add an annotation' },
    'generator-url': { type: 'string', value: 'url', help: 'The source of the alert' },
    start: { type: 'time', bare: 'back', help: 'When it started (default now)' },
    until: { type: 'time', aliases: ['end'], bare: 'forward', help: 'When it ends' },
    for: { type: 'duration', short: 'd', help: 'How long it lasts, from its start' },
    file: { ...FILE, short: 'f', help: 'JSON file of alerts (- for standard input)' },
  },
  exits: ['partly_done'],
  examples: [
    {
      run: 'svc alerts create BackupFailed host=db-1 severity=warning --for 2h --annotation summary="No backup last night"',
      why: 'Send an alert from a cron job',
    },
    {
      run: 'svc alerts create BackupFailed host=db-1 severity=warning --until now --start 1h',
      why: 'Resolve the same alert',
    },
    { run: 'svc alerts create -f alerts.json --dry-run', why: 'Show the request without sending it' },
  ],
  output: POSTED,
  async run(input, ctx) {
    const alerts =
      input.file === undefined ? [fromArguments(input, ctx.startedAt)] : await fromFile(input, input.file, ctx);
    const sent = await openAlertmanager(ctx.target).postAlerts(alerts);
    if (sent instanceof Plan) return { value: sent };
    return { ...memberAnswer(sent, () => alerts, POSTED, ctx), footer: endlessText(alerts) };
  },
});

function endlessText(alerts: readonly PostableAlert[]): string | undefined {
  const open = alerts.filter(({ endsAt }) => endsAt === undefined).length;
  if (open === 0) return undefined;
  const subject = open === 1 ? 'one alert has' : `${open} alerts have`;
  return `${subject} no end; the server resolves it after its resolve timeout (5m by default). Use --for or --until to set one.`;
}

interface AlertOptions {
  readonly name: string | undefined;
  readonly label: readonly string[];
  readonly annotation: Readonly<Record<string, string>>;
  readonly generatorUrl: string | undefined;
  readonly start: Instant | undefined;
  readonly until: Instant | undefined;
  readonly for: number | undefined;
}

function fromArguments(input: AlertOptions, now: number): PostableAlert {
  if (input.name === undefined) {
    throw new SvcError('missing_value', 'the alert name is missing', {
      hint: 'for example: svc alerts create BackupFailed host=db-1',
    });
  }
  if (input.until !== undefined && input.for !== undefined)
    throw new SvcError('usage', '--until and --for cannot be used together');
  const startsAt = input.start?.iso ?? startBefore(input.until?.iso, now);
  const alert = {
    labels: parseLabels([input.name, ...input.label]),
    annotations: Object.keys(input.annotation).length === 0 ? undefined : input.annotation,
    generatorURL: input.generatorUrl,
    // Without a start, the server would use the end as the start, even in the future.
    startsAt,
    endsAt: input.for === undefined ? input.until?.iso : new Date(Date.parse(startsAt) + input.for).toISOString(),
  };
  checkAlert(alert, 'the alert');
  return alert;
}

/** Checks all alerts first: the server stores the valid alerts of a batch that it refuses. */
async function fromFile(input: AlertOptions, path: string, ctx: RunContext): Promise<readonly PostableAlert[]> {
  const { name, annotation, generatorUrl, start, until, for: duration } = input;
  const others = [name, generatorUrl, start, until, duration, ...Object.keys(annotation)];
  if (others.some((value) => value !== undefined)) {
    throw new SvcError('usage', '--file cannot be used with a name, labels, annotations or times');
  }
  const complete = (row: Row): Row => ({ ...row, startsAt: timeIn(row['startsAt']), endsAt: timeIn(row['endsAt']) });
  const rows = await readRows('alert', path, { complete }, ctx);
  const alerts = rows.map((alert) => ({
    ...alert,
    startsAt: alert.startsAt ?? startBefore(alert.endsAt, ctx.startedAt),
  }));
  for (const [index, alert] of alerts.entries()) {
    checkAlert(alert, alerts.length === 1 ? path : `${path}, alert ${index + 1}`);
  }
  return alerts;
}

/** The server's defaults for empty times are surprising. Go writes the year 1 for no time. */
function timeIn(value: unknown): unknown {
  return value === '' || (typeof value === 'string' && value.startsWith('0001-01-01T00:00:00')) ? undefined : value;
}

/** Now, or the end of an alert that is over: it has no other start. */
function startBefore(end: string | undefined, now: number): string {
  return new Date(Math.min(now, end === undefined ? now : Date.parse(end))).toISOString();
}

function checkAlert({ labels, startsAt, endsAt }: PostableAlert, where: string): void {
  if (Object.values(labels).every((value) => value === '')) throw new SvcError('invalid_value', `${where}: no labels`);
  if (startsAt !== undefined && endsAt !== undefined && Date.parse(endsAt) < Date.parse(startsAt)) {
    throw new SvcError('invalid_value', `${where}: the end (${endsAt}) is before the start (${startsAt})`);
  }
}
