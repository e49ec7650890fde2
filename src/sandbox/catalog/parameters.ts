/** Query parameters as the framework reads them: all, before it reports every problem at once. */
import { Refusal } from '../http.ts';

const TRUE: readonly string[] = ['1', 'on', 't', 'true', 'y', 'yes'];
const FALSE: readonly string[] = ['0', 'off', 'f', 'false', 'n', 'no'];
const MUST_BE = 'Input should be';

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
    const input = this.text(name) ?? null;
    if (input === null) this.#report('missing', name, 'Field required', input);
    if (input === '') this.#report('string_too_short', name, 'String should have at least 1 character', input);
    return input ?? '';
  }

  integer(name: string, least = -Infinity, most = Infinity): number | undefined {
    const input = this.text(name);
    if (input === undefined) return undefined;
    const value = this.#readInteger(name, input, 'query');
    if (value < least) this.#report('greater_than_equal', name, `${MUST_BE} greater than or equal to ${least}`, input);
    if (value > most) this.#report('less_than_equal', name, `${MUST_BE} less than or equal to ${most}`, input);
    return value;
  }

  number(name: string): number | undefined {
    const input = this.text(name);
    if (input === undefined) return undefined;
    if (!/^\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?\s*$/i.test(input)) {
      const message = `${MUST_BE} a valid number, unable to parse string as a number`;
      this.#report('float_parsing', name, message, input);
    }
    return Number(input);
  }

  flag(name: string): boolean | undefined {
    const input = this.text(name);
    if (input === undefined) return undefined;
    const word = input.toLowerCase();
    if (!TRUE.includes(word) && !FALSE.includes(word)) {
      this.#report('bool_parsing', name, `${MUST_BE} a valid boolean, unable to interpret input`, input);
    }
    return TRUE.includes(word);
  }

  pathInteger(name: string, input: string): number {
    return this.#readInteger(name, input, 'path');
  }

  /** Call this once all parameters are read. */
  check(): void {
    if (this.#problems.length > 0) throw new Refusal(422, { detail: this.#problems });
  }

  #readInteger(name: string, input: string, location: 'path' | 'query'): number {
    if (/^\s*[+-]?\d+\s*$/.test(input)) return Number(input);
    const message = `${MUST_BE} a valid integer, unable to parse string as an integer`;
    this.#report('int_parsing', name, message, input, location);
    return Number.NaN;
  }

  #report(type: string, name: string, msg: string, input: string | null, location = 'query'): void {
    this.#problems.push({ type, loc: [location, name], msg, input });
  }
}
