/** JSON as the server (Go) reads and writes it: its complaints, its tolerance, its escapes. */

export type JsonNode =
  | { readonly kind: 'null' }
  | { readonly kind: 'bool'; readonly value: boolean }
  | { readonly kind: 'number' }
  | { readonly kind: 'string'; readonly value: string }
  | { readonly kind: 'array'; readonly items: readonly JsonNode[] }
  /** Names may repeat. */
  | { readonly kind: 'object'; readonly members: readonly (readonly [name: string, value: JsonNode])[] };

export class JsonError extends Error {}

/** Go stops at 10,000; the stack here is smaller. */
const DEEPEST = 1000;

/** The first value of a text; whatever follows it is ignored. Undefined where there is nothing but blanks. */
export function parseJson(text: string): JsonNode | undefined {
  const scanner = new Scanner(text);
  scanner.skipBlanks();
  return scanner.char === '' ? undefined : scanner.value(1);
}

class Scanner {
  private readonly text: string;
  private at = 0;

  constructor(text: string) {
    this.text = text;
  }

  get char(): string {
    return this.text.charAt(this.at);
  }

  skipBlanks(): void {
    while (this.char !== '' && ' \t\r\n'.includes(this.char)) this.at++;
  }

  value(depth: number): JsonNode {
    if (depth > DEEPEST) throw new JsonError('exceeded max depth');
    this.skipBlanks();
    const char = this.char;
    if (char === '{') return this.object(depth);
    if (char === '[') return this.array(depth);
    if (char === '"') return { kind: 'string', value: this.string() };
    if (char === '-' || isDigit(char)) return this.number();
    if (char === 't') return this.word('true', { kind: 'bool', value: true });
    if (char === 'f') return this.word('false', { kind: 'bool', value: false });
    if (char === 'n') return this.word('null', { kind: 'null' });
    throw this.unexpected('looking for beginning of value');
  }

  private object(depth: number): JsonNode {
    const members: [string, JsonNode][] = [];
    this.at++;
    this.skipBlanks();
    if (this.takes('}')) return { kind: 'object', members };
    for (;;) {
      this.skipBlanks();
      if (this.char !== '"') throw this.unexpected('looking for beginning of object key string');
      const name = this.string();
      this.skipBlanks();
      if (!this.takes(':')) throw this.unexpected('after object key');
      members.push([name, this.value(depth + 1)]);
      this.skipBlanks();
      if (this.takes('}')) return { kind: 'object', members };
      if (!this.takes(',')) throw this.unexpected('after object key:value pair');
    }
  }

  private array(depth: number): JsonNode {
    const items: JsonNode[] = [];
    this.at++;
    this.skipBlanks();
    if (this.takes(']')) return { kind: 'array', items };
    for (;;) {
      items.push(this.value(depth + 1));
      this.skipBlanks();
      if (this.takes(']')) return { kind: 'array', items };
      if (!this.takes(',')) throw this.unexpected('after array element');
    }
  }

  private string(): string {
    const start = this.at;
    this.at++;
    while (this.char !== '"') {
      if (this.char < ' ') throw this.unexpected('in string literal');
      if (this.takes('\\')) this.escape();
      else this.at++;
    }
    this.at++;
    const value: string = JSON.parse(this.text.slice(start, this.at));
    // Half a surrogate pair is no character.
    return value.replace(/\p{Surrogate}/gu, '\ufffd');
  }

  private escape(): void {
    if (this.takes('u')) {
      for (let digit = 0; digit < 4; digit++) {
        if (!/[0-9A-Fa-f]/.test(this.char)) throw this.unexpected('in \\u hexadecimal character escape');
        this.at++;
      }
    } else if (this.char !== '' && '"\\/bfnrt'.includes(this.char)) this.at++;
    else throw this.unexpected('in string escape code');
  }

  private number(): JsonNode {
    this.takes('-');
    if (!this.takes('0')) this.digits('in numeric literal');
    if (this.takes('.')) this.digits('after decimal point in numeric literal');
    if (this.takes('e') || this.takes('E')) {
      if (!this.takes('+')) this.takes('-');
      this.digits('in exponent of numeric literal');
    }
    return { kind: 'number' };
  }

  private digits(where: string): void {
    if (!isDigit(this.char)) throw this.unexpected(where);
    while (isDigit(this.char)) this.at++;
  }

  private word(word: string, node: JsonNode): JsonNode {
    for (const letter of word) {
      if (!this.takes(letter)) throw this.unexpected(`in literal ${word} (expecting '${letter}')`);
    }
    return node;
  }

  private takes(char: string): boolean {
    if (this.char !== char) return false;
    this.at++;
    return true;
  }

  private unexpected(where: string): JsonError {
    if (this.char === '') return new JsonError('unexpected EOF');
    // Go looks at bytes.
    const byte = String.fromCharCode(Buffer.from(this.char)[0] ?? 0);
    const shown = byte === "'" ? "\\'" : byte === '"' ? '"' : goQuote(byte).slice(1, -1);
    return new JsonError(`invalid character '${shown}' ${where}`);
  }
}

function isDigit(char: string): boolean {
  return char >= '0' && char <= '9';
}

const SHORT: Readonly<Record<string, string>> = {
  '\x07': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
  '"': '\\"',
  '\\': '\\\\',
};

/** A text as Go's `%q` shows it. */
export function goQuote(text: string): string {
  const shown = text.replace(/["\\]|\p{C}|(?! )\p{Z}/gu, (char) => {
    const code = char.codePointAt(0) ?? 0;
    const hex = (length: number): string => code.toString(16).padStart(length, '0');
    return SHORT[char] ?? (code < 0x80 ? `\\x${hex(2)}` : code < 0x10000 ? `\\u${hex(4)}` : `\\U${hex(8)}`);
  });
  return `"${shown}"`;
}

/** JSON text with Go's escapes: no short form of backspace and form feed, the line separators, and where asked `<`, `>` and `&`. */
export function goJson(value: unknown, html: boolean): string {
  return JSON.stringify(value).replace(/\\.|[<>&\u2028\u2029]/g, (found) => {
    if (found === '\\b') return '\\u0008';
    if (found === '\\f') return '\\u000c';
    if (!html && '<>&'.includes(found)) return found;
    return found.length === 1 ? `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}` : found;
  });
}
