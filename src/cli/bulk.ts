/** Many requests of one command: a few at a time, each on its own, none lost from sight. */
import { type ErrorCode, SvcError } from '../errors.ts';
import { DryRunStop } from '../http/target.ts';

export interface BulkWork<Item, Result> {
  readonly concurrency: number;
  readonly work: (item: Item) => Promise<Result>;
  /** Called for each item that failed: the others go on. */
  readonly failed: (item: Item, error: SvcError) => void;
}

export interface BulkResult<Result> {
  /** In the order of the items. */
  readonly done: Result[];
  /** None when all went well, the common code when all failed alike, else `partly_done`. */
  readonly code: ErrorCode | undefined;
}

/** Stops early only on an interruption, a bug, or when a dry run has shown every request. */
export async function bulk<Item, Result>(
  items: readonly Item[],
  { concurrency, work, failed }: BulkWork<Item, Result>,
): Promise<BulkResult<Result>> {
  const results: ({ readonly value: Result } | undefined)[] = new Array(items.length);
  const codes: ErrorCode[] = [];
  let stopped: DryRunStop | undefined;
  const queue = items.entries();
  const worker = async (): Promise<void> => {
    for (const [index, item] of queue) {
      try {
        results[index] = { value: await work(item) };
      } catch (error) {
        if (error instanceof DryRunStop) stopped = error;
        else if (error instanceof SvcError && !FINAL.has(error.code)) {
          codes.push(error.code);
          failed(item, error);
        } else throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, items.length) }, worker));
  if (stopped !== undefined) throw stopped;
  const done = results.flatMap((result) => (result === undefined ? [] : [result.value]));
  return { done, code: commonCode(codes, items.length) };
}

const FINAL: ReadonlySet<ErrorCode> = new Set(['interrupted', 'terminated', 'internal']);

function commonCode(codes: readonly ErrorCode[], items: number): ErrorCode | undefined {
  const [first] = codes;
  if (first === undefined) return undefined;
  return codes.length === items && codes.every((code) => code === first) ? first : 'partly_done';
}
