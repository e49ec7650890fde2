/** A silence before it is sent: made of options, of a file, or of a silence that exists and what is to change. */

import { SvcError } from '../../errors.ts';
import { shellWord } from '../../http/as-curl.ts';
import { formatMatcher, type Matcher, matcherFrom } from '../alerts/matcher.ts';
import { isPositive } from '../alerts/matcher-warnings.ts';
import type { PostableSilence, Silence } from '../alerts/schema.ts';

/** Fields that the service sets and does not take back (doc 1 §2: gettableSilence). */
const SET_BY_SERVICE = new Set(['status', 'updatedAt']);

export interface SilenceChanges {
  readonly matchers?: PostableSilence['matchers'] | readonly Matcher[] | undefined;
  readonly startsAt?: string | undefined;
  readonly endsAt?: string | undefined;
  readonly createdBy?: string | undefined;
  readonly comment?: string | undefined;
}

/**
 * The silence as it is with the changes in it. Unknown fields go back as they came: newer servers keep annotations there, and
 * a field that is left out is a field that is wiped.
 */
export function applyChanges(silence: Silence, changes: SilenceChanges): PostableSilence {
  const kept = Object.entries(silence).filter(([name]) => !SET_BY_SERVICE.has(name));
  const changed = Object.entries(changes).filter(([, value]) => value !== undefined);
  return Object.fromEntries([...kept, ...changed]) as PostableSilence;
}

/** Whether the server will see other matchers: their order counts, for it makes a new silence of another order too. */
export function changesMatchers(silence: Silence, draft: PostableSilence): boolean {
  const spell = (matchers: PostableSilence['matchers']): string =>
    matchers.map((m) => formatMatcher(matcherFrom(m))).join();
  return spell(silence.matchers) !== spell(draft.matchers);
}

/** The server adds to an end the time for which it keeps ended silences, and cannot write years of five digits. */
const TOO_LATE = Date.parse('9999-01-01T00:00:00Z');

/** Refuses what the server is known to refuse of a window. Times are RFC 3339. */
export function checkWindow({ startsAt, endsAt }: Pick<PostableSilence, 'startsAt' | 'endsAt'>, now: number): void {
  const [start, end] = [Date.parse(startsAt), Date.parse(endsAt)];
  if (end <= now) {
    throw new SvcError('invalid_value', `the silence would end in the past (${endsAt})`, {
      hint: 'to end one now: svc silences expire <id>',
    });
  }
  if (end <= start)
    throw new SvcError('invalid_value', `the silence would end (${endsAt}) before it starts (${startsAt})`);
  if (end >= TOO_LATE) {
    throw new SvcError('invalid_value', `the silence would end later than the server can store (${endsAt})`, {
      hint: 'no silence lasts for ever: give it a nearer end',
    });
  }
}

/**
 * Label names that a filter takes and a silence does not: on 0.25 to 0.27 an update with one is refused after the old silence
 * is already expired.
 */
export function checkNamesOfUpdate(matchers: readonly Matcher[]): void {
  for (const { name } of matchers) {
    if (name.includes(':')) {
      throw new SvcError(
        'invalid_value',
        `the label name "${name}" holds a colon, which older servers refuse in a silence`,
        {
          hint: 'make a new silence with it instead: svc silences create',
        },
      );
    }
  }
}

/**
 * Matchers that all match an alert without their labels: each is fit for a filter, but a silence of only such ones is refused,
 * on 0.25 to 0.27 after the old silence is already expired.
 */
export function checkMatchersOfUpdate(matchers: readonly Matcher[]): void {
  // To the server a negative matcher is enough, whatever it matches.
  if (matchers.some((of) => !of.isEqual || isPositive(of))) return;
  throw new SvcError('invalid_value', `${matchers.map(formatMatcher).join(' ')} may match an alert without any label`, {
    hint: 'the server refuses such a silence: add a matcher for a value, such as team=db',
  });
}

/** An expired silence once more, from now: as long as it lasted, or for `lengthMs`. Unknown fields come along. */
export function recreated(silence: Silence, now: number, lengthMs: number | undefined): PostableSilence {
  const { id, status } = silence;
  if (status.state !== 'expired') {
    throw new SvcError('guarded', `silence ${id} is ${status.state}: there is nothing to make again`, {
      hint: `let it end later: svc silences extend ${shellWord(id)} --by 1h`,
    });
  }
  const length = lengthMs ?? Date.parse(silence.endsAt) - Date.parse(silence.startsAt);
  if (length <= 0) {
    throw new SvcError('guarded', `silence ${id} was ended before it began, and lasted no time`, {
      hint: 'say how long with --for',
    });
  }
  const { id: _, ...draft } = applyChanges(silence, {
    startsAt: new Date(now).toISOString(),
    endsAt: new Date(now + length).toISOString(),
  });
  return draft as PostableSilence;
}
