/** How alike two products are by their title, brand and size of the package, and why. */
import type { Product, Source } from './schema.ts';
import { exact, numberOf } from './statistics.ts';
import { MEASURES, type Per } from './unit-price.ts';

interface Size {
  readonly amount: number;
  readonly per: Per;
}

/** What is compared. */
export interface Traits {
  readonly title: string | null;
  readonly brand: string | null;
  readonly size: Size | undefined;
}

export interface Likeness {
  /** 0 to 100. */
  readonly score: number;
  readonly reasons: readonly string[];
}

/** Units of sizes in titles: what one of them is. */
const TITLE_UNITS: Readonly<Record<string, readonly [per: Per, amount: number]>> = {
  ...named('kg', 1, ['kg', 'кг']),
  ...named('kg', 0.001, ['g', 'gr', 'г', 'гр']),
  ...named('l', 1, ['l', 'л']),
  ...named('l', 0.01, ['cl']),
  ...named('l', 0.001, ['ml', 'мл']),
  ...named('piece', 1, ['pcs', 'pc', 'шт', 'bags']),
};

function named(per: Per, amount: number, units: readonly string[]) {
  return Object.fromEntries(units.map((unit) => [unit, [per, amount] as const]));
}

const UNIT = Object.keys(TITLE_UNITS)
  .sort((a, b) => b.length - a.length)
  .join('|');
/** `930 ml`, `0,45 l`, `6 × 30 g`. Bounded: a title may be of any length. */
const TITLE_SIZE = new RegExp(
  `(?<![\\d.,])(?:(\\d{1,4})\\s?[x×х*]\\s?)?(\\d{1,6}(?:[.,]\\d{1,4})?)\\s?(${UNIT})(?![\\p{L}\\d])`,
  'giu',
);

/** By its newest row that says it, else by the list of products, else by the title. */
export function traitsOf({ title, brand }: Pick<Product, 'title' | 'brand'>, sources: readonly Source[]): Traits {
  const text = sources.find((one) => one.title_original)?.title_original ?? title ?? null;
  return {
    title: text,
    brand: sources.find((one) => one.brand)?.brand ?? brand ?? null,
    size: packageOf(sources) ?? titleSize(text ?? ''),
  };
}

function packageOf(sources: readonly Source[]): Size | undefined {
  for (const { package_quantity, package_unit } of sources) {
    const [per, unit] = MEASURES[package_unit?.toUpperCase() ?? ''] ?? [];
    const quantity = numberOf(package_quantity);
    if (per !== undefined && unit !== undefined && quantity !== null && quantity > 0) {
      return { amount: exact(quantity * unit), per };
    }
  }
  return undefined;
}

function titleSize(title: string): Size | undefined {
  const [[, count = '1', number = '', unit = ''] = []] = title.matchAll(TITLE_SIZE);
  const [per, amount] = TITLE_UNITS[unit.toLowerCase()] ?? [];
  if (per === undefined || amount === undefined) return undefined;
  return { amount: exact(Number(count) * Number(number.replace(',', '.')) * amount), per };
}

/** The title counts for half, the brand and the size for a quarter each. What is not known counts for half of its part. */
export function likeness(product: Traits, candidate: Traits): Likeness {
  const parts = [titles(product, candidate), brands(product, candidate), sizes(product, candidate)] as const;
  const [title, brand, size] = parts;
  return {
    score: Math.round(50 * title.share + 25 * brand.share + 25 * size.share),
    reasons: parts.map(({ reason }) => reason),
  };
}

interface Part {
  /** 0 to 1. */
  readonly share: number;
  readonly reason: string;
}

const UNKNOWN = 0.5;

function titles(product: Traits, candidate: Traits): Part {
  const [one, other] = [titleTerms(product), titleTerms(candidate)];
  if (one.length === 0 || other.length === 0) return { share: 0, reason: 'title unknown' };
  const shared = one.filter((term) => other.some((candidateTerm) => sameTerm(term, candidateTerm))).length;
  const sharedBack = other.filter((term) => one.some((productTerm) => sameTerm(term, productTerm))).length;
  const share = (shared + sharedBack) / (one.length + other.length);
  return { share, reason: share === 1 ? 'same title' : `title ${Math.round(share * 100)}% alike` };
}

function brands({ brand }: Traits, { brand: other }: Traits): Part {
  if (!brand || !other) return { share: UNKNOWN, reason: 'brand unknown' };
  if (termsOf(brand).join() === termsOf(other).join()) return { share: 1, reason: `same brand ${other}` };
  return { share: 0, reason: `brand ${other}, not ${brand}` };
}

function sizes({ size }: Traits, { size: other }: Traits): Part {
  if (size === undefined || other === undefined) return { share: UNKNOWN, reason: 'size unknown' };
  if (size.per === other.per && size.amount === other.amount)
    return { share: 1, reason: `same size ${sizeText(other)}` };
  return { share: 0, reason: `size ${sizeText(other)}, not ${sizeText(size)}` };
}

export function sizeText({ amount, per }: Size): string {
  return `${amount} ${per}`;
}

/** Every one is compared with every other. */
const MOST_TERMS = 50;

/** Without the brand and the size, which count on their own. */
function titleTerms({ title, brand }: Traits): readonly string[] {
  const ofBrand = new Set(termsOf(brand ?? ''));
  const terms = termsOf((title ?? '').replaceAll(TITLE_SIZE, ' '));
  const others = terms.filter((term) => !ofBrand.has(term));
  return [...new Set(others.length > 0 ? others : terms)].slice(0, MOST_TERMS);
}

/** Without case and accents. */
function termsOf(text: string): readonly string[] {
  const folded = text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  return folded.match(/\d+(?:[.,]\d+)?|\p{L}+/gu)?.map((term) => term.replace(',', '.')) ?? [];
}

const SHORTEST_STEM = 4;

/** Also with another ending: `молоко`, `молока`. */
function sameTerm(one: string, other: string): boolean {
  if (one === other) return true;
  const length = Math.max(SHORTEST_STEM, Math.max(one.length, other.length) - 2);
  return one.length >= length && other.length >= length && one.slice(0, length) === other.slice(0, length);
}

const MOST_SEARCHED = 5;
const SHORTEST_SEARCHED = 3;

/** What to search the catalog for, one at a time: the longest terms tell most. */
export function searchTerms({ title, brand }: Traits): readonly string[] {
  const terms = [...new Set((title ?? '').match(/\p{L}+/gu))];
  const long = terms.filter((term) => term.length >= SHORTEST_SEARCHED);
  const longest = (long.length > 0 ? long : terms).sort((a, b) => b.length - a.length).slice(0, MOST_SEARCHED);
  return [...longest.map(withoutEnding), ...(brand ? [brand] : [])].map(withoutCapital);
}

const SHORTEST_CUT = 6;

function withoutEnding(term: string): string {
  return term.length < SHORTEST_CUT ? term : term.slice(0, -1);
}

/** Some databases ignore the case of a to z only: another letter at the beginning is left out, as it may be a capital. */
function withoutCapital(term: string): string {
  return term.length > SHORTEST_SEARCHED && /^\P{ASCII}/u.test(term) ? term.slice(1) : term;
}
