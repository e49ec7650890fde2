import { type RunContext, recordCommand } from '../../cli/command.ts';
import { formatDuration } from '../../cli/duration.ts';
import { poll } from '../../cli/poll.ts';
import { SvcError } from '../../errors.ts';
import { alertFilter, wantedStates } from '../../inputs/alert-selection.ts';
import type { RecordOutput } from '../../output/types.ts';
import type { Bounds } from '../../services/alertmanager/alert-condition.ts';
import { selects } from '../../services/alertmanager/alert-selection.ts';
import { alertQuery } from '../../services/alertmanager/alert-state.ts';

interface Checked {
  readonly ok: boolean;
  readonly count: number;
  readonly min: number;
  readonly max: number | null;
  readonly stableMs: number;
  readonly waitedMs: number;
  /** What is wrong, or right, in words. */
  readonly message: string;
}

const CHECK_RECORD: RecordOutput<Checked> = {
  kind: 'record',
  columns: [
    { name: 'ok', cell: ({ ok }) => ok },
    { name: 'count', cell: ({ count }) => count },
    { name: 'min', cell: ({ min }) => min },
    { name: 'max', cell: ({ max }) => max },
    { name: 'waited', cell: ({ waitedMs }) => formatDuration(waitedMs) },
  ],
  id: ({ ok }) => (ok ? 'ok' : 'failed'),
  line: ({ ok, message }) => ({ text: `${ok ? 'ok' : 'failed'}: ${message}`, tone: ok ? 'good' : 'bad' }),
};

const USUAL_INTERVAL_MS = 5000;

export const alertsCheck = recordCommand({
  id: 'alerts check',
  summary: 'Test how many alerts there are: 0 if as many as there may be, 1 if not',
  description:
    'Without --min, --max and --expect there may be none. Only active alerts count unless --state says otherwise. With --wait it looks until the condition holds, for --stable without a break if that is given, and ends with 9 where it does not come to that; a look that the service does not answer is a break. A failure to ask is neither 0 nor 1.\nWith -o ndjson, outages are lines of their own before it: {"event":"unreachable|recovered","at"}.\nIn JSON: ok, count, min, max (null for any number), stableMs, waitedMs and message.',
  effect: 'read',
  service: 'alerts',
  streams: ({ wait }) => wait !== undefined,
  args: { matcher: { help: 'Count only alerts that match all of these', repeat: true } },
  flags: {
    min: { type: 'integer', value: 'n', min: 0, help: 'There must be so many at least' },
    max: { type: 'integer', value: 'n', min: 0, help: 'There may be so many at most' },
    expect: { type: 'boolean', help: 'There must be one at least: for an alert that always fires' },
    state: {
      type: 'choice',
      repeat: true,
      choices: ['active', 'silenced', 'inhibited', 'muted', 'suppressed'],
      help: 'Count alerts in this state; muted is by a time interval, suppressed is any of silenced, inhibited and muted (default active)',
    },
    all: { type: 'boolean', short: 'a', help: 'Count alerts in every state' },
    receiver: {
      type: 'string',
      short: 'r',
      value: 'regex',
      complete: 'receivers',
      help: 'Count only alerts routed to receivers whose whole name matches',
    },
    'older-than': { type: 'duration', help: 'Count only alerts that started longer ago' },
    wait: { type: 'duration', help: 'Look again until it holds, for so long' },
    stable: { type: 'duration', help: 'With --wait: it has to hold for so long without a break' },
    interval: { type: 'duration', positive: true, help: 'With --wait: time between two looks (5s unless given)' },
  },
  exits: ['condition_false', 'still_pending'],
  examples: [
    { run: 'svc alerts check severity=critical', why: 'In a script: go on only if nothing critical fires' },
    {
      run: 'svc alerts check service=checkout --wait 10m --stable 2m',
      why: 'After a deploy: wait until it has been quiet for two minutes',
    },
    { run: 'svc alerts check Watchdog --expect', why: 'Is the alert that always fires still there' },
  ],
  output: CHECK_RECORD,
  async run(input, ctx) {
    const { openAlertmanager } = await import('../../services/alertmanager/client.ts');
    const { boundsText, checkedBounds, holds } = await import('../../services/alertmanager/alert-condition.ts');
    const bounds = checkedBounds(input);
    checkTimes(input);
    const wanted = wantedStates(input);
    const filter = await alertFilter(input, ctx);
    const alertmanager = openAlertmanager(ctx.target);
    const read = async (): Promise<number> => {
      const selection = { wanted, olderThan: input.olderThan };
      let count = 0;
      const now = ctx.now();
      for await (const alert of alertmanager.alerts({ ...alertQuery(wanted), ...filter })) {
        if (selects(alert, selection, now)) count++;
      }
      return count;
    };
    const { wait, stable: stableMs = 0, interval: intervalMs = USUAL_INTERVAL_MS } = input;
    const began = ctx.now();
    const { ok, count } = await awaited(read, bounds, { waitMs: wait ?? 0, stableMs, intervalMs }, ctx);
    const waitedMs = wait === undefined ? 0 : ctx.now() - began;
    const message = [
      [alertsText(count), ...filter.filter].join(' '),
      ...(input.receiver === undefined ? [] : [`routed to ${input.receiver}`]),
      `${boundsText(bounds)} wanted`,
      ...(!ok && holds(count, bounds) ? [`but not for ${formatDuration(stableMs)} yet`] : []),
      ...(wait === undefined ? [] : [`after ${formatDuration(Math.floor(waitedMs / 1000) * 1000)}`]),
    ].join(', ');
    const code = ok ? undefined : wait === undefined ? 'condition_false' : 'still_pending';
    return { value: { ok, count, ...bounds, stableMs, waitedMs, message }, code };
  },
});

interface Times {
  readonly wait: number | undefined;
  readonly stable: number | undefined;
  readonly interval: number | undefined;
}

function checkTimes({ wait, stable, interval }: Times): void {
  if (wait === undefined) {
    const alone = stable !== undefined ? '--stable' : interval !== undefined ? '--interval' : undefined;
    if (alone !== undefined) throw new SvcError('usage', `${alone} needs --wait, which says how long to look`);
  } else if (stable !== undefined && stable >= wait) {
    throw new SvcError('usage', '--stable must be shorter than --wait, or it can never come to that');
  }
}

const alertsText = (count: number): string => `${count} ${count === 1 ? 'alert' : 'alerts'}`;

interface Patience {
  /** 0 for one look. */
  readonly waitMs: number;
  readonly stableMs: number;
  readonly intervalMs: number;
}

async function awaited(
  read: () => Promise<number>,
  bounds: Bounds,
  { stableMs, ...times }: Patience,
  ctx: RunContext,
): Promise<{ readonly ok: boolean; readonly count: number }> {
  const { boundsText, holds, Stability } = await import('../../services/alertmanager/alert-condition.ts');
  const stability = new Stability(stableMs);
  let count = Number.NaN;
  for await (const { value, at, trouble, outage } of poll(read, times, ctx)) {
    await ctx.reportOutage(outage);
    if (value === undefined && trouble === undefined) continue;
    const holding = value !== undefined && holds(value, bounds);
    if (stability.reached(holding, at)) return { ok: true, count: value ?? count };
    if (value === undefined) continue;
    if (value !== count && times.waitMs > 0) {
      ctx.notice(`${alertsText(value)}, ${boundsText(bounds)} wanted; ${holding ? 'it has to stay so' : 'waiting'}`);
    }
    count = value;
  }
  return { ok: false, count };
}
