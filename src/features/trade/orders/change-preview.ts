/** `--preview` of a command that changes or closes something: what would be sent, and what it would do. Sends nothing. */
import type { Answer } from '../../../cli/command.ts';
import type { ListOutput } from '../../../output/types.ts';
import { CHANGE_LIST, subject } from './change-report.ts';
import { type Shown, showEffect } from './effects.ts';
import type { OrderTables } from './order-tables.ts';
import type { PlannedRequest } from './placing.ts';
import { exitText } from './preview.ts';

/** One row per request. Null if it is not known. */
export interface ChangePreview extends Partial<Shown> {
  readonly command: string;
  readonly request: string;
  readonly account_id: string | null;
  readonly trade_id: string | null;
  readonly order_id: string | null;
  /** A sentence. */
  readonly does: string;
  readonly warnings: readonly string[];
}

export const PREVIEW_LIST: ListOutput<ChangePreview> = {
  kind: 'list',
  columns: [
    { name: 'command', cell: ({ command }) => command },
    { name: 'of', cell: subject },
    { name: 'before', cell: ({ before }) => partsText(before), flex: true },
    { name: 'after', cell: ({ after }) => partsText(after), flex: true },
    { name: 'warnings', cell: ({ warnings }) => warnings.join('; '), flex: true, optional: true },
    { name: 'does', cell: ({ does }) => does, wide: true },
  ],
  id: ({ trade_id, order_id }) => trade_id ?? order_id ?? undefined,
};

/** `amount 10, grossPL -9.50, stop none`. */
function partsText(parts: Shown['before'] | undefined): string | undefined {
  if (parts === undefined) return undefined;
  return Object.entries(parts)
    .map(([name, value]) => `${name} ${valueText(value)}`)
    .join(', ');
}

function valueText(value: Shown['before'][string]): string {
  if (value === null) return 'unknown';
  return typeof value === 'object' ? exitText(value) : String(value);
}

export function changeOrPreview({ preview }: { readonly preview: boolean }) {
  return preview ? PREVIEW_LIST : CHANGE_LIST;
}

export async function previewChanges(planned: readonly PlannedRequest[], tables: OrderTables): Promise<Answer<never>> {
  const value: ChangePreview[] = [];
  for (const { request, does, warnings = [], effect, ...ids } of planned) {
    const { accountId: account_id = null, tradeId: trade_id = null, orderId: order_id = null } = ids;
    const about = { command: request.command, request: request.endpoint.path, account_id, trade_id, order_id };
    value.push({ ...about, does, ...(effect && (await showEffect(effect, tables))), warnings });
  }
  return { value, as: PREVIEW_LIST };
}
