/** One source's history over a window of any length, as if the service had answered it at once. */
import { SvcError } from '../../errors.ts';
import type { Catalog, SeriesField } from './client.ts';
import { numberOf } from './numeric.ts';
import type { Dynamics } from './schema.ts';
import type { Series } from './statistics.ts';
import { MOST_POINTS, type Part, partsOf, STEP_MS, type Window, wireTime } from './window.ts';

/** What a series belongs to (doc 3 §2): the service knows it by these two. */
export interface SourceKey {
  readonly parser_name: string;
  readonly source_id: string;
}

export interface History extends Series {
  /** The service's own; of several answers the first one's, with the last one's end. */
  readonly meta: Readonly<Record<string, unknown>>;
}

/** `most` points are asked for in one request; `stepped` is told of each that is done. */
export async function readHistory(
  catalog: Pick<Catalog, 'dynamics'>,
  productId: string,
  { parser_name, source_id }: SourceKey,
  field: SeriesField,
  window: Window,
  { most = MOST_POINTS, stepped }: { readonly most?: number; readonly stepped?: () => void } = {},
): Promise<History> {
  const parts = partsOf(window, most);
  const answers: Dynamics[] = [];
  for (const part of parts) {
    const { interval } = window;
    const query = { parser_name, source_id, field, date_from: part.dateFrom, date_to: part.dateTo, interval };
    const answer = await catalog.dynamics(productId, query);
    if (parts.length > 1) checkJoins(answer, part, STEP_MS[interval]);
    answers.push(answer);
    stepped?.();
  }
  return {
    meta: { ...answers[0]?.meta, ...dateTo(answers.at(-1)) },
    dates: answers.flatMap(({ dates }) => dates),
    values: answers.flatMap(({ values }) => values.map(numberOf)),
  };
}

function dateTo(last: Dynamics | undefined): Readonly<Record<string, unknown>> {
  const end = last?.meta?.['date_to'];
  return end === undefined ? {} : { date_to: end };
}

/** Answers are only put together where each has the points that the whole would have there. */
function checkJoins({ dates }: Dynamics, part: Part, step: number): void {
  const wrong =
    dates.length === part.points
      ? dates.findIndex((date, index) => Date.parse(date) !== part.from + index * step)
      : Math.min(dates.length, part.points);
  if (wrong < 0) return;
  const got = dates[wrong] ?? 'none';
  const due = wrong < part.points ? wireTime(part.from + wrong * step) : 'no more';
  throw new SvcError(
    'bad_answer',
    `the answers for this window do not join: point ${wrong + 1} is ${got}, not ${due}`,
    {
      hint: `ask for less than ${MOST_POINTS} points: a coarser --interval, or a later --from`,
    },
  );
}
