/** Dotted paths into JSON values: `status.state`, `labels.team`, `matchers.name`. */
import { isObject } from '../json-object.ts';

/**
 * The value at `path`. A key that has dots itself is found first by its whole name; from an array a number takes one item, any
 * other name that field of every item.
 */
export function valueAt(value: unknown, path: string): unknown {
  if (Array.isArray(value) && !/^\d+(\.|$)/.test(path)) {
    const found = value.map((item) => valueAt(item, path)).filter((item) => item !== undefined);
    return found.length === 0 ? undefined : found;
  }
  if (typeof value !== 'object' || value === null) return undefined;
  if (Object.hasOwn(value, path)) return (value as Record<string, unknown>)[path];
  for (let dot = path.indexOf('.'); dot >= 0; dot = path.indexOf('.', dot + 1)) {
    const head = path.slice(0, dot);
    if (!Object.hasOwn(value, head)) continue;
    const found = valueAt((value as Record<string, unknown>)[head], path.slice(dot + 1));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The paths that a value offers, two levels deep: enough to find the one that was meant. */
export function pathsOf(value: unknown): readonly string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    isObject(inner) && Object.keys(inner).length > 0 ? Object.keys(inner).map((name) => `${key}.${name}`) : [key],
  );
}
