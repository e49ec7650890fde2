/** Options that say how a chart is drawn, and where to. */

import { checkNewFile, writeNewFile } from '../store/named-files.ts';
import type { RunContext } from './command.ts';
import { FILE, type Flags } from './flags.ts';

export const CHART_FLAGS = {
  width: { type: 'integer', min: 20, max: 1000, help: 'Columns of the chart (default the terminal, or 80)' },
  height: { type: 'integer', min: 3, max: 200, help: 'Lines of the chart (default 15)' },
  ascii: { type: 'boolean', help: 'Draw with ASCII characters only' },
  svg: { ...FILE, help: 'Also write the chart to a file; -: print it alone' },
} as const satisfies Flags;

export interface SvgInput {
  readonly svg?: string | undefined;
  readonly force: boolean;
}

/** Checked before any request: whether the file can be written. */
export function checkSvg({ svg, force }: SvgInput): void {
  if (svg !== undefined && svg !== '-') checkNewFile({ option: '--svg', path: svg, force });
}

/** Writes the chart to its file, or returns it if it is to be printed alone. */
export async function drawn(
  { svg, force }: SvgInput,
  picture: Parameters<RunContext['drawSvg']>[0],
  ctx: RunContext,
): Promise<string | undefined> {
  if (svg === undefined) return undefined;
  const text = await ctx.drawSvg(picture);
  if (svg === '-') return text;
  writeNewFile({ option: '--svg', path: svg, force }, text, ctx.pid);
  ctx.notice(`the chart is in ${svg}`);
  return undefined;
}
