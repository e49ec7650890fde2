import { listCommand } from '../../../cli/command.ts';
import { effectiveState } from '../alert-state.ts';
import { labelCells } from '../columns.ts';
import type { Alert, PostableAlert } from '../schema.ts';

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
      { name: 'ended', cell: ({ endsAt }) => (endsAt === undefined ? undefined : { time: endsAt }) },
      { name: 'fingerprint', cell: ({ fingerprint }) => fingerprint },
    ],
    id: ({ fingerprint }) => fingerprint,
    empty: 'no such alerts, so nothing was sent',
  },
  async run(input, ctx) {
    const { openAlertmanager } = await import('../client.ts');
    const { sendAlerts } = await import('../alert-draft.ts');
    const { chooseAlerts, endOfAlerts, resolvedAlert } = await import('../resolving.ts');
    const alertmanager = openAlertmanager(ctx.target);
    const { alerts, byMatcher, notices } = await chooseAlerts(input.alert, alertmanager);
    for (const notice of notices) ctx.notice(notice);
    if (alerts.length === 0) return { value: [] };
    if (alerts.length > 1 || byMatcher) {
      for (const alert of alerts.slice(0, MOST_SHOWN)) ctx.notice(describe(alert));
      if (alerts.length > MOST_SHOWN) ctx.notice(`and ${alerts.length - MOST_SHOWN} more`);
      await ctx.confirm(`Resolve ${alerts.length === 1 ? 'this alert' : `these ${alerts.length} alerts`}?`);
    }
    const now = ctx.now();
    const end = endOfAlerts(now, alertmanager.clockSkewMs);
    const sent = alerts.map((alert) => resolvedAlert(alert, end, now));
    const plan = await sendAlerts(alertmanager, sent);
    if (plan !== undefined) return { value: plan };
    const value = sent.map((alert, index): Resolved => ({ fingerprint: alerts[index]?.fingerprint ?? '', ...alert }));
    return { value, footer: 'where the cause goes on, the source sends the alert again and it fires again' };
  },
});

function describe(alert: Alert): string {
  const { alertname, ...others } = alert.labels;
  return [alert.fingerprint.slice(0, 8), effectiveState(alert), alertname, ...labelCells(others)].join('  ');
}
