/** Event types as options take them: one list or several, separated by commas. */
import { splitList } from '../cli/flags.ts';
import { didYouMean } from '../cli/suggest.ts';
import { SvcError } from '../errors.ts';

/** Those of doc 2 §6. Others are sent all the same: the service may know more. */
const KNOWN = ['summary.completed', 'webhook.ping'] as const;

/** Each type once. */
export function eventTypes(lists: readonly string[]): readonly string[] {
  return [...new Set(lists.flatMap(splitList))];
}

/** A refusal of types that the document does not have, with the one that was perhaps meant. */
export function withSuggestion(error: unknown, types: readonly string[]): unknown {
  if (!(error instanceof SvcError) || error.code !== 'refused' || error.httpStatus !== 400) return error;
  const odd = types.find((type) => !(KNOWN as readonly string[]).includes(type));
  if (odd === undefined) return error;
  return new SvcError(error.code, error.message, {
    hint: `${odd}: ${didYouMean(odd, KNOWN)}`,
    httpStatus: error.httpStatus,
    cause: error,
  });
}
