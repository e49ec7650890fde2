import type { RunContext } from '../../../cli/command.ts';
import type { Input } from '../../../cli/flags.ts';
import { removeFromOco } from '../client.ts';
import { changeCommand } from '../orders/change-command.ts';
import { CHANGE_FLAGS, checkedIds } from '../orders/flags.ts';
import { named, OCO_ORDERS, regrouping, UNDOCUMENTED_OCO } from '../orders/oco-groups.ts';
import type { Change } from '../orders/planned-requests.ts';
import { checkOrderId } from '../orders/rules.ts';

type RemoveInput = Input<typeof OCO_ORDERS, typeof CHANGE_FLAGS>;

function removing(input: RemoveInput, ctx: RunContext): Change {
  const orderIds = checkedIds(input.order, checkOrderId);
  const what = `remove ${named(orderIds)} from ${orderIds.length === 1 ? 'its' : 'their'} group`;
  return regrouping(
    { endpoint: removeFromOco, form: { orderIds }, command: 'oco remove', what, ids: orderIds },
    input,
    ctx,
  );
}

export const tradeOcoRemove = changeCommand({
  id: 'trade oco remove',
  summary: 'Remove orders from their OCO group',
  description: 'The orders stay pending.',
  details: UNDOCUMENTED_OCO,
  args: OCO_ORDERS,
  flags: CHANGE_FLAGS,
  examples: [{ run: 'svc trade oco remove 390285837', why: 'Remove one order' }],
  change: removing,
});
