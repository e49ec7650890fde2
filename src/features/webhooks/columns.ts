/** Columns of what the webhook commands print. */
import type { Column, RecordOutput } from '../../output/types.ts';

interface KeptSecret {
  readonly endpoint_id: string;
  readonly base_url: string | null;
  readonly fingerprint: string;
  readonly stored_at: string;
}

export const SECRET_COLUMNS: readonly Column<KeptSecret>[] = [
  { name: 'endpoint', cell: (kept) => kept.endpoint_id },
  { name: 'fingerprint', cell: ({ fingerprint }) => fingerprint },
  { name: 'stored', cell: (kept) => ({ time: kept.stored_at }) },
  { name: 'service', cell: (kept) => kept.base_url ?? '-', flex: true },
];

export const SECRET_RECORD: RecordOutput<KeptSecret> = {
  kind: 'record',
  columns: SECRET_COLUMNS,
  id: (kept) => kept.endpoint_id,
};
