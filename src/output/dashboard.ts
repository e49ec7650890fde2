/** Several tables on one screen, which is redrawn as they change. In a pipe and on a dumb terminal, one picture is below the other. */
import type { OutStream } from '../context.ts';
import { showTime } from './cells.ts';
import { escapeText } from './escape.ts';
import { drawEach, USUAL_COLUMNS } from './full-screen.ts';
import { shape } from './shape.ts';
import { layOut } from './table.ts';
import { type Painter, painter, shorten, wrap } from './terminal.ts';
import type { Dashboard, DashboardTable, OutputOptions } from './types.ts';

export async function renderDashboard(
  dashboards: AsyncIterable<Dashboard>,
  options: OutputOptions,
  sink: OutStream,
): Promise<void> {
  if (sink.isTTY && !options.dumb) {
    const { endKey = 'Ctrl-C' } = options;
    const footerOf = ({ footer }: Dashboard) => [footer, `${endKey} to quit`].filter((part) => part !== undefined);
    await drawEach(
      dashboards,
      (dashboard, { columns: width, rows }) =>
        dashboardLines({ ...dashboard, footer: footerOf(dashboard).join('; ') }, { ...options, width }, rows),
      sink,
    );
    return;
  }
  const width = sink.isTTY ? (sink.columns ?? USUAL_COLUMNS) : undefined;
  for await (const dashboard of dashboards) {
    if (sink.closed) return;
    const lines = await dashboardLines(dashboard, { ...options, width }, Number.POSITIVE_INFINITY);
    await sink.write(`${lines.join('\n')}\n${sink.isTTY ? '\n' : ''}`);
  }
}

/** In no more lines than this: rows of the longest tables give way, never the headings and totals. */
async function dashboardLines(dashboard: Dashboard, given: OutputOptions, height: number): Promise<readonly string[]> {
  const { at, title, heading, tables, footer } = dashboard;
  const options = { ...given, now: at };
  const { width = Number.POSITIVE_INFINITY } = options;
  const paint = await painter(options.color);
  const wrapped = (text: string) => wrap(escapeText(text), width);
  const time = showTime(new Date(at).toISOString(), { time: options.time === 'local' ? 'local' : 'utc', now: at });
  const shortTime = options.width === undefined ? time : time.replace(/^.*T([\d:]+)\.?\d*/, '$1');
  const top = [
    ...wrapped(`${title} at ${shortTime}`).map((line) => paint(line, 'strong')),
    ...heading.flatMap(({ text, tone }) => wrapped(text).map((line) => paint(line, tone))),
  ];
  const bottom = footer === undefined ? [] : wrapped(footer).map((line) => paint(line, 'dim'));
  const space = height - top.length - bottom.length - (bottom.length === 0 ? 0 : 1);
  // Blank lines give way before rows do.
  const all = tables.map(({ rows }) => rows.length);
  const gap = linesOf(tables, all) + tables.length <= space ? [''] : [];
  const counts = shownRows(tables, space - gap.length * tables.length);
  const parts = await Promise.all(
    tables.map((table, index) => tableLines(table, counts[index] ?? 0, options, { width, paint })),
  );
  const middle = parts.flatMap((lines) => [...gap, ...lines]).slice(0, Math.max(0, space));
  if (bottom.length === 0) return [...top, ...middle];
  return [...[...top, ...middle, ''].slice(0, Math.max(0, height - bottom.length)), ...bottom];
}

/** How many rows of each table fit into the lines: at least one of each. */
function shownRows(tables: readonly DashboardTable[], space: number): readonly number[] {
  const counts = tables.map(({ rows }) => rows.length);
  while (linesOf(tables, counts) > space) {
    const longest = counts.indexOf(Math.max(...counts));
    if ((counts[longest] ?? 0) <= 1) break;
    counts[longest] = (counts[longest] ?? 0) - 1;
  }
  return counts;
}

/** The title, the header or what is said instead of rows, the line of what is left out, and the total. */
function linesOf(tables: readonly DashboardTable[], counts: readonly number[]): number {
  const lines = tables.map(({ rows, total }, index) => {
    const count = counts[index] ?? 0;
    return 2 + count + (count < rows.length ? 1 : 0) + (total === undefined ? 0 : 1);
  });
  return lines.reduce((sum, one) => sum + one, 0);
}

async function tableLines(
  { title, list, rows, total }: DashboardTable,
  count: number,
  options: OutputOptions,
  { width, paint }: { readonly width: number; readonly paint: Painter },
): Promise<readonly string[]> {
  const totals = total === undefined ? [] : [total];
  const { subject } = await shape([...rows.slice(0, count), ...totals], list, options);
  if (subject.kind !== 'list') return [];
  const { lines, shared = [] } = await layOut(subject, options);
  const common = shared.length === 0 ? '' : `: ${shared.join(' ')}`;
  const titleLine = paint(shorten(escapeText(`${title}${common}`), width), 'strong');
  if (rows.length === 0) return [titleLine, paint(shorten(list.empty ?? 'none', width), 'dim')];
  const all = [...lines];
  const below = totals.length === 0 ? [] : all.splice(-1);
  const more = rows.length - count;
  const cut = more === 0 ? [] : [paint(shorten(`… ${more} more`, width), 'dim')];
  return [titleLine, ...all, ...cut, ...below];
}
