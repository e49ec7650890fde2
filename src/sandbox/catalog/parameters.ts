/** Parameters as the framework reads them: all are looked at, then all problems are told at once. */
import { type ParameterProblem, Refusal } from './refusal.ts';

const TRUE: ReadonlySet<string> = new Set(['1', 'on', 't', 'true', 'y', 'yes']);
const FALSE: ReadonlySet<string> = new Set(['0', 'off', 'f', 'false', 'n', 'no']);

interface Bounds {
  readonly ge?: number;
  readonly le?: number;
}

export class Parameters {
  readonly #query: ReadonlyMap<string, readonly string[]>;
  readonly #problems: ParameterProblem[] = [];

  constructor(query: ReadonlyMap<string, readonly string[]>) {
    this.#query = query;
  }

  /** Of several the last one counts. */
  text(name: string): string | undefined {
    return this.#query.get(name)?.at(-1);
  }

  texts(name: string): readonly string[] {
    return this.#query.get(name) ?? [];
  }

  /** Not missing and not empty. */
  required(name: string): string {
    const input = this.text(name);
    if (input === undefined) {
      this.#problem({ type: 'missing', loc: ['query', name], msg: 'Field required', input: null });
    } else if (input === '') {
      const msg = 'String should have at least 1 character';
      this.#problem({ type: 'string_too_short', loc: ['query', name], msg, input, ctx: { min_length: 1 } });
    }
    return input ?? '';
  }

  integer(name: string, bounds: Bounds = {}): number | undefined {
    const input = this.text(name);
    if (input === undefined) return undefined;
    const value = this.#integer(['query', name], input);
    const { ge, le } = bounds;
    if (ge !== undefined && value < ge) {
      const msg = `Input should be greater than or equal to ${ge}`;
      this.#problem({ type: 'greater_than_equal', loc: ['query', name], msg, input, ctx: { ge } });
    }
    if (le !== undefined && value > le) {
      const msg = `Input should be less than or equal to ${le}`;
      this.#problem({ type: 'less_than_equal', loc: ['query', name], msg, input, ctx: { le } });
    }
    return value;
  }

  number(name: string): number | undefined {
    const input = this.text(name);
    if (input === undefined) return undefined;
    const text = input.trim();
    if (/^[+-]?(?:inf|infinity|nan)$/i.test(text))
      return /nan/i.test(text) ? NaN : text[0] === '-' ? -Infinity : Infinity;
    if (!/^[+-]?(?:\d+(?:_\d+)*\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(text)) {
      const msg = 'Input should be a valid number, unable to parse string as a number';
      this.#problem({ type: 'float_parsing', loc: ['query', name], msg, input });
    }
    return Number(text.replaceAll('_', ''));
  }

  flag(name: string): boolean | undefined {
    const input = this.text(name);
    if (input === undefined) return undefined;
    const word = input.toLowerCase();
    if (!TRUE.has(word) && !FALSE.has(word)) {
      const msg = 'Input should be a valid boolean, unable to interpret input';
      this.#problem({ type: 'bool_parsing', loc: ['query', name], msg, input });
    }
    return TRUE.has(word);
  }

  /** A piece of the path. */
  pathInteger(name: string, input: string): number {
    return this.#integer(['path', name], input);
  }

  /** To be called once all are read. */
  check(): void {
    if (this.#problems.length > 0) throw new Refusal(422, this.#problems);
  }

  #integer(loc: ParameterProblem['loc'], input: string): number {
    const text = input.trim();
    if (!/^[+-]?\d+(?:_\d+)*(?:\.0*)?$/.test(text)) {
      const msg = 'Input should be a valid integer, unable to parse string as an integer';
      this.#problem({ type: 'int_parsing', loc, msg, input });
      return Number.NaN;
    }
    return Number(text.replaceAll('_', ''));
  }

  #problem(problem: ParameterProblem): void {
    this.#problems.push(problem);
  }
}

/** Python's `parse_qsl`: blank values are kept, `+` is a space, an escape that is none stays as it is. */
export function parseQuery(search: string): Map<string, string[]> {
  const query = new Map<string, string[]>();
  for (const pair of search.split('&')) {
    if (pair === '') continue;
    const at = pair.indexOf('=');
    const name = unquoted((at === -1 ? pair : pair.slice(0, at)).replaceAll('+', ' '));
    const value = at === -1 ? '' : unquoted(pair.slice(at + 1).replaceAll('+', ' '));
    query.set(name, [...(query.get(name) ?? []), value]);
  }
  return query;
}

/** Bytes that are no UTF-8 become U+FFFD. */
export function unquoted(text: string): string {
  const bytes = text.replace(/%([0-9A-Fa-f]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString('utf8');
}
