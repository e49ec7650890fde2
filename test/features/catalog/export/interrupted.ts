/** An export that was complete once, and is interrupted while it adds what is new. */
import { cpSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { ExportFormat } from '../../../../src/features/catalog/export/files.ts';
import { DAY, type Snapshot } from '../../../../src/sandbox/catalog/records.ts';
import { type Ended, svc } from '../../../e2e/binary.ts';
import { catalogOf, NOON_MS, row, settlement, snapshot, startCatalog } from '../../../sandbox/catalog/service.ts';

export interface InterruptedExport {
  readonly url: string;
  /** Makes the files of the complete run. */
  prepare(root: string): void;
  run(root: string, env?: Record<string, string>): Promise<Ended>;
  /** Each file is as it was, or as it is after an uninterrupted run. */
  expectWhole(root: string, point: string): void;
  /** The next run ends with the files of an uninterrupted run, and with nothing else. */
  expectResumed(root: string, point: string): Promise<void>;
  end(): Promise<void>;
}

/** `scratch` names a folder that is not there yet. */
export async function interruptedExport(
  format: ExportFormat,
  scratch: string,
  products = 3,
): Promise<InterruptedExport> {
  const names = ['offers', 'snapshots'].map((name) => `${name}.${format}`);
  const moscow = settlement({ id: 1 });
  const ids = Array.from({ length: products }, (_, index) => `p${index}`);
  const snapshots: Snapshot[] = [];
  const observe = (daysAgo: number): void => {
    for (const [index, id] of ids.entries()) {
      snapshots.push(
        snapshot({
          id: snapshots.length + 1,
          canonical_product_id: id,
          source_id: `run:${index}`,
          price: 100 - daysAgo,
          observed_at: (NOON_MS - daysAgo * DAY) * 1000,
        }),
      );
    }
  };
  for (let day = 60; day > 0; day--) observe(day);
  const catalog = await startCatalog({
    catalog: {
      ...catalogOf({
        sources: ids.map((id, index) =>
          row({
            id: index + 1,
            canonical_product_id: id,
            source_id: `run:${index}`,
            title_original: `Milk ${index}`,
            settlement: moscow,
            observed_at: NOON_MS * 1000,
          }),
        ),
      }),
      snapshots: (id) => snapshots.filter((one) => one.canonical_product_id === id),
    },
  });
  const folder = (root: string): string => join(root, 'prices');
  const run = (root: string, env: Record<string, string> = {}) =>
    svc(['catalog', 'export', folder(root), '--format', format, '--concurrency', '2'], {
      env: { SVC_CATALOG_URL: catalog.url, ...env },
    });
  const bytesIn = (root: string): readonly Buffer[] => names.map((name) => readFileSync(join(folder(root), name)));

  const [first, whole] = [join(scratch, 'first'), join(scratch, 'whole')];
  expect(await run(first)).toMatchObject({ code: 0 });
  observe(0);
  cpSync(first, whole, { recursive: true });
  expect(await run(whole)).toMatchObject({ code: 0 });
  const [earlier, later] = [bytesIn(first), bytesIn(whole)];
  return {
    url: catalog.url,
    prepare: (root) => cpSync(first, root, { recursive: true }),
    run,
    expectWhole(root, point) {
      for (const [index, bytes] of bytesIn(root).entries()) {
        const isWhole = [earlier, later].some((files) => files[index]?.equals(bytes));
        expect({ point, name: names[index], isWhole }).toEqual({ point, name: names[index], isWhole: true });
      }
    },
    async expectResumed(root, point) {
      expect({ point, ...(await run(root)) }).toMatchObject({ point, code: 0 });
      expect(
        bytesIn(root).map((bytes, index) => later[index]?.equals(bytes)),
        point,
      ).toEqual([true, true]);
      expect(existsSync(join(folder(root), 'state.part.ndjson')), point).toBe(false);
    },
    end: () => catalog.close(),
  };
}
