/** The loss of a trading day, which begins at 17:00 in New York. */
import { exactSum } from '../../../output/decimal.ts';
import { marketDayStart } from '../market-hours.ts';
import type { Account, ClosedPosition } from '../schema.ts';
import { tableTime } from '../tables/table-time.ts';

/** As `ORDER_LIMITS` says: in the account's currency, negative for a profit. Undefined if the tables do not say. */
export function lossOfDay(
  account: Account,
  closed: readonly ClosedPosition[] | undefined,
  now: number,
): number | undefined {
  const { dayPL, grossPL } = account;
  const realized = closed && realizedToday(account, closed, now);
  const computed =
    realized === undefined || grossPL === undefined ? undefined : exactSum([realized, Math.min(0, grossPL)]);
  const results = [dayPL, computed].filter((value) => value !== undefined);
  return results.length === 0 ? undefined : 0 - Math.min(...results);
}

/** Undefined if a row lacks what is needed to tell. */
function realizedToday(
  { accountId, accountName }: Account,
  closed: readonly ClosedPosition[],
  now: number,
): number | undefined {
  const start = marketDayStart(now);
  const parts: number[] = [];
  for (const row of closed) {
    const closedAt = tableTime(row.closeTime);
    if (closedAt !== undefined && closedAt < start) continue;
    // Closed positions may have the name of the account alone.
    const owner = row.accountId ?? row.accountName;
    if (owner !== undefined && owner !== accountId && owner !== accountName) continue;
    if (closedAt === undefined || owner === undefined || row.grossPL === undefined) return undefined;
    parts.push(row.grossPL, -(row.com ?? 0), row.roll ?? 0);
  }
  return exactSum(parts);
}
