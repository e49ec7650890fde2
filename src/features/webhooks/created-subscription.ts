/** How a new subscription is shown, by the commands that make one. */
import type { RecordOutput } from '../../output/types.ts';
import type { Created } from './creating.ts';
import { fingerprint } from './secret.ts';
import { subscriptionStatus } from './subscription.ts';
import { eventsCell, statusCell } from './subscriptions.ts';

/** The service's answer, and what svc made of it. */
export interface CreatedRow {
  readonly id: string;
  readonly status_text: string;
  readonly secret_fingerprint: string;
  /** Only where it is to be shown. */
  readonly secret?: string;
  /** Where else it is: `stored`, `in key.txt`. */
  readonly secret_kept: string;
  readonly [field: string]: unknown;
}

export function createdRow(
  { id, secret, answer }: Created,
  { shows, where }: { readonly shows: boolean; readonly where: string },
): CreatedRow {
  const { status } = answer;
  return {
    ...answer,
    id,
    status_text: typeof status === 'number' ? subscriptionStatus(status) : 'unknown',
    ...(shows ? { secret: secret.reveal() } : {}),
    secret_fingerprint: fingerprint({ key: secret, source: id }),
    secret_kept: where,
  };
}

export const CREATED_RECORD: RecordOutput<CreatedRow> = {
  kind: 'record',
  columns: [
    { name: 'id', cell: ({ id }) => id },
    { name: 'url', cell: ({ url }) => (typeof url === 'string' ? url : undefined) },
    { name: 'events', cell: ({ events }) => (isTexts(events) ? eventsCell({ events: [...events] }) : undefined) },
    { name: 'status', cell: statusCell },
    {
      name: 'secret',
      cell: (created) => created.secret ?? `${created.secret_kept} (sha256 fp ${created.secret_fingerprint})`,
    },
  ],
  id: ({ id }) => id,
};

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}
