import { execFileSync } from 'node:child_process';

/** What a POSIX shell makes of each text, which is one word. */
export function unquoted(words: readonly string[]): string[] {
  const script = words.map((word) => `printf '%s\\0' ${word}`).join('\n');
  return execFileSync('sh', { input: script, encoding: 'utf8' }).split('\0').slice(0, -1);
}

/** The words to paste in a hint: `write 'a="1"' and 'b="2"'`. */
export function wordsToPaste(hint: string | undefined): string[] {
  const word = /(?<=\b(?:write|and) )(?:'[^']*'|"\$\(printf '[^']*'\)"|"(?:[^"\\]|\\.)*"|[^\s'";])+/gs;
  return [...(hint ?? '').matchAll(word)].map(([text]) => text);
}
