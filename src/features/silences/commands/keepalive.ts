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
    'Extends active silences whose comment begins with --prefix if they are about to end and an alert that they mute still fires. It skips those without an equality matcher on alertname, which could mute alerts that were never acknowledged. Prints what it extended, and what it skipped and why. If nothing is due, it prints and sends nothing. Two runs at the same time do no harm.',
  effect: 'write',
  service: 'alerts',
  flags: {
    prefix: { type: 'string', value: 'text', default: 'ACK!', help: 'How the comment of an acknowledgement begins' },
    'if-within': { type: 'duration', positive: true, default: '6m', help: 'Only those that end within this time' },
    by: { type: 'duration', positive: true, default: '15m', help: 'How much later than they would end now' },
    max: { type: 'duration', positive: true, default: '8h', help: 'How long each may last in all, from its start' },
  },
  exits: ['partly_done'],
  examples: [
    { run: 'svc silences keepalive', why: 'Every five minutes, from cron' },
    { run: "svc silences keepalive --prefix 'ACK!' --by 30m --max 2d --dry-run", why: 'What would be sent' },
  ],
  output: { ...OUTCOME_LIST, empty: 'nothing is due' },
  async run({ prefix, ifWithin, by, max }, ctx) {
    if (by <= ifWithin) {
      throw new SvcError(
        'usage',
        `--by ${formatDuration(by)} is not longer than --if-within ${formatDuration(ifWithin)}`,
        { hint: 'else every run would extend them again' },
      );
    }
    if (prefix.trim() === '') throw new SvcError('invalid_value', '--prefix: is empty, and would extend every silence');
    const alertmanager = openAlertmanager(ctx.target);
    const now = (): number => serverTime(alertmanager, ctx.now());
    const due = await dueAcknowledgements(alertmanager, { prefix, withinMs: ifWithin, now });
    return changeEach(
      due,
      'extended',
      (silence, { skipped }) => {
        if (skipped !== undefined) return unchanged('skipped', silence, skipped);
        const draft = extended(silence, by, max);
        return draft === undefined ? unchanged('at-max', silence, 'it lasts as long as --max allows') : { draft };
      },
      new SilenceWriter(alertmanager, ctx, { allAlerts: false }),
    );
  },
});

interface KeepaliveRules {
  /** What their comments begin with. */
  readonly prefix: string;
  /** Only those that end sooner. */
  readonly withinMs: number;
  /** The server's clock; asked after its first answer. */
  readonly now: () => number;
}

/** An acknowledgement that is about to end; `skipped` says why it is not to be extended. */
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
  // The list has alerts that fire, and no resolved ones.
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
