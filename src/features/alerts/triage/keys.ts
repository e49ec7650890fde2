/** The keys of the triage, and the line in which a person types. */

const SEQUENCES: Readonly<Record<string, string>> = {
  '\u001b[A': 'up',
  '\u001b[B': 'down',
  '\u001b[C': 'right',
  '\u001b[D': 'left',
  '\u001b[5~': 'page-up',
  '\u001b[6~': 'page-down',
  '\u001b[H': 'home',
  '\u001b[1~': 'home',
  '\u001b[F': 'end',
  '\u001b[4~': 'end',
  '\u001b[3~': 'delete',
  '\u001b': 'escape',
  '\r': 'enter',
  '\n': 'enter',
  '\u007f': 'backspace',
  '\b': 'backspace',
  '\u0001': 'home',
  '\u0005': 'end',
  '\u0015': 'clear',
  '\u0017': 'delete-word',
};

/** The name of a key, the character that it types, or undefined for one that has no meaning here. */
export function keyOf(sequence: string): string | undefined {
  // Keypads in application mode send O in place of [.
  const name = SEQUENCES[sequence.replace(/^\u001bO/, '\u001b[')];
  if (name !== undefined) return name;
  return [...sequence].length === 1 && !/\p{C}/u.test(sequence) ? sequence : undefined;
}

export interface Line {
  readonly before: string;
  readonly after: string;
}

export function lineOf(text: string): Line {
  return { before: text, after: '' };
}

export function textOf({ before, after }: Line): string {
  return before + after;
}

const LAST_CHARACTER = /[\s\S]$/u;
const FIRST_CHARACTER = /^[\s\S]/u;

/** The line after a key. A key that means nothing here leaves it as it is. */
export function edited(line: Line, key: string): Line {
  const { before, after } = line;
  // Named keys have several letters; a character is one code point.
  if ([...key].length === 1) return { before: before + key, after };
  const [last = ''] = LAST_CHARACTER.exec(before) ?? [];
  const [first = ''] = FIRST_CHARACTER.exec(after) ?? [];
  const back = before.slice(0, before.length - last.length);
  switch (key) {
    case 'left':
      return { before: back, after: last + after };
    case 'right':
      return { before: before + first, after: after.slice(first.length) };
    case 'home':
      return { before: '', after: before + after };
    case 'end':
      return { before: before + after, after: '' };
    case 'backspace':
      return { before: back, after };
    case 'delete':
      return { before, after: after.slice(first.length) };
    case 'clear':
      return { before: '', after };
    case 'delete-word':
      return { before: before.replace(/[^\s,]*[\s,]*$/u, ''), after };
    default:
      return line;
  }
}
