/** How the columns of a table share the width of a terminal: it goes to what tells the rows apart. */
import type { CellText } from './cells.ts';
import { displayWidth, shorten, shortenMiddle } from './terminal.ts';
import type { Column } from './types.ts';

/** Between two columns. */
export const GAP = '  ';
/** A shortened column keeps this much, or its header. */
const LEAST = 8;

export interface ColumnSize {
  readonly name: string;
  /** What header and cells need. */
  readonly natural: number;
  /** What is left of it at least: the same as `natural` where the column must not be shortened. */
  readonly least: number;
  /** If it is narrower than this, texts that differ may look alike. */
  readonly distinct?: number;
  /** What is dropped first: the last that have the highest rank. */
  readonly rank?: number;
  /** The text of all rows. */
  readonly common?: string | undefined;
}

/** The next command needs an id: a column of ids is never dropped, nor is the first column, and no id is cut. Services write `tradeId` and `event_id`. */
const ID_COLUMN = /^(id|fingerprint)$|[-_]ids?$|[a-z]I[dD]s?$/;

const RANK = { needed: 0, vital: 1, vitalCommon: 2, usual: 3, common: 4, empty: 5 } as const;

/** `rows` are those that are compared. */
export function columnSize(
  { name, flex, vital }: Pick<Column<unknown>, 'name' | 'flex' | 'vital'>,
  title: string,
  texts: readonly string[],
  isCompared: boolean,
): ColumnSize {
  // cli-table3 gives a cell to an empty column, too.
  const titleWidth = Math.max(1, displayWidth(title));
  const natural = texts.reduce((most, text) => Math.max(most, displayWidth(text)), titleWidth);
  const least = flex === true && !ID_COLUMN.test(name) ? Math.min(natural, Math.max(LEAST, titleWidth)) : natural;
  const usual = vital === true ? RANK.vital : RANK.usual;
  if (!isCompared) return { name, natural, least, rank: usual };
  const values = [...new Set(texts)].sort();
  const isEmpty = values.length === 1 && values[0] === '';
  const isCommon = values.length === 1 && texts.length > 1;
  const reversed = values.map((text) => [...text].reverse().join('')).sort();
  // `…` follows the beginning, or is before an end of half the width.
  const apart = Math.min(sharedStart(values) + 2, 2 * (sharedStart(reversed) + 2));
  const distinct = Math.min(natural, Math.max(least, apart));
  const same = vital === true ? RANK.vitalCommon : RANK.common;
  const filled = isCommon ? same : usual;
  const rank = isEmpty ? RANK.empty : filled;
  return { name, natural, least, distinct, rank, common: isCommon || isEmpty ? values[0] : undefined };
}

/** The sizes of columns that the user named: none of them is dropped. */
export function requireAll(columns: readonly ColumnSize[]): readonly ColumnSize[] {
  return columns.map((column) => ({ ...column, rank: RANK.needed, common: undefined }));
}

/** The length of the longest beginning that two of these have in common. They are sorted, and differ. */
function sharedStart(texts: readonly string[]): number {
  return texts.reduce((longest, text, index) => {
    const before = texts[index - 1] ?? '';
    let length = 0;
    while (length < before.length && text[length] === before[length]) length++;
    return Math.max(longest, length);
  }, 0);
}

/** The length of the beginning that tells these ids apart. */
export function briefLength(ids: readonly string[]): number {
  return Math.max(LEAST, sharedStart([...new Set(ids)].sort()) + 1);
}

interface Fit {
  /** The columns that stay, in their order, by index. */
  readonly shown: readonly { readonly index: number; readonly width: number }[];
  readonly dropped: readonly string[];
  /** `name=value` of the columns that were dropped and have the same value in all rows. */
  readonly common: readonly string[];
}

/**
 * What does not fit gives way in this order: columns without text and those with one text in all rows are dropped, then the last that do not fit even when
 * they are shortened. Then the widest shrink: first as far as their rows stay different, then as far as they may.
 */
export function fitColumns(columns: readonly ColumnSize[], width = Number.POSITIVE_INFINITY): Fit {
  const ids = columns.filter(({ name }, index) => index > 0 && ID_COLUMN.test(name));
  const allFit = width > ids.length * (1 + GAP.length);
  const ranked = columns.map((column, index) => {
    const isNeeded = index === 0 || (allFit && ID_COLUMN.test(column.name));
    return { ...column, index, rank: isNeeded ? RANK.needed : (column.rank ?? RANK.usual) };
  });
  const byRank = [...ranked].sort((a, b) => a.rank - b.rank);
  let excess = ranked.reduce((sum, { natural }) => sum + natural + GAP.length, -GAP.length) - width;
  while (excess > 0 && (byRank.at(-1)?.rank ?? 0) > RANK.usual) excess -= (byRank.pop()?.natural ?? 0) + GAP.length;
  let free = width + GAP.length;
  const fitting = byRank.filter(({ rank, least }) => {
    const fits = rank === RANK.needed || least + GAP.length <= free;
    if (fits) free -= least + GAP.length;
    return fits;
  });
  const [shown, dropped] = [true, false].map((is) => ranked.filter((column) => fitting.includes(column) === is));
  const sized = (shown ?? []).map(({ index, natural, least, distinct = least }) => {
    return { index, width: Math.min(natural, width), bounds: [distinct, least] };
  });
  excess = sized.reduce((sum, column) => sum + column.width + GAP.length, -GAP.length) - width;
  for (let step = 0; excess > 0; excess--) {
    // Where not even the ids fit, they share the line.
    const above = () => sized.filter((column) => column.width > (column.bounds[step] ?? 1));
    while (above().length === 0 && step < 2) step++;
    if (above().length === 0) break;
    above().reduce((most, column) => (column.width >= most.width ? column : most)).width--;
  }
  return {
    shown: sized,
    dropped: (dropped ?? []).filter(({ common }) => common === undefined).map(({ name }) => name),
    common: (dropped ?? []).flatMap(({ name, common }) =>
      common === undefined ? [] : [`${name}=${common || 'none'}`],
    ),
  };
}

/** The cells of a column, cut at their end, or in the middle where more of them stay different that way. */
export function shortenCells(cells: readonly CellText[], width: number, isCompared: boolean): readonly CellText[] {
  const cut = (how: typeof shorten) => cells.map((cell): CellText => ({ ...cell, text: how(cell.text, width) }));
  const end = cut(shorten);
  if (!isCompared || width < LEAST || countTexts(end) === countTexts(cells)) return end;
  const middle = cut(shortenMiddle);
  return countTexts(middle) > countTexts(end) ? middle : end;
}

function countTexts(cells: readonly CellText[]): number {
  return new Set(cells.map(({ text }) => text)).size;
}
