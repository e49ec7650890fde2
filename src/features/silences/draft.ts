/** Silences before they are sent: an existing one with its changes, or from an alert's labels. */
import { SvcError } from '../../errors.ts';
import type { Alertmanager } from '../alerts/api.ts';
import { unknownLabel } from '../alerts/known-names.ts';
import { formatMatcher, type Matcher, matcher, matcherFrom, sameMatchers } from '../alerts/matcher.ts';
import type { Alert, PostableSilence, Silence } from '../alerts/schema.ts';

/** A silence that was sent. `matched` is null if no alerts were counted. */
export interface PostedSilence extends PostableSilence {
  readonly id: string;
  /** The updated silence; the same as `id` unless the server replaced it. */
  readonly previous_id?: string;
  readonly matched: { readonly alerts: number; readonly active: number } | null;
  /** With --ensure and ack: whether it already existed, so that nothing was sent. */
  readonly unchanged?: boolean;
}

export interface SilenceChanges {
  readonly matchers?: PostableSilence['matchers'] | undefined;
  readonly startsAt?: string | undefined;
  readonly endsAt?: string | undefined;
  readonly createdBy?: string | undefined;
  readonly comment?: string | undefined;
}

/** Without fields that the service rejects (doc 1 §2: gettableSilence). Unknown fields are kept. */
export function applyChanges(
  { status: _, updatedAt: __, ...silence }: Silence,
  changes: SilenceChanges,
): PostableSilence {
  const changed = Object.entries(changes).filter(([, value]) => value !== undefined);
  return { ...silence, ...Object.fromEntries(changed) };
}

/** The silence that covers the draft, or what to send: one with a later end, or the draft. */
export async function ensured(
  draft: PostableSilence,
  alertmanager: Pick<Alertmanager, 'silences'>,
  accepts: (silence: Silence) => boolean = () => true,
): Promise<{ readonly present: Silence } | { readonly present?: undefined; readonly wanted: PostableSilence }> {
  const matchers = draft.matchers.map(matcherFrom);
  const start = Date.parse(draft.startsAt);
  let present: Silence | undefined;
  for await (const silence of alertmanager.silences(matchers.map(formatMatcher))) {
    const { state } = silence.status;
    // An active one has begun, whatever the clocks say.
    const begun = state === 'active' || (state === 'pending' && Date.parse(silence.startsAt) <= start);
    if (!begun || Date.parse(silence.endsAt) < start) continue;
    if (!sameMatchers(silence.matchers.map(matcherFrom), matchers) || !accepts(silence)) continue;
    if (present === undefined || Date.parse(silence.endsAt) > Date.parse(present.endsAt)) present = silence;
  }
  if (present === undefined) return { wanted: draft };
  if (Date.parse(present.endsAt) >= Date.parse(draft.endsAt)) return { present };
  return { wanted: applyChanges(present, { endsAt: draft.endsAt }) };
}

export function unchangedSilence(silence: Silence): PostedSilence {
  const { id, ...fields } = applyChanges(silence, {});
  return { id: silence.id, ...fields, matched: null, unchanged: true };
}

/** One equality for each label, except those of `drop`; the alert name first. */
export function matchersOfLabels(labels: Alert['labels'], drop: readonly string[] = []): Matcher[] {
  for (const name of drop) if (!Object.hasOwn(labels, name)) throw unknownLabel('--drop', name, Object.keys(labels));
  const left = Object.entries(labels).filter(([name]) => !drop.includes(name));
  if (left.length === 0) throw new SvcError('guarded', `--drop leaves no label of ${Object.keys(labels).join(', ')}`);
  return left.sort(byName).map(([name, value]) => matcher(name, '=', value));
}

function byName([a]: readonly [string, string], [b]: readonly [string, string]): number {
  if (a === 'alertname' || b === 'alertname') return a === 'alertname' ? -1 : 1;
  return a < b ? -1 : 1;
}
