// The one table of the benchmark: rows, their cells, and the figures in them.
import { medianOf, medianRatio } from './measure.mjs';

/**
 * @typedef {object} Row
 * @property {string} work what a user waits for
 * @property {string} against what it is measured against
 * @property {Record<string, Figure[]>} cells the figures by column
 * @property {string} [peers] the peers' own figures
 * @property {string} [reason] why the row misses a goal; printed only if it does
 * @typedef {{ value: number, text: string, isMissed: boolean }} Figure
 */

/**
 * A number with its unit and its goal, such as `54 MiB (≤ 64)`.
 * @returns {Figure}
 */
export function figure(value, { name, unit, digits = 0, atMost, atLeast } = {}) {
  const shown = Number(value.toFixed(digits));
  const number = shown.toLocaleString('en', { minimumFractionDigits: digits });
  const parts = [name, number, unit];
  if (atMost !== undefined) parts.push(`(≤ ${atMost.toLocaleString('en')})`);
  if (atLeast !== undefined) parts.push(`(≥ ${atLeast.toLocaleString('en')})`);
  const text = parts.filter((part) => part !== undefined).join(' ');
  return { value, text, isMissed: shown > atMost || shown < atLeast };
}

export const milliseconds = (seconds, atMost) => figure(seconds * 1000, { unit: 'ms', atMost });
export const mebibytes = (mib, atMost) => figure(mib, { unit: 'MiB', atMost });
export const ratio = (value, atMost) => figure(value, { digits: 2, atMost });

/** The cells of a row, with the figures that `figuresOf` returns for each column. */
export function cellsOf(bench, figuresOf) {
  return Object.fromEntries(Object.keys(bench.programs).map((column) => [column, figuresOf(column)]));
}

/**
 * A row of the time of one line of svc: in milliseconds, and divided by that of `base`, which is the start of Node.js, another line of
 * svc, or a peer. With `memoryGoals`, its memory divided by that of `base`, too. Nothing is shown of what was not measured.
 * @returns {Row}
 */
export function timeRow(
  bench,
  samples,
  { work, line = 'svc', base = 'start', against, goals = {}, memoryGoals, reason },
) {
  const cells = cellsOf(bench, (column) => {
    const ours = samples[`${column} ${line}`];
    const theirs = samples[`${column} ${base}`] ?? samples[base];
    if (ours === undefined) return [];
    const figures = [milliseconds(medianOf(ours, 'wall'))];
    if (theirs === undefined) return figures;
    figures.push(ratio(medianRatio(ours, theirs, 'wall'), goals[column]));
    if (memoryGoals === undefined) return figures;
    const memory = { name: 'memory', digits: 2, atMost: memoryGoals[column] };
    return [...figures, figure(medianRatio(ours, theirs, 'mib'), memory)];
  });
  const peers = describeTimes(bench, samples, memoryGoals !== undefined);
  return { work, against: against ?? (base === 'start' ? '`node -e 0`' : base), cells, peers, reason };
}

/** Such as `amtool 18 ms, curl 10 ms`. */
function describeTimes(bench, samples, withMemory) {
  return Object.keys(bench.peers)
    .filter((peer) => samples[peer] !== undefined)
    .map((peer) => {
      const figures = [milliseconds(medianOf(samples[peer], 'wall'))];
      if (withMemory) figures.push(mebibytes(medianOf(samples[peer], 'mib')));
      return `${peer} ${renderFigures(figures)}`;
    })
    .join(', ');
}

/** Memory is NaN if GNU time is missing. */
export function renderFigures(figures) {
  return figures
    .filter(({ value }) => !Number.isNaN(value))
    .map(({ text }) => text)
    .join(', ');
}

function isMissed(figures) {
  return figures.some((one) => one.isMissed);
}

function renderCell(figures = []) {
  const text = renderFigures(figures);
  return isMissed(figures) ? `**${text}**` : text;
}

/** The first two lines of the table. `columns` has the name of a program by column. */
export function renderHead(columns) {
  const names = ['work', 'measured against', ...Object.values(columns), 'peers in the same run'];
  return `| ${names.join(' | ')} |\n|${'---|'.repeat(names.length)}`;
}

/** @param {Row} row */
export function renderRow(columns, { work, against, cells, peers = '' }) {
  const rendered = Object.keys(columns).map((column) => renderCell(cells[column]));
  return `| ${[work, against, ...rendered, peers].join(' | ')} |`;
}

/** A line for each row that misses a goal. */
export function renderMisses(rows) {
  const missed = rows.filter(({ cells }) => Object.values(cells).some(isMissed));
  return missed.map(({ work, reason }) => `- ${work}: ${reason ?? 'no known reason. Measure it again.'}`);
}
