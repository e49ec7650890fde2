import { appendFileSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Paths } from '../../src/context.ts';
import {
  type JournalEntry,
  journalPath,
  type OrderAnswered,
  type OrderSent,
  parseJournal,
} from '../../src/store/order-journal.ts';
import * as schemas from '../../src/store/schemas.ts';

/** The current lines of the order journal, empty without a journal. */
export function journalIn(paths: Paths): readonly JournalEntry[] {
  const path = journalPath(paths);
  if (statSync(path, { throwIfNoEntry: false }) === undefined) return [];
  return parseJournal(readFileSync(path, 'utf8'), schemas).entries;
}

/** A line as it is: with its own id and time. Returns the path of the journal. */
export function addToJournal(paths: Paths, line: OrderSent | OrderAnswered): string {
  const path = journalPath(paths);
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  appendFileSync(path, `${JSON.stringify(line)}\n`, { mode: 0o600 });
  return path;
}
