import { listCommand, type RunContext } from '../../../cli/command.ts';
import { SvcError } from '../../../errors.ts';
import { type Alertmanager, openAlertmanager } from '../api.ts';
import { alertTitle, labelCells, timeCell } from '../columns.ts';
import { isFingerprintPrefix, pickAlerts } from '../ids.ts';
import { formatMatcher } from '../matcher.ts';
import { parseMatcherArguments } from '../matcher-argument.ts';
import type { Alert, PostableAlert } from '../schema.ts';
import { collect, effectiveState } from '../selection.ts';

/** What was sent, and which alert it ended. */
interface Resolved extends PostableAlert {
  readonly fingerprint: string;
}

const MOST_SHOWN = 10;

export const alertsResolve = listCommand({
  id: 'alerts resolve',
  summary: 'End alerts now',
  description:
    "Sends the alerts again with the very labels the server has, and an end that is now. It asks when there are several, or matchers chose them. Silenced and inhibited alerts are chosen, too.\nA word of hexadecimal digits, such as dead, is the beginning of a fingerprint, or an alert's name where no fingerprint begins so; where both are there it is refused. Fingerprints and matchers cannot be mixed.",
  effect: 'write',
  service: 'alerts',
  args: {
    alert: {
      help: 'Fingerprints, or enough of the beginning of each; or matchers, all of which have to match',
      required: true,
      repeat: true,
      complete: 'fingerprints',
    },
  },
  exits: ['partly_done'],
  examples: [
    { run: 'svc alerts resolve 1a58c20e', why: 'One alert' },
    { run: 'svc alerts resolve BackupFailed host=db-1 --dry-run', why: 'See what would be sent' },
  ],
  output: {
    kind: 'list',
    columns: [
      { name: 'alertname', cell: ({ labels }: Resolved) => labels['alertname'] },
      { name: 'labels', cell: ({ labels }) => labelCells(labels, new Set(['alertname'])), flex: true },
      { name: 'ended', cell: ({ endsAt }) => timeCell(endsAt) },
      { name: 'fingerprint', cell: ({ fingerprint }) => fingerprint },
    ],
    id: ({ fingerprint }) => fingerprint,
    empty: 'no such alerts, so nothing was sent',
  },
  async run(input, ctx) {
    const alertmanager = openAlertmanager(ctx.target);
    const { alerts, byMatcher } = await chooseAlerts(input.alert, alertmanager, ctx);
    if (alerts.length === 0) return { value: [] };
    if (alerts.length > 1 || byMatcher) {
      for (const alert of alerts.slice(0, MOST_SHOWN)) ctx.notice(describe(alert));
      if (alerts.length > MOST_SHOWN) ctx.notice(`and ${alerts.length - MOST_SHOWN} more`);
      await ctx.confirm(`Resolve ${alerts.length === 1 ? 'this alert' : `these ${alerts.length} alerts`}?`);
    }
    const now = ctx.now();
    const end = endOfAlerts(now, alertmanager.clockSkewMs);
    const sent = alerts.map((alert) => resolvedAlert(alert, end, now));
    const plan = await alertmanager.postAlerts(sent);
    if (plan !== undefined) return { value: plan };
    const value = sent.map((alert, index): Resolved => ({ fingerprint: alerts[index]?.fingerprint ?? '', ...alert }));
    return { value, footer: 'where the cause goes on, the source sends the alert again and it fires again' };
  },
});

function describe(alert: Alert): string {
  return [alert.fingerprint.slice(0, 8), effectiveState(alert), alertTitle(alert)].join('  ');
}

interface Chosen {
  /** Each once. */
  readonly alerts: readonly Alert[];
  /** Matchers may choose more than was meant. */
  readonly byMatcher: boolean;
}

/**
 * Fingerprints, or enough of the beginning of each, choose those alerts; matchers choose what matches all of them; the two are not
 * mixed. A first word such as `dead` can be a fingerprint's beginning and an alert's name: it is whichever there is, and refused where
 * there are both. All states are read: a silenced alert can be over, too.
 */
async function chooseAlerts(
  args: readonly string[],
  alertmanager: Pick<Alertmanager, 'alerts'>,
  ctx: Pick<RunContext, 'notice'>,
): Promise<Chosen> {
  const byMatchers = async (): Promise<Chosen> => {
    const filter = parseMatcherArguments(args, ctx.notice).map(formatMatcher);
    return { alerts: await collect(alertmanager.alerts({ filter })), byMatcher: true };
  };
  const [first = '', ...others] = args;
  if (args.some(isFingerprintPrefix) && !args.every(isFingerprintPrefix) && others.some(isFingerprintPrefix)) {
    throw new SvcError('usage', 'fingerprints and matchers cannot be mixed', {
      hint: 'resolve the alerts of the fingerprints and those of the matchers one after the other',
    });
  }
  if (!isFingerprintPrefix(first)) return byMatchers();
  if (others.length > 0 && !isFingerprintPrefix(others[0] ?? '')) {
    // Before matchers it would be a name, which can be written as alertname=….
    throw new SvcError('usage', `${first} could be a fingerprint, and fingerprints and matchers cannot be mixed`, {
      hint: `write alertname=${first} if it is a name`,
    });
  }
  const all = await collect(alertmanager.alerts());
  if (others.length === 0 && all.some(({ labels }) => labels['alertname'] === first)) {
    const beginning = first.toLowerCase();
    if (!all.some(({ fingerprint }) => fingerprint.startsWith(beginning))) return byMatchers();
    throw new SvcError('invalid_value', `${first} is an alert's name and the beginning of a fingerprint`, {
      hint: `write alertname=${first}, or more of the fingerprint`,
    });
  }
  return { alerts: pickAlerts(all, args), byMatcher: false };
}

/**
 * The end must lie in the past of the server's clock, or the alert goes on until then: of the two clocks the slower one counts.
 * `skewMs` is the server's clock minus ours.
 */
export function endOfAlerts(now: number, skewMs: number | undefined): string {
  return new Date(now + Math.min(0, skewMs ?? 0)).toISOString();
}

/** The same label set, by which the server knows the alert, and everything else that its source sent. */
function resolvedAlert(
  { labels, annotations, generatorURL, startsAt }: Alert,
  endsAt: string,
  now: number,
): PostableAlert & { readonly startsAt: string; readonly endsAt: string } {
  return { labels, annotations, generatorURL, ...endedWindow(startsAt, endsAt, now) };
}

/** The `Date` header, from which the end is reckoned, has whole seconds. */
const CLOCK_RESOLUTION = 1000;

/** The server refuses an end before the start. An alert that has only just started ends when it started. */
function endedWindow(startsAt: string, endsAt: string, now: number): { startsAt: string; endsAt: string } {
  const [start, end] = [Date.parse(startsAt), Date.parse(endsAt)];
  if (start <= end) return { startsAt, endsAt };
  const time = start <= now && start - end < CLOCK_RESOLUTION ? startsAt : endsAt;
  return { startsAt: time, endsAt: time };
}
