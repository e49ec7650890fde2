/** Finds the place where a text stops being JSON: the messages of `JSON.parse` name it only sometimes. */

export interface Place {
  readonly line: number;
  readonly column: number;
}

const SPACE = /[ \t\n\r]*/y;
const STRING = /"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
const LITERAL = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;

/** Undefined where the text is JSON. */
export function jsonFault(text: string): Place | undefined {
  const offset = faultOffset(text);
  if (offset === undefined) return undefined;
  const before = text.slice(0, offset).split(/\r\n|\r|\n/);
  return { line: before.length, column: (before.at(-1) ?? '').length + 1 };
}

/** What may come next: `first…` is right behind an opening bracket, where the closing one may come too. */
type Expected = 'value' | 'first-item' | 'first-key' | 'key' | 'colon' | 'separator';

function faultOffset(text: string): number | undefined {
  const open: ('{' | '[')[] = [];
  let expected: Expected = 'value';
  let at = 0;
  for (;;) {
    at = end(SPACE, text, at) ?? at;
    const char = text[at];
    if (char === undefined) return expected === 'separator' && open.length === 0 ? undefined : at;
    const inner = open.at(-1);
    if (expected === 'separator') {
      if (inner === undefined) return at;
      if (char === ',') expected = inner === '{' ? 'key' : 'value';
      else if (char === (inner === '{' ? '}' : ']')) open.pop();
      else return at;
      at += 1;
    } else if (expected === 'colon') {
      if (char !== ':') return at;
      expected = 'value';
      at += 1;
    } else if ((expected === 'first-key' && char === '}') || (expected === 'first-item' && char === ']')) {
      open.pop();
      expected = 'separator';
      at += 1;
    } else if (expected === 'key' || expected === 'first-key') {
      const next = end(STRING, text, at);
      if (next === undefined) return at;
      expected = 'colon';
      at = next;
    } else if (char === '{' || char === '[') {
      open.push(char);
      expected = char === '{' ? 'first-key' : 'first-item';
      at += 1;
    } else {
      const next = end(STRING, text, at) ?? end(LITERAL, text, at);
      if (next === undefined) return at;
      expected = 'separator';
      at = next;
    }
  }
}

function end(pattern: RegExp, text: string, at: number): number | undefined {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : undefined;
}
