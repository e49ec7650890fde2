import { listCommand } from '../../../cli/command.ts';
import { formatDuration } from '../../../cli/time.ts';
import { SvcError } from '../../../errors.ts';
import { type Alertmanager, openAlertmanager } from '../../alerts/api.ts';
import { type Matcher, matcherFrom } from '../../alerts/matcher.ts';
import type { Silence } from '../../alerts/schema.ts';
import { collect } from '../../alerts/selection.ts';
import { OUTCOME_LIST, unchanged } from '../columns.ts';
import { extended } from '../draft.ts';
import { changeEach, SilenceWriter, serverTime } from '../writer.ts';

export const silencesKeepalive = listCommand({
  id: 'silences keepalive',
  summary: 'Extend acknowledgements while their alerts fire (for cron)',
  description:
    'Extends active silences whose comment begins with --prefix if they are about to end and an alert that they mute still fires. It skips silences without an equality matcher on alertname, because they could mute alerts that were never acknowledged. Two runs at the same time do no harm.',
  effect: 'write',
  service: 'alerts',
  flags: {
    prefix: { type: 'string', value: 'text', default: 'ACK!', help: 'Prefix of the comments of acknowledgements' },
    'if-within': { type: 'duration', positive: true, default: '6m', help: 'Only silences that end within this time' },
    by: { type: 'duration', positive: true, default: '15m', help: 'How much to add' },
    max: { type: 'duration', positive: true, default: '8h', help: 'Maximum total duration of each silence' },
  },
  exits: ['partly_done'],
  examples: [
    { run: 'svc silences keepalive', why: 'Run this from cron every five minutes' },
    {
      run: "svc silences keepalive --prefix 'ACK!' --by 30m --max 2d --dry-run",
      why: 'Show the requests without sending them',
    },
  ],
  output: { ...OUTCOME_LIST, empty: 'nothing is due' },
  async run({ prefix, ifWithin, by, max }, ctx) {
    if (by <= ifWithin) {
      throw new SvcError(
        'usage',
        `--by ${formatDuration(by)} must be longer than --if-within ${formatDuration(ifWithin)}`,
      );
    }
    if (prefix.trim() === '') throw new SvcError('invalid_value', '--prefix: is empty');
    const alertmanager = openAlertmanager(ctx.target);
    const now = (): number => serverTime(alertmanager, ctx.now());
    const due = await dueAcknowledgements(alertmanager, { prefix, withinMs: ifWithin, now });
    return changeEach(
      due,
      'extended',
      (silence, { skipped }) => {
        if (skipped !== undefined) return unchanged('skipped', silence, skipped);
        const draft = extended(silence, by, max);
        return draft === undefined
          ? unchanged('at-max', silence, 'it already lasts as long as --max allows')
          : { draft };
      },
      new SilenceWriter(alertmanager, ctx, { allAlerts: false }),
    );
  },
});

interface KeepaliveRules {
  readonly prefix: string;
  readonly withinMs: number;
  /** The server's clock, known after its first response. */
  readonly now: () => number;
}

/** `skipped` says why it is not extended. */
interface DueAcknowledgement {
  readonly typed: string;
  readonly silence: Silence;
  readonly skipped: string | undefined;
}

async function dueAcknowledgements(
  alertmanager: Pick<Alertmanager, 'silences' | 'alerts'>,
  { prefix, withinMs, now }: KeepaliveRules,
): Promise<readonly DueAcknowledgement[]> {
  const silences = await collect(alertmanager.silences());
  const latest = now() + withinMs;
  const due = silences.filter((silence) => {
    return (
      silence.status.state === 'active' && silence.comment.startsWith(prefix) && Date.parse(silence.endsAt) <= latest
    );
  });
  if (due.length === 0) return [];
  const muted = await collect(alertmanager.alerts({ active: false, silenced: true, inhibited: true }));
  const used = new Set(muted.flatMap(({ status }) => status.silencedBy));
  return due.map((silence) => {
    const skipped = !silence.matchers.some((wire) => requiresAlertName(matcherFrom(wire)))
      ? 'it has no equality matcher on alertname'
      : used.has(silence.id)
        ? undefined
        : 'no alert that it mutes fires';
    return { typed: silence.id, silence, skipped };
  });
}

function requiresAlertName({ name, value, isRegex, isEqual }: Matcher): boolean {
  return name === 'alertname' && isEqual && !isRegex && value !== '';
}
