/** Hides the token and the connection id of a session in data, of which nothing else changes. */
import { HIDDEN } from '../../../http/redact.ts';
import { jsonText } from '../../../json-object.ts';
import type { Envelope } from '../schema.ts';

/** Shorter secrets could match other text. */
const SHORTEST = 16;

/** The forms in which responses and pushes may contain the secrets. */
export function formsInData(secrets: readonly string[]): readonly string[] {
  const long = secrets.filter(({ length }) => length >= SHORTEST);
  return [...new Set(long.flatMap((secret) => [secret, encodeURIComponent(secret)]))];
}

export function hideInText(text: string, forms: readonly string[]): string {
  return forms.reduce((left, form) => left.replaceAll(form, HIDDEN), text);
}

/** The error of a response is no data: `hideInMessage` hides more in it. */
export function hideInAnswer<T>(whole: T, forms: readonly string[], hideInMessage: (text: string) => string): T {
  const answer = mapTexts(whole, (text) => hideInText(text, forms)) as T;
  const { response } = answer as Envelope;
  const error = response?.error ?? '';
  if (error === '') return answer;
  return { ...answer, response: { ...response, error: hideInMessage(jsonText(error)) } };
}

/** In one piece, because a secret may be split. */
export async function* hideInBytes(
  pieces: AsyncIterable<Uint8Array>,
  forms: readonly string[],
): AsyncGenerator<Uint8Array> {
  const all: Uint8Array[] = [];
  for await (const piece of pieces) all.push(piece);
  // latin1 maps each byte to a character, so nothing else changes.
  yield Buffer.from(hideInText(Buffer.concat(all).toString('latin1'), forms), 'latin1');
}

function mapTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, change));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, mapTexts(inner, change)]));
}
