/** What a command on several clusters or members returns: the rows of each, and one row for each that failed. */
import { type ErrorCode, errorReport, SvcError } from '../errors.ts';
import type { Column, ListOutput } from '../output/types.ts';

/** What the parts are, and the field and column that name one. */
export type PartKind = 'cluster' | 'member';

export type Part<Row> =
  | { readonly name: string; readonly rows: readonly Row[]; readonly error?: undefined }
  | { readonly name: string; readonly error: SvcError };

/** A service may have a field of any name, but none that is a symbol. A copy of the row has it, too. */
const FAILED = Symbol('failed');

export function rowsOfParts(kind: PartKind, parts: readonly Part<object>[]): readonly object[] {
  return parts.flatMap((part): readonly object[] => {
    const { name, error } = part;
    if (error === undefined) return part.rows.map((row) => ({ [kind]: name, ...row }));
    return [{ [kind]: name, error: errorReport(error).error, [FAILED]: true }];
  });
}

type PartRow = { readonly [name: string]: unknown };
type AnyColumn = Column<PartRow>;

const NAMES = {
  cluster: { name: 'cluster', cell: ({ cluster }) => cluster as string, vital: true },
  member: { name: 'member', cell: ({ member }) => member as string, vital: true },
} as const satisfies Record<PartKind, AnyColumn>;

const ERROR: AnyColumn = {
  name: 'error',
  cell: (row) => (FAILED in row ? (row['error'] as { readonly message: string }).message : undefined),
  shrinks: true,
};

/** A row of a failed part has its name and its error only. */
export function listOfParts(kind: PartKind, output: ListOutput<never>): ListOutput<PartRow> {
  const { columns, families = {}, id, json: _json, live: _live, ...list } = output as ListOutput<PartRow>;
  const own = columns.filter((column) => column !== ERROR).map(ofSuccess);
  const familyEntries = Object.entries(families).map(
    ([name, family]) => [name, (argument: string) => ofSuccess(family(argument))] as const,
  );
  return {
    ...list,
    columns: [NAMES[kind], ...own, ERROR],
    families: Object.fromEntries(familyEntries),
    id: (row) => (FAILED in row ? undefined : id(row)),
  };
}

function ofSuccess(column: AnyColumn): AnyColumn {
  if (Object.values<AnyColumn>(NAMES).includes(column)) return column;
  const { cell, order } = column;
  return {
    ...column,
    cell: (row) => (FAILED in row ? undefined : cell(row)),
    ...(order && { order: (row) => (FAILED in row ? undefined : order(row)) }),
  };
}

/** The state of such a write has to be checked before anything else. */
const UNKNOWN: ErrorCode = 'outcome_unknown';

/** One part that says no decides; several reasons are a partial answer. */
export function commonCode(codes: readonly (ErrorCode | undefined)[]): ErrorCode | undefined {
  if (codes.includes(UNKNOWN)) return UNKNOWN;
  const [first, ...others] = codes.filter((code) => code !== undefined);
  return others.every((code) => code === first) ? first : 'partly_done';
}

/** One part that says no decides a check, and it is true only if it is true for all parts. */
export function verdictCode(codes: readonly (ErrorCode | undefined)[]): ErrorCode | undefined {
  if (codes.includes('condition_false')) return 'condition_false';
  return codes.includes('partly_done') ? 'not_known' : commonCode(codes);
}

/** The failure of the command if every part failed. */
export function allFailed(failed: readonly { readonly name: string; readonly error: SvcError }[]): SvcError {
  const code = commonCode(failed.map(({ error }) => error.code)) ?? 'internal';
  const { hint, sent } = (failed.find(({ error }) => error.code === code) ?? failed[0])?.error ?? {};
  const message = failed.map(({ name, error }) => `${name}: ${error.message}`).join('; ');
  return new SvcError(code, message, { hint, sent });
}

/** The code of a part that failed while others did not. */
export function partialCode({ code }: SvcError): ErrorCode {
  return code === UNKNOWN ? UNKNOWN : 'partly_done';
}
