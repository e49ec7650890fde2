/** What must not be shown of a session, and may stand in whatever the gateway sends: the token, and the ids of connections. */
import type { KnownSecrets } from '../../http/known-secrets.ts';
import { redactText } from '../../http/redact.ts';
import { jsonText } from '../../json-object.ts';
import type { Envelope } from './schema.ts';

/** In what is answered and pushed only those are looked for that cannot be anything else. */
const UNMISTAKABLE = 16;

export class SessionSecrets {
  readonly #known: KnownSecrets;
  #unmistakable: readonly string[] = [];

  constructor(known: KnownSecrets) {
    this.#known = known;
  }

  keep(value: string): void {
    this.#known.add(value);
    if (value.length < UNMISTAKABLE || this.#unmistakable.includes(value)) return;
    this.#unmistakable = [...this.#unmistakable, value, encodeURIComponent(value)];
  }

  /** For what svc says itself. */
  hide(text: string): string {
    return redactText(this.#known.hide(text));
  }

  leftOutOfText(text: string): string {
    return withoutSecrets(text, this.#unmistakable);
  }

  /** A row or an error within an answer may repeat whose it is. */
  leftOut<T>(whole: T): T {
    const answer = withTexts(whole, (text) => this.leftOutOfText(text)) as T;
    const { response } = answer as Envelope;
    const error = response?.error ?? '';
    if (error === '') return answer;
    return { ...answer, response: { ...response, error: this.#known.hide(jsonText(error)) } };
  }

  /** In pieces; what may be the beginning of one of them waits for the next piece. */
  async *leftOutOfBytes(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    const secrets = this.#unmistakable;
    const most = Math.max(1, ...secrets.map(({ length }) => length)) - 1;
    // A byte a letter: nothing but the secrets is changed, whatever the encoding is.
    let held = '';
    for await (const piece of bytes) {
      const text = withoutSecrets(held + Buffer.from(piece).toString('latin1'), secrets);
      const cut = Math.max(0, text.length - most);
      held = text.slice(cut);
      if (cut > 0) yield Buffer.from(text.slice(0, cut), 'latin1');
    }
    if (held !== '') yield Buffer.from(held, 'latin1');
  }
}

/** The same, with each of its texts changed. */
function withTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((item) => withTexts(item, change));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, withTexts(inner, change)]));
}

function withoutSecrets(text: string, secrets: readonly string[]): string {
  return secrets.reduce((left, secret) => left.replaceAll(secret, '***'), text);
}
