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
  const { json } = subject;
  let rows = 0;
  for await (const batch of batchesOf(subject.rows)) {
    for (const row of batch) {
      if (out.closed) return { rows };
      const full = out.write(json === undefined ? line(row) : `${escapeJson(json(row))}\n`);
      if (full !== undefined) await full;
      rows++;
    }
  }
  return { rows };
}

function line(value: unknown): string {
  return `${escapeJson(JSON.stringify(value) ?? 'null')}\n`;
}
