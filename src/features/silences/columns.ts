/** Cells, columns and outputs that the silence commands share. */
import type { Candidates } from '../../cli/flags.ts';
import { timeCell } from '../../output/cells.ts';
import type { Cell, Column, ListOutput, RecordOutput, Tone } from '../../output/types.ts';
import { formatMatcher, matcherFrom } from '../alerts/matcher.ts';
import type { PostableSilence, Silence } from '../alerts/schema.ts';
import type { PostedSilence } from './draft.ts';

const STATE_TONES: Readonly<Record<string, Tone>> = { active: 'strong', pending: 'warn', expired: 'dim' };

const stateCell = ({ status }: Silence): Cell => {
  const tone = STATE_TONES[status.state];
  return tone === undefined ? status.state : { text: status.state, tone };
};

export function matcherTexts({ matchers }: Pick<Silence, 'matchers'>): string[] {
  return matchers.map((wire) => formatMatcher(matcherFrom(wire)));
}

export const SILENCE_COLUMNS: readonly Column<Silence>[] = [
  { name: 'id', cell: ({ id }) => id, brief: true },
  { name: 'state', cell: stateCell },
  { name: 'matchers', cell: matcherTexts, shrinks: true, below: true },
  { name: 'ends', cell: ({ endsAt }) => ({ time: endsAt }) },
  { name: 'created-by', cell: ({ createdBy }) => createdBy, shrinks: true },
  { name: 'comment', cell: ({ comment }) => comment, shrinks: true, below: true },
  { name: 'starts', cell: ({ startsAt }) => ({ time: startsAt }), wide: true },
  { name: 'updated', cell: ({ updatedAt }) => timeCell(updatedAt), wide: true },
  { name: 'silence', cell: ({ id }) => id, wide: true },
];

export const SILENCE_LIST: ListOutput<Silence> = { kind: 'list', columns: SILENCE_COLUMNS, id: ({ id }) => id };

export const POSTED_RECORD: RecordOutput<PostedSilence> = {
  kind: 'record',
  columns: [
    { name: 'id', cell: ({ id }) => id, brief: true },
    {
      name: 'before',
      cell({ id, previous_id: previous }) {
        if (previous === undefined) return undefined;
        return previous === id ? 'reused the existing silence' : `${previous} (expired and replaced)`;
      },
    },
    { name: 'matchers', cell: matcherTexts, below: true },
    { name: 'starts', cell: ({ startsAt }) => ({ time: startsAt }) },
    { name: 'ends', cell: ({ endsAt }) => ({ time: endsAt }) },
    { name: 'created-by', cell: ({ createdBy }) => createdBy },
    { name: 'comment', cell: ({ comment }) => comment, below: true },
    {
      name: 'result',
      cell: ({ unchanged }) => (unchanged ? 'unchanged: it already covers this time' : undefined),
    },
    {
      name: 'matches',
      vital: true,
      cell: ({ matched }) =>
        matched === null
          ? undefined
          : `${matched.alerts} ${matched.alerts === 1 ? 'alert' : 'alerts'} now, ${matched.active} active`,
    },
  ],
  id: ({ id }) => id,
};

export const POSTED_LIST: ListOutput<PostedSilence> = {
  ...POSTED_RECORD,
  kind: 'list',
  columns: POSTED_RECORD.columns.map((column) =>
    column.name === 'id' ? column : { ...column, shrinks: true as const },
  ),
};

export function silenceCandidates({ id, ...silence }: Pick<Silence, 'id' | 'matchers' | 'comment'>): Candidates {
  return { silences: [{ value: id, note: [...matcherTexts(silence), silence.comment].join(' ') }] };
}

interface Sent {
  readonly id: string | null;
  readonly previous_id?: string | undefined;
  readonly unchanged?: boolean | undefined;
}

/** What ends the new silences again. Expiring one that was there before would undo too much. */
export function undoSilences(posted: readonly Sent[]): { readonly undo?: readonly (readonly string[])[] } {
  const ids = posted.flatMap(({ id, previous_id: previous, unchanged }) =>
    id === null || previous !== undefined || unchanged ? [] : [id],
  );
  return ids.length === 0 ? {} : { undo: [['silences', 'expire', ...ids]] };
}

export interface SilenceOutcome {
  /** The silence in force now, or what was typed if there is none. */
  readonly id: string;
  /** The silence that it replaces. */
  readonly previous_id: string | null;
  readonly result: 'extended' | 'created' | 'updated' | 'unchanged' | 'not-found' | 'error';
  readonly matchers: PostableSilence['matchers'];
  readonly endsAt: string | null;
  readonly comment: string | null;
  readonly message: string | null;
}

const OUTCOME_TONES: Readonly<Record<SilenceOutcome['result'], Tone>> = {
  extended: 'good',
  created: 'good',
  updated: 'good',
  unchanged: 'dim',
  'not-found': 'bad',
  error: 'bad',
};

export const OUTCOME_LIST: ListOutput<SilenceOutcome> = {
  kind: 'list',
  columns: [
    { name: 'id', cell: ({ id }) => id, brief: true },
    { name: 'result', cell: ({ result }) => ({ text: result, tone: OUTCOME_TONES[result] }) },
    { name: 'ends', cell: ({ endsAt }) => (endsAt === null ? undefined : { time: endsAt }) },
    { name: 'message', cell: ({ message }) => message, shrinks: true },
    { name: 'matchers', cell: matcherTexts, shrinks: true, below: true },
    { name: 'comment', cell: ({ comment }) => comment, shrinks: true, below: true },
    { name: 'before', cell: ({ previous_id: previous }) => previous, wide: true },
  ],
  id: ({ id }) => id,
};
