/** How finely a history is asked for. */
import { SvcError } from '../../errors.ts';
import type { SeriesInterval } from './client.ts';
import { checkWindow, INTERVALS, MOST_POINTS, pointsIn, type Window } from './window.ts';

/** What a chart and its reader can take in: a fortnight by hours, three months by quarters of a day, a year by days. */
const READABLE_POINTS = 400;

/** More of one source is a slip of the pen: it is 27 years by hours. */
const MOST_REQUESTS = 12;

/** `auto`: the finest that a reader can take in. Throws `invalid_value` where nothing is in the window, or far too much. */
export function historyWindow(span: Omit<Window, 'interval'>, wanted: SeriesInterval | 'auto'): Window {
  const window = { ...span, interval: wanted === 'auto' ? suitableInterval(span) : wanted };
  checkWindow(window);
  const points = pointsIn(window);
  const most = MOST_POINTS * MOST_REQUESTS;
  if (points > most) {
    throw new SvcError('invalid_value', `the window has ${points} points of ${window.interval}; ${most} is the most`, {
      hint: 'take a coarser --interval, or a later --from',
    });
  }
  return window;
}

export function suitableInterval(span: Omit<Window, 'interval'>): SeriesInterval {
  return INTERVALS.find((interval) => pointsIn({ ...span, interval }) <= READABLE_POINTS) ?? '7d';
}
