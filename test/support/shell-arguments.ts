import { execFileSync } from 'node:child_process';

/** The words of a line, as a POSIX shell gives them to a program. */
export function argumentsOf(line: string): string[] {
  const input = `for word in ${line}; do printf '%s\\0' "$word"; done`;
  return execFileSync('sh', { input, encoding: 'utf8' }).split('\0').slice(0, -1);
}

/** The words to paste in a hint: `write 'a="1"' and 'b="2"'`. */
export function spellingsIn(hint: string | undefined): string[] {
  const word = /(?<=\b(?:write|and) )(?:'[^']*'|"\$\(printf '[^']*'\)"|"(?:[^"\\]|\\.)*"|[^\s'";])+/gs;
  return [...(hint ?? '').matchAll(word)].map(([text]) => text);
}
