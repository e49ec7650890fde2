/** What a command returns as parts of an HTML page. Every text is escaped here. */
import { type CellStyle, cellTone, cellValues } from './cells.ts';
import { xmlText } from './escape.ts';
import type { Cell, ChartPicture, Column, Rendering } from './types.ts';

export interface HtmlStyle extends CellStyle {
  /** Of rows of a list. */
  readonly limit?: number | undefined;
  /** A time of the service for readers. */
  readonly timeText: (time: string) => string;
  readonly drawSvg: (picture: ChartPicture, width?: number) => Promise<string>;
}

/** A chart is drawn a second time for a phone: scaled down, its texts would be too small. */
const PHONE_WIDTH = 400;

/** A table for a list and for a record, a drawing and its table for a chart, the text itself for a text. */
export async function htmlOf(value: unknown, rendering: Rendering, style: HtmlStyle): Promise<string> {
  if (rendering.kind === 'chart') {
    const picture = rendering.chart(value);
    const { columns = [], rows = [] } = picture.facts ?? {};
    const [wide, narrow] = [await style.drawSvg(picture), await style.drawSvg(picture, PHONE_WIDTH)];
    const figures = `<figure class="wide">${wide}</figure>\n<figure class="narrow">${narrow}</figure>`;
    return `${figures}\n${htmlTable(columns, rows, style)}`;
  }
  if (rendering.kind === 'list') {
    const rows: unknown[] = [];
    for await (const row of value as Iterable<unknown>) {
      if (rows.length === style.limit) break;
      rows.push(row);
    }
    return rows.length === 0 ? htmlNote(rendering.empty ?? 'nothing') : htmlTable(rendering.columns, rows, style);
  }
  if (rendering.kind === 'record') {
    const entries = rendering.columns.map(({ name, cell }) => {
      const text = cellHtml(cell(value), style);
      return text === '' ? '' : `<dt>${headerOf(name)}</dt><dd>${text}</dd>`;
    });
    return `<dl>${entries.join('')}</dl>`;
  }
  return `<pre>${xmlText(String(value))}</pre>`;
}

/** A paragraph for each line. */
export function htmlNote(text: string): string {
  return text
    .split('\n')
    .map((line) => `<p class="note">${xmlText(line)}</p>`)
    .join('\n');
}

// biome-ignore lint/suspicious/noExplicitAny: only the columns look into the rows
function htmlTable(columns: readonly Column<any>[], rows: readonly unknown[], style: HtmlStyle): string {
  const cells = rows.map((row) => columns.map(({ cell }) => cell(row)));
  const isEmpty = (index: number): boolean => cells.every((row) => cellHtml(row[index], style) === '');
  const shown = columns.flatMap((column, index) => (column.wide || isEmpty(index) ? [] : [{ ...column, index }]));
  const classOf = (align: string | undefined): string => (align === 'right' ? ' class="right"' : '');
  const headers = shown.map(({ name, align }) => `<th scope="col"${classOf(align)}>${headerOf(name)}</th>`);
  const lines = cells.map((row) => {
    const parts = shown.map(
      ({ name, index, align }) =>
        `<td data-label="${headerOf(name)}"${classOf(align)}>${cellHtml(row[index], style)}</td>`,
    );
    return `<tr>${parts.join('')}</tr>`;
  });
  return `<div class="table"><table>\n<thead><tr>${headers.join('')}</tr></thead>\n<tbody>\n${lines.join('\n')}\n</tbody></table></div>`;
}

function headerOf(name: string): string {
  const text = name.replaceAll('-', ' ');
  return xmlText(text.slice(0, 1).toUpperCase() + text.slice(1));
}

function cellHtml(cell: Cell, style: HtmlStyle): string {
  if (typeof cell === 'object' && cell !== null && 'time' in cell) {
    return toned(`<time datetime="${xmlText(cell.time)}">${xmlText(style.timeText(cell.time))}</time>`, cell.tone);
  }
  const text = cellValues(cell, style)
    .map(({ text: value }) => xmlText(value))
    .join(', ');
  return text === '' ? '' : toned(text, cellTone(cell));
}

function toned(html: string, tone: string | undefined): string {
  return tone === undefined ? html : `<span class="${tone}">${html}</span>`;
}
