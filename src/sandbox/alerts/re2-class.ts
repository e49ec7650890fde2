/** Character classes of RE2 as ranges of code points, and as text in a JavaScript expression with the flag `u`. */

export type Ranges = readonly (readonly [from: number, to: number])[];

const LAST = 0x10ffff;

export const DIGIT: Ranges = [[0x30, 0x39]];
/** Without the vertical tab. */
export const SPACE: Ranges = [
  [0x09, 0x0a],
  [0x0c, 0x0d],
  [0x20, 0x20],
];
export const WORD: Ranges = [
  [0x30, 0x39],
  [0x41, 0x5a],
  [0x5f, 0x5f],
  [0x61, 0x7a],
];
const UPPER: Ranges = [[0x41, 0x5a]];
const LOWER: Ranges = [[0x61, 0x7a]];

export const POSIX: Readonly<Record<string, Ranges>> = {
  alnum: [...DIGIT, ...UPPER, ...LOWER],
  alpha: [...UPPER, ...LOWER],
  ascii: [[0, 0x7f]],
  blank: [
    [0x09, 0x09],
    [0x20, 0x20],
  ],
  cntrl: [
    [0, 0x1f],
    [0x7f, 0x7f],
  ],
  digit: DIGIT,
  graph: [[0x21, 0x7e]],
  lower: LOWER,
  print: [[0x20, 0x7e]],
  punct: [
    [0x21, 0x2f],
    [0x3a, 0x40],
    [0x5b, 0x60],
    [0x7b, 0x7e],
  ],
  space: [
    [0x09, 0x0d],
    [0x20, 0x20],
  ],
  upper: UPPER,
  word: WORD,
  xdigit: [...DIGIT, [0x41, 0x46], [0x61, 0x66]],
};

/** Everything outside ranges that are in order and apart. */
export function complement(ranges: Ranges): Ranges {
  const outside: [number, number][] = [];
  let next = 0;
  for (const [from, to] of ranges) {
    if (from > next) outside.push([next, from - 1]);
    next = to + 1;
  }
  if (next <= LAST) outside.push([next, LAST]);
  return outside;
}

/** With the other case of the ASCII letters among them. */
export function foldCase(ranges: Ranges): Ranges {
  const folded: (readonly [number, number])[] = [...ranges];
  for (const [from, to] of ranges) {
    for (const [low, high, other] of [
      [0x41, 0x5a, 0x20],
      [0x61, 0x7a, -0x20],
    ] as const) {
      if (from <= high && to >= low) folded.push([Math.max(from, low) + other, Math.min(to, high) + other]);
    }
  }
  return folded;
}

function codePoint(value: number): string {
  return `\\u{${value.toString(16)}}`;
}

/** What stands between the brackets. */
export function classText(ranges: Ranges): string {
  return ranges.map(([from, to]) => `${codePoint(from)}-${codePoint(to)}`).join('');
}

/** The text of `\pX`, undefined where there is no such class: a category such as `Lu`, or the name of a script. */
export function unicodeClass(name: string, negated: boolean): string | undefined {
  const inverted = name.startsWith('^') !== negated;
  const bare = name.replace(/^\^/, '');
  const property = /^(?:Any|[A-Z][a-z]?)$/.test(bare) ? bare : `Script=${bare}`;
  const text = `\\${inverted ? 'P' : 'p'}{${property}}`;
  try {
    new RegExp(text, 'u');
    return text;
  } catch {
    return undefined;
  }
}
