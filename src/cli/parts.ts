/** What a command on several clusters or members returns: rows of each, and one per failure. */
import { type ErrorCode, SvcError, toErrorReport } from '../errors.ts';
import type { Column, ListOutput } from '../output/types.ts';

/** What the parts are, and the field and column that name one. */
export type PartKind = 'cluster' | 'member';

export type Part<Row> =
  | { readonly name: string; readonly rows: readonly Row[]; readonly error?: undefined }
  | { readonly name: string; readonly error: SvcError };

/** A symbol, because a service may have a field of any name. A copy of the row has it, too. */
const FAILED = Symbol('failed');

export function rowsOfParts(kind: PartKind, parts: readonly Part<object>[]): readonly object[] {
  return parts.flatMap((part): readonly object[] => {
    const { name, error } = part;
    if (error === undefined) return part.rows.map((row) => ({ [kind]: name, ...row }));
    return [{ [kind]: name, error: toErrorReport(error).error, [FAILED]: true }];
  });
}

/** The row of a failed part has its name and its error only. */
interface FailedRow {
  readonly [FAILED]: true;
  readonly error: { readonly message: string };
}

const isFailed = (row: object): row is FailedRow => FAILED in row;

const NAMES: Readonly<Record<PartKind, Column<object>>> = {
  cluster: { name: 'cluster', cell: (row) => (row as { readonly cluster?: string }).cluster, vital: true },
  member: { name: 'member', cell: (row) => (row as { readonly member?: string }).member, vital: true },
};

const ERROR: Column<object> = {
  name: 'error',
  cell: (row) => (isFailed(row) ? row.error.message : undefined),
  shrinks: true,
};

export function listOfParts<Row extends object>(
  kind: PartKind,
  { columns, families = {}, id, json: _json, live: _live, ...list }: ListOutput<Row>,
): ListOutput<Row | FailedRow> {
  const own = columns.filter((column) => column !== ERROR).map(ofSuccess);
  const familyEntries = Object.entries(families).map(
    ([name, family]) => [name, (argument: string) => ofSuccess(family(argument))] as const,
  );
  return {
    ...list,
    columns: [NAMES[kind], ...own, ERROR],
    families: Object.fromEntries(familyEntries),
    id: (row) => (isFailed(row) ? undefined : id(row)),
  };
}

function ofSuccess<Row extends object>(column: Column<Row>): Column<Row | FailedRow> {
  const name = Object.values(NAMES).find((one) => one === column);
  if (name !== undefined) return name;
  const { cell, order, ...rest } = column;
  return {
    ...rest,
    cell: (row) => (isFailed(row) ? undefined : cell(row)),
    ...(order && { order: (row) => (isFailed(row) ? undefined : order(row)) }),
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
