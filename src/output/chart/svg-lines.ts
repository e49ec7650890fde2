/** The lines of an SVG chart, and the notes at their least and greatest values. */

import { escapeText } from '../escape.ts';
import { displayWidth } from '../terminal.ts';
import type { Run } from './runs.ts';

export interface Frame {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
  /** Where a column of the runs begins. */
  readonly x: (column: number) => number;
  readonly y: (value: number) => number;
}

/** A stretch of fewer columns is a point. */
const LEAST_COLUMNS = 5;
const NOTE_SIZE = 11;
/** Among the lines of more series notes are in the way, and nobody can tell whose they are. */
const MOST_NOTED = 8;

/** One path with a step for each change; a value that stands alone is a circle. */
export function seriesLine(runs: readonly Run[], series: number, { x, y }: Frame): string {
  let path = '';
  let circles = '';
  for (let start = 0; start < runs.length; ) {
    let end = start + 1;
    while (end < runs.length && runs[end]?.fresh === false) end++;
    const stretch = runs.slice(start, end);
    const [first] = stretch;
    const last = stretch.at(-1);
    start = end;
    if (first === undefined || last === undefined) continue;
    const flat = stretch.every(({ low, high }) => low === first.low && high === first.low);
    if (flat && last.column - first.column < LEAST_COLUMNS) {
      const center = (x(first.column) + x(last.column + 1)) / 2;
      circles += `<circle class="${classOf(series)}" cx="${coordinate(center)}" cy="${coordinate(y(first.low))}" r="2.5"/>`;
    } else path += stretchPath(stretch, { x, y });
  }
  const line = path === '' ? '' : `<path class="svc-line ${classOf(series)}"${dashOf(series)} d="${path}"/>`;
  return line + circles;
}

function stretchPath(stretch: readonly Run[], { x, y }: Pick<Frame, 'x' | 'y'>): string {
  let path = '';
  let value: number | undefined;
  const stepTo = (to: number): void => {
    if (to !== value) path += `V${coordinate(y(to))}`;
    value = to;
  };
  for (const { column, low, high, last } of stretch) {
    if (value === last && low === high) continue;
    if (value !== undefined) path += `H${coordinate(x(column))}`;
    else {
      value = low === last ? high : low;
      path += `M${coordinate(x(column))} ${coordinate(y(value))}`;
    }
    // There and back, where it went further than it stayed.
    const before = value;
    for (const turn of [low, high]) if (turn !== before) stepTo(turn);
    stepTo(last);
  }
  return `${path}H${coordinate(x((stretch.at(-1)?.column ?? 0) + 1))}`;
}

/** Each series' greatest value above it and its least below, as long as there is room. */
export function extremeNotes(all: readonly (readonly Run[])[], frame: Frame): string {
  if (all.length > MOST_NOTED) return '';
  const taken: Box[] = [];
  let notes = '';
  for (const [series, runs] of all.entries()) {
    const [first] = runs;
    if (first === undefined) continue;
    const greatest = runs.reduce((most, run) => (run.high > most.high ? run : most), first);
    const least = runs.reduce((most, run) => (run.low < most.low ? run : most), first);
    const wanted = [{ column: greatest.column, value: greatest.high, below: false }];
    if (least.low !== greatest.high) wanted.push({ column: least.column, value: least.low, below: true });
    for (const { column, value, below } of wanted) {
      const text = String(value);
      const [x, y] = [frame.x(column + 0.5), frame.y(value)];
      const half = textWidth(text, NOTE_SIZE) / 2;
      const center = Math.max(frame.left + half + 2, Math.min(frame.right - half, x));
      const box = {
        left: center - half,
        right: center + half,
        top: below ? y + 5 : y - 17,
        bottom: below ? y + 17 : y - 5,
      };
      if (box.top < frame.top - 20 || box.bottom > frame.bottom || taken.some((other) => overlap(box, other))) continue;
      taken.push(box);
      notes += `<circle class="${classOf(series)}" cx="${coordinate(x)}" cy="${coordinate(y)}" r="2.5"/>`;
      notes += `<text class="svc-ink svc-note" x="${coordinate(center)}" y="${coordinate(box.bottom - 2)}" text-anchor="middle" font-size="${NOTE_SIZE}">${xmlText(text)}</text>`;
    }
  }
  return notes;
}

interface Box {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

function overlap(one: Box, other: Box): boolean {
  return one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom;
}

/** Okabe and Ito's colours, which nearly everybody can tell apart; those for dark pages are lighter. */
const LIGHT = ['#0072b2', '#d55e00', '#009e73', '#b0568a', '#7a6a00', '#3b3b98'];
const DARK = ['#56b4e9', '#ff9b54', '#2fc69a', '#e3a1c8', '#f0e442', '#a5a5ff'];
/** Another number of these than of colours, so that the pair of both is seldom the same. */
const DASHES = ['', '8 4', '2 3', '12 4 2 4', '5 3'];

export function dashOf(series: number): string {
  const dash = DASHES[series % DASHES.length] ?? '';
  return dash === '' ? '' : ` stroke-dasharray="${dash}"`;
}

export function classOf(series: number): string {
  return `svc-${series % LIGHT.length}`;
}

export function styleSheet(): string {
  const rules = (colors: readonly string[], [page, ink, pale, grid]: readonly string[]): string =>
    [
      `.svc-page{fill:${page}}.svc-ink{fill:${ink}}.svc-pale{fill:${pale}}.svc-grid{stroke:${grid}}.svc-note{stroke:${page}}`,
      ...colors.map((color, index) => `.svc-${index}{stroke:${color};fill:${color}}`),
    ].join('');
  const light = rules(LIGHT, ['#ffffff', '#1b1f24', '#57606a', '#d8dee4']);
  const dark = rules(DARK, ['#0d1117', '#e6edf3', '#9da7b3', '#30363d']);
  // The page shines around a note, where a line runs through it.
  const shapes =
    '.svc-line{fill:none;stroke-width:1.75;stroke-linejoin:round}.svc-note{paint-order:stroke;stroke-width:3;stroke-linejoin:round}';
  return `<style>${light}@media (prefers-color-scheme:dark){${dark}}${shapes}</style>`;
}

/** Characters that XML cannot hold, however they are written, are shown as everywhere or replaced. */
export function xmlText(text: string): string {
  return escapeText(text)
    .replace(/[\ufffe\uffff]/g, '\ufffd')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

/** Two decimals at most. */
export function coordinate(value: number): string {
  return String(Math.round(value * 100) / 100);
}

/** Roughly: nobody knows the reader's font. */
export function textWidth(text: string, fontSize: number): number {
  return displayWidth(escapeText(text)) * fontSize * 0.6;
}
