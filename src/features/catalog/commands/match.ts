import { existsSync } from 'node:fs';
import { listCommand, type RunContext } from '../../../cli/command.ts';
import { FILE } from '../../../cli/flags.ts';
import { SvcError } from '../../../errors.ts';
import { shellWord } from '../../../output/escape.ts';
import type { ListOutput } from '../../../output/types.ts';
import { withLock } from '../../../store/lock.ts';
import { checkNewFile, writeNewFile } from '../../../store/named-files.ts';
import { readOwnFile } from '../../../store/own-file.ts';
import { type Catalog, openCatalog, type PageQuery } from '../api.ts';
import { PRODUCT_ARGUMENT, pages, type Report, readingProblems, SOURCE_FLAGS } from '../lists.ts';
import { type Match, parseMatches } from '../matches.ts';
import { likeness, searchTerms, sizeText, type Traits, traitsOf } from '../matching.ts';
import { productNames } from '../product-names.ts';
import { listedSources, notListed } from '../product-sources.ts';
import type { Product } from '../schema.ts';
import { readProducts } from '../selection.ts';

interface Candidate extends Match {
  readonly title: string | null;
  readonly brand: string | null;
  readonly size: string | null;
  readonly stores: readonly string[];
  readonly score: number;
  readonly reasons: readonly string[];
  /** The file of --save has it. */
  readonly saved: boolean;
}

const CANDIDATE_LIST: ListOutput<Candidate> = {
  kind: 'list',
  columns: [
    { name: 'score', cell: ({ score }) => score, align: 'right' },
    { name: 'title', cell: ({ title }) => title, flex: true },
    { name: 'stores', cell: ({ stores }) => stores },
    { name: 'reasons', cell: ({ reasons }) => reasons.join(', '), flex: true },
    { name: 'saved', cell: ({ saved }) => (saved ? { text: 'saved', tone: 'good' } : undefined) },
    { name: 'id', cell: ({ match }) => match },
    { name: 'brand', cell: ({ brand }) => brand, wide: true },
    { name: 'size', cell: ({ size }) => size, wide: true },
    { name: 'product', cell: ({ product }) => product, wide: true },
  ],
  id: ({ match }) => match,
  empty: 'no candidates',
};

/** Of each search: a word of most titles tells nothing. */
const MOST_FOUND = 300;
const LEAST_SCORE = 50;
const AT_ONCE = 8;

export const catalogMatch = listCommand({
  id: 'catalog match',
  summary: 'Find the same product at other stores',
  description:
    'Lists products of other stores with a similar title, brand and package size, and the reasons. Nothing is joined: --save asks which candidates are the same product, and writes those to a file. compare, history, basket, index and movers join them with --matches.',
  details:
    'A product of a store that sells the given product, too, is not a candidate. The catalog is searched for the longest words of the title and for the brand, or for --search. The score is 50 for the words of the title that are the same, without the brand and the size, 25 for the same brand and 25 for the same size; what is unknown counts half. The size is package_quantity with package_unit, or else the size in the title. Candidates with a score below 50 are left out. The sources of the best candidates are read, as many as --limit.\n--save asks at a terminal; elsewhere, --accept names the ids to save. Each line of the file is a JSON object with product, match and what was compared. Lines can be added and removed with an editor: product and match are what --matches reads. A match of a match is one, too.',
  effect: 'read',
  service: 'catalog',
  args: { id: PRODUCT_ARGUMENT },
  flags: {
    store: { ...SOURCE_FLAGS.store, help: 'Only candidates at this store (parser_name)' },
    search: { type: 'string', value: 'text', help: 'Search for this text instead of the words of the title' },
    limit: { type: 'integer', min: 1, default: 10, help: 'Maximum number of candidates' },
    save: { ...FILE, help: 'Add what you accept to this file' },
    accept: {
      type: 'string',
      value: 'id',
      repeat: true,
      complete: 'products',
      help: 'With --save: accept this product, without a question',
    },
  },
  exits: ['partly_done'],
  examples: [
    { run: 'svc catalog match 5f6c2a9e-0c1d-4f3b-9a57-2b1e8d3c4a10', why: 'Show candidates and the reasons' },
    { run: 'svc catalog match oat --save matches.ndjson', why: 'Choose those that are the same, and save them' },
  ],
  output: CANDIDATE_LIST,
  async run(input, ctx) {
    const { save, accept } = input;
    checkSaving(input, ctx);
    const before = save === undefined ? [] : savedIn(save);
    const catalog = openCatalog(ctx.target);
    const problems = readingProblems(ctx);
    const { product, stores, traits } = await productNames(catalog, ctx).read(input.id, (id) =>
      described(catalog, id, problems.report),
    );
    const found = await similarProducts(catalog, traits, stores, input, ctx, problems.report);
    const wanted = [...new Set([...accept, ...found])].filter((id) => id !== product);
    const { products, code } = await readProducts(
      catalog,
      wanted.map((text) => ({ text, typed: false })),
      { concurrency: AT_ONCE },
      ctx,
      (id) => described(catalog, id, problems.report),
    );
    const isSaved = (id: string): boolean => before.some((one) => isPair(one, product, id));
    const candidates = products
      .map(({ id, result }): Candidate => {
        const { title, brand, size } = result.traits;
        const { score, reasons } = likeness(traits, result.traits);
        const text = size === undefined ? null : sizeText(size);
        return {
          product,
          match: id,
          title,
          brand,
          size: text,
          stores: result.stores,
          score,
          reasons,
          saved: isSaved(id),
        };
      })
      .filter(({ match, score, stores: others }) => {
        if (accept.includes(match)) return true;
        return score >= LEAST_SCORE && !others.some((store) => stores.includes(store));
      })
      .sort((a, b) => b.score - a.score);
    const end = { code: code ?? problems.code };
    if (save === undefined) return { value: candidates, ...end };
    const accepted = accept.length > 0 ? accept : await chosen(candidates, traits.title ?? product, ctx);
    const added = candidates.filter(({ match, saved }) => accepted.includes(match) && !saved);
    await addMatches(save, added, ctx);
    const value = candidates.map((one) => ({ ...one, saved: one.saved || added.includes(one) }));
    const joining = `svc catalog compare ${shellWord(product)} --matches ${shellWord(save)}`;
    const footer = `${added.length} added to ${save}; ${joining} joins them`;
    return { value, ...end, footer };
  },
});

