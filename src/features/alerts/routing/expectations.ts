/** A file of expectations: which receivers alerts with given labels must have. */
import * as z from 'zod/mini';
import { MAPPING, text } from './time-intervals.ts';

const names = z.array(text, 'must be a list');

const expectation = z
  .strictObject(
    {
      name: z.pipe(
        z.optional(text),
        z.transform((name) => name ?? ''),
      ),
      labels: z.record(z.string(), text, 'must have labels and their values'),
      receivers: names.check(z.refine((list) => list.length > 0, 'every alert has a receiver')),
      /** The labels by which each of the alert's routes groups. */
      group_by: z.optional(z.array(text, 'must be a list')),
      /** When the time intervals are evaluated. */
      at: z.optional(text),
      /** The receivers that a time interval mutes at that time. */
      muted: z.optional(names),
    },
    MAPPING,
  )
  .check(z.refine(({ at, muted }) => muted === undefined || at !== undefined, 'muted needs at'));

export const expectationList = z
  .array(expectation, 'must be a list of expectations')
  .check(z.refine((all) => all.length > 0, 'the list is empty'));
