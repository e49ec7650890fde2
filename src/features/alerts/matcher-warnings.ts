/** What is likely not meant: matchers that exclude each other, select everything, or reach alerts without the label. */
import { formatMatcher, type Matcher } from './matcher.ts';
import { languageOf, mayMatchEmpty } from './regex-language.ts';

/** True only when the matcher surely needs its label to be there. An absent label counts as an empty one. */
export function isPositive(of: Matcher): boolean {
  if (!of.isEqual) return of.value === '';
  return of.isRegex ? !mayMatchEmpty(of.value) : of.value !== '';
}

/**
 * Whether it requires a definite value of its label. A negative matcher does not, nor does one that accepts every value that is
 * not empty, or an absent label.
 */
export function isDefinite(of: Matcher): boolean {
  if (!of.isEqual || !of.isRegex) return of.isEqual && of.value !== '';
  const language = languageOf(of.value);
  return language !== undefined && !language.empty && !language.every;
}

export function matcherWarnings(matchers: readonly Matcher[]): string[] {
  return [
    ...contradictions(matchers),
    ...matchers.filter(matchesAnything).map((of) => `${formatMatcher(of)} matches everything`),
    ...reachAbsentLabels(matchers),
  ];
}

function contradictions(matchers: readonly Matcher[]): string[] {
  const found = new Set<string>();
  for (const [index, first] of matchers.entries()) {
    if (!first.isEqual || first.isRegex) continue;
    for (const [other, second] of matchers.entries()) {
      if (second.name !== first.name || second.isRegex) continue;
      const excludes = second.isEqual ? other > index && second.value !== first.value : second.value === first.value;
      if (excludes)
        found.add(`${formatMatcher(first)} and ${formatMatcher(second)} exclude each other: nothing can match`);
    }
  }
  return [...found];
}

function matchesAnything(of: Matcher): boolean {
  if (!of.isRegex || !of.isEqual) return false;
  const language = languageOf(of.value);
  return language?.empty === true && language.every;
}

/** A negative matcher holds for every alert without the label, unless another matcher needs that label. */
function reachAbsentLabels(matchers: readonly Matcher[]): string[] {
  return matchers
    .filter((of) => !of.isEqual && !isPositive(of))
    .filter((of) => !matchers.some((other) => other.name === of.name && isPositive(other)))
    .map((of) => `${formatMatcher(of)} also matches every alert without the label ${of.name}`);
}
