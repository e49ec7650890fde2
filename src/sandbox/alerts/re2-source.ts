/** Reads the parts of an RE2 expression one after the other. */
import { classText, complement, DIGIT, foldCase, POSIX, type Ranges, SPACE, unicodeClass, WORD } from './re2-class.ts';

/** RE2's complaint, with the part of the expression that it is about. */
export class Re2Error extends Error {
  constructor(what: string, part: string) {
    super(`${what}: \`${part}\``);
  }
}

/** What `(?ims)` sets. */
export interface Flags {
  readonly fold: boolean;
  readonly multiline: boolean;
  readonly dotAll: boolean;
}

const MOST_REPEATS = 1000;
const CONTROL: Readonly<Record<string, number>> = { a: 7, f: 12, t: 9, n: 10, r: 13, v: 11 };

export class Re2Source {
  readonly pattern: string;
  at = 0;

  constructor(pattern: string) {
    this.pattern = pattern;
  }

  get done(): boolean {
    return this.at >= this.pattern.length;
  }

  /** The next character, empty at the end. */
  peek(): string {
    const code = this.pattern.codePointAt(this.at);
    return code === undefined ? '' : String.fromCodePoint(code);
  }

  take(): string {
    const char = this.peek();
    this.at += char.length;
    return char;
  }

  private takeMatch(form: RegExp): RegExpExecArray | undefined {
    form.lastIndex = this.at;
    const found = form.exec(this.pattern);
    if (found === null) return undefined;
    this.at = form.lastIndex;
    return found;
  }

  /** A repetition as JavaScript writes it. Braces that are none are ordinary characters. */
  takeRepeat(): string | undefined {
    const found = this.takeMatch(/([*+?])\??|\{(\d{1,9})(,?)(\d{0,9})\}\??/y);
    if (found === undefined) return undefined;
    const [text, sign, from, comma, to] = found;
    if (sign !== undefined) return sign;
    const least = Number(from);
    const most = to === '' ? least : Number(to);
    if ((comma === '' && to !== '') || least > MOST_REPEATS || most > MOST_REPEATS || most < least) {
      throw new Re2Error('invalid repeat count', text.replace(/\?$/, ''));
    }
    return `{${from}${comma}${to}}`;
  }

  /** What follows a parenthesis: a group, or flags that hold to the end of the present one. */
  takeGroup(flags: Flags): { readonly opens: boolean; readonly flags: Flags } {
    const start = this.at - 1;
    if (this.peek() !== '?') return { opens: true, flags };
    if (this.pattern.startsWith('?P<', this.at) && this.pattern.length - start > 4) {
      const named = this.takeMatch(/\?P<([^>]*)>/y);
      if (named === undefined) throw new Re2Error('invalid named capture', this.pattern.slice(start));
      if (!/^\w+$/.test(named[1] ?? '')) throw new Re2Error('invalid named capture', `(${named[0]}`);
      return { opens: true, flags };
    }
    this.take();
    let set = { ...flags };
    let value = true;
    let changed = false;
    for (;;) {
      const char = this.take();
      if (char === 'i') set = { ...set, fold: value };
      else if (char === 'm') set = { ...set, multiline: value };
      else if (char === 's') set = { ...set, dotAll: value };
      else if ((char === ':' || char === ')') && (value || changed)) return { opens: char === ':', flags: set };
      else if (char === '-' && value) value = false;
      else if (char !== 'U')
        throw new Re2Error('invalid or unsupported Perl syntax', this.pattern.slice(start, this.at));
      changed = char !== '-';
    }
  }

  /** The characters of `\Q…\E`, or to the end. */
  takeQuoted(): string {
    return this.takeMatch(/Q([\s\S]*?)(?:\\E|$)/y)?.[1] ?? '';
  }

  /** `\d`, `\pN` and the like, as it stands between brackets. */
  takeClassEscape(start: number): string | undefined {
    const perl = this.takeMatch(/[dDsSwW]/y)?.[0];
    if (perl !== undefined) {
      const ranges = { d: DIGIT, s: SPACE, w: WORD }[perl.toLowerCase()] ?? [];
      return classText(perl === perl.toLowerCase() ? ranges : complement(ranges));
    }
    const unicode = this.takeMatch(/([pP])(?:\{([^}]*)\}|([^{]))/uy);
    if (unicode === undefined) return undefined;
    const text = unicodeClass(unicode[2] ?? unicode[3] ?? '', unicode[1] === 'P');
    if (text === undefined) throw new Re2Error('invalid character class range', this.pattern.slice(start, this.at));
    return text;
  }

  /** The one character that an escape stands for. */
  takeEscape(start: number): number {
    const hex = this.takeMatch(/x(?:\{([0-9A-Fa-f]{1,6})\}|([0-9A-Fa-f]{2}))/y);
    if (hex !== undefined) {
      const code = Number.parseInt(hex[1] ?? hex[2] ?? '', 16);
      if (code > 0x10ffff) throw new Re2Error('invalid escape sequence', this.pattern.slice(start, this.at));
      return code;
    }
    const octal = this.takeMatch(/0[0-7]{0,2}|[1-7][0-7]{1,2}/y);
    if (octal !== undefined) return Number.parseInt(octal[0], 8);
    const char = this.take();
    if (char === '') throw new Re2Error('trailing backslash at end of expression', '');
    const control = CONTROL[char];
    if (control !== undefined) return control;
    if (/^[\0-\x7f]$/.test(char) && !/^[0-9A-Za-z]$/.test(char)) return char.charCodeAt(0);
    if (char === 'x') this.takeMatch(/\{[0-9A-Fa-f]*[\s\S]?|[\s\S]{1,2}/uy);
    throw new Re2Error('invalid escape sequence', this.pattern.slice(start, this.at));
  }

  /** A class from behind its opening bracket, as JavaScript writes it. */
  takeClass(start: number, fold: boolean): string {
    const negated = this.takeMatch(/\^/y) !== undefined;
    let text = '';
    for (let first = true; first || this.peek() !== ']'; first = false) {
      if (this.done) throw new Re2Error('missing closing ]', this.pattern.slice(start));
      text += this.takeClassItem(fold);
    }
    this.take();
    return `[${negated ? '^' : ''}${text}]`;
  }

  private takeClassItem(fold: boolean): string {
    const start = this.at;
    const cased = (ranges: Ranges): string => classText(fold ? foldCase(ranges) : ranges);
    const posix = this.takeMatch(/\[:(\^?)(.*?):\]/y);
    if (posix !== undefined) {
      const ranges = POSIX[posix[2] ?? ''];
      if (ranges === undefined) throw new Re2Error('invalid character class range', posix[0]);
      return cased(posix[1] === '^' ? complement(ranges) : ranges);
    }
    if (this.peek() === '\\') {
      this.take();
      const set = this.takeClassEscape(start);
      if (set !== undefined) return set;
      this.at = start;
    }
    const from = this.takeClassChar();
    if (!/^-[^\]]/u.test(this.pattern.slice(this.at, this.at + 3))) return cased([[from, from]]);
    this.take();
    const to = this.takeClassChar();
    if (to < from) throw new Re2Error('invalid character class range', this.pattern.slice(start, this.at));
    return cased([[from, to]]);
  }

  private takeClassChar(): number {
    const start = this.at;
    const char = this.take();
    return char === '\\' ? this.takeEscape(start) : (char.codePointAt(0) ?? 0);
  }
}
