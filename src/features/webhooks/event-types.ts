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
  for (const type of types) requireKnown(type, '--event');
  return types;
}

/** Types and ids of events to wait for. Throws `invalid_value` for what will never arrive. */
export function awaitedEvents(lists: readonly string[], filter: readonly string[]): readonly string[] {
  const wanted = eventTypes(lists);
  for (const one of wanted) {
    if (one.startsWith('evt_')) continue;
    requireKnown(one, '--until-event');
    if (filter.length === 0 || filter.includes(one)) continue;
    throw new SvcError('usage', `--until-event ${one} will never arrive: --event leaves it out`, {
      hint: `add --event ${one}`,
    });
  }
  return wanted;
}

function requireKnown(type: string, option: string): void {
  if (isKnown(type)) return;
  const close = suggest(type, KNOWN_EVENTS);
  throw new SvcError(
    'invalid_value',
    `${option}: the service has no event type ${JSON.stringify(type)}; it has ${KNOWN_EVENTS.join(' and ')}`,
    close === undefined ? {} : { hint: `did you mean ${close}?` },
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

/** Refuses types that the document does not have, and lists those that it has. */
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
