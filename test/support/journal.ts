import { readFileSync, statSync } from 'node:fs';
import type { Paths } from '../../src/context.ts';
import { type JournalEntry, journalEntries, journalPath } from '../../src/store/order-journal.ts';
import * as schemas from '../../src/store/schemas.ts';

/** What the order journal holds now; nothing where there is none. */
export function journalIn(paths: Paths): readonly JournalEntry[] {
  const path = journalPath(paths);
  if (statSync(path, { throwIfNoEntry: false }) === undefined) return [];
  return journalEntries(readFileSync(path, 'utf8'), schemas);
}
