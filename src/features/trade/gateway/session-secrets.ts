/** Keeps the token and the connection ids of a session out of everything that is shown. */
import type { KnownSecrets } from '../../../http/known-secrets.ts';
import { redactText } from '../../../http/redact.ts';
import { jsonText } from '../../../json-object.ts';
import type { Envelope } from '../schema.ts';

/** Shorter secrets could match other text in responses and pushes. */
const UNMISTAKABLE = 16;
/** With the encoded forms: those of the last few connections. */
const MOST = 16;

export class SessionSecrets {
  readonly #known: KnownSecrets;
  #unmistakable: readonly string[] = [];

  constructor(known: KnownSecrets) {
    this.#known = known;
  }

  keep(value: string): void {
    this.#known.addPassing(value);
    if (value.length < UNMISTAKABLE) return;
    const forms = new Set([value, encodeURIComponent(value)]);
    // The token is kept again with each connection.
    this.#unmistakable = [...this.#unmistakable.filter((one) => !forms.has(one)), ...forms].slice(-MOST);
  }

  /** For svc's own messages. */
  hide(text: string): string {
    return redactText(this.#known.hide(text));
  }

  leftOutOfText(text: string): string {
    return withoutSecrets(text, this.#unmistakable);
  }

  leftOut<T>(whole: T): T {
    const answer = withTexts(whole, (text) => this.leftOutOfText(text)) as T;
    const { response } = answer as Envelope;
    const error = response?.error ?? '';
    if (error === '') return answer;
    return { ...answer, response: { ...response, error: this.#known.hide(jsonText(error)) } };
  }

  /** In chunks; a possible beginning of a secret waits for the next chunk. */
  async *leftOutOfBytes(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    const secrets = this.#unmistakable;
    const most = Math.max(1, ...secrets.map(({ length }) => length)) - 1;
    // latin1 maps each byte to a character, so nothing else changes.
    let pending = '';
    for await (const piece of bytes) {
      const text = withoutSecrets(pending + Buffer.from(piece).toString('latin1'), secrets);
      const cut = Math.max(0, text.length - most);
      pending = text.slice(cut);
      if (cut > 0) yield Buffer.from(text.slice(0, cut), 'latin1');
    }
    if (pending !== '') yield Buffer.from(pending, 'latin1');
  }
}

function withTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((item) => withTexts(item, change));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, withTexts(inner, change)]));
}

function withoutSecrets(text: string, secrets: readonly string[]): string {
  return secrets.reduce((left, secret) => left.replaceAll(secret, '***'), text);
}
