/** Query parameters as the framework reads them: all, before it reports every problem at once. */
import { Refusal } from '../http.ts';

const TRUE: ReadonlySet<string> = new Set(['1', 'on', 't', 'true', 'y', 'yes']);
const FALSE: ReadonlySet<string> = new Set(['0', 'off', 'f', 'false', 'n', 'no']);

interface Bounds {
  readonly ge?: number;
  readonly le?: number;
}

type Location = readonly ['path' | 'query', string];

export class Parameters {
  readonly #query: URLSearchParams;
  readonly #problems: unknown[] = [];

  constructor(query: URLSearchParams) {
    this.#query = query;
  }

  /** The last one, if there are several. */
  text(name: string): string | undefined {
    return this.texts(name).at(-1);
  }

  texts(name: string): readonly string[] {
    return this.#query.getAll(name);
  }

  /** Neither missing nor empty. */
  required(name: string): string {
    const input = this.text(name);
    if (input === undefined) this.#report('missing', ['query', name], 'Field required', null);
    if (input === '') {
      const msg = 'String should have at least 1 character';
      this.#report('string_too_short', ['query', name], msg, input, { min_length: 1 });
    }
    return input ?? '';
  }

  integer(name: string, { ge = -Infinity, le = Infinity }: Bounds = {}): number | undefined {
    const input = this.text(name);
    if (input === undefined) return undefined;
    const value = this.#integer(['query', name], input);
    const msg = 'Input should be';
    if (value < ge) {
      this.#report('greater_than_equal', ['query', name], `${msg} greater than or equal to ${ge}`, input, { ge });
    }
    if (value > le) {
      this.#report('less_than_equal', ['query', name], `${msg} less than or equal to ${le}`, input, { le });
    }
    return value;
  }

  number(name: string): number | undefined {
    const input = this.text(name);
    if (input === undefined) return undefined;
    if (!/^\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?\s*$/i.test(input)) {
      const msg = 'Input should be a valid number, unable to parse string as a number';
      this.#report('float_parsing', ['query', name], msg, input);
    }
    return Number(input);
  }

  flag(name: string): boolean | undefined {
    const input = this.text(name);
    if (input === undefined) return undefined;
    const word = input.toLowerCase();
    if (!TRUE.has(word) && !FALSE.has(word)) {
      const msg = 'Input should be a valid boolean, unable to interpret input';
      this.#report('bool_parsing', ['query', name], msg, input);
    }
    return TRUE.has(word);
  }

  pathInteger(name: string, input: string): number {
    return this.#integer(['path', name], input);
  }

  /** Call this once all parameters are read. */
  check(): void {
    if (this.#problems.length > 0) throw new Refusal(422, { detail: this.#problems });
  }

  #integer(loc: Location, input: string): number {
    if (!/^\s*[+-]?\d+\s*$/.test(input)) {
      const msg = 'Input should be a valid integer, unable to parse string as an integer';
      this.#report('int_parsing', loc, msg, input);
      return Number.NaN;
    }
    return Number(input);
  }

  #report(
    type: string,
    loc: Location,
    msg: string,
    input: string | null,
    ctx?: Readonly<Record<string, number>>,
  ): void {
    this.#problems.push({ type, loc, msg, input, ctx });
  }
}
