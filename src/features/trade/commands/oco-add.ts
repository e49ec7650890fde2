import type { RunContext } from '../../../cli/command.ts';
import type { Flags, Input } from '../../../cli/flags.ts';
import { SvcError } from '../../../errors.ts';
import { addToOco } from '../client.ts';
import { changeCommand } from '../orders/change-command.ts';
import { CHANGE_FLAGS, checkedIds } from '../orders/flags.ts';
import { checkGroup, named, OCO_ORDERS, regrouping, UNDOCUMENTED_OCO } from '../orders/oco-groups.ts';
import type { Change } from '../orders/planned-requests.ts';
import { checkOrderId } from '../orders/rules.ts';

const FLAGS = {
  group: { type: 'string', value: 'id', help: 'Existing group (default: a new one)' },
  ...CHANGE_FLAGS,
} as const satisfies Flags;

type AddInput = Input<typeof OCO_ORDERS, typeof FLAGS>;

function adding(input: AddInput, ctx: RunContext): Change {
  const orderIds = checkedIds(input.order, checkOrderId);
  const { group } = input;
  if (group !== undefined) checkGroup(group);
  if (group === undefined && orderIds.length < 2) {
    throw new SvcError('usage', 'a new group needs at least two orders', {
      hint: 'pass another order id, or --group <id>',
    });
  }
  const where = group === undefined ? 'a new group' : `group ${group}`;
  const form = { orderIds, ocoBulkId: group ?? '0' };
  const what = `add ${named(orderIds)} to ${where}`;
  return regrouping({ endpoint: addToOco, form, command: 'oco add', what, ids: orderIds }, input, ctx);
}

export const tradeOcoAdd = changeCommand({
  id: 'trade oco add',
  summary: 'Add pending orders to an OCO group',
  description: 'Adds to an existing group, or creates one.',
  details: UNDOCUMENTED_OCO,
  args: OCO_ORDERS,
  flags: FLAGS,
  examples: [
    { run: 'svc trade oco add 390285837 390285838', why: 'Create a group of two' },
    { run: 'svc trade oco add 390285839 --group 51201', why: 'Add a third order' },
  ],
  change: adding,
});
