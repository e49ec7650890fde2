/** `-o json`: one value, complete, two blanks per level. */
import type { BatchWriter } from './batch-writer.ts';
import { escapeJson } from './escape.ts';
import { batchesOf, type Printed, type Subject } from './subject.ts';
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

/** `-o ndjson`: one JSON value per line, each written when it is there. */
export async function renderNdjson(subject: Subject, _options: OutputOptions, out: BatchWriter): Promise<Printed> {
  if (subject.kind !== 'list') {
    await out.write(line(subject.kind === 'text' ? subject.text : subject.value));
    return { rows: 1 };
  }
  const { json = stringified } = subject;
  let rows = 0;
  for await (const batch of batchesOf(subject.rows)) {
    let text = '';
    for (const row of batch) {
      if (out.closed) return { rows };
      text += `${json(row)}\n`;
      rows++;
      if (text.length < MOST_AT_ONCE) continue;
      const full = out.write(escapeJson(text));
      text = '';
      if (full !== undefined) await full;
    }
    const full = out.write(escapeJson(text));
    if (full !== undefined) await full;
  }
  return { rows };
}

/** What is unsafe is looked for in many rows at once: that it is not there is found out sooner than in each. */
const MOST_AT_ONCE = 16 * 1024;

function stringified(value: unknown): string {
  return JSON.stringify(value) ?? 'null';
}

function line(value: unknown): string {
  return `${escapeJson(stringified(value))}\n`;
}