interface Saving {
  readonly save: string | undefined;
  readonly accept: readonly string[];
}

function checkSaving({ save, accept }: Saving, { interactive }: RunContext): void {
  if (save === undefined) {
    if (accept.length > 0) throw new SvcError('usage', '--accept needs --save');
    return;
  }
  if (accept.length === 0 && !interactive) {
    throw new SvcError('missing_value', '--save asks which candidates are the same product, and there is no terminal', {
      hint: 'run it without --save, and pass the ids with --accept',
    });
  }
  checkNewFile({ option: '--save', path: save, force: true });
}

function savedIn(path: string): readonly Match[] {
  if (!existsSync(path)) return [];
  return parseMatches(readOwnFile(path).toString('utf8'), path);
}

function isPair({ product, match }: Match, one: string, other: string): boolean {
  return (product === one && match === other) || (product === other && match === one);
}

interface Described {
  readonly product: string;
  readonly stores: readonly string[];
  readonly traits: Traits;
}

async function described(catalog: Catalog, id: string, report: Report): Promise<Described> {
  const sources = await listedSources(catalog, id, report);
  if (sources.length === 0) throw await notListed(catalog, id);
  const stores = [...new Set(sources.map(({ parser_name }) => parser_name))].sort();
  return { product: id, stores, traits: traitsOf({}, sources) };
}

/** Ids of products at other stores, the most alike first. */
async function similarProducts(
  catalog: Catalog,
  traits: Traits,
  stores: readonly string[],
  {
    search,
    store,
    limit,
  }: { readonly search: string | undefined; readonly store: readonly string[]; readonly limit: number },
  ctx: RunContext,
  report: Report,
): Promise<readonly string[]> {
  const found = new Map<string, Product>();
  for (const q of search === undefined ? searchTerms(traits) : [search]) {
    const ask = (page: PageQuery) => catalog.products({ ...page, q });
    let matching = 0;
    for await (const { items, total = 0 } of pages(ask, { limit: MOST_FOUND, offset: 0 }, report)) {
      for (const one of items) found.set(one.canonical_product_id, one);
      matching = total;
    }
    if (matching > MOST_FOUND) {
      ctx.notice(`${matching} products match ${JSON.stringify(q)}: svc compares ${MOST_FOUND} of them`);
    }
  }
  const wanted = store.map((name) => name.toLowerCase());
  const candidates = [...found.values()].filter(({ parsers }) => {
    const names = parsers ?? [];
    if (names.some((name) => stores.includes(name))) return false;
    return wanted.length === 0 || names.some((name) => wanted.includes(name.toLowerCase()));
  });
  return candidates
    .map((one) => ({ id: one.canonical_product_id, ...likeness(traits, traitsOf(one, [])) }))
    .sort((a, b) => b.score - a.score)
    .slice(0, limit)
    .map(({ id }) => id);
}

/** None, too: a person may find that all are different. */
async function chosen(candidates: readonly Candidate[], title: string, ctx: RunContext): Promise<readonly string[]> {
  const open = candidates.filter(({ saved }) => !saved);
  if (open.length === 0) return [];
  const choices = open.map(({ match, score, title: other, stores, reasons }) => ({
    value: match,
    name: `${score}  ${other ?? match}  ${stores.join(' ')}  (${reasons.join(', ')})`,
  }));
  const none = { value: '', name: 'none of them' };
  return await ctx.prompter.checkbox(`Which are the same product as ${JSON.stringify(title)}?`, [...choices, none]);
}

/** Another run may have added others meanwhile. */
async function addMatches(path: string, added: readonly Candidate[], ctx: RunContext): Promise<void> {
  if (added.length === 0) return;
  await withLock(`${path}.lock`, ctx, () => {
    const before = existsSync(path) ? readOwnFile(path).toString('utf8') : '';
    parseMatches(before, path);
    const lines = added.map(({ saved: _, ...match }) => `${JSON.stringify(match)}\n`);
    const end = before === '' || before.endsWith('\n') ? '' : '\n';
    writeNewFile({ option: '--save', path, force: true }, before + end + lines.join(''), ctx.pid);
  });
}
