/** Acknowledgements: silences by whose comment everybody sees that somebody is at it, as karma and kthxbye know them. */
import type { Alertmanager } from './client.ts';
import type { Silence } from './schema.ts';

export const ACK_PREFIX = 'ACK!';

export function ackComment(text: string): string {
  return text.startsWith(ACK_PREFIX) ? text : `${ACK_PREFIX} ${text}`;
}

export function isAcknowledgement({ comment }: Pick<Silence, 'comment'>, prefix: string = ACK_PREFIX): boolean {
  return comment.startsWith(prefix);
}

export interface KeepaliveRules {
  /** What their comments begin with. */
  readonly prefix: string;
  /** Only those that end sooner. */
  readonly withinMs: number;
  /** The server's clock; asked after its first answer. */
  readonly now: () => number;
}

/** The acknowledgements that are about to end although an alert that they mute still fires. */
export async function dueAcknowledgements(
  alertmanager: Pick<Alertmanager, 'silences' | 'alerts'>,
  { prefix, withinMs, now }: KeepaliveRules,
): Promise<readonly Silence[]> {
  const acknowledged: Silence[] = [];
  for await (const silence of alertmanager.silences()) {
    if (silence.status.state === 'active' && isAcknowledgement(silence, prefix)) acknowledged.push(silence);
  }
  const latest = now() + withinMs;
  const due = acknowledged.filter(({ endsAt }) => Date.parse(endsAt) <= latest);
  if (due.length === 0) return [];
  const used = new Set<string>();
  // The list has alerts that fire, and no resolved ones.
  for await (const { status } of alertmanager.alerts({ active: false, silenced: true, inhibited: true })) {
    for (const id of status.silencedBy) used.add(id);
  }
  return due.filter(({ id }) => used.has(id));
}
