/** The limit that a profile sets for orders. */
import type { RunContext } from '../../../cli/command.ts';
import { SvcError } from '../../../errors.ts';

/** The refusal of an amount above `trade.maxOrder`, if it is. A close, a cancel and a smaller amount of a pending order have no limit. */
export function aboveMaxOrder(amount: number, symbol: string, { settings }: RunContext): SvcError | undefined {
  const max = settings.get('trade.maxOrder');
  if (max === undefined || amount <= Number(max)) return undefined;
  return new SvcError(
    'over_limit',
    `the amount ${amount} of ${symbol} is above trade.maxOrder (${max}); nothing was sent`,
    {
      hint: 'pass a smaller amount, or change the limit: svc config set trade.maxOrder <amount>',
      more: { setting: 'trade.maxOrder', limit: Number(max), value: amount },
    },
  );
}
