/** The lines below a field: the axis, what its ticks are called, and what that leaves out. */
import { wrap } from '../width.ts';
import type { Window } from './runs.ts';
import { position } from './runs.ts';
import { instantText, type ShownTime, timeTicks, zoneNames } from './time-axis.ts';

export interface AxisSize {
  /** Of the whole chart. */
  readonly width: number;
  /** The column of the axes' corner. */
  readonly margin: number;
  readonly ascii: boolean;
}

/** Blanks between two texts. */
const GAP = 2;

export function axisLines(window: Window, time: ShownTime, { width, margin, ascii }: AxisSize): readonly string[] {
  const cells = width - margin - 1;
  const ticks = timeTicks(window, time, { length: cells, gap: GAP + 1 }).map((tick) => {
    const cell = margin + 1 + Math.min(cells - 1, Math.floor(position(tick.at, window) * cells));
    return { ...tick, cell, start: startOf(tick.text, cell, width) };
  });
  const axis = Array.from({ length: cells }, (): string => (ascii ? '-' : '─'));
  for (const { cell } of ticks) axis[cell - margin - 1] = ascii ? '+' : '┬';
  const zone = zoneNames(window, time);
  // Beside the axis where there is room for it, else in the last line.
  const beside = zone.length < margin;
  const corner = `${(beside ? `${zone} ` : '').padStart(margin)}${ascii ? '+' : '└'}${axis.join('')}`;
  const last = (labels: readonly Label[]): readonly string[] => {
    if (beside) return [placed(fitting(labels, width))];
    const line = placed(fitting(withZone(labels, zone, width), width));
    return line.includes(zone) ? [line] : [placed(fitting(labels, width)), ...wrap(zone, width)];
  };

  if (ticks.length === 0) {
    const [from, to] = [instantText(window.from, time), instantText(window.to, time)];
    const ends = [
      { start: Math.min(margin, Math.max(0, width - from.length)), text: from },
      { start: width - to.length, text: to },
    ];
    const shown = fitting(from === to ? ends.slice(0, 1) : ends, width);
    return [corner, placed(shown), ...last([])].filter((line) => line !== '');
  }
  const shown = fitting(ticks, width);
  return [corner, placed(shown), ...last(contexts(shown, width))].filter((line) => line !== '');
}

interface Label {
  readonly start: number;
  readonly text: string;
}

/** Under the first tick, and under each from which on it is another one. Where two are too near the first moves left, or is left out. */
function contexts(ticks: readonly (Label & { readonly context: string })[], width: number): readonly Label[] {
  const labels = ticks
    .filter(({ context }, index) => context !== '' && context !== ticks[index - 1]?.context)
    .map(({ start, context }) => ({ start: Math.min(start, width - context.length), text: context }));
  const [first, second] = labels;
  if (first === undefined || second === undefined) return labels;
  const start = Math.min(first.start, second.start - GAP - first.text.length);
  return start < 0 ? labels.slice(1) : [{ ...first, start }, ...labels.slice(1)];
}

/** At the left where there is room for it, and else at the right. */
function withZone(labels: readonly Label[], zone: string, width: number): readonly Label[] {
  const [first] = labels;
  if (first === undefined || first.start >= zone.length + GAP) return [{ start: 0, text: zone }, ...labels];
  return [...labels, { start: width - zone.length, text: zone }];
}

function startOf(text: string, cell: number, width: number): number {
  return Math.max(0, Math.min(width - text.length, cell - Math.floor((text.length - 1) / 2)));
}

/** Without those that would touch the one before, or stand outside. */
function fitting<T extends Label>(labels: readonly T[], width: number): readonly T[] {
  let free = 0;
  return labels.filter(({ start, text }) => {
    if (start < free || start + text.length > width) return false;
    free = start + text.length + GAP;
    return true;
  });
}

function placed(labels: readonly Label[]): string {
  return labels.reduce((line, { start, text }) => line.padEnd(start) + text, '');
}
