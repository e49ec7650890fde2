/** A silence that is to be there, whether or not it already is: for commands that run again and again. */
import type { Alertmanager } from '../alerts/api.ts';
import { formatMatcher, matcherFrom, sameMatchers } from '../alerts/matcher.ts';
import type { PostableSilence, Silence } from '../alerts/schema.ts';
import { applyChanges } from './draft.ts';
import type { PostedSilence } from './silencing.ts';

/** What to do for a silence that is to be there: nothing, or to send one. */
export type Ensured =
  | { readonly present: PostedSilence; readonly wanted?: undefined }
  | { readonly present?: undefined; readonly wanted: PostableSilence };

/**
 * A silence with the same matchers that covers the draft's time is enough; one that covers only the beginning is to be extended,
 * and keeps its author and comment. `accepts` leaves silences out that may not take the draft's place.
 */
export async function ensured(
  draft: PostableSilence,
  alertmanager: Pick<Alertmanager, 'silences'>,
  accepts: (silence: Silence) => boolean = () => true,
): Promise<Ensured> {
  const existing = await findOverlapping(draft, alertmanager, accepts);
  if (existing === undefined) return { wanted: draft };
  if (Date.parse(existing.endsAt) < Date.parse(draft.endsAt)) {
    return { wanted: applyChanges(existing, { endsAt: draft.endsAt }) };
  }
  const { id, ...fields } = applyChanges(existing, {});
  return { present: { silenceID: existing.id, ...fields, matched: null, unchanged: true } };
}

/** Of the silences with the same matchers that are in force when the draft starts, the one that ends last. */
async function findOverlapping(
  draft: PostableSilence,
  alertmanager: Pick<Alertmanager, 'silences'>,
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
