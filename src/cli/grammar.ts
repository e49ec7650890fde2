/** How people write the names of commands: nouns in singular and plural, and the verbs of other tools. */

/** The verbs of other tools, and ours of the same meaning. A declared name or alias takes precedence. */
const VERBS: Readonly<Record<string, string>> = {
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

/** Whether they are one noun: `category` and `categories`. */
export function sameNoun(a: string, b: string): boolean {
  return a === b || plural(a) === b || a === plural(b);
}

function plural(noun: string): string {
  if (/[^aeiou]y$/.test(noun)) return `${noun.slice(0, -1)}ies`;
  return /(s|x|ch|sh)$/.test(noun) ? `${noun}es` : `${noun}s`;
}

/** The name that the words spell, or a name that only differs in the number of its nouns. */
export function nameOf(names: readonly string[], typed: readonly string[]): string | undefined {
  const exact = typed.join(' ');
  if (names.includes(exact)) return exact;
  return names.find((name) => {
    const parts = name.split(' ');
    return parts.length === typed.length && parts.every((word, index) => sameNoun(word, typed[index] ?? ''));
  });
}

/** The same where the last word is another tool's verb. */
export function synonymOf(names: readonly string[], typed: readonly string[]): string | undefined {
  const last = typed.at(-1) ?? '';
  const verb = Object.hasOwn(VERBS, last) ? VERBS[last] : undefined;
  return verb === undefined ? undefined : nameOf(names, [...typed.slice(0, -1), verb]);
}
