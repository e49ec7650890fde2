/** A chart as an SVG file, complete in itself: no script, no font or file of elsewhere, the same bytes for the same picture. */

import { fraction } from '../cells.ts';
import { escapeText } from '../escape.ts';
import { shorten, wrap } from '../terminal.ts';
import type { ChartPicture, OutputOptions } from '../types.ts';
import { position, type Run, rangeOf, runsOf, type Window } from './runs.ts';
import {
  classOf,
  coordinate,
  dashOf,
  extremeNotes,
  type Frame,
  seriesLine,
  styleSheet,
  textWidth,
  xmlText,
} from './svg-lines.ts';
import { instantText, type ShownTime, timeTicks, windowText, zoneName, zoneNames } from './time-axis.ts';
import { stepsFrom, ticksBetween, type ValueTick } from './value-axis.ts';

const WIDTH = 860;
const FIELD_HEIGHT = 300;
const EDGE = 24;
const FONT_SIZE = 12;
const TITLE_SIZE = 16;
const TITLE_LINE = 22;
const LEGEND_LINE = 20;
/** Above the greatest and below the least value, for what is written there. */
const PADDING = 22;
const MOST_VALUE_STEPS = 8;
const LONGEST_NAME = 60;

/** Columns in a unit of the picture: finer than any line is thick. */
const FINENESS = 2;

