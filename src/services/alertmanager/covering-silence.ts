/** A silence that is to be there, whether or not it already is: for commands that run again and again. */
import type { Alertmanager } from './client.ts';
import { formatMatcher, matcherFrom, sameMatchers } from './matcher.ts';
import type { PostableSilence, Silence } from './schema.ts';
import { applyChanges } from './silence-draft.ts';
import { approve, type Guard, type PostedSilence, postSilence } from './silencing.ts';

/**
 * Puts the silence, unless one of the same matchers covers its time; one that covers only the beginning is extended, and keeps
 * its author and comment. `accepts` leaves silences out that may not stand for it.
 */
export async function ensureSilence(
  draft: PostableSilence,
  alertmanager: Alertmanager,
  guard: Guard,
  accepts: (silence: Silence) => boolean = () => true,
): Promise<PostedSilence> {
  const existing = await findOverlapping(draft, alertmanager, accepts);
  if (existing !== undefined && Date.parse(existing.endsAt) >= Date.parse(draft.endsAt)) {
    const { id, ...fields } = applyChanges(existing, {});
    return { silenceID: existing.id, ...fields, matched: null, unchanged: true };
  }
  const wanted = existing === undefined ? draft : applyChanges(existing, { endsAt: draft.endsAt });
  const reach = await approve(wanted, alertmanager, guard);
  return { ...(await postSilence(wanted, reach, alertmanager, guard)), unchanged: false };
}

/** Of the silences with the same matchers that are in force when the draft starts, the one that ends last. */
async function findOverlapping(
  draft: PostableSilence,
  alertmanager: Alertmanager,
  accepts: (silence: Silence) => boolean,
): Promise<Silence | undefined> {
  const matchers = draft.matchers.map(matcherFrom);
  const start = Date.parse(draft.startsAt);
  let last: Silence | undefined;
  for await (const silence of alertmanager.silences(matchers.map(formatMatcher))) {
    const { state } = silence.status;
    // An active one has begun, whatever the clocks say. One with a gap before the draft is another silence.
    const begun = state === 'active' || (state === 'pending' && Date.parse(silence.startsAt) <= start);
    if (!begun || Date.parse(silence.endsAt) < start) continue;
    if (!sameMatchers(silence.matchers.map(matcherFrom), matchers) || !accepts(silence)) continue;
    if (last === undefined || Date.parse(silence.endsAt) > Date.parse(last.endsAt)) last = silence;
  }
  return last;
}
