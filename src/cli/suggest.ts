/** "Did you mean": the one close match, or none. */

/** Optimal string alignment distance: insert, delete, replace, and swap of neighbours each cost one. */
export function distance(a: string, b: string): number {
  let before: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const current = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      let cost = Math.min((previous[j] ?? 0) + 1, (current[j - 1] ?? 0) + 1, (previous[j - 1] ?? 0) + (same ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        cost = Math.min(cost, (before[j - 2] ?? 0) + 1);
      current.push(cost);
    }
    before = previous;
    previous = current;
  }
  return previous[b.length] ?? 0;
}

/** The candidate closest to `word`, when it is close enough to be what was meant. */
export function suggest(word: string, candidates: Iterable<string>): string | undefined {
  // Longer than any name we have: no typo, and the table would be large.
  if (word.length > 60) return undefined;
  const lower = word.toLowerCase();
  let best: string | undefined;
  let bestCost = Math.max(1, Math.floor(word.length * 0.5)) + 1;
  for (const candidate of candidates) {
    const cost = candidate.startsWith(word) && word.length > 1 ? 1 : distance(lower, candidate.toLowerCase());
    if (cost < bestCost) {
      best = candidate;
      bestCost = cost;
    }
  }
  return best;
}

/** `did you mean X?`, or the list of what there is. */
export function didYouMean(word: string, candidates: readonly string[]): string {
  const close = suggest(word, candidates);
  return close === undefined ? `one of: ${candidates.join(', ')}` : `did you mean ${close}?`;
}
