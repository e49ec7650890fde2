/** `-o ndjson`: one JSON value per line, each written when it is there. */
import type { BatchWriter } from './batch-writer.ts';
import { escapeJson } from './escape.ts';
import { batchesOf, type Printed, type Subject } from './subject.ts';
import type { OutputOptions } from './types.ts';

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
