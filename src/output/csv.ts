/**
 * `-o csv`: RFC 4180 but for the line ends, which are `\n`, as the tools of a shell want them. Every reader of CSV takes both.
 * Escaped text has no line break, so a row is always a line.
 */
import type { BatchWriter } from './batch-writer.ts';
import { writeSeparated } from './lines.ts';
import type { Printed, Subject } from './subject.ts';
import type { OutputOptions } from './types.ts';

const NUMBER = /^[+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

export function renderCsv(subject: Subject, options: OutputOptions, out: BatchWriter): Promise<Printed> {
  return writeSeparated(subject, options, out, { separator: ',', write: csvField });
}

/** A spreadsheet runs what begins like a formula: an apostrophe in front makes it text. */
export function csvField(text: string, isNumber: boolean): string {
  const safe = !isNumber && /^[=+\-@]/.test(text) && !NUMBER.test(text) ? `'${text}` : text;
  return /[",]|^\s|\s$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
