/** One record as `NAME  value` lines. */
import type { BatchWriter } from './batch-writer.ts';
import { type CellText, cellValues } from './cells.ts';
import { painter } from './color.ts';
import { escapeText } from './escape.ts';
import { GAP } from './fit.ts';
import type { Printed, RecordSubject } from './subject.ts';
import type { OutputOptions } from './types.ts';
import { displayWidth, wrap } from './width.ts';

/** Several values stand one below the other. On a terminal long ones go on below their beginning; nothing is cut off. */
export async function writeRecord(subject: RecordSubject, options: OutputOptions, out: BatchWriter): Promise<Printed> {
  const paint = await painter(options.color);
  if (subject.line !== undefined) {
    for (const { text, tone } of cellValues(subject.line(subject.value), options)) {
      for (const line of wrapValue({ text, tone }, options.width)) await out.write(`${paint(line.text, tone)}\n`);
    }
    return { rows: 1 };
  }
  const fields = subject.columns
    .map(({ name, cell }) => ({
      name: escapeText(name.toUpperCase()),
      values: cellValues(cell(subject.value), options),
    }))
    .filter(({ values }) => values.length > 0);
  // A name that takes more than half of the terminal stands on lines of its own.
  const room = options.width === undefined ? Number.POSITIVE_INFINITY : Math.floor(options.width / 2) - GAP;
  const widths = fields.map(({ name }) => displayWidth(name)).filter((width) => width <= room);
  const indent = options.headers ? Math.max(0, ...widths) + GAP : 0;
  const valueWidth = options.width === undefined ? undefined : Math.max(1, options.width - indent);

  for (const { name, values } of fields) {
    let head = options.headers ? [name] : [];
    if (displayWidth(name) > room && options.headers) {
      for (const part of wrap(name, options.width ?? 0)) await out.write(`${paint(part, 'strong')}\n`);
      head = [];
    }
    for (const { text, tone } of values.flatMap((value) => wrapValue(value, valueWidth))) {
      const title = head.shift() ?? '';
      const blanks = ' '.repeat(indent - displayWidth(title));
      await out.write(`${paint(title, 'strong')}${text === '' ? '' : blanks + paint(text, tone)}\n`);
    }
  }
  return { rows: 1 };
}

function wrapValue({ text, tone }: CellText, width: number | undefined): readonly CellText[] {
  const lines = width === undefined ? [escapeText(text)] : wrap(escapeText(text), width);
  return lines.map((line) => ({ text: line, tone }));
}
