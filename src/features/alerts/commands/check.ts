import { type RunContext, recordCommand } from '../../../cli/command.ts';
import { section } from '../../../cli/flags.ts';
import { poll } from '../../../cli/poll.ts';
import { formatDuration } from '../../../duration.ts';
import { SvcError } from '../../../errors.ts';
import type { Cell, RecordOutput } from '../../../output/types.ts';
import { openAlertmanager } from '../api.ts';
import { labelCells, OWN_COLUMN } from '../columns.ts';
import { warnOfNames } from '../known-names.ts';
import type { Alert } from '../schema.ts';
import {
  AGE_FLAG,
  alertFilter,
  alertQuery,
  collect,
  filterAsync,
  SELECTION_FLAGS,
  selects,
  severitiesOf,
  wantedStates,
  worstFirst,
} from '../selection.ts';

interface Checked {
  readonly ok: boolean;
  readonly count: number;
  readonly min: number;
  readonly max: number | null;
  readonly stableMs: number;
  readonly waitedMs: number;
  readonly message: string;
  /** Empty unless the check failed. */
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

/** `b62dae5b critical NodeDown cluster=eu-1 since 2026-11-22T12:00:00.000Z` */
function alertLine({ labels, startsAt, fingerprint }: Alert): string {
  const { severity, alertname } = labels;
  return [fingerprint.slice(0, 8), severity, alertname, ...labelCells(labels, OWN_COLUMN), `since ${startsAt}`]
    .filter((text) => text !== undefined)
    .join(' ');
}

const DEFAULT_INTERVAL_MS = 5000;

export const alertsCheck = recordCommand({
  id: 'alerts check',
  summary: 'Check the number of matching alerts; exit 1 if out of bounds',
  description:
    'Without --min, --max and --expect, any matching active alert fails the check. With --wait, svc polls until the condition holds, and exits 9 on timeout. If the service does not respond, the exit status is neither 0 nor 1.',
  details:
    'With --stable, the condition must hold without interruption; a failed request starts it again.\nIf nothing matches and a name is close to a known one, a warning suggests that name; the result does not depend on it.\nWith -o ndjson, outages are printed before the result: {"event":"unreachable|recovered","at"}.\nThe JSON has ok, count, min, max (null for any number), stableMs, waitedMs, message and alerts (those that failed the check).',
  effect: 'read',
  service: 'alerts',
  clusters: {},
  streams: ({ wait }) => wait !== undefined,
  args: { matcher: { help: 'Only alerts that match all of these', repeat: true } },
  flags: {
    min: { type: 'integer', min: 0, help: 'Minimum number of alerts' },
    max: { type: 'integer', min: 0, help: 'Maximum number of alerts' },
    expect: { type: 'boolean', help: 'Require at least one alert (for alerts that always fire)' },
    ...SELECTION_FLAGS,
    ...AGE_FLAG,
    ...section('Wait options', {
      wait: { type: 'duration', help: 'How long to wait for the condition' },
      stable: { type: 'duration', help: 'How long the condition must hold' },
      interval: { type: 'duration', positive: true, help: 'How often to check (default 5s)' },
    }),
  },
  exits: ['condition_false', 'still_pending', 'not_known'],
  examples: [
    { run: 'svc alerts check severity=critical', why: 'In a script: continue only if no critical alert is active' },
    {
      run: 'svc alerts check service=checkout --wait 10m --stable 2m',
      why: 'After a deploy: wait for two minutes without alerts',
    },
    { run: 'svc alerts check Watchdog --expect', why: "Dead man's switch: fail if Watchdog is not active" },
  ],
  output: CHECK_RECORD,
  async run(input, ctx) {
    const bounds = checkedBounds(input);
    checkTimes(input);
    const wanted = wantedStates(input);
    const given = alertFilter(input, ctx);
    const { filter } = given;
    const alertmanager = openAlertmanager(ctx.target);
    let isFirst = true;
    const read = async (): Promise<Found> => {
      const selection = { wanted, olderThan: input.olderThan };
      const before = ctx.omitted.rows;
      const now = ctx.now();
      const all = alertmanager.alerts({ ...alertQuery(wanted), ...filter });
      const alerts = await collect(filterAsync(all, (alert) => selects(alert, selection, now)));
      if (isFirst && alerts.length === 0) await warnOfNames(given, alertmanager, ctx);
      isFirst = false;
      return { alerts, omitted: ctx.omitted.rows - before };
    };
    const { wait, stable: stableMs = 0, interval: intervalMs = DEFAULT_INTERVAL_MS } = input;
    const began = ctx.now();
    const { ok, alerts, omitted } = await watchBounds(read, bounds, { waitMs: wait ?? 0, stableMs, intervalMs }, ctx);
    const count = alerts.length;
    const waitedMs = wait === undefined ? 0 : ctx.now() - began;
    const matching =
      filter.filter.length === 0 ? '' : ` ${count === 1 ? 'matches' : 'match'} ${filter.filter.join(' ')}`;
    const routed = input.receiver === undefined ? '' : ` routed to ${input.receiver}`;
    const message = [
      `${alertsText(count)}${matching}${routed} (expected ${boundsText(bounds)})`,
      ...(!ok && holds(count, bounds) ? [`but not for ${formatDuration(stableMs)} yet`] : []),
      ...(wait === undefined ? [] : [`after ${formatDuration(Math.floor(waitedMs / 1000) * 1000)}`]),
    ].join(', ');
    if (!ok && omitted > 0 && couldHold({ alerts, omitted }, bounds)) {
      throw new SvcError('not_known', `${message}, and ${alertsText(omitted)} could not be read`);
    }
    const value = { ok, count, ...bounds, stableMs, waitedMs, message };
    if (ok) return { value: { ...value, alerts: [] } };
    const code = wait === undefined ? 'condition_false' : 'still_pending';
    return { value: { ...value, alerts: worstFirst(alerts, severitiesOf(ctx.settings)) }, code };
  },
});

interface Times {
  readonly wait: number | undefined;
  readonly stable: number | undefined;
  readonly interval: number | undefined;
}

function checkTimes({ wait, stable, interval }: Times): void {
  if (wait === undefined && stable !== undefined) throw new SvcError('usage', '--stable needs --wait');
  if (wait === undefined && interval !== undefined) throw new SvcError('usage', '--interval needs --wait');
  if (wait !== undefined && stable !== undefined && stable >= wait)
    throw new SvcError('usage', '--stable must be shorter than --wait');
}

const alertsText = (count: number): string => `${count} ${count === 1 ? 'alert' : 'alerts'}`;

interface Found {
  readonly alerts: readonly Alert[];
  /** How many more there may be. */
  readonly omitted: number;
}

/** Whether the bounds held, for long enough, and the latest alerts. Without a wait, of a single read. */
async function watchBounds(
  read: () => Promise<Found>,
  bounds: Bounds,
  { stableMs, ...times }: { readonly waitMs: number; readonly stableMs: number; readonly intervalMs: number },
  ctx: RunContext,
): Promise<Found & { readonly ok: boolean }> {
  let latest: Found | undefined;
  let since: number | undefined;
  for await (const { value, at, trouble, outage } of poll(read, times, ctx)) {
    await ctx.reportOutage(outage);
    // The condition may have changed during an outage.
    if (value === undefined && trouble !== undefined) since = undefined;
    if (value === undefined) continue;
    since = certainlyHolds(value, bounds) ? (since ?? at) : undefined;
    if (since !== undefined && at - since >= stableMs) return { ok: true, ...value };
    if (times.waitMs > 0) noticeChange(latest, value, bounds, ctx);
    latest = value;
  }
  return { ok: false, ...(latest ?? { alerts: [], omitted: 0 }) };
}

function noticeChange(before: Found | undefined, { alerts }: Found, bounds: Bounds, ctx: RunContext): void {
  const count = alerts.length;
  if (count === before?.alerts.length) return;
  const next = holds(count, bounds) ? 'must stay so' : 'waiting';
  ctx.notice(`${alertsText(count)} (expected ${boundsText(bounds)}); ${next}`);
}

/** Whatever the omitted rows are. */
function certainlyHolds({ alerts, omitted }: Found, bounds: Bounds): boolean {
  return holds(alerts.length, bounds) && holds(alerts.length + omitted, bounds);
}

interface Bounds {
  readonly min: number;
  /** Null for no limit. */
  readonly max: number | null;
}

interface BoundOptions {
  readonly min: number | undefined;
  readonly max: number | undefined;
  readonly expect: boolean;
}

function checkedBounds({ min, max, expect }: BoundOptions): Bounds {
  if (expect && min !== undefined) throw new SvcError('usage', '--expect and --min cannot be used together');
  const least = min ?? (expect ? 1 : 0);
  const most = max ?? (min === undefined && !expect ? 0 : null);
  if (most !== null && least > most) {
    throw new SvcError('usage', `the minimum ${least} is greater than the maximum ${most}`);
  }
  return { min: least, max: most };
}

function holds(count: number, { min, max }: Bounds): boolean {
  return count >= min && (max === null || count <= max);
}

function couldHold({ alerts, omitted }: Found, { min, max }: Bounds): boolean {
  return (max === null || alerts.length <= max) && alerts.length + omitted >= min;
}

/** `none`, `at least 1`, `at most 3`, `2 to 5`. */
function boundsText({ min, max }: Bounds): string {
  if (max === 0) return 'none';
  if (max === null) return `at least ${min}`;
  if (min === max) return `exactly ${min}`;
  return min === 0 ? `at most ${max}` : `${min} to ${max}`;
}
