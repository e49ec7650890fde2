/** `-o json`: one value, complete, two blanks per level. */
import type { BatchWriter } from './batch-writer.ts';
import { escapeJson } from './escape.ts';
import type { Printed, Subject } from './subject.ts';
import type { OutputOptions, Rows } from './types.ts';

export async function renderJson(subject: Subject, _options: OutputOptions, out: BatchWriter): Promise<Printed> {
  if (subject.kind === 'list') return { rows: await writeArray(subject.rows, out) };
  const value = subject.kind === 'text' ? subject.text : subject.value;
  await out.write(`${escapeJson(JSON.stringify(value, null, 2) ?? 'null')}\n`);
  return { rows: 1 };
}

/** Item by item, so that a long list never is one string, and nothing is written before the first item is there. */
async function writeArray(rows: Rows<unknown>, out: BatchWriter): Promise<number> {
  let count = 0;
  for await (const row of rows) {
    if (out.closed) break;
    // The text of an array of one, without its brackets, is the item as it stands in any array.
    const item = JSON.stringify([row], null, 2).slice(1, -2);
    const full = out.write(`${count === 0 ? '[' : ','}${escapeJson(item)}`);
    if (full !== undefined) await full;
    count++;
  }
  await out.write(count === 0 ? '[]\n' : '\n]\n');
  return count;
}
