/** How silences are shown: the cells, columns and outputs that the commands about them share. */
import type { Arguments } from '../../cli/flags.ts';
import type { Cell, Column, ListOutput, RecordOutput, Tone } from '../../output/types.ts';
import { formatMatcher, matcherFrom } from '../alerts/matcher.ts';
import type { Silence } from '../alerts/schema.ts';
import type { SilenceOutcome } from './silence-outcome.ts';
import type { PostedSilence } from './silencing.ts';

const STATE_TONES: Readonly<Record<string, Tone>> = { active: 'strong', pending: 'warn', expired: 'dim' };

const stateCell = ({ status }: Silence): Cell => {
  const tone = STATE_TONES[status.state];
  return tone === undefined ? status.state : { text: status.state, tone };
};

export function matcherTexts({ matchers }: Pick<Silence, 'matchers'>): string[] {
  return matchers.map((wire) => formatMatcher(matcherFrom(wire)));
}

export const SILENCE_COLUMNS: readonly Column<Silence>[] = [
  { name: 'id', cell: ({ id }) => id.slice(0, 8) },
  { name: 'state', cell: stateCell },
  { name: 'matchers', cell: matcherTexts, flex: true },
  { name: 'ends', cell: ({ endsAt }) => ({ time: endsAt }) },
  { name: 'created-by', cell: ({ createdBy }) => createdBy, flex: true },
  { name: 'comment', cell: ({ comment }) => comment, flex: true },
  { name: 'starts', cell: ({ startsAt }) => ({ time: startsAt }), wide: true },
  { name: 'updated', cell: ({ updatedAt }) => ({ time: updatedAt }), wide: true },
  { name: 'silence', cell: ({ id }) => id, wide: true },
];

/** A silence with the number of alerts that it mutes now. */
export interface CountedSilence extends Silence {
  readonly alertCount: number;
}

export const COUNTED_COLUMNS: readonly Column<CountedSilence>[] = [
  ...SILENCE_COLUMNS.slice(0, 3),
  { name: 'alerts', cell: ({ alertCount }) => alertCount, align: 'right' },
  ...SILENCE_COLUMNS.slice(3),
];

export const POSTED_RECORD: RecordOutput<PostedSilence> = {
  kind: 'record',
  columns: [
    { name: 'id', cell: ({ silenceID }) => silenceID },
    {
      name: 'before',
      cell: ({ silenceID, previousID }) =>
        previousID === undefined
          ? undefined
          : previousID === silenceID
            ? 'the same id'
            : `${previousID}, now expired and replaced`,
    },
    { name: 'matchers', cell: matcherTexts },
    { name: 'starts', cell: ({ startsAt }) => ({ time: startsAt }) },
    { name: 'ends', cell: ({ endsAt }) => ({ time: endsAt }) },
    { name: 'created-by', cell: ({ createdBy }) => createdBy },
    { name: 'comment', cell: ({ comment }) => comment },
    {
      name: 'result',
      cell: ({ unchanged }) => (unchanged ? 'unchanged: it covers this time already' : undefined),
    },
    {
      name: 'matches',
      cell: ({ matched }) =>
        matched === null
          ? undefined
          : `${matched.alerts} ${matched.alerts === 1 ? 'alert' : 'alerts'} now, ${matched.active} active`,
    },
  ],
  id: ({ silenceID }) => silenceID,
};

export const POSTED_LIST: ListOutput<PostedSilence> = {
  ...POSTED_RECORD,
  kind: 'list',
  columns: POSTED_RECORD.columns.map((column) => (column.name === 'id' ? column : { ...column, flex: true as const })),
};

/** One line of a list that is shown before a question. */
export function describeSilence(silence: Silence): string {
  const { id, status, createdBy, comment } = silence;
  return `${id}  ${status.state}  ${matcherTexts(silence).join(' ')}  (${createdBy}: ${comment})`;
}

const OUTCOME_TONES: Readonly<Record<SilenceOutcome['result'], Tone>> = {
  extended: 'good',
  recreated: 'good',
  'at-max': 'warn',
  skipped: 'warn',
  'not-found': 'bad',
  error: 'bad',
};

export const OUTCOME_LIST: ListOutput<SilenceOutcome> = {
  kind: 'list',
  columns: [
    { name: 'id', cell: ({ id, silenceID }) => (silenceID ?? id).slice(0, 8) },
    { name: 'result', cell: ({ result }) => ({ text: result, tone: OUTCOME_TONES[result] }) },
    { name: 'ends', cell: ({ endsAt }) => (endsAt === null ? undefined : { time: endsAt }) },
    { name: 'message', cell: ({ message }) => message, flex: true },
    { name: 'matchers', cell: matcherTexts, flex: true },
    { name: 'comment', cell: ({ comment }) => comment, flex: true },
    { name: 'before', cell: ({ id }) => id, wide: true },
    { name: 'silence', cell: ({ silenceID }) => silenceID, wide: true },
  ],
  id: ({ id, silenceID }) => silenceID ?? id,
};

/** The argument of commands that change several silences. */
export const SILENCE_IDS = {
  id: {
    help: 'Ids, or enough of the beginning to tell each from others',
    repeat: true,
    required: true,
    complete: 'silences',
  },
} as const satisfies Arguments;
