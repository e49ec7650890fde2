/** How wide the columns of a table get on a terminal. */

export interface ColumnSize {
  readonly name: string;
  /** What header and cells need. */
  readonly natural: number;
  /** What is left of it at least: the same as `natural` where the column must not be shortened. */
  readonly least: number;
}

export interface Fit {
  /** The columns that stay, in their order, by index. */
  readonly kept: readonly { readonly index: number; readonly width: number }[];
  readonly dropped: readonly string[];
}

export const GAP = 2;

/**
 * Columns shrink to a common cap as far as they may. Where that is not enough, those stay that fit beside the ones before them; the
 * first always stays, cut if it must be.
 */
export function fitColumns(columns: readonly ColumnSize[], width: number | undefined): Fit {
  if (width === undefined)
    return { kept: columns.map(({ natural }, index) => ({ index, width: natural })), dropped: [] };
  const kept: number[] = [];
  const dropped: string[] = [];
  let room = width + GAP;
  for (const [index, { name, least }] of columns.entries()) {
    if (index > 0 && least + GAP > room) {
      dropped.push(name);
      continue;
    }
    kept.push(index);
    room -= least + GAP;
  }
  const [first] = columns;
  if (first !== undefined && first.least > width) return { kept: [{ index: 0, width }], dropped };
  const widths = shrink(
    kept.map((index) => columns[index] as ColumnSize),
    width,
  );
  return { kept: kept.map((index, place) => ({ index, width: widths[place] ?? 0 })), dropped };
}

function shrink(columns: readonly ColumnSize[], width: number): readonly number[] {
  let low = 0;
  let high = columns.reduce((most, { natural }) => Math.max(most, natural), 0);
  while (low < high) {
    const cap = Math.ceil((low + high) / 2);
    if (total(columns, cap) <= width) low = cap;
    else high = cap - 1;
  }
  let spare = width - total(columns, low);
  return columns.map((column) => {
    const capped = widthAt(column, low);
    if (spare === 0 || capped < low || capped >= column.natural) return capped;
    spare--;
    return capped + 1;
  });
}

function total(columns: readonly ColumnSize[], cap: number): number {
  return columns.reduce((sum, column) => sum + widthAt(column, cap), GAP * Math.max(0, columns.length - 1));
}

function widthAt({ natural, least }: ColumnSize, cap: number): number {
  return Math.max(least, Math.min(natural, cap));
}
