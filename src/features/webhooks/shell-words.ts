/** The words of POSIX shell command lines, of bytes: `latin1` text in, `latin1` text out. Nothing is expanded. */
import { SvcError } from '../../errors.ts';

/** A word, or what ends a command: `;`, `&`, `&&`, `|`, a line end. */
export type Token = { readonly word: string } | { readonly end: true };

const PLAIN = /[^\s'"\\$`;&|<>()#]+/y;
const SIMPLE_ESCAPES: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  e: '\x1b',
  E: '\x1b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
};

/** Throws `file_unusable` for what only a shell can know: variables and commands within the line, and quotes that never end. */
export function* shellWords(text: string, source: string): Generator<Token> {
  let at = 0;
  let word: string | undefined;
  const unusable = (why: string): SvcError =>
    new SvcError('file_unusable', `${source}: ${why}`, {
      hint: 'save the body in a file, and give its headers by options',
    });
  const upTo = (end: string, what: string): string => {
    const stop = text.indexOf(end, at);
    if (stop < 0) throw unusable(`the command line ends within ${what}`);
    const found = text.slice(at, stop);
    at = stop + 1;
    return found;
  };
  const expanded = (): SvcError =>
    unusable(`${/^\$?[\w({`]+/.exec(text.slice(at))?.[0] ?? '$'}… is known to the shell only`);

  while (at < text.length) {
    PLAIN.lastIndex = at;
    const plain = PLAIN.exec(text)?.[0];
    if (plain !== undefined) {
      word = (word ?? '') + plain;
      at += plain.length;
      continue;
    }
    const character = text[at] ?? '';
    if (character === '#' && word !== undefined) {
      word += character;
      at++;
    } else if (character === '#') {
      while (at < text.length && text[at] !== '\n') at++;
    } else if (character === "'") {
      at++;
      word = (word ?? '') + upTo("'", 'single quotes');
    } else if (text.startsWith("$'", at)) {
      at += 2;
      word = (word ?? '') + ansiC();
    } else if (character === '"' || text.startsWith('$"', at)) {
      at += character === '"' ? 1 : 2;
      word = (word ?? '') + doubleQuoted();
    } else if (character === '\\') {
      const escaped = /^\\(\r?\n|.?)/s.exec(text.slice(at, at + 3))?.[1] ?? '';
      at += 1 + escaped.length;
      if (!escaped.endsWith('\n')) word = (word ?? '') + escaped;
    } else if (character === '$' || character === '`') {
      if (character === '$' && !/^\$[\w({*@#?!$-]/.test(text.slice(at, at + 2))) {
        word = `${word ?? ''}$`;
        at++;
      } else throw expanded();
    } else {
      if (word !== undefined) yield { word };
      word = undefined;
      if (/[;&|\n()<>]/.test(character)) yield { end: true };
      at++;
    }
  }
  if (word !== undefined) yield { word };

  function doubleQuoted(): string {
    let found = '';
    for (;;) {
      const character = text[at];
      if (character === undefined) throw unusable('the command line ends within double quotes');
      if (character === '"') {
        at++;
        return found;
      }
      if (character === '`' || /^\$[\w({]/.test(text.slice(at, at + 2))) throw expanded();
      if (character === '\\') {
        const next = text[at + 1] ?? '';
        found += next === '\n' ? '' : /["\\$`]/.test(next) ? next : `\\${next}`;
        at += 2;
      } else {
        found += character;
        at++;
      }
    }
  }

  /** `$'…'`: bash's own escapes, by which Chrome writes what is not plain. A `\u` is UTF-8. */
  function ansiC(): string {
    let found = '';
    for (;;) {
      const character = text[at];
      if (character === undefined) throw unusable("the command line ends within $'…'");
      if (character === "'") {
        at++;
        return found;
      }
      if (character !== '\\') {
        found += character;
        at++;
        continue;
      }
      const rest = text.slice(at + 1, at + 10);
      const [all, octal, hex, unicode] =
        /^(?:([0-7]{1,3})|x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8}))/.exec(rest) ?? [];
      if (all === undefined) {
        const next = rest[0] ?? '';
        found += SIMPLE_ESCAPES[next] ?? (/['"\\?]/.test(next) ? next : `\\${next}`);
        at += 1 + next.length;
        continue;
      }
      at += 1 + all.length;
      if (octal !== undefined) found += String.fromCharCode(Number.parseInt(octal, 8) & 0xff);
      else if (hex !== undefined) found += String.fromCharCode(Number.parseInt(hex, 16));
      else found += unicodeBytes(Number.parseInt(unicode ?? all.slice(1), 16));
    }
  }

  /** Browsers write a character beyond the first plane as two units. */
  function unicodeBytes(unit: number): string {
    let code = unit;
    const low = /^\\u(d[c-f][0-9a-f]{2})/i.exec(text.slice(at, at + 6))?.[1];
    if (unit >= 0xd800 && unit <= 0xdbff && low !== undefined) {
      code = 0x10000 + ((unit - 0xd800) << 10) + (Number.parseInt(low, 16) - 0xdc00);
      at += 6;
    }
    if (code > 0x10ffff) throw unusable(`\\U${unit.toString(16)} is no character`);
    return Buffer.from(String.fromCodePoint(code)).toString('latin1');
  }
}
