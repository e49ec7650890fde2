/** `-o tsv`: no quoting. A tab or a line break in a value is escaped like everything unsafe, so `cut` and `awk` can rely on it. */
import type { BatchWriter } from './batch-writer.ts';
import { withoutFormula, writeSeparated } from './lines.ts';
import type { Printed, Subject } from './subject.ts';
import type { OutputOptions } from './types.ts';

export function renderTsv(subject: Subject, options: OutputOptions, out: BatchWriter): Promise<Printed> {
  return writeSeparated(subject, options, out, {
    separator: '\t',
    write: (text, isNumber) => (isNumber ? text : withoutFormula(text)),
  });
}
