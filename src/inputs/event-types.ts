/** Event types as options take them: one list or several, separated by commas. */
import { didYouMean } from '../cli/suggest.ts';
import { SvcError } from '../errors.ts';

/** Those of doc 2 §6. Others are sent all the same: the service may know more. */
const KNOWN = ['summary.completed', 'webhook.ping'] as const;

/** Each type once. Throws `invalid_value` for an empty one, with the advice of the command that takes it. */
export function eventTypes(lists: readonly string[], option: string, advice: string): readonly string[] {
  const types = lists.flatMap((list) => list.split(',')).map((type) => type.trim());
  if (types.every((type) => type === '')) throw new SvcError('invalid_value', `empty ${option}; ${advice}`);
  if (types.includes('')) throw new SvcError('invalid_value', `${option}: a type is empty: ${lists.join(',')}`);
  return [...new Set(types)];
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
