import { SvcError } from '../../src/errors.ts';

/** The error of a parser that refuses what it is given. */
export function refusalOf(parse: () => unknown): SvcError {
  try {
    parse();
  } catch (error) {
    if (error instanceof SvcError) return error;
    throw error;
  }
  throw new Error('it was not refused');
}

/** The error of work that must fail. */
export async function rejectionOf(work: Promise<unknown>): Promise<SvcError> {
  const error: unknown = await work.then(
    () => new Error('it did not fail'),
    (reason: unknown) => reason,
  );
  if (error instanceof SvcError) return error;
  throw error;
}
