/**
 * Regular expressions as the server has them (RE2), turned into JavaScript's: what RE2 refuses is refused with its words, and
 * what means something else there is rewritten. Letters outside ASCII, and Unicode classes, are not folded by `(?i)`.
 */
import { classText, foldCase } from './re2-class.ts';
import { type Flags, Re2Error, Re2Source } from './re2-source.ts';

const ASSERTIONS: Readonly<Record<string, string>> = { A: '(?:^)', z: '(?:$)', b: '(?:\\b)', B: '(?:\\B)' };

interface Group {
  /** The alternatives so far, and the pieces of the present one. */
  readonly alternatives: string[];
  pieces: string[];
  /** What holds again after the group. */
  readonly outer: Flags;
}

/** The expression, or RE2's complaint. Nothing is anchored. */
export function compileRe2(pattern: string): RegExp | string {
  try {
    return new RegExp(translate(pattern), 'u');
  } catch (error) {
    if (error instanceof Re2Error || error instanceof SyntaxError) return `error parsing regexp: ${error.message}`;
    throw error;
  }
}

function translate(pattern: string): string {
  const source = new Re2Source(pattern);
  let flags: Flags = { fold: false, multiline: false, dotAll: false };
  const groups: Group[] = [{ alternatives: [], pieces: [], outer: flags }];
  let group = groups[0] as Group;
  let repeatedAt: number | undefined;

  while (!source.done) {
    const start = source.at;
    const repeat = source.takeRepeat();
    if (repeat !== undefined) {
      if (repeatedAt !== undefined)
        throw new Re2Error('invalid nested repetition operator', pattern.slice(repeatedAt, source.at));
      const last = group.pieces.pop();
      if (last === undefined)
        throw new Re2Error('missing argument to repetition operator', pattern.slice(start, source.at));
      // Wrapped, because flags may stand between one repetition and the next.
      group.pieces.push(`(?:${last})${repeat}`);
      repeatedAt = start;
      continue;
    }
    repeatedAt = undefined;
    const char = source.take();
    if (char === '(') {
      const opening = source.takeGroup(flags);
      if (opening.opens) {
        group = { alternatives: [], pieces: [], outer: flags };
        groups.push(group);
      }
      flags = opening.flags;
    } else if (char === ')') {
      if (groups.length === 1) throw new Re2Error('unexpected )', pattern);
      const closed = groups.pop() as Group;
      flags = closed.outer;
      group = groups.at(-1) as Group;
      group.pieces.push(`(?:${joined(closed)})`);
    } else if (char === '|') {
      group.alternatives.push(group.pieces.join(''));
      group.pieces = [];
    } else {
      group.pieces.push(...atom(source, char, start, flags));
    }
  }
  if (groups.length > 1) throw new Re2Error('missing closing )', pattern);
  return joined(group);
}

function joined({ alternatives, pieces }: Group): string {
  return [...alternatives, pieces.join('')].join('|');
}

function literal(char: string, { fold }: Flags): string {
  const code = char.codePointAt(0) ?? 0;
  return `[${classText(fold ? foldCase([[code, code]]) : [[code, code]])}]`;
}

/** One thing that can be repeated; several for `\Q…\E`. */
function atom(source: Re2Source, char: string, start: number, flags: Flags): string[] {
  switch (char) {
    case '.':
      return [flags.dotAll ? '[^]' : '[^\\n]'];
    case '^':
      return [flags.multiline ? '(?:^|(?<=\\n))' : '(?:^)'];
    case '$':
      return [flags.multiline ? '(?:$|(?=\\n))' : '(?:$)'];
    case '[':
      return [source.takeClass(start, flags.fold)];
    case '\\':
      break;
    default:
      return [literal(char, flags)];
  }
  const escaped = source.peek();
  if (escaped === 'Q') return [...source.takeQuoted()].map((quoted) => literal(quoted, flags));
  const assertion = ASSERTIONS[escaped];
  if (assertion !== undefined) {
    source.take();
    return [assertion];
  }
  const set = source.takeClassEscape(start);
  if (set !== undefined) return [`[${set}]`];
  return [literal(String.fromCodePoint(source.takeEscape(start)), flags)];
}
