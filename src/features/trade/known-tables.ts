/**
 * Rows of a service's tables that rarely change, cached for a day, so that commands need not request them. The cache may be deleted at any time: an unreadable
 * file counts as missing, and failures to write are ignored.
 */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { Paths } from '../../context.ts';
import { readOwnFile, replaceCache } from '../../store/own-file.ts';

export type TableRow = Readonly<Record<string, unknown>>;

interface TablesFile {
  readonly version: 1;
  readonly tables: Readonly<Record<string, { readonly at: number; readonly rows: readonly TableRow[] }>>;
}

const LIFETIME_MS = 86_400_000;
/** The same rows are not written again. */
const RECENT_MS = 3_600_000;

export interface KnownTables {
  /** Undefined if they are unknown or older than a day. */
  read(table: string): readonly TableRow[] | undefined;
  keep(table: string, rows: readonly TableRow[]): void;
}

/** For one address and token; the token itself is never written. */
export function knownTables(
  { cache }: Pick<Paths, 'cache'>,
  owner: { readonly address: string; readonly token: string },
  { now, pid }: { now(): number; readonly pid: number },
): KnownTables {
  const name = createHash('sha256').update(`${owner.address}\n${owner.token}`).digest('hex').slice(0, 16);
  const path = join(cache, `trade-${name}.json`);
  return {
    read(table) {
      const known = readTables(path)[table];
      const at = now();
      return known !== undefined && known.at <= at && known.at > at - LIFETIME_MS ? known.rows : undefined;
    },
    keep(table, rows) {
      const tables = readTables(path);
      const at = now();
      const known = tables[table];
      const isRecent = known !== undefined && Math.abs(at - known.at) < RECENT_MS;
      if (isRecent && JSON.stringify(known.rows) === JSON.stringify(rows)) return;
      const file: TablesFile = { version: 1, tables: { ...tables, [table]: { at, rows } } };
      replaceCache(path, JSON.stringify(file), pid);
    },
  };
}

function readTables(path: string): TablesFile['tables'] {
  try {
    const { version, tables } = JSON.parse(readOwnFile(path).toString()) as TablesFile;
    const usable = version === 1 && Object.values(tables).every(({ rows }) => Array.isArray(rows));
    return usable ? tables : {};
  } catch {
    return {};
  }
}
