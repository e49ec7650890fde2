/** The parameters of a request: of a GET in its query, of a POST in its body. */
import { missing, unfit } from './refusals.ts';

export class Form {
  readonly #values: URLSearchParams;
  readonly #given: (text: string) => string;

  /** `given` is what becomes of every value before it is read. */
  constructor(text: string, given: (text: string) => string = (value) => value) {
    this.#values = new URLSearchParams(text);
    this.#given = given;
  }

  /** Undefined where it is absent or empty. */
  optional(name: string): string | undefined {
    const value = this.#values.get(name);
    return value === null || value === '' ? undefined : this.#given(value);
  }

  text(name: string): string {
    const value = this.optional(name);
    if (value === undefined) throw missing(name);
    return value;
  }

  texts(name: string): readonly string[] {
    return this.#values.getAll(name).map(this.#given);
  }

  number(name: string): number | undefined {
    const text = this.optional(name);
    if (text === undefined) return undefined;
    if (!/^-?\d+(?:\.\d+)?$/.test(text)) throw unfit(name, text);
    return Number(text);
  }

  flag(name: string): boolean | undefined {
    const text = this.optional(name);
    if (text === undefined) return undefined;
    // Python's clients write True and False.
    if (!/^(?:[Tt]rue|[Ff]alse)$/.test(text)) throw unfit(name, text);
    return text.toLowerCase() === 'true';
  }

  /** The first of them where it is absent: the vendor's samples leave it out. */
  oneOf(name: string, words: readonly [string, ...string[]]): string {
    const text = this.optional(name) ?? words[0];
    if (!words.includes(text)) throw unfit(name, text);
    return text;
  }
}
