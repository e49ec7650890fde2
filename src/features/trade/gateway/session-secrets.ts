/** Hides the token and the connection id of a session in data, of which nothing else changes. */
import { HIDDEN, type KnownSecrets } from '../../../http/redact.ts';
import { jsonText } from '../../../json-object.ts';
import type { Envelope } from '../schema.ts';

/** Shorter secrets could match other text. */
const SHORTEST = 16;

/** The forms in which responses and pushes may contain the secrets. */
export function formsInData(secrets: readonly string[]): readonly string[] {
  const forms: string[] = [];
  for (const secret of secrets) {
    if (secret.length >= SHORTEST) forms.push(secret, encodeURIComponent(secret));
  }
  return forms;
}

export function hideInText(text: string, forms: readonly string[]): string {
  let left = text;
  for (const form of forms) left = left.replaceAll(form, HIDDEN);
  return left;
}

/** In all texts of a response. Its error is no data: the log's redactor hides more in it. */
export function hideInAnswer<T>(whole: T, forms: readonly string[], secrets: Pick<KnownSecrets, 'hide'>): T {
  const answer = hideInValue(whole, forms) as T;
  const { response } = answer as Envelope;
  const error = response?.error ?? '';
  if (error === '') return answer;
  return { ...answer, response: { ...response, error: secrets.hide(jsonText(error)) } };
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

function hideInValue(value: unknown, forms: readonly string[]): unknown {
  if (typeof value === 'string') return hideInText(value, forms);
  if (Array.isArray(value)) return value.map((item) => hideInValue(item, forms));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, hideInValue(inner, forms)]));
}
