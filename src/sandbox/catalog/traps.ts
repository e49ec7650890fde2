/** The ways in which a real catalog surprises its clients, each a switch: for tests, and for trying a script out. */

export const CATALOG_TRAPS = {
  'database-down': 'the health check is answered 503 with the text of the database, everything else 500 in plain text',
  'hostile-catalog': 'every text but the times holds escape sequences and begins as a formula does',
  'moving-total': 'the total of a list is another one with every page that is read',
  'shifting-catalog': 'a row moves to the front of its list with every page that is read, as when it is observed again',
  'slow-catalog': 'every answer takes 3 s (divided by --fast)',
  'wrong-shape': 'every answer comes in an envelope that nobody expects',
  'uneven-series': 'a price history has a value less than it has dates',
  'many-products': 'there are ten thousand products more',
} as const satisfies Readonly<Record<string, string>>;

export type CatalogTrap = keyof typeof CATALOG_TRAPS;

/** Before a text what a spreadsheet would run, after it what no terminal may ever be sent. No slash: ids are part of paths. */
export const HOSTILE_START = "=cmd|'calc'!A0 ";
export const HOSTILE_END = ' \u001b[31m\u202e\u009b2J\u0007\r\n3 fake row';

/** Times are read, not shown as they came; `status` is what the health check is about. */
const KEPT = /^(?:status|dates|date_from|date_to|observed_at_latest|\w+_at)$/;

export function hostile(value: unknown, name = ''): unknown {
  if (typeof value === 'string') return KEPT.test(name) ? value : `${HOSTILE_START}${value}${HOSTILE_END}`;
  if (Array.isArray(value)) return value.map((item) => hostile(item, name));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, hostile(inner, key)]));
}

/** The reverse, for what clients send back. */
export function withoutHostile(text: string): string {
  const end = text.endsWith(HOSTILE_END) ? -HOSTILE_END.length : text.length;
  return text.slice(text.startsWith(HOSTILE_START) ? HOSTILE_START.length : 0, end);
}

const DATABASE_ERROR = `(psycopg.OperationalError) connection failed: connection to server at "10.4.0.12", port 5432 failed: FATAL:  the database system is shutting down
[SQL: SELECT 1 FROM catalog_products LIMIT 1]
(Background on this error at: https://sqlalche.me/e/20/e3q8)`;

/** What the health check says of a database that is away: its very words, several lines of them. */
export const UNAVAILABLE = `catalog_unavailable: ${DATABASE_ERROR}`;
