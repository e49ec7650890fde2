/** Words of command lines that mean the same. */

/** Whether they are singular and plural of one noun: `category` and `categories`. */
export function sameNoun(a: string, b: string): boolean {
  return a === b || plural(a) === b || a === plural(b);
}

function plural(noun: string): string {
  if (/[^aeiou]y$/.test(noun)) return `${noun.slice(0, -1)}ies`;
  return /(s|x|ch|sh)$/.test(noun) ? `${noun}es` : `${noun}s`;
}

/** Verbs of other tools and ours with the same meaning. Declared names and aliases precede. */
export const VERBS: Readonly<Record<string, string>> = {
  ls: 'list',
  query: 'list',
  search: 'list',
  show: 'get',
  view: 'get',
  describe: 'get',
  add: 'create',
  new: 'create',
  rm: 'delete',
  remove: 'delete',
};
