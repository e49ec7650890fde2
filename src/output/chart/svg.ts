/** A chart as one SVG file: no script, font or other file, and always the same bytes. */
import { escapeText, xmlText } from '../escape.ts';
import { displayWidth, shorten, wrap } from '../terminal.ts';
import type { ChartPicture, OutputOptions } from '../types.ts';
import { isPoint, position, rangeIn, rangeOf, type Stretch, stretchesOf, titleOf, type Window } from './stretches.ts';
import { instantText, newContexts, type ShownTime, timeTicks, windowText, zoneName, zoneNames } from './time-axis.ts';
import { fraction, stepsFrom, ticksBetween, type ValueTick } from './value-axis.ts';

const USUAL_WIDTH = 860;
const FIELD_HEIGHT = 300;
const EDGE = 24;
const FONT_SIZE = 12;
const TITLE_SIZE = 16;
const TITLE_LINE = 22;
const LEGEND_LINE = 20;
/** Space above the maximum and below the minimum. */
const PADDING = 22;
const MOST_VALUE_STEPS = 8;
const LONGEST_NAME = 60;
/** Columns per unit of the picture: finer than any line. */
const FINENESS = 2;
/** A shorter stretch is a point. */
const LEAST_COLUMNS = 5;

interface Frame {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
  /** The start of a column. */
  readonly x: (column: number) => number;
  readonly y: (value: number) => number;
}

