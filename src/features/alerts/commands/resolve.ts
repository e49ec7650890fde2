import { listCommand, type RunContext } from '../../../cli/command.ts';
import { SvcError } from '../../../errors.ts';
import { Plan } from '../../../http/endpoint.ts';
import { timeCell } from '../../../output/cells.ts';
import type { ListOutput } from '../../../output/types.ts';
import { type Alertmanager, openAlertmanager } from '../api.ts';
import { alertTitle, labelCells } from '../columns.ts';
import { isFingerprintPrefix, pickAlerts, refuseSeveralFingerprints } from '../ids.ts';
import { formatMatcher } from '../matcher.ts';
import { parseMatcherArguments } from '../matcher-arguments.ts';
import { memberAnswer } from '../on-members.ts';
import type { Alert, PostableAlert } from '../schema.ts';
import { collect, effectiveState } from '../selection.ts';

/** What was sent, and which alert it ended. */
interface Resolved extends PostableAlert {
  readonly fingerprint: string;
}

const MOST_SHOWN = 10;

const RESOLVED: ListOutput<Resolved> = {
  kind: 'list',
  columns: [
    { name: 'alertname', cell: ({ labels }) => labels['alertname'] },
    { name: 'labels', cell: ({ labels }) => labelCells(labels, new Set(['alertname'])), shrinks: true },
    { name: 'ended', cell: ({ endsAt }) => timeCell(endsAt) },
    { name: 'fingerprint', cell: ({ fingerprint }) => fingerprint },
  ],
  id: ({ fingerprint }) => fingerprint,
  empty: 'no alerts match; nothing was sent',
};

export const alertsResolve = listCommand({
  id: 'alerts resolve',
  suggestFor: ['delete'],
  summary: 'Resolve alerts now',
  description:
    'Sends the alerts again with the same labels and an end time of now. svc asks before it resolves several alerts, or alerts selected by matchers. Silenced and inhibited alerts are included.\nHexadecimal arguments, such as 1a58 or dead, are fingerprints. Write alertname=dead to select an alert by that name.',
  effect: 'write',
  service: 'alerts',
  clusters: {},
  args: {
    alert: {
      help: 'Fingerprints or prefixes of them, or matchers',
      required: true,
      repeat: true,
      complete: 'fingerprints',
    },
  },
  exits: ['partly_done'],
  examples: [
    { run: 'svc alerts resolve 1a58c20e', why: 'Resolve one alert' },
    { run: 'svc alerts resolve BackupFailed host=db-1 --dry-run', why: 'Show the request without sending it' },
  ],
  output: RESOLVED,
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
    const outcomes = await alertmanager.postAlerts(sent);
    if (outcomes instanceof Plan) return { value: outcomes };
    const rows = sent.map((alert, index): Resolved => ({ fingerprint: alerts[index]?.fingerprint ?? '', ...alert }));
    return {
      ...memberAnswer(outcomes, () => rows, RESOLVED, ctx),
      footer: 'if the cause persists, the source sends the alert again',
    };
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

/** Hexadecimal arguments are fingerprints. All states count: a silenced alert may be over. */
async function chooseAlerts(
  args: readonly string[],
  alertmanager: Pick<Alertmanager, 'alerts'>,
  ctx: Pick<RunContext, 'notice'>,
): Promise<Chosen> {
  for (const text of args) refuseSeveralFingerprints(text);
  if (args.every(isFingerprintPrefix)) {
    const alerts = await collect(alertmanager.alerts());
    const name = args.find((text) => alerts.some(({ labels }) => labels['alertname'] === text));
    if (name !== undefined) {
      throw new SvcError('invalid_value', `${name} could be a fingerprint, but it is the name of an alert`, {
        hint: `write alertname=${name}, or more of the fingerprint`,
      });
    }
    return { alerts: pickAlerts(alerts, args), byMatcher: false };
  }
  const name = args.find(isFingerprintPrefix);
  if (name !== undefined) {
    throw new SvcError('usage', 'fingerprints and matchers cannot be used together', {
      hint: `if ${name} is an alert name, write alertname=${name}`,
    });
  }
  const filter = parseMatcherArguments(args, ctx.notice).map(formatMatcher);
  return { alerts: await collect(alertmanager.alerts({ filter })), byMatcher: true };
}

/** The end must be in the past for the server, too. `skewMs` is the server's clock minus ours. */
export function endOfAlerts(now: number, skewMs: number | undefined): string {
  return new Date(now + Math.min(0, skewMs ?? 0)).toISOString();
}

function resolvedAlert(
  { labels, annotations, generatorURL, startsAt }: Alert,
  endsAt: string,
  now: number,
): PostableAlert & { readonly startsAt: string; readonly endsAt: string } {
  return { labels, annotations, generatorURL: generatorURL ?? undefined, ...endedWindow(startsAt, endsAt, now) };
}

/** Of the `Date` header. */
const CLOCK_RESOLUTION = 1000;

/** The server refuses an end before the start, so a new alert ends when it started. */
function endedWindow(startsAt: string, endsAt: string, now: number): { startsAt: string; endsAt: string } {
  const [start, end] = [Date.parse(startsAt), Date.parse(endsAt)];
  if (start <= end) return { startsAt, endsAt };
  const time = start <= now && start - end < CLOCK_RESOLUTION ? startsAt : endsAt;
  return { startsAt: time, endsAt: time };
}
