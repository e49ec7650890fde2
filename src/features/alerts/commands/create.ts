import { listCommand, type RunContext } from '../../../cli/command.ts';
import { parseDuration } from '../../../cli/duration.ts';
import type { Instant } from '../../../cli/flags.ts';
import { parseTime } from '../../../cli/time.ts';
import { askForEach, durationFault, faultOf, tellCommand } from '../../../cli/wizard.ts';
import { SvcError } from '../../../errors.ts';
import { labelCells } from '../columns.ts';
import { parseLabels } from '../draft.ts';
import type { PostableAlert } from '../schema.ts';

export const alertsCreate = listCommand({
  id: 'alerts create',
  aliases: ['add'],
  summary: 'Send an alert, or a file of them',
  description:
    'An alert without an end is resolved by the server after its own resolve timeout, five minutes unless configured. Sending the same labels again keeps the alert alive; an end that is now resolves it.',
  effect: 'write',
  service: 'alerts',
  args: {
    name: { help: 'The alert name, or a label=value' },
    label: { help: 'Labels: name=value', repeat: true },
  },
  flags: {
    annotation: { type: 'pairs', repeat: true, help: 'An annotation' },
    'generator-url': { type: 'string', value: 'url', help: 'Where the alert comes from' },
    start: { type: 'time', bare: 'back', help: 'When it started (default now)' },
    end: { type: 'time', bare: 'forward', help: 'When it ends' },
    for: { type: 'duration', short: 'd', positive: true, help: 'How long it fires, from its start' },
    file: {
      type: 'string',
      short: 'f',
      value: 'file',
      complete: 'files',
      help: 'Alerts as JSON, one or an array, - for standard input',
    },
  },
  exits: ['partly_done'],
  examples: [
    {
      run: 'svc alerts create BackupFailed host=db-1 severity=warning --for 2h --annotation summary="No backup last night"',
      why: 'From a cron job',
    },
    {
      run: 'svc alerts create BackupFailed host=db-1 severity=warning --end now --start 1h',
      why: 'The same alert, resolved',
    },
    { run: 'svc alerts create -f alerts.json --dry-run', why: 'See what a file would send' },
  ],
  output: {
    kind: 'list',
    columns: [
      { name: 'alertname', cell: ({ labels }: PostableAlert) => labels['alertname'] },
      { name: 'labels', cell: ({ labels }) => labelCells(labels, new Set(['alertname'])), flex: true },
      { name: 'starts', cell: ({ startsAt }) => (startsAt === undefined ? undefined : { time: startsAt }) },
      { name: 'ends', cell: ({ endsAt }) => (endsAt === undefined ? undefined : { time: endsAt }) },
    ],
    id: ({ labels }) => labelCells(labels).join(' '),
  },
  async run(input, ctx) {
    const { openAlertmanager } = await import('../api.ts');
    const { sendAlerts } = await import('../draft.ts');
    const asks = ctx.interactive && input.file === undefined && input.name === undefined;
    const given = asks ? { ...input, ...(await wizard(input, ctx)) } : input;
    const alerts =
      given.file === undefined ? [await fromArguments(given, ctx)] : await fromFile(given, given.file, ctx);
    const plan = await sendAlerts(openAlertmanager(ctx.target), alerts);
    if (plan !== undefined) return { value: plan };
    const open = alerts.filter(({ endsAt }) => endsAt === undefined).length;
    const footer =
      open === 0
        ? undefined
        : `${open === 1 ? 'one alert has' : `${open} alerts have`} no end: the server resolves it after its resolve timeout (5m unless configured); --for or --end sets one`;
    return { value: alerts, footer };
  },
});

interface AlertOptions {
  readonly name: string | undefined;
  readonly label: readonly string[];
  readonly annotation: Readonly<Record<string, string>>;
  readonly generatorUrl: string | undefined;
  readonly start: { readonly ms: number; readonly iso: string } | undefined;
  readonly end: { readonly ms: number; readonly iso: string } | undefined;
  readonly for: number | undefined;
}

async function wizard(input: AlertOptions, ctx: RunContext): Promise<Partial<AlertOptions>> {
  return askForAlert(input, ctx);
}

async function fromArguments(input: AlertOptions, ctx: RunContext): Promise<PostableAlert> {
  const { checkAlert, parseLabels } = await import('../draft.ts');
  if (input.name === undefined) {
    throw new SvcError('missing_value', 'no alert name and no label', {
      hint: 'for example: svc alerts create BackupFailed host=db-1',
    });
  }
  if (input.end !== undefined && input.for !== undefined)
    throw new SvcError('usage', '--end and --for both say when it ends');
  const labels = parseLabels([input.name, ...input.label]);
  const start = input.start?.ms ?? ctx.now();
  const endsAt = input.for === undefined ? input.end?.iso : new Date(start + input.for).toISOString();
  const alert: PostableAlert = {
    labels,
    ...(Object.keys(input.annotation).length === 0 ? {} : { annotations: input.annotation }),
    ...(input.generatorUrl === undefined ? {} : { generatorURL: input.generatorUrl }),
    // Always sent: an end without a start makes the server take the end for the start.
    startsAt: new Date(start).toISOString(),
    ...(endsAt === undefined ? {} : { endsAt }),
  };
  checkAlert(alert, 'the alert');
  return alert;
}

async function fromFile(input: AlertOptions, path: string, ctx: RunContext): Promise<readonly PostableAlert[]> {
  const { parseAlertFile } = await import('../draft.ts');
  const { name, generatorUrl, start, end, for: duration } = input;
  if (
    [name, generatorUrl, start, end, duration].some((value) => value !== undefined) ||
    Object.keys(input.annotation).length > 0
  ) {
    throw new SvcError('usage', '--file says all of an alert: no name, label, annotation or time goes with it');
  }
  const now = ctx.now();
  return parseAlertFile(await ctx.readInput(path), {
    source: path,
    startsAt: new Date(now).toISOString(),
    instant: (text) => parseTime(text, { now, bare: 'forward' }).iso,
  });
}

interface Asked {
  readonly name: string | undefined;
  readonly label: readonly string[];
  readonly annotation: Readonly<Record<string, string>>;
  readonly end: Instant | undefined;
  readonly for: number | undefined;
}

async function askForAlert(
  { annotation, for: duration, end }: Asked,
  ctx: RunContext,
): Promise<Pick<Asked, 'name' | 'label' | 'annotation' | 'for'>> {
  const { prompter } = ctx;
  const name = await prompter.text({
    question: 'What is the alert called?',
    check: (text) => faultOf(() => parseLabels([text])),
  });
  const question = 'A label, such as host=db-1 (Enter for none):';
  const [, ...label] = await askForEach({ question, parse: parseLabels }, ctx, [name]);
  const summary =
    Object.keys(annotation).length > 0 ? '' : await prompter.text({ question: 'A summary (Enter for none):' });
  const length =
    duration !== undefined || end !== undefined
      ? ''
      : await prompter.text({
          question: 'For how long does it fire, such as 2h (Enter for as long as the server lets it)?',
          check: (text) => (text === '' ? undefined : durationFault(text)),
        });
  tellCommand(ctx, [
    name,
    ...label,
    ...(summary === '' ? [] : ['--annotation', `summary=${summary}`]),
    ...(length === '' ? [] : ['--for', length]),
  ]);
  return {
    name,
    label,
    annotation: summary === '' ? annotation : { ...annotation, summary },
    for: length === '' ? duration : parseDuration(length),
  };
}
