/** `-o id` and `-q`: one id per line, and nothing for a row that has none. */
import type { BatchWriter } from './batch-writer.ts';
import { escapeText } from './escape.ts';
import { writeLines, writePlain } from './lines.ts';
import type { Printed, Subject } from './subject.ts';
import type { OutputOptions } from './types.ts';

export function renderIds(subject: Subject, _options: OutputOptions, out: BatchWriter): Promise<Printed> {
  if (subject.kind === 'text' || subject.kind === 'scalar') return writePlain(subject, out);
  return writeLines(subject, out, '', (row) => {
    const id = subject.id(row);
    return id === undefined ? undefined : escapeText(id);
  });
}
