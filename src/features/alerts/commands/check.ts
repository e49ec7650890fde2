import { type RunContext, recordCommand } from '../../../cli/command.ts';
import { poll } from '../../../cli/poll.ts';
import { formatDuration } from '../../../cli/time.ts';
import { SvcError } from '../../../errors.ts';
import type { Cell, RecordOutput } from '../../../output/types.ts';
import { type Alertmanager, openAlertmanager } from '../api.ts';
import { labelCells, OWN_COLUMN } from '../columns.ts';
import { mistypedNames } from '../known-names.ts';
import type { Matcher } from '../matcher.ts';
import type { Alert } from '../schema.ts';
import {
  AGE_FLAG,
  alertFilter,
  alertQuery,
  collect,
  filterAsync,
  SELECTION_FLAGS,
  selects,
  wantedStates,
} from '../selection.ts';

interface Checked {
  readonly ok: boolean;
  readonly count: number;
  readonly min: number;
  readonly max: number | null;
  readonly stableMs: number;
  readonly waitedMs: number;
  readonly message: string;
  /** Those that were counted, if the check failed. */
  readonly alerts: readonly Alert[];
}

const MOST_NAMED = 10;

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
  line: ({ ok, message, alerts }) => [
    { text: `${ok ? 'ok' : 'failed'}: ${message}`, tone: ok ? 'good' : 'bad' },
    ...alerts.slice(0, MOST_NAMED).map((alert): Cell => `  ${alertLine(alert)}`),
    ...(alerts.length > MOST_NAMED ? [`  … ${alerts.length - MOST_NAMED} more`] : []),
  ],
};

/** `b62dae5b critical NodeDown cluster=eu-1 since 2026-11-22T12:00:00.000Z`: a line that wraps keeps the id in sight. */
function alertLine({ labels, startsAt, fingerprint }: Alert): string {
  const { severity, alertname } = labels;
  return [fingerprint.slice(0, 8), severity, alertname, ...labelCells(labels, OWN_COLUMN), `since ${startsAt}`]
    .filter((text) => text !== undefined)
    .join(' ');
}

const USUAL_INTERVAL_MS = 5000;

