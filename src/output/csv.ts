/**
 * `-o csv`: RFC 4180 but for the line ends, which are `\n`, as the tools of a shell want them. Every reader of CSV takes both.
 * Escaped text has no line break, so a row is always a line.
 */
import type { BatchWriter } from './batch-writer.ts';
import { withoutFormula, writeSeparated } from './lines.ts';
import type { Printed, Subject } from './subject.ts';
import type { OutputOptions } from './types.ts';

export function renderCsv(subject: Subject, options: OutputOptions, out: BatchWriter): Promise<Printed> {
  return writeSeparated(subject, options, out, { separator: ',', write: csvField });
}

/** Quoted for a semicolon, too: it separates the fields where the decimal separator is a comma. */
export function csvField(text: string, isNumber: boolean): string {
  const safe = isNumber ? text : withoutFormula(text);
  return /[",;]|^\s|\s$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
