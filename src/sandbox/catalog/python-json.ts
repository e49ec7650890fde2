/** JSON as Python writes it: a number that is a float there is told from an integer by its `.0`. */

/** Fields whose numbers are floats; a list's numbers are what the list is. */
const FLOATS: ReadonlySet<string> = new Set([
  'price',
  'discount_price',
  'loyal_price',
  'price_from',
  'rating',
  'available_count',
  'package_quantity',
  'latitude',
  'longitude',
  'values',
]);

export function pythonJson(value: unknown, name = ''): string {
  if (Array.isArray(value)) return `[${value.map((item) => pythonJson(item, name)).join(',')}]`;
  if (typeof value === 'number') return Number.isInteger(value) && FLOATS.has(name) ? `${value}.0` : String(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(([key, inner]) => `${JSON.stringify(key)}:${pythonJson(inner, key)}`);
  return `{${members.join(',')}}`;
}
