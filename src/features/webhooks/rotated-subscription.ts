/** How a rotation is shown, in one line. */
import type { RecordOutput } from '../../output/types.ts';
import type { CreatedRow } from './created-subscription.ts';
import type { TestResult } from './test-delivery.ts';

interface RotatedRow extends CreatedRow {
  /** The id of the old one. */
  readonly replaced: string;
  readonly replaced_deleted: boolean;
  readonly test: TestResult;
}

const secretText = (row: RotatedRow): string => `${row.secret_kept} (sha256 fp ${row.secret_fingerprint})`;
const oldText = ({ replaced, replaced_deleted: gone }: RotatedRow): string =>
  `${replaced} ${gone ? 'deleted' : 'still there'}`;

export const ROTATED_RECORD: RecordOutput<RotatedRow> = {
  kind: 'record',
  columns: [
    { name: 'id', cell: ({ id }) => id },
    { name: 'secret', cell: secretText },
    { name: 'test', cell: ({ test }) => test.text },
    { name: 'replaced', cell: oldText },
  ],
  id: ({ id }) => id,
  line: (row) =>
    `rotated ${row.replaced} → ${row.id}  secret: ${secretText(row)}  test ${row.test.text}  ${oldText(row)}`,
};
