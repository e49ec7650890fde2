/** The values that prompts offer, from the rows of alerts. */
import type { Candidate, Candidates } from '../../cli/flags.ts';
import { alertTitle } from './columns.ts';
import { formatMatcher, matcher } from './matcher.ts';
import { otherMeaning } from './matcher-readings.ts';
import type { Alert } from './schema.ts';

export function alertCandidates(alert: Alert): Candidates {
  return {
    fingerprints: [{ value: alert.fingerprint, note: alertTitle(alert) }],
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
