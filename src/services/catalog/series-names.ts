/** What a series is called among the others of its product: the store, and as much more as it takes to tell it from them. */
import type { KnownSource } from './product-sources.ts';

type Telling = (source: KnownSource) => string | undefined | null;

/** In the order in which they are added. */
const TELLING: readonly Telling[] = [
  ({ settlement }) => settlement?.name,
  ({ settlement }) => settlement?.region,
  ({ source_id }) => source_id,
];

export function seriesNames(sources: readonly KnownSource[]): readonly string[] {
  const names = sources.map(({ parser_name }) => [parser_name]);
  for (const telling of TELLING) {
    const texts = names.map((parts) => parts.join(' '));
    for (const [index, source] of sources.entries()) {
      const more = telling(source);
      const shared = texts.filter((text) => text === texts[index]).length > 1;
      if (shared && more) names[index]?.push(more);
    }
  }
  const units = sources.map(unitOf);
  const differ = new Set(units).size > 1;
  return names.map((parts, index) => [...parts, ...(differ && units[index] ? [`(${units[index]})`] : [])].join(' '));
}

/** What a price of this source is for: `RUB/KGM`. */
export function unitOf({ price_unit, unit }: Pick<KnownSource, 'price_unit' | 'unit'>): string {
  return [price_unit, unit].filter(Boolean).join('/');
}

/** That of all of them, or none. */
export function sharedUnit(sources: readonly KnownSource[]): string | undefined {
  const units = new Set(sources.map(unitOf));
  const [unit, ...more] = units;
  return more.length === 0 && unit !== '' ? unit : undefined;
}
