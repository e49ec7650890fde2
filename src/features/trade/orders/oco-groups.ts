/** `trade oco`: changes to groups of orders in which a fill cancels the others. */
import type { RunContext } from '../../../cli/command.ts';
import type { Arguments } from '../../../cli/flags.ts';
import { SvcError } from '../../../errors.ts';
import { orderText } from '../order-text.ts';
import { checkAccount } from './flags.ts';
import type { OrderForm } from './forms.ts';
import type { PlannedRequest } from './placing.ts';
import type { Change, ChangeInput } from './planned-requests.ts';
import { openOrders } from './rows.ts';
import type { TableCache } from './table-cache.ts';

export const UNDOCUMENTED_OCO =
  'The interface document does not show this request; svc follows the public implementation.';

export const OCO_ORDERS = {
  order: { help: 'Order ids', required: true, repeat: true, complete: 'orders' },
} as const satisfies Arguments;

export function named(ids: readonly string[]): string {
  return `order${ids.length === 1 ? '' : 's'} ${ids.join(', ')}`;
}

/** 0 means no group. */
export function checkGroup(group: string): void {
  if (!/^[1-9]\d*$/.test(group)) {
    throw new SvcError('invalid_value', `${JSON.stringify(group)} is not a group id: it must be a number above 0`);
  }
}

interface Regrouping {
  readonly endpoint: PlannedRequest['request']['endpoint'];
  readonly form: OrderForm;
  readonly command: string;
  readonly what: string;
  /** Every order that it concerns. */
  readonly ids: readonly string[];
}

export function regrouping(
  { endpoint, form, command, what, ids }: Regrouping,
  input: ChangeInput,
  ctx: RunContext,
): Change {
  const plan = async (cache: TableCache): Promise<readonly PlannedRequest[]> => {
    // The request follows from the command line alone.
    const rows = ctx.dryRun ? undefined : (await openOrders(ids, cache))?.asked;
    const [first] = rows ?? [];
    const account = first === undefined ? undefined : await cache.account(first.accountId);
    await checkAccount(`order ${first?.orderId}`, account, input.account, cache);
    const them = rows === undefined ? '' : `: ${rows.map(orderText).join('; ')}`;
    return [
      {
        request: { endpoint, form, command, what: `to ${what}`, makesOrder: false },
        accountId: account?.accountId,
        does: `${what.charAt(0).toUpperCase()}${what.slice(1)}${them}`,
      },
    ];
  };
  return { question: `${what}?`, plan, goesOn: () => false };
}
