import type { RunContext } from '../../../cli/command.ts';
import type { Arguments, Flags, Input } from '../../../cli/flags.ts';
import { SvcError } from '../../../errors.ts';
import { editOco } from '../client.ts';
import { changeCommand } from '../orders/change-command.ts';
import { CHANGE_FLAGS, checkedIds } from '../orders/flags.ts';
import { checkGroup, named, regrouping, UNDOCUMENTED_OCO } from '../orders/oco-groups.ts';
import type { Change } from '../orders/planned-requests.ts';
import { checkOrderId } from '../orders/rules.ts';

const ARGS = {
  group: { help: 'Group id from svc trade orders -o wide', required: true },
} as const satisfies Arguments;

const FLAGS = {
  add: { type: 'string', repeat: true, value: 'order-id', complete: 'orders', help: 'Order to add' },
  remove: { type: 'string', repeat: true, value: 'order-id', complete: 'orders', help: 'Order to remove' },
  ...CHANGE_FLAGS,
} as const satisfies Flags;

type UpdateInput = Input<typeof ARGS, typeof FLAGS>;

function updating(input: UpdateInput, ctx: RunContext): Change {
  const { group } = input;
  checkGroup(group);
  const [add, remove] = [checkedIds(input.add, checkOrderId), checkedIds(input.remove, checkOrderId)];
  if (add.length + remove.length === 0) throw new SvcError('usage', 'nothing to change: pass --add or --remove');
  const both = add.find((id) => remove.includes(id));
  if (both !== undefined) throw new SvcError('usage', `order ${both} cannot be both added and removed`);
  const parts = [
    ...(add.length === 0 ? [] : [`add ${named(add)} to group ${group}`]),
    ...(remove.length === 0 ? [] : [`remove ${named(remove)} from group ${group}`]),
  ];
  const some = (ids: readonly string[]) => (ids.length === 0 ? undefined : ids);
  const form = { ocoBulkId: group, addOrderIds: some(add), removeOrderIds: some(remove) };
  const what = parts.join(' and ');
  return regrouping({ endpoint: editOco, form, command: 'oco update', what, ids: [...add, ...remove] }, input, ctx);
}

export const tradeOcoUpdate = changeCommand({
  id: 'trade oco update',
  formerly: ['oco edit'],
  summary: 'Add and remove orders of an OCO group',
  description: 'Sends one request.',
  details: UNDOCUMENTED_OCO,
  args: ARGS,
  flags: FLAGS,
  examples: [{ run: 'svc trade oco update 51201 --add 390285839 --remove 390285837', why: 'Replace an order' }],
  change: updating,
});
