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
}

const limit = (cmd: number, maxCalls: number, seconds: number, does: string): CallLimit => ({
  cmd,
  maxCalls,
  windowMs: seconds * 1000,
  does,
});

export const CALL_LIMITS: readonly CallLimit[] = [
  limit(8, 2, 600, 'get trader orders'),
  limit(24, 500, 3600, 'set instruments'),
  limit(44, 50, 3600, 'get open positions by account'),
  limit(46, 1500, 3600, 'get orders by account'),
  limit(79, 500, 3600, 'get all accounts per account id'),
  limit(117, 10, 60, 'get last order message'),
  limit(118, 10, 60, 'get custom closed trade'),
];

/** By the last part of a path, or the table it reads. Inferred from the names: the document does not say. The setting corrects it. */
export const COMMAND_NUMBERS: Readonly<Record<string, number>> = {
  update_subscriptions: 24,
  OpenPosition: 44,
  Order: 46,
  Account: 79,
  ClosedPosition: 118,
};

export function requestsOf(cmd: number, numbers: Readonly<Record<string, number>>): readonly string[] {
  return Object.keys(numbers).filter((name) => numbers[name] === cmd);
}

/** The name by which `COMMAND_NUMBERS` knows a request. */
export function requestName({ path }: Pick<EndpointShape, 'path'>, { query }: CallValues = {}): string {
  const [model] = [query?.['models'] ?? []].flat();
  if (model !== undefined) return String(model);
  const last = path.replace(/\/+$/, '').split('/').at(-1) ?? '';
  return last === 'Accounts' ? 'Account' : last;
}

/** `Order=46,Summary=44,ClosedPosition=0` over the table; 0 counts towards none. Undefined for another form. */
export function commandNumbers(corrections: string | undefined): Readonly<Record<string, number>> | undefined {
  const numbers: Record<string, number> = { ...COMMAND_NUMBERS };
  for (const part of (corrections ?? '').split(',').filter((one) => one.trim() !== '')) {
    const match = /^\s*(\w+)\s*=\s*(\d{1,4})\s*$/.exec(part);
    if (match?.[1] === undefined) return undefined;
    numbers[match[1]] = Number(match[2]);
  }
  return numbers;
}

export interface Counting {
  readonly counts: CallCounts;
  /** By the names of `requestName`. */
  readonly commandNumbers: Readonly<Record<string, number>>;
}

/** Reached by our own count, an estimate: nothing was sent. */
export class LocalRateLimit extends SvcError {}

type CountRequest = (
  endpoint: EndpointShape,
  values: CallValues | undefined,
  counting: Counting,
) => Promise<CallLimit | undefined>;

/** Counts each read by `countRequest`: `countCall` never refuses, for what an order, a cancel or a close has to know. */
export function countedReader(session: Reader, countRequest: CountRequest, counting: Counting): Reader {
  return {
    async call(endpoint, values) {
      const limit = await countRequest(endpoint, values, counting);
      const answer = await fillIfRefused(session.call(endpoint, values), counting.counts, limit);
      const used = await exceededLimit(verdictOf(answer as Envelope).error, counting.counts, limit);
      if (used !== undefined) throw used;
      return answer;
    },
  };
}

/** Counts a call that is possible now, and returns its limit, if it has one. Throws `LocalRateLimit` if the limit is reached. */
export const takeCall: CountRequest = async (endpoint, values, { counts, commandNumbers }) => {
  const limit = limitOf(commandNumbers[requestName(endpoint, values)]);
  const freeAt = limit && (await counts.take(limit));
  if (limit !== undefined && freeAt !== undefined)
    throw usedUp(limit, freeAt, { who: 'from here', Kind: LocalRateLimit });
  return limit;
};

/** Counts a call in any case, and returns its limit, if it has one. */
export const countCall: CountRequest = async (endpoint, values, { counts, commandNumbers }) => {
  const limit = limitOf(commandNumbers[requestName(endpoint, values)]);
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

/** An ORA-20301 fills the window of the command it names, or of the request. Undefined for other errors. */
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
  { who, server, Kind = SvcError }: { readonly who: string; readonly server?: string; readonly Kind?: typeof SvcError },
): SvcError {
  const next = new Date(freeAt).toISOString();
  return new Kind(
    'limited',
    `${who} all calls of command ${cmd} (${does}: ${maxCalls} in ${windowMs / 1000} s) are used up until ${next}`,
    {
      hint: 'wait until then, or see svc trade limits',
      ...(server === undefined ? {} : { sent: 'yes' as const }),
      more: { server_code: server, cmd, retry_after: next },
    },
  );
}
