/** SQL's `LOWER(column) LIKE '%…%'` over SQLite: `%` and `_` in what is looked for are wildcards, and LOWER knows ASCII only. */

/** Text in which `q` occurs; `q` itself was put to lower case by Python, which knows all letters. */
export function contains(text: string | null, q: string): boolean {
  return like([...asciiLower(text ?? '')], [...`%${q.trim().toLowerCase()}%`]);
}

export function asciiLower(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

/** Greedy with one point to go back to: no pattern takes more than text times pattern. */
function like(text: readonly string[], pattern: readonly string[]): boolean {
  let [at, of, star, resume] = [0, 0, -1, 0];
  while (at < text.length) {
    if (pattern[of] === '%') {
      star = of++;
      resume = at;
    } else if (pattern[of] === '_' || pattern[of] === text[at]) {
      of++;
      at++;
    } else if (star !== -1) {
      of = star + 1;
      at = ++resume;
    } else return false;
  }
  while (pattern[of] === '%') of++;
  return of === pattern.length;
}
