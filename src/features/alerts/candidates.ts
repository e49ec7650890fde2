/** What of an answer is offered when the next command line is completed: ids with what tells a person which is which. */
import { formatMatcher, matcherFrom } from './matcher.ts';
import type { Alert, Receiver, Silence } from './schema.ts';

/** Ids are short of meaning: a note says whose they are. */
interface Named {
  readonly value: string;
  readonly note?: string;
}

export function alertCandidates({ fingerprint, labels, receivers }: Alert): {
  readonly fingerprints: readonly Named[];
  readonly receivers: readonly Named[];
} {
  const { alertname, ...others } = labels;
  const shown = Object.entries(others).map(([name, value]) => `${name}=${value}`);
  return {
    fingerprints: [{ value: fingerprint, note: [alertname ?? '', ...shown].join(' ').trim() }],
    receivers: receivers.map((receiver) => receiverCandidate(receiver)),
  };
}

export function silenceCandidates({ id, matchers, comment }: Pick<Silence, 'id' | 'matchers' | 'comment'>): {
  readonly silences: readonly Named[];
} {
  const note = [...matchers.map((wire) => formatMatcher(matcherFrom(wire))), comment].join(' ');
  return { silences: [{ value: id, note }] };
}

export function receiverCandidate({ name }: Receiver): Named {
  return { value: receiverPattern(name) };
}

/** C0, C1 and what else is not seen; RE2 reads their escape as the character itself. */
const UNSEEN = /[\x00-\x1f\x7f-\x9f\p{Default_Ignorable_Code_Point}\u2028\u2029\ufff9-\ufffb]/gu;

/**
 * The regular expression that matches this name alone, for `--receiver`. A dot matches itself as well, and stays: nearly every
 * name would be unreadable otherwise.
 */
export function receiverPattern(name: string): string {
  return name
    .replace(/[\\+*?()|[\]{}^$]/g, '\\$&')
    .replace(UNSEEN, (character) => `\\x{${(character.codePointAt(0) ?? 0).toString(16)}}`);
}
