/** Fields of a response as services write them: null is absent, a number may be a text, and an identifier a number. */
import * as z from 'zod/mini';

/** Text. A number or a truth value becomes its text. */
export const text = z.pipe(
  z.union([z.string(), z.number(), z.boolean()], 'expected a text'),
  z.transform((value) => String(value)),
);

/** A finite number, or a text that is one. */
export const number = z.pipe(
  z.union([z.number(), z.string().check(z.regex(/^-?\d+(\.\d+)?([eE][+-]?\d+)?$/))], 'expected a number'),
  z.transform((value) => Number(value)),
);

/** A truth value, or the text or the number that stands for one. */
export const flag = z.pipe(
  z.union([z.boolean(), z.enum(['true', 'false']), z.literal([0, 1])], 'expected true or false'),
  z.transform((value) => value === true || value === 'true' || value === 1),
);

/** For what svc can do without: null and a value of another shape count as absent. */
export function optional<T>(field: z.ZodMiniType<T>) {
  return z.catch(z.optional(field), undefined);
}
