/** What a series is called: its store and its place, and as much more as it takes to tell it from the others of its product. */
import type { Source } from './schema.ts';

type Named = Pick<Source, 'parser_name' | 'source_id' | 'settlement' | 'price_unit' | 'unit'>;

/** In the order in which they are added. */
const TELLING: readonly ((series: Named) => string | undefined | null)[] = [
  ({ settlement }) => (settlement?.region === settlement?.name ? undefined : settlement?.region),
  ({ source_id }) => source_id,
];

export function seriesNames(series: readonly Named[]): readonly string[] {
  const units = series.map(unitOf);
  const differ = new Set(units).size > 1;
  const names = series.map(({ parser_name, settlement }) => [parser_name, settlement?.name].filter(Boolean));
  const texts = () =>
    names.map((parts, index) => [...parts, ...(differ && units[index] ? [`(${units[index]})`] : [])].join(' '));
  for (const telling of TELLING) {
    const before = texts();
    for (const [index, one] of series.entries()) {
      const more = telling(one);
      if (more && before.filter((text) => text === before[index]).length > 1) names[index]?.push(more);
    }
  }
  return texts();
}

/** What a price of this source is for: `RUB/KGM`. */
export function unitOf({ price_unit, unit }: Pick<Source, 'price_unit' | 'unit'>): string {
  return [price_unit, unit].filter(Boolean).join('/');
}

/** That of all of them, or none. */
export function sharedUnit(series: readonly Named[]): string | undefined {
  const units = new Set(series.map(unitOf));
  const [unit, ...more] = units;
  return more.length === 0 && unit !== '' ? unit : undefined;
}
