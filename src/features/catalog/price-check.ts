/** How the verdict on a price is shown: in one line, unless columns are named. */
import type { RecordOutput } from '../../output/types.ts';
import type { Judged, Verdict } from './price-condition.ts';

interface Checked extends Verdict {
  readonly condition: string;
  readonly judged: Judged;
  /** With a change: what it is measured from, as it was sent. */
  readonly since?: string;
  readonly waitedMs: number;
  /** What was found and what was wanted, in words. */
  readonly message: string;
}

export const PRICE_CHECK_RECORD: RecordOutput<Checked> = {
  kind: 'record',
  columns: [
    { name: 'ok', cell: ({ ok }) => ok ?? 'not known' },
    { name: 'condition', cell: ({ condition }) => condition },
    { name: 'judged', cell: ({ judged }) => judged },
    {
      name: 'values',
      cell: ({ sources }) => sources.map(({ series, value }) => `${series} ${value ?? '-'}`),
    },
    { name: 'message', cell: ({ message }) => message },
  ],
  id: (checked) => outcomeOf(checked),
  line: (checked) => ({
    text: `${outcomeOf(checked).replace('_', ' ')}: ${checked.message}`,
    tone: checked.ok === null ? 'warn' : checked.ok ? 'good' : 'bad',
  }),
};

function outcomeOf({ ok }: Checked): 'ok' | 'failed' | 'not_known' {
  return ok === null ? 'not_known' : ok ? 'ok' : 'failed';
}
