/** Query strings as the server reads them. */

const TRUE = new Set(['true', '1', 'yes', 'ok', 'y', 'on', 't', 'enabled', 'checked', 'selected']);

export type Query = ReadonlyMap<string, readonly string[]>;

/** A pair with a semicolon or a broken escape is dropped without a word, as Go does. */
export function parseQuery(text: string): Query {
  const query = new Map<string, string[]>();
  for (const pair of text.split('&')) {
    if (pair === '' || pair.includes(';')) continue;
    const at = pair.indexOf('=');
    const name = unescaped(at === -1 ? pair : pair.slice(0, at));
    const value = unescaped(at === -1 ? '' : pair.slice(at + 1));
    if (name !== undefined && value !== undefined) query.set(name, [...(query.get(name) ?? []), value]);
  }
  return query;
}

/** Bytes that are no UTF-8 become U+FFFD. */
function unescaped(text: string): string | undefined {
  if (/%(?![0-9A-Fa-f]{2})/.test(text)) return undefined;
  const bytes = text
    .replaceAll('+', ' ')
    .replace(/%(..)/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString('utf8');
}

/** True by default; the last one counts, and whatever is not one of the known words is false. */
export function flagOf(query: Query, name: string): boolean {
  const value = query.get(name)?.at(-1);
  return value === undefined || value === '' || TRUE.has(value.toLowerCase());
}
