import { readFileSync, statSync } from 'node:fs';
import type { Paths } from '../../src/context.ts';
import { type JournalEntry, journalEntries, journalPath } from '../../src/store/order-journal.ts';
import * as schemas from '../../src/store/schemas.ts';

/** The current lines of the order journal, empty without a journal. */
export function journalIn(paths: Paths): readonly JournalEntry[] {
  const path = journalPath(paths);
  if (statSync(path, { throwIfNoEntry: false }) === undefined) return [];
  return journalEntries(readFileSync(path, 'utf8'), schemas);
}
