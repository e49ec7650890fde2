/** A run of an export: reads what is new, and makes the files of all that was read. */
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { RunContext } from '../../../cli/command.ts';
import { SvcError } from '../../../errors.ts';
import { discard } from '../../../store/atomic-write.ts';
import { checkNewFile } from '../../../store/named-files.ts';
import { errorCode, fileFailure } from '../../../store/own-file.ts';
import type { Catalog } from '../api.ts';
import type { Report } from '../lists.ts';
import { selects } from '../product-sources.ts';
import { readProducts, type SelectionInput, type selectedProducts } from '../selection.ts';
import { type CsvStyle, commitFile, type ExportFormat, type StagedFile, stageFile } from './files.ts';
import { readProduct } from './reading.ts';
import { type ExportRequest, type ProductState, StateFile, stageState } from './state.ts';
import { type ExportTable, type Fields, OFFERS, SNAPSHOTS } from './tables.ts';

interface ExportFolder {
  readonly folder: string;
  readonly format: ExportFormat;
  /** Replace files of the same names that no export wrote. */
  readonly force: boolean;
}

export interface ExportOptions extends ExportFolder, Pick<SelectionInput, 'concurrency' | 'store' | 'place'> {
  readonly catalog: Catalog;
  readonly selected: Awaited<ReturnType<typeof selectedProducts>>;
  readonly csv: CsvStyle;
  readonly since: number | undefined;
  readonly request: ExportRequest;
}

export interface Exported {
  readonly folder: string;
  readonly format: ExportFormat;
  /** Products whose data are in the files. */
  readonly products: number;
  readonly offers: number;
  readonly snapshots: number;
  /** How many the run before did not have. */
  readonly newSnapshots: number;
  readonly files: readonly string[];
  /** Products that no store sells any more: the files have only their snapshots. */
  readonly vanished: readonly string[];
}

const statePath = (folder: string): string => join(folder, 'state.ndjson');
const partPath = (folder: string): string => join(folder, 'state.part.ndjson');
const tablePath = ({ folder, format }: ExportFolder, { name }: ExportTable): string =>
  join(folder, `${name}.${format}`);

/** Called before any request. Throws if the folder cannot be used. */
export function prepareFolder(options: ExportFolder): void {
  const { folder, force } = options;
  try {
    mkdirSync(folder, { recursive: true });
  } catch (error) {
    throw fileFailure(`cannot use ${folder}`, error);
  }
  const isOwn = existsSync(statePath(folder)) || existsSync(partPath(folder));
  for (const table of [OFFERS, SNAPSHOTS]) {
    checkNewFile({ option: '<folder>', path: tablePath(options, table), force: force || isOwn });
  }
}

/** The caller has the folder's lock. */
export async function exportProducts(options: ExportOptions, report: Report, ctx: RunContext) {
  const { folder, format, request } = options;
  const state = StateFile.read(statePath(folder));
  checkSameRequest(folder, state, request);
  const part = StateFile.append(partPath(folder), { version: 1, request, since: options.since });
  try {
    checkSameRequest(folder, part, request);
    const { products: read, code } = await readInto(part, state, options, report, ctx);
    const listed = new Set(read.map(({ id }) => id));
    // One that could not be read has the offers of an earlier run.
    const isListed = (id: string): boolean => code !== undefined || listed.has(id);
    const all = [...new Set([...(state?.ids ?? []), ...part.ids])].sort();
    const vanished = new Set<string>();
    const products = function* (): Generator<ProductState, void, void> {
      for (const id of all) {
        const product = part.get(id) ?? state?.get(id);
        if (product === undefined) continue;
        const offers = isListed(id) ? product.offers : [];
        if (offers.length === 0) vanished.add(id);
        yield { ...product, offers };
      }
    };
    const files = await stageFiles(options, products);
    const [offers = 0, snapshots = 0] = files.map(({ rows }) => rows);
    const header = { version: 1, request, snapshots } as const;
    for (const file of [...files, stageState(statePath(folder), header, products())]) commitFile(file);
    discard(partPath(folder));
    const unfit = [...new Set(files.flatMap((file) => [...file.unfit]))];
    if (unfit.length > 0) ctx.warn(`values that are not of the type of their column are null: ${unfit.join(', ')}`);
    if (vanished.size > 0) ctx.notice(`no longer sold, only their snapshots are exported: ${[...vanished].join(', ')}`);
    const value: Exported = {
      folder,
      format,
      products: all.length,
      offers,
      snapshots,
      newSnapshots: Math.max(0, snapshots - (state?.header?.snapshots ?? 0)),
      files: files.map(({ path }) => path),
      vanished: [...vanished],
    };
    return { value, code };
  } finally {
    part.close();
    state?.close();
  }
}

/** Throws if the disk is full: what was read until then is in the part. */
async function readInto(
  part: StateFile,
  state: StateFile | undefined,
  { catalog, selected, ...options }: ExportOptions,
  report: Report,
  ctx: RunContext,
) {
  const before = new Set(part.ids);
  if (before.size > 0)
    ctx.notice(`an interrupted run is continued: ${before.size} of ${selected.length} products were read`);
  try {
    return await readProducts(catalog, selected, options, ctx, async (id) => {
      if (before.has(id)) return;
      const known = state?.get(id);
      part.add(await readProduct(catalog, id, { known, since: part.header?.since }, report));
    });
  } catch (error) {
    throw errorCode(error) === undefined ? error : fileFailure(`cannot write ${part.path}`, error);
  }
}

/** All of them, or none. */
async function stageFiles(
  options: ExportOptions,
  products: () => Iterable<ProductState>,
): Promise<readonly StagedFile[]> {
  const { store: stores, place: places } = options;
  const rowsOf = function* (table: ExportTable): Generator<Fields, void, void> {
    for (const product of products()) {
      for (const row of product[table.name]) if (selects({ stores, places, sources: [] }, row)) yield row;
    }
  };
  const staged: StagedFile[] = [];
  try {
    for (const table of [OFFERS, SNAPSHOTS]) {
      staged.push(await stageFile(tablePath(options, table), table, rowsOf(table), options.format, options.csv));
    }
  } catch (error) {
    for (const file of staged) discard(file.staged);
    throw error;
  }
  return staged;
}

function checkSameRequest(folder: string, state: StateFile | undefined, request: ExportRequest): void {
  const before = state?.header?.request;
  if (before === undefined || JSON.stringify(before) === JSON.stringify(request)) return;
  const differs = Object.keys({ ...before, ...request }).find(
    (name) => JSON.stringify(before[name]) !== JSON.stringify(request[name]),
  );
  throw new SvcError('invalid_value', `${folder} has an export of another selection: ${differs} is not the same`, {
    hint: 'use another folder, or the options of the first run',
  });
}
