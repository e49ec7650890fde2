/** Fields as services write them: null is absent, a number may be text, an id a number. */
import * as z from 'zod/mini';
import { NUMERIC } from '../json-object.ts';

/** Numbers and truth values become text. Strings come first, because a conversion is slow. */
export const text = z.union(
  [z.string(), z.pipe(z.union([z.number(), z.boolean()]), z.transform(String))],
  'expected a text',
);

/** For a command line: no leading dash, because a service must not choose options. */
export const identifier = z.pipe(
  text,
  z.string().check(z.refine((value) => value !== '' && !value.startsWith('-'), 'expected an id')),
);

/** A finite number, or a text that is one. */
export const number = z.union(
  [z.number(), z.pipe(z.string().check(z.regex(NUMERIC)), z.transform(Number))],
  'expected a number',
);

/** A truth value, or the text or the number that stands for one. */
export const flag = z.union(
  [
    z.boolean(),
    z.pipe(
      z.literal(['true', 'false', 0, 1]),
      z.transform((value) => value === 'true' || value === 1),
    ),
  ],
  'expected true or false',
);

/** For what svc can do without: null and a value of another shape count as absent. */
export function optional<T>(field: z.ZodMiniType<T>) {
  return z.catch(z.optional(field), undefined);
}

/** For what svc computes with: null counts as absent, but another shape is an error. */
export function orAbsent<T>(field: z.ZodMiniType<T>) {
  return z.optional(
    z.pipe(
      z.nullish(field),
      z.transform((value) => value ?? undefined),
    ),
  );
}
