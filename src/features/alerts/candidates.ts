/** The values that completion and prompts offer, from the rows of alerts and receivers. */
import type { Candidate, Candidates } from '../../cli/flags.ts';
import { alertTitle } from './columns.ts';
import { formatMatcher, matcher } from './matcher.ts';
import { otherMeaning } from './matcher-readings.ts';
import type { Alert, Receiver } from './schema.ts';

export function alertCandidates(alert: Alert): Candidates {
  return {
    fingerprints: [{ value: alert.fingerprint, note: alertTitle(alert) }],
    receivers: alert.receivers.map(receiverCandidate),
    matchers: Object.entries(alert.labels).flatMap(matcherCandidates),
  };
}

/** A value that needs no quotes in a matcher. */
const SIMPLE_VALUE = /^[\p{L}\p{N}_./:@+-]+(?: [\p{L}\p{N}_./:@+-]+)*$/u;

/** The label as a matcher; an alert name also alone, because commands take it so. */
function matcherCandidates([name, value]: [string, string]): readonly Candidate[] {
  if (!/^[a-zA-Z_]\w*$/.test(name) || value === '') return [];
  const exact = matcher(name, '=', value);
  if (!SIMPLE_VALUE.test(value) || otherMeaning(exact) !== undefined) return [{ value: formatMatcher(exact) }];
  return [{ value: `${name}=${value}` }, ...(name === 'alertname' ? [{ value, note: 'alert' }] : [])];
}

export function receiverCandidate({ name }: Receiver): { readonly value: string } {
  return { value: receiverPattern(name) };
}

/** Control and invisible characters, which are escaped so that a terminal shows them. */
const INVISIBLE = /[\x00-\x1f\x7f-\x9f\p{Default_Ignorable_Code_Point}\u2028\u2029\ufff9-\ufffb]/gu;

/** A regular expression for `--receiver`. Dots stay unescaped, so that the name stays readable. */
export function receiverPattern(name: string): string {
  return name
    .replace(/[\\+*?()|[\]{}^$]/g, '\\$&')
    .replace(/[,;]/g, '[$&]') // `--receiver` refuses a bare one, which may separate names
    .replace(INVISIBLE, (character) => `\\x{${(character.codePointAt(0) ?? 0).toString(16)}}`);
}