export async function drawSvg(picture: ChartPicture, { time }: Pick<OutputOptions, 'time'>): Promise<string> {
  const shown: ShownTime = time === 'local' ? 'local' : 'utc';
  const window: Window = { from: picture.from, to: picture.to };
  const { series } = picture;
  const [low, high] = rangeOf(series.map((one) => runsOf(one, window, 1)));
  const ticks = low <= high ? valueTicks(low, high) : [];

  const title = [picture.title, picture.unit].filter((part) => part !== undefined && part !== '').join(', ');
  const titles = title === '' ? [] : wrap(escapeText(title), Math.floor((WIDTH - 2 * EDGE) / (TITLE_SIZE * 0.6)));
  const top = EDGE + titles.length * TITLE_LINE;
  const left = EDGE + Math.max(0, ...ticks.map(({ text }) => textWidth(text, FONT_SIZE))) + 8;
  const frame: Frame = {
    left,
    right: WIDTH - EDGE,
    top,
    bottom: top + FIELD_HEIGHT,
    x: (column) => left + column / FINENESS,
    y: (value) => top + PADDING + (1 - fraction(value, low, high)) * (FIELD_HEIGHT - 2 * PADDING),
  };
  const columns = Math.max(1, Math.floor((frame.right - left) * FINENESS));
  const all = series.map((one) => runsOf(one, window, columns));
  const legend = legendEntries(picture, all, frame.bottom + 62);
  const height = legend.bottom + EDGE;
  const between = windowText(window, shown);

  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${coordinate(height)}" width="${WIDTH}" height="${coordinate(height)}" role="img" font-family="system-ui, sans-serif" font-size="${FONT_SIZE}">`,
    `<title>${xmlText(title)}</title>`,
    `<desc>${xmlText(description(picture, all, between))}</desc>`,
    styleSheet(),
    `<rect class="svc-page" width="${WIDTH}" height="${coordinate(height)}"/>`,
    ...titles.map(
      (line, index) =>
        `<text class="svc-ink" x="${EDGE}" y="${EDGE + 12 + index * TITLE_LINE}" font-size="${TITLE_SIZE}" font-weight="600">${xmlText(line)}</text>`,
    ),
    ...ticks.map((tick) => valueLine(tick, frame)),
    timeAxis(window, shown, frame),
    ...[...all.entries()].reverse().map(([index, runs]) => seriesLine(runs, index, frame)),
    low <= high
      ? extremeNotes(all, frame)
      : `<text class="svc-pale" x="${WIDTH / 2}" y="${top + FIELD_HEIGHT / 2}" text-anchor="middle">no values ${xmlText(between)}</text>`,
    ...legend.entries,
    '</svg>',
  ]
    .filter((line) => line !== '')
    .join('\n')}\n`;
}

function valueTicks(low: number, high: number): readonly ValueTick[] {
  const ends = [...new Set([low, high])].map((value) => ({ value, text: String(value) }));
  const range = high - low;
  if (range === 0) return ends;
  const [step] = stepsFrom(range / MOST_VALUE_STEPS, Math.max(Math.abs(low), Math.abs(high)));
  const ticks = step === undefined ? [] : ticksBetween(low, high, step);
  return ticks.length < 2 ? ends : ticks;
}

function valueLine({ value, text }: ValueTick, { left, right, y }: Frame): string {
  const at = coordinate(y(value));
  return [
    `<line class="svc-grid" x1="${coordinate(left)}" x2="${right}" y1="${at}" y2="${at}"/>`,
    `<text class="svc-pale" x="${coordinate(left - 8)}" y="${at}" dy="0.35em" text-anchor="end">${text}</text>`,
  ].join('');
}

function timeAxis(window: Window, time: ShownTime, { left, right, bottom }: Frame): string {
  const label = (x: number, line: number, text: string, anchor = 'middle'): string =>
    `<text class="svc-pale" x="${coordinate(x)}" y="${bottom + 2 + line * 17}" text-anchor="${anchor}">${text}</text>`;
  const parts = [`<line class="svc-grid" x1="${coordinate(left)}" x2="${right}" y1="${bottom}" y2="${bottom}"/>`];
  const width = (text: string): number => textWidth(text, FONT_SIZE);
  const ticks = timeTicks(window, time, { length: right - left, gap: 16, width });
  if (ticks.length === 0) {
    parts.push(label(left, 1, instantText(window.from, time), 'start'));
    if (window.to > window.from) parts.push(label(right, 1, instantText(window.to, time), 'end'));
  }
  let free = Number.NEGATIVE_INFINITY;
  let first = right;
  for (const [index, { at, text, context }] of ticks.entries()) {
    const x = left + position(at, window) * (right - left);
    parts.push(
      `<line class="svc-grid" x1="${coordinate(x)}" x2="${coordinate(x)}" y1="${bottom}" y2="${bottom + 5}"/>`,
    );
    const half = width(text) / 2;
    parts.push(label(Math.min(WIDTH - half, Math.max(half, x)), 1, text));
    const needed = width(context) / 2;
    // What stands there may not be overwritten.
    if (context === '' || context === ticks[index - 1]?.context || x - needed < free) continue;
    const center = Math.min(WIDTH - needed - 2, x);
    parts.push(label(center, 2, context));
    first = Math.min(first, center - needed);
    free = center + needed + 8;
  }
  for (const zone of [zoneNames(window, time), zoneName(window.to, time)]) {
    // Below the values where there is room for it.
    if (EDGE + width(zone) + 8 <= first) return [...parts, label(EDGE, 2, zone, 'start')].join('');
    if (right - width(zone) >= free) return [...parts, label(right, 2, zone, 'end')].join('');
  }
  return parts.join('');
}

/** Beside each other as far as there is room. */
function legendEntries({ series }: ChartPicture, all: readonly (readonly Run[])[], top: number) {
  let x = EDGE;
  let y = top;
  const entries = series.map(({ name }, index) => {
    const text = shorten(escapeText(name), LONGEST_NAME) + (all[index]?.length === 0 ? ' (no values)' : '');
    const needed = 34 + textWidth(text, FONT_SIZE) + 18;
    if (x > EDGE && x + needed > WIDTH - EDGE) {
      x = EDGE;
      y += LEGEND_LINE;
    }
    const at = x;
    x += needed;
    return [
      `<path class="svc-line ${classOf(index)}"${dashOf(index)} d="M${coordinate(at)} ${y - 4}h26"/>`,
      `<text class="svc-ink" x="${coordinate(at + 34)}" y="${y}">${xmlText(text)}</text>`,
    ].join('');
  });
  return { entries, bottom: series.length === 0 ? top - LEGEND_LINE : y };
}

/** For whoever cannot see it. */
function description({ series }: ChartPicture, all: readonly (readonly Run[])[], between: string): string {
  const sentences = series.map(({ name }, index) => {
    const runs = all[index] ?? [];
    const [low, high] = rangeOf([runs]);
    if (low > high) return `${name}: no values.`;
    return `${name}: least ${low}, greatest ${high}, last ${runs.at(-1)?.last}.`;
  });
  return [`Step lines ${between}.`, ...sentences].join(' ');
}
