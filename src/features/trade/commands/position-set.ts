import { listCommand } from '../../../cli/command.ts';
import { SENT_ONCE } from '../change-flags.ts';
import { CHANGE_LIST } from '../change-report.ts';
import { carryOut } from '../planned-requests.ts';
import { POSITION_SET_FLAGS, settingPosition } from '../set-position.ts';

export const tradePositionSet = listCommand({
  id: 'trade position set',
  summary: 'Set the stop and the limit of an open trade',
  description: `Each takes a request; where the second one fails the first one stands, and the exit status is 10, or 8 where the outcome of it is not known. In pips they are counted from where the trade was opened and need no sign. A stop that is set without --trail follows the price no more. ${SENT_ONCE}`,
  effect: 'money',
  service: 'trade',
  args: { trade: { help: 'Its trade id', required: true, complete: 'trades' } },
  flags: POSITION_SET_FLAGS,
  exits: ['partly_done'],
  examples: [
    { run: 'svc trade position set 170162801 --stop 40pips', why: 'Closed at 40 pips of loss' },
    { run: 'svc trade position set 170162801 --limit none', why: 'Without a limit' },
  ],
  output: CHANGE_LIST,
  run: async (input, ctx) => carryOut(settingPosition(input, ctx), input, ctx),
});