/** `width`: of the picture; texts have the same size in all. */
export async function drawSvg(
  picture: ChartPicture,
  { time }: Pick<OutputOptions, 'time'>,
  width = USUAL_WIDTH,
): Promise<string> {
  const shown: ShownTime = time === 'local' ? 'local' : (picture.zone ?? 'utc');
  const { series } = picture;
  const [low, high] = rangeIn(picture);
  const ticks = low <= high ? valueTicks(low, high) : [];

  const title = titleOf(picture);
  const titles = title === '' ? [] : wrap(escapeText(title), Math.floor((width - 2 * EDGE) / (TITLE_SIZE * 0.6)));
  const top = EDGE + titles.length * TITLE_LINE;
  const left = EDGE + Math.max(0, ...ticks.map(({ text }) => textWidth(text))) + 8;
  const frame: Frame = {
    left,
    right: width - EDGE,
    top,
    bottom: top + FIELD_HEIGHT,
    x: (column) => left + column / FINENESS,
    y: (value) => top + PADDING + (1 - fraction(value, low, high)) * (FIELD_HEIGHT - 2 * PADDING),
  };
  const columns = Math.max(1, Math.floor((frame.right - left) * FINENESS));
  const all = series.map((one) => stretchesOf(one, picture, columns));
  const legendTop = frame.bottom + 62;
  const legend = legendEntries(picture, all, legendTop, frame.right);
  const height = round(legend.bottom + EDGE);
  const between = windowText(picture, shown);
  const empty = `<text class="svc-pale" x="${width / 2}" y="${top + FIELD_HEIGHT / 2}" text-anchor="middle">no values ${between}</text>`;

  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" font-family="system-ui, sans-serif" font-size="${FONT_SIZE}">`,
    `<title>${xmlText(title)}</title>`,
    `<desc>${xmlText(description(picture, all, between))}</desc>`,
    styleSheet(),
    `<rect class="svc-page" width="${width}" height="${height}"/>`,
    ...titles.map(
      (line, index) =>
        `<text class="svc-ink" x="${EDGE}" y="${EDGE + 12 + index * TITLE_LINE}" font-size="${TITLE_SIZE}" font-weight="600">${xmlText(line)}</text>`,
    ),
    ...ticks.map((tick) => valueLine(tick, frame)),
    timeAxis(picture, shown, frame),
    ...[...all.entries()].reverse().map(([index, stretches]) => seriesLine(stretches, index, frame)),
    low > high ? empty : '',
    ...legend.entries,
    '</svg>',
  ]
    .filter((line) => line !== '')
    .join('\n')}\n`;
}

function valueTicks(low: number, high: number): readonly ValueTick[] {
  const ends = [...new Set([low, high])].map((value) => ({ value, text: String(value) }));
  const [step] =
    low === high ? [] : stepsFrom((high - low) / MOST_VALUE_STEPS, Math.max(Math.abs(low), Math.abs(high)));
  const ticks = step === undefined ? [] : ticksBetween(low, high, step);
  return ticks.length < 2 ? ends : ticks;
}

function valueLine({ value, text }: ValueTick, { left, right, y }: Frame): string {
  const at = round(y(value));
  return [
    `<line class="svc-grid" x1="${round(left)}" x2="${right}" y1="${at}" y2="${at}"/>`,
    `<text class="svc-pale" x="${round(left - 8)}" y="${at}" dy="0.35em" text-anchor="end">${text}</text>`,
  ].join('');
}

function timeAxis(window: Window, time: ShownTime, { left, right, bottom }: Frame): string {
  const width = right + EDGE;
  const label = (x: number, line: number, text: string, anchor = 'middle'): string =>
    `<text class="svc-pale" x="${round(x)}" y="${bottom + 2 + line * 17}" text-anchor="${anchor}">${text}</text>`;
  const parts = [`<line class="svc-grid" x1="${round(left)}" x2="${right}" y1="${bottom}" y2="${bottom}"/>`];
  const ticks = timeTicks(window, time, { length: right - left, gap: 16, width: textWidth });
  if (ticks.length === 0) {
    parts.push(label(left, 1, instantText(window.from, time), 'start'));
    if (window.to > window.from) parts.push(label(right, 1, instantText(window.to, time), 'end'));
  }
  const contexts = newContexts(ticks);
  let free = Number.NEGATIVE_INFINITY;
  let first = right;
  for (const tick of ticks) {
    const x = left + position(tick.at, window) * (right - left);
    parts.push(`<line class="svc-grid" x1="${round(x)}" x2="${round(x)}" y1="${bottom}" y2="${bottom + 5}"/>`);
    const half = textWidth(tick.text) / 2;
    parts.push(label(Math.min(width - half, Math.max(half, x)), 1, tick.text));
    const needed = textWidth(tick.context) / 2;
    // Without labels that would touch the previous one.
    if (!contexts.includes(tick) || x - needed < free) continue;
    const center = Math.min(width - needed - 2, x);
    parts.push(label(center, 2, tick.context));
    first = Math.min(first, center - needed);
    free = center + needed + 8;
  }
  for (const zone of [zoneNames(window, time), zoneName(window.to, time)]) {
    // Below the values if there is space.
    if (EDGE + textWidth(zone) + 8 <= first) return [...parts, label(EDGE, 2, zone, 'start')].join('');
    if (right - textWidth(zone) >= free) return [...parts, label(right, 2, zone, 'end')].join('');
  }
  return parts.join('');
}

/** One path with a step for each change; an isolated value is a circle. */
function seriesLine(stretches: readonly Stretch[], series: number, { x, y }: Frame): string {
  let path = '';
  let circles = '';
  for (const stretch of stretches) {
    const [first, last] = [stretch[0], stretch.at(-1)];
    if (first !== undefined && last !== undefined && isPoint(stretch, LEAST_COLUMNS, (value) => value)) {
      circles += circle((x(first.column) + x(last.column + 1)) / 2, y(first.low), series);
    } else path += stretchPath(stretch, x, y);
  }
  return path === '' ? circles : `<path class="svc-line ${classOf(series)}"${dashOf(series)} d="${path}"/>${circles}`;
}

function stretchPath(stretch: Stretch, x: Frame['x'], y: Frame['y']): string {
  let path = '';
  let value: number | undefined;
  const stepTo = (to: number): void => {
    if (to !== value) path += `V${round(y(to))}`;
    value = to;
  };
  for (const { column, low, high, last } of stretch) {
    if (value === last && low === high) continue;
    if (value !== undefined) path += `H${round(x(column))}`;
    else {
      value = low === last ? high : low;
      path += `M${round(x(column))} ${round(y(value))}`;
    }
    // There and back, if it went further than it stayed.
    const before = value;
    for (const turn of [low, high]) if (turn !== before) stepTo(turn);
    stepTo(last);
  }
  return `${path}H${round(x((stretch.at(-1)?.column ?? 0) + 1))}`;
}

function circle(x: number, y: number, series: number): string {
  return `<circle class="${classOf(series)}" cx="${round(x)}" cy="${round(y)}" r="2.5"/>`;
}

/** Side by side if there is space. */
function legendEntries({ series }: ChartPicture, all: readonly (readonly Stretch[])[], top: number, right: number) {
  let x = EDGE;
  let y = top;
  const entries = series.map(({ name }, index) => {
    const text = shorten(escapeText(name), LONGEST_NAME) + (all[index]?.length === 0 ? ' (no values)' : '');
    const needed = 34 + textWidth(text) + 18;
    if (x > EDGE && x + needed > right) {
      x = EDGE;
      y += LEGEND_LINE;
    }
    const at = x;
    x += needed;
    return [
      `<path class="svc-line ${classOf(index)}"${dashOf(index)} d="M${round(at)} ${y - 4}h26"/>`,
      `<text class="svc-ink" x="${round(at + 34)}" y="${y}">${xmlText(text)}</text>`,
    ].join('');
  });
  return { entries, bottom: series.length === 0 ? top - LEGEND_LINE : y };
}

/** For readers who cannot see the picture. */
function description({ series }: ChartPicture, all: readonly (readonly Stretch[])[], between: string): string {
  const sentences = series.map(({ name }, index) => {
    const stretches = all[index] ?? [];
    const [low, high] = rangeOf([stretches]);
    if (low > high) return `${name}: no values.`;
    return `${name}: least ${low}, greatest ${high}, last ${stretches.at(-1)?.at(-1)?.last}.`;
  });
  return [`Step lines ${between}.`, ...sentences].join(' ');
}

/** Okabe and Ito's colors, which nearly everybody can distinguish; lighter for dark pages. */
const LIGHT = ['#0072b2', '#d55e00', '#009e73', '#b0568a', '#7a6a00', '#3b3b98'];
const DARK = ['#56b4e9', '#ff9b54', '#2fc69a', '#e3a1c8', '#f0e442', '#a5a5ff'];
/** A different count than of colors, so that pairs seldom repeat. */
const DASHES = ['', '8 4', '2 3', '12 4 2 4', '5 3'];

function dashOf(series: number): string {
  const dash = DASHES[series % DASHES.length] ?? '';
  return dash === '' ? '' : ` stroke-dasharray="${dash}"`;
}

function classOf(series: number): string {
  return `svc-${series % LIGHT.length}`;
}

function styleSheet(): string {
  const rules = (colors: readonly string[], [page, ink, pale, grid]: readonly string[]): string =>
    [
      `.svc-page{fill:${page}}.svc-ink{fill:${ink}}.svc-pale{fill:${pale}}.svc-grid{stroke:${grid}}`,
      ...colors.map((color, index) => `.svc-${index}{stroke:${color};fill:${color}}`),
    ].join('');
  const light = rules(LIGHT, ['#ffffff', '#1b1f24', '#57606a', '#d8dee4']);
  const dark = rules(DARK, ['#0d1117', '#e6edf3', '#9da7b3', '#30363d']);
  const shapes = '.svc-line{fill:none;stroke-width:1.75;stroke-linejoin:round}';
  return `<style>${light}@media (prefers-color-scheme:dark){${dark}}${shapes}</style>`;
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}

/** Approximate: the reader's font is unknown. */
function textWidth(text: string): number {
  return displayWidth(escapeText(text)) * FONT_SIZE * 0.6;
}
