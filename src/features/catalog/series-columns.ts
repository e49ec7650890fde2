/** How one series is shown as the service gives it: a date and a value a line. */
import type { Column, ListOutput, RecordOutput } from '../../output/types.ts';
import type { Numeric } from './numeric.ts';
import type { Dynamics } from './schema.ts';

interface Point {
  readonly date: string;
  readonly value: Numeric | null;
}

const DATE: Column<Point> = { name: 'date', cell: ({ date }) => ({ time: date }) };

/** For programs: no value is an empty cell. */
export const POINT_LIST: ListOutput<Point> = {
  kind: 'list',
  columns: [DATE, { name: 'value', cell: ({ value }) => value, align: 'right' }],
  id: ({ date }) => date,
  empty: 'no points',
};

export const POINT_TABLE: ListOutput<Point> = {
  ...POINT_LIST,
  columns: [DATE, { name: 'value', cell: ({ value }) => value ?? { text: '-', tone: 'dim' }, align: 'right' }],
};

export const SERIES_RECORD: RecordOutput<Dynamics> = {
  kind: 'record',
  columns: [
    { name: 'dates', cell: ({ dates }) => dates },
    { name: 'values', cell: ({ values }) => values },
  ],
  id: () => undefined,
};
