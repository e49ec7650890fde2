/** Event types as options take them: repeated or separated by commas. */
import { type Flag, splitList } from '../../cli/flags.ts';
import { suggest } from '../../cli/lookup.ts';
import { SvcError } from '../../errors.ts';

/** Doc 2 §6. In a subscription, other types are sent as well, and the service decides. */
export const KNOWN_EVENTS = ['summary.completed', 'webhook.ping'] as const;

export const EVENT_FLAG = {
  type: 'string',
  repeat: true,
  list: true,
  value: 'a,b',
  help: 'Only events of these types',
} as const satisfies Flag;

/** A filter's types. Throws `invalid_value` for one that the service lacks: nothing would match. */
export function eventFilter(lists: readonly string[]): readonly string[] {
  const types = eventTypes(lists);
  const type = types.find((one) => !isKnown(one));
  if (type === undefined) return types;
  const close = suggest(type, KNOWN_EVENTS);
  throw new SvcError(
    'invalid_value',
    `--event: the service has no event type ${JSON.stringify(type)}; it has ${KNOWN_EVENTS.join(' and ')}`,
    { hint: close === undefined ? undefined : `did you mean ${close}?` },
  );
}

function isKnown(type: string): boolean {
  return (KNOWN_EVENTS as readonly string[]).includes(type);
}

/** The known type closest to an unknown one. */
export function likelyType(type: string): string | undefined {
  return isKnown(type) ? undefined : suggest(type, KNOWN_EVENTS);
}

/** Each type once. */
export function eventTypes(lists: readonly string[]): readonly string[] {
  return [...new Set(lists.flatMap(splitList))];
}

/** Adds the nearest known type to the service's refusal of an event type. */
export function withSuggestion(error: unknown, types: readonly string[]): unknown {
  if (!(error instanceof SvcError) || error.code !== 'refused' || error.httpStatus !== 400) return error;
  const odd = types.find((type) => !isKnown(type));
  if (odd === undefined) return error;
  const close = suggest(odd, KNOWN_EVENTS);
  return new SvcError(error.code, error.message, {
    hint: close === undefined ? `the known event types are ${KNOWN_EVENTS.join(' and ')}` : `did you mean ${close}?`,
    httpStatus: error.httpStatus,
    cause: error,
  });
}
