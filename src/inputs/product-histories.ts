/** The histories of all sources of a product, a few at a time: one that fails does not take the others along. */
import { bulk } from '../cli/bulk.ts';
import type { RunContext } from '../cli/command.ts';
import type { ErrorCode, SvcError } from '../errors.ts';
import type { Catalog, SeriesField } from '../services/catalog/client.ts';
import { type History, readHistory } from '../services/catalog/history.ts';
import type { KnownSource } from '../services/catalog/product-sources.ts';
import { MOST_POINTS, partsOf, type Window } from '../services/catalog/window.ts';

const AT_ONCE = 4;

export interface SourceHistory {
  readonly source: KnownSource;
  readonly history: History;
}

export interface FailedSource {
  readonly source: KnownSource;
  readonly error: SvcError;
}

export interface Histories {
  /** In the order of the sources. */
  readonly read: readonly SourceHistory[];
  /** Those of which the service knows no snapshot. */
  readonly unknown: readonly FailedSource[];
  readonly failed: readonly FailedSource[];
  readonly code: ErrorCode | undefined;
}

/** Throws only where nothing could be read: what the first of them failed with, a real failure before an unknown source. */
export async function readHistories(
  catalog: Pick<Catalog, 'dynamics'>,
  productId: string,
  sources: readonly KnownSource[],
  { field, window }: { readonly field: SeriesField; readonly window: Window },
  ctx: Pick<RunContext, 'progress'>,
): Promise<Histories> {
  const bar = ctx.progress(sources.length * partsOf(window, MOST_POINTS).length);
  const stepped = (): void => bar.step();
  const { outcomes } = await bulk(sources, AT_ONCE, (source) =>
    readHistory(catalog, productId, source, field, window, { stepped }),
  );
  bar.clear();
  const read = outcomes.flatMap((one) => (one.error === undefined ? [{ source: one.item, history: one.result }] : []));
  const bad = outcomes.flatMap((one) => (one.error === undefined ? [] : [{ source: one.item, error: one.error }]));
  const unknown = bad.filter(({ error }) => error.code === 'not_found');
  const failed = bad.filter(({ error }) => error.code !== 'not_found');
  const worst = failed[0] ?? unknown[0];
  if (read.length === 0 && worst !== undefined) throw worst.error;
  return { read, unknown, failed, code: failed.length === 0 ? undefined : 'partly_done' };
}
