/** The counts of calls in a home, as the commands that run there read and write them. */
import { CALL_LIMITS } from '../../../src/features/trade/gateway/trading-session.ts';
import { CallCounts } from '../../../src/store/call-counts.ts';
import { lockContext } from '../../support/folder.ts';

export interface CountedGateway {
  readonly url: string;
  readonly token: string;
}

export function callCountsIn(home: string, { url, token }: CountedGateway, now: () => number): CallCounts {
  const context = { ...lockContext, now, paths: { state: `${home}/state` }, notice: () => {} };
  return new CallCounts(`${url}/`, token, context);
}

/** As if all calls of these commands, or of all, had just been made. */
export async function useUpCalls(
  home: string,
  gateway: CountedGateway,
  now: () => number,
  cmds: readonly number[] = CALL_LIMITS.map(({ cmd }) => cmd),
): Promise<void> {
  const counts = callCountsIn(home, gateway, now);
  for (const limit of CALL_LIMITS) if (cmds.includes(limit.cmd)) await counts.fill(limit);
}
