/** Runs many requests of one command, a few at a time, and reports the result of each. */
import { type ErrorCode, SvcError } from '../errors.ts';
import { Plan, type RequestValue } from '../http/endpoint.ts';

export type Outcome<Item, Result> =
  | { readonly item: Item; readonly result: Result; readonly error?: undefined }
  | { readonly item: Item; readonly error: SvcError };

export interface BulkOutcome<Item, Result> {
  /** In the order of the items. */
  readonly outcomes: readonly Outcome<Item, Result>[];
  /** Undefined if all went well, the common code if all failed alike, else `partly_done`. */
  readonly code: ErrorCode | undefined;
}

/** Failures that end the command, whichever item they came from. */
export const FINAL: ReadonlySet<ErrorCode> = new Set(['interrupted', 'terminated', 'internal']);

/** A failing item does not stop the others. In a dry run the result is one plan of all requests. */
export async function bulk<Item, Result>(
  items: readonly Item[],
  concurrency: number,
  work: (item: Item) => Promise<Result>,
): Promise<BulkOutcome<Item, Exclude<Result, Plan>> | Extract<Result, Plan>> {
  const outcomes: Outcome<Item, Exclude<Result, Plan>>[] = new Array(items.length);
  const planned: RequestValue[] = [];
  const failures: SvcError[] = [];
  const queue = items.entries();
  const worker = async (): Promise<void> => {
    for (const [index, item] of queue) {
      try {
        const result = await work(item);
        if (result instanceof Plan) {
          planned.push(...result.requests);
          failures.push(...result.failures);
        } else outcomes[index] = { item, result: result as Exclude<Result, Plan> };
      } catch (error) {
        if (!(error instanceof SvcError) || FINAL.has(error.code)) throw error;
        outcomes[index] = { item, error };
        failures.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, items.length) }, worker));
  if (planned.length > 0) return new Plan(planned, failures) as Extract<Result, Plan>;
  return { outcomes, code: commonCode(outcomes.map(({ error }) => error?.code)) };
}

/** A row for each item, by `failed` if it failed. The failure of a single item is thrown. */
export function bulkAnswer<Item, Row>(
  outcome: BulkOutcome<Item, Row> | Plan,
  failed: (item: Item, error: SvcError) => Row,
): { readonly value: Row[] | Plan; readonly code: ErrorCode | undefined } {
  if (outcome instanceof Plan) return { value: outcome, code: undefined };
  const { outcomes, code } = outcome;
  const [only, ...more] = outcomes;
  if (only?.error !== undefined && more.length === 0) throw only.error;
  const rows = outcomes.map((one) => (one.error === undefined ? one.result : failed(one.item, one.error)));
  return { value: rows, code };
}

function commonCode(codes: readonly (ErrorCode | undefined)[]): ErrorCode | undefined {
  if (codes.every((code) => code === undefined)) return undefined;
  return codes.every((code) => code === codes[0]) ? codes[0] : 'partly_done';
}