export const alertsCheck = recordCommand({
  id: 'alerts check',
  summary: 'Exit 0 if the number of matching alerts is acceptable, 1 if not',
  description:
    'Without --min, --max and --expect, any matching alert fails the check. Only active alerts count unless --state is given. A failed check names up to ten alerts. With --wait, svc checks until the condition is true (for the whole of --stable, if given) and exits 9 if the wait ends first; a request that fails interrupts --stable. If the service does not respond, the exit status is neither 0 nor 1.\nIf nothing matches and a label name or alert name looks mistyped, the check exits 2 and names the known one, unless --allow-missing or --expect is given.\nWith -o ndjson, outages are printed as lines before the result: {"event":"unreachable|recovered","at"}.\nIn JSON: ok, count, min, max (null for any number), stableMs, waitedMs, message and alerts (all that were counted, if the check failed).',
  effect: 'read',
  service: 'alerts',
  streams: ({ wait }) => wait !== undefined,
  args: { matcher: { help: 'Count only alerts that match all of these', repeat: true } },
  flags: {
    min: { type: 'integer', value: 'n', min: 0, help: 'Require at least this many' },
    max: { type: 'integer', value: 'n', min: 0, help: 'Allow at most this many' },
    'allow-missing': {
      type: 'boolean',
      help: 'Accept matchers with a name that no alert has, even if it looks mistyped',
    },
    expect: { type: 'boolean', help: 'Require at least one, for an alert that always fires' },
    ...SELECTION_FLAGS,
    ...AGE_FLAG,
    wait: { type: 'duration', help: 'Check again until the condition is true, for at most this long' },
    stable: { type: 'duration', help: 'With --wait: the condition must stay true for this long' },
    interval: { type: 'duration', positive: true, help: 'With --wait: time between two checks (default 5s)' },
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
    const bounds = checkedBounds(input);
    checkTimes(input);
    const wanted = wantedStates(input);
    const { filter, matchers } = alertFilter(input, ctx);
    const alertmanager = openAlertmanager(ctx.target);
    let isTrusted = input.allowMissing || input.expect;
    const read = async (): Promise<readonly Alert[]> => {
      const selection = { wanted, olderThan: input.olderThan };
      const now = ctx.now();
      const all = alertmanager.alerts({ ...alertQuery(wanted), ...filter });
      const alerts = await collect(filterAsync(all, (alert) => selects(alert, selection, now)));
      if (alerts.length === 0 && !isTrusted) await refuseMistyped(matchers, alertmanager);
      isTrusted = true;
      return alerts;
    };
    const { wait, stable: stableMs = 0, interval: intervalMs = USUAL_INTERVAL_MS } = input;
    const began = ctx.now();
    const { ok, alerts } = await awaited(read, bounds, { waitMs: wait ?? 0, stableMs, intervalMs }, ctx);
    const count = alerts.length;
    const waitedMs = wait === undefined ? 0 : ctx.now() - began;
    const message = [
      [alertsText(count), ...filter.filter].join(' '),
      ...(input.receiver === undefined ? [] : [`routed to ${input.receiver}`]),
      `${boundsText(bounds)} wanted`,
      ...(!ok && holds(count, bounds) ? [`but not for ${formatDuration(stableMs)} yet`] : []),
      ...(wait === undefined ? [] : [`after ${formatDuration(Math.floor(waitedMs / 1000) * 1000)}`]),
    ].join(', ');
    const code = ok ? undefined : wait === undefined ? 'condition_false' : 'still_pending';
    return { value: { ok, count, ...bounds, stableMs, waitedMs, message, alerts: ok ? [] : alerts }, code };
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

/** A gate that watches a name which does not exist would always be open. */
async function refuseMistyped(matchers: readonly Matcher[], alertmanager: Alertmanager): Promise<void> {
  const [first, ...others] = await mistypedNames(matchers, alertmanager);
  if (first === undefined) return;
  throw new SvcError('invalid_value', [first, ...others].join('; '), {
    hint: 'correct the name, or add --allow-missing if there may be no such alert yet',
  });
}

const alertsText = (count: number): string => `${count} ${count === 1 ? 'alert' : 'alerts'}`;

interface Patience {
  /** 0 for one look. */
  readonly waitMs: number;
  readonly stableMs: number;
  readonly intervalMs: number;
}

async function awaited(
  read: () => Promise<readonly Alert[]>,
  bounds: Bounds,
  { stableMs, ...times }: Patience,
  ctx: RunContext,
): Promise<{ readonly ok: boolean; readonly alerts: readonly Alert[] }> {
  let alerts: readonly Alert[] | undefined;
  let since: number | undefined;
  for await (const { value, at, trouble, outage } of poll(read, times, ctx)) {
    await ctx.reportOutage(outage);
    if (value === undefined) {
      // A failed request ends the stable time, too: the condition may have changed meanwhile.
      if (trouble !== undefined) since = undefined;
      continue;
    }
    const holding = holds(value.length, bounds);
    since = holding ? (since ?? at) : undefined;
    if (since !== undefined && at - since >= stableMs) return { ok: true, alerts: value };
    if (value.length !== alerts?.length && times.waitMs > 0) {
      const next = holding ? 'it has to stay so' : 'waiting';
      ctx.notice(`${alertsText(value.length)}, ${boundsText(bounds)} wanted; ${next}`);
    }
    alerts = value;
  }
  return { ok: false, alerts: alerts ?? [] };
}

interface Bounds {
  readonly min: number;
  /** Null for no limit. */
  readonly max: number | null;
}

/** Without any bound none may be there; `expect` is for alerts that always fire, to show that alerting works. */
function checkedBounds({
  min,
  max,
  expect,
}: {
  readonly min: number | undefined;
  readonly max: number | undefined;
  readonly expect: boolean;
}): Bounds {
  if (expect && min !== undefined) throw new SvcError('usage', '--expect and --min both say how many there must be');
  const least = min ?? (expect ? 1 : 0);
  const most = max ?? (min === undefined && !expect ? 0 : null);
  if (most !== null && least > most) {
    throw new SvcError('usage', `at least ${least} and at most ${most} can never hold`);
  }
  return { min: least, max: most };
}

function holds(count: number, { min, max }: Bounds): boolean {
  return count >= min && (max === null || count <= max);
}

/** `none`, `at least 1`, `at most 3`, `2 to 5`. */
function boundsText({ min, max }: Bounds): string {
  if (max === 0) return 'none';
  if (max === null) return `at least ${min}`;
  if (min === max) return `exactly ${min}`;
  return min === 0 ? `at most ${max}` : `${min} to ${max}`;
}
