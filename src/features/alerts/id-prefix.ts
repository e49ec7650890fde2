/** Ids that a person may shorten, as long as what is left tells one thing from the others. */
import { SvcError } from '../../errors.ts';

export interface IdKind {
  /** `silence`, for messages. */
  readonly thing: string;
  /** Whether a text can be the beginning of an id at all. */
  readonly form: RegExp;
  /** What to do when there is none. */
  readonly hint: string;
}

const MOST_NAMED = 5;

/** Throws `not_found`, and `invalid_value` where several ids begin so. */
export function findByPrefix<T>(items: Iterable<T>, prefix: string, idOf: (item: T) => string, kind: IdKind): T {
  const wanted = checkPrefix(prefix, kind);
  const found = new Map<string, T>();
  for (const item of items) {
    const id = idOf(item);
    if (id === wanted) return item;
    if (id.startsWith(wanted)) found.set(id, item);
  }
  const [first] = found.values();
  if (first === undefined) {
    throw new SvcError('not_found', `there is no ${kind.thing} ${wanted}`, { hint: kind.hint });
  }
  if (found.size === 1) return first;
  const ids = [...found.keys()];
  const more = ids.length > MOST_NAMED ? ` and ${ids.length - MOST_NAMED} more` : '';
  const named = ids.slice(0, MOST_NAMED).join(', ');
  throw new SvcError('invalid_value', `${ids.length} ${kind.thing}s begin with ${wanted}: ${named}${more}`, {
    hint: 'give more of the id',
  });
}

/** The text in lower case. Throws `invalid_value` where no id can begin so. */
export function checkPrefix(prefix: string, { thing, form, hint }: IdKind): string {
  const lower = prefix.toLowerCase();
  if (!form.test(lower)) {
    throw new SvcError('invalid_value', `"${prefix}" is no ${thing} id, nor the beginning of one`, { hint });
  }
  return lower;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export function isUuid(text: string): boolean {
  return UUID.test(text);
}

/** A whole id as it is sent. Throws `invalid_value`. */
export function silenceId(text: string): string {
  if (!isUuid(text)) {
    throw new SvcError('invalid_value', `"${text}" is not a silence id`, {
      hint: 'a silence id is a UUID; svc silences list -a -q shows them',
    });
  }
  return text.toLowerCase();
}
