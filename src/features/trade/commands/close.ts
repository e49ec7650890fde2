import { changeCommand } from '../orders/change-command.ts';
import { PREVIEW_LIST, previewChange } from '../orders/change-preview.ts';
import { closeList, closeRowOf } from '../orders/change-report.ts';
import { CLOSE_ARGS, CLOSE_FLAGS, closing } from '../orders/close-positions.ts';
import { SENT_ONCE } from '../orders/flags.ts';
import { carryOut } from '../orders/planned-requests.ts';

export const tradeClose = changeCommand({
  id: 'trade close',
  summary: 'Close trades, a symbol, or everything',
  description: `In non-hedging accounts closing sends an opposite order, which closes the oldest trades first (FIFO). svc asks first; pass --via-opposite in scripts. ${SENT_ONCE}`,
  details:
    'Right before it sends an opposite order, svc checks again that the trade is open, and that no other order is about to close the same: otherwise the order would open a position, and is refused (exit 3).',
  args: CLOSE_ARGS,
  flags: CLOSE_FLAGS,
  exits: ['still_pending', 'partly_done'],
  examples: [
    { run: 'svc trade close 170162801', why: 'Close one trade at market' },
    { run: 'svc trade close 170162801 --amount 5', why: 'Close a part of it' },
    { run: 'svc trade close --symbol EUR/USD --wait 30s', why: 'Close a symbol and show the rates' },
    { run: 'svc trade close --everything --account 654061', why: 'Close all trades of an account' },
  ],
  change: closing,
  output: closeList({}),
  outputOf: (input) => (input.preview ? PREVIEW_LIST : closeList(input)),
  async run(input, ctx) {
    if (input.preview && !ctx.dryRun) return previewChange(closing(input, ctx), input, ctx);
    const answer = await carryOut(closing(input, ctx), input, ctx, closeRowOf);
    return { ...answer, as: closeList(input) };
  },
});
