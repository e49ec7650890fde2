/** How finely a history is asked for. */
import { SvcError } from '../../errors.ts';
import type { SeriesInterval } from './client.ts';
import { bucketStart, checkWindow, INTERVALS, pointsIn, type Window } from './window.ts';

/** What a chart and its reader can take in: a fortnight by hours, three months by quarters of a day, a year by days. */
const READABLE_POINTS = 400;

/** More than 27 years by hours is a typing error. */
const MOST_POINTS = 240_000;

interface Span extends Omit<Window, 'interval'> {
  /** Where `from` is counted from now, or from `to`: its buckets start at whole hours, days or weeks, whenever the command runs. */
  readonly relative: boolean;
}

/** `auto`: the finest that a reader can take in. Throws `invalid_value` where nothing is in the window, or far too much. */
export function historyWindow({ relative, ...span }: Span, wanted: SeriesInterval | 'auto'): Window {
  const interval = wanted === 'auto' ? suitableInterval(span) : wanted;
  const window = { from: relative ? bucketStart(span.from, interval) : span.from, to: span.to, interval };
  checkWindow({ ...window, from: span.from });
  const points = pointsIn(window);
  if (points > MOST_POINTS) {
    throw new SvcError('invalid_value', `the window has ${points} points of ${interval}; ${MOST_POINTS} is the most`, {
      hint: 'take a coarser --interval, or a later --from',
    });
  }
  return window;
}

export function suitableInterval(span: Omit<Window, 'interval'>): SeriesInterval {
  return INTERVALS.find((interval) => pointsIn({ ...span, interval }) <= READABLE_POINTS) ?? '7d';
}
