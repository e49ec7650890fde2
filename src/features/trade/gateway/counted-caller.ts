/** Keeps within the rate limits of doc 3 §8, as counted here or reported by an ORA-20301. */
import { SvcError } from '../../../errors.ts';
import type { CallValues, EndpointShape } from '../../../http/endpoint.ts';
import type { CallCounts, Window } from '../../../store/call-counts.ts';
import type { Reader } from '../client.ts';
import type { Envelope } from '../schema.ts';
import { RATE_EXCEEDED, type TradingError, verdictOf } from './envelope.ts';
import { GatewayRefusal } from './failed-answer.ts';

export interface CallLimit extends Window {
  readonly cmd: number;
  /** The document's names. */
  readonly does: string;
  /** The tables, or last parts of a path, that count. Inferred, as the document does not say. */
  readonly requests: readonly string[];
}

function limit(cmd: number, maxCalls: number, seconds: number, does: string, ...requests: string[]): CallLimit {
  return { cmd, maxCalls, windowMs: seconds * 1000, does, requests };
}

export const CALL_LIMITS: readonly CallLimit[] = [
  limit(8, 2, 600, 'get trader orders'),
  limit(24, 500, 3600, 'set instruments', 'update_subscriptions'),
  limit(44, 50, 3600, 'get open positions by account', 'OpenPosition'),
  limit(46, 1500, 3600, 'get orders by account', 'Order'),
  limit(79, 500, 3600, 'get all accounts per account id', 'Account'),
  limit(117, 10, 60, 'get last order message'),
  limit(118, 10, 60, 'get custom closed trade', 'ClosedPosition'),
];

/** The limit towards which a request counts. */
export function limitOfRequest(
  { path }: Pick<EndpointShape, 'path'>,
  { query }: CallValues = {},
): CallLimit | undefined {
  const [model] = [query?.['models'] ?? []].flat();
  const last = path.replace(/\/+$/, '').split('/').at(-1) ?? '';
  const name = model === undefined ? last.replace(/^Accounts$/, 'Account') : String(model);
  return CALL_LIMITS.find(({ requests }) => requests.includes(name));
}

type CountRequest = (
  endpoint: EndpointShape,
  values: CallValues | undefined,
  counts: CallCounts,
) => Promise<CallLimit | undefined>;

/** With `countCall` no read is refused: an order, a cancel or a close needs it. */
export function countedReader(session: Reader, countRequest: CountRequest, counts: CallCounts): Reader {
  return {
    async call(endpoint, values) {
      const limit = await countRequest(endpoint, values, counts);
      const answer = await fillIfRefused(session.call(endpoint, values), counts, limit);
      const used = await exceededLimit(verdictOf(answer as Envelope).error, counts, limit);
      if (used !== undefined) throw used;
      return answer;
    },
  };
}

/** Throws `limited` if our own count, an estimate, has reached the limit of the call. */
export const takeCall: CountRequest = async (endpoint, values, counts) => {
  const limit = limitOfRequest(endpoint, values);
  const freeAt = limit && (await counts.take(limit));
  if (limit !== undefined && freeAt !== undefined) throw usedUp(limit, freeAt, { who: 'from here' });
  return limit;
};

/** Counts a call in any case, and returns its limit, if it has one. */
export const countCall: CountRequest = async (endpoint, values, counts) => {
  const limit = limitOfRequest(endpoint, values);
  if (limit !== undefined) await counts.count(limit);
  return limit;
};

/** The response. An ORA-20301 with a status of 400 and above fills its window. */
export async function fillIfRefused<T>(answer: Promise<T>, counts: CallCounts, own?: CallLimit): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    const used = error instanceof GatewayRefusal ? await exceededLimit(error.error, counts, own) : undefined;
    throw used ?? error;
  }
}

/** An ORA-20301 fills the window of the command it names, or the request's. Else undefined. */
export async function exceededLimit(
  error: TradingError | undefined,
  counts: CallCounts,
  own?: CallLimit,
): Promise<SvcError | undefined> {
  const exceeded = error?.ora === RATE_EXCEEDED ? (limitOf(error.cmd) ?? own) : undefined;
  if (exceeded === undefined) return undefined;
  return usedUp(exceeded, await counts.fill(exceeded), {
    who: 'the gateway says that',
    server: `ORA-${RATE_EXCEEDED}`,
  });
}

function limitOf(cmd: number | undefined): CallLimit | undefined {
  return CALL_LIMITS.find((one) => one.cmd === cmd);
}

function usedUp(
  { cmd, maxCalls, windowMs, does }: CallLimit,
  freeAt: number,
  { who, server }: { readonly who: string; readonly server?: string },
): SvcError {
  const next = new Date(freeAt).toISOString();
  return new SvcError(
    'limited',
    `${who} all calls of command ${cmd} (${does}: ${maxCalls} in ${windowMs / 1000} s) are used up until ${next}`,
    {
      hint: 'wait until then, or see svc trade limits',
      ...(server === undefined ? {} : { sent: 'yes' as const }),
      more: { server_code: server, cmd, retry_after: next },
    },
  );
}
