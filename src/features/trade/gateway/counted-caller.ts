/** Keeps within the rate limits of doc 3 §8, as counted here or reported by an ORA-20301. */
import { SvcError } from '../../../errors.ts';
import { type CallValues, type EndpointShape, Plan } from '../../../http/endpoint.ts';
import type { Caller } from '../client.ts';
import type { Envelope } from '../schema.ts';
import { RATE_EXCEEDED, type TradingError, verdictOf } from './envelope.ts';
import { GatewayRefusal } from './failed-answer.ts';

export interface CallLimit {
  readonly cmd: number;
  readonly maxCalls: number;
  readonly windowMs: number;
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

/** The counts of all processes on this machine. */
export interface CallBudget {
  /** Counts one call, or counts nothing and returns when the next one is possible (milliseconds since 1970). */
  take(limit: CallLimit): Promise<{ readonly freeAt: number } | undefined>;
  /** The gateway reports a limit. Returns when the next call may be possible. */
  fill(limit: CallLimit): Promise<number>;
}

export interface Counting {
  readonly budget: CallBudget;
  /** At a limit; `ignore` counts the call and makes it. */
  readonly atLimit: 'fail' | 'wait' | 'ignore';
  /** By the names of `requestName`. */
  readonly commandNumbers: Readonly<Record<string, number>>;
  waitUntil(ms: number, limit: CallLimit): Promise<void>;
}

/** Reached by our own count, an estimate: nothing was sent. */
export class LocalRateLimit extends SvcError {}

export function countedCaller(session: Caller, counting: Counting): Caller {
  const counted = async <T>(
    ask: () => Promise<T>,
    endpoint: EndpointShape,
    values: CallValues | undefined,
  ): Promise<T> => {
    const limit = await countCall(endpoint, values, counting);
    const answer = await believed(ask(), counting.budget, limit);
    if (answer instanceof Plan) return answer;
    const used = await exceededLimit(verdictOf(answer as Envelope).error, counting.budget, limit);
    if (used === undefined) return answer;
    throw used;
  };
  return {
    call: (endpoint, values) => counted(() => session.call(endpoint, values), endpoint, values),
    send: (endpoint, values) => counted(() => session.send(endpoint, values), endpoint, values),
  };
}

/** The response. An ORA-20301 with a status of 400 and above fills its window. */
export async function believed<T>(answer: Promise<T>, budget: CallBudget, own?: CallLimit): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    const used = error instanceof GatewayRefusal ? await exceededLimit(error.error, budget, own) : undefined;
    throw used ?? error;
  }
}

/** An ORA-20301 fills the window of the command it names, or of the request. Undefined for other errors. */
export async function exceededLimit(
  error: TradingError | undefined,
  budget: CallBudget,
  own?: CallLimit,
): Promise<SvcError | undefined> {
  const exceeded = error?.ora === RATE_EXCEEDED ? (limitOf(error.cmd) ?? own) : undefined;
  if (exceeded === undefined) return undefined;
  return usedUp(exceeded, await budget.fill(exceeded), {
    who: 'the gateway says that',
    server: `ORA-${RATE_EXCEEDED}`,
  });
}

/** Counts a call before it is made. Returns its limit, if it has one. */
export async function countCall(
  endpoint: EndpointShape,
  values: CallValues | undefined,
  counting: Counting,
): Promise<CallLimit | undefined> {
  const limit = limitOf(counting.commandNumbers[requestName(endpoint, values)]);
  if (limit !== undefined) await takeCall(limit, counting);
  return limit;
}

function limitOf(cmd: number | undefined): CallLimit | undefined {
  return CALL_LIMITS.find((one) => one.cmd === cmd);
}

async function takeCall(limit: CallLimit, { budget, atLimit, waitUntil }: Counting): Promise<void> {
  for (;;) {
    const full = await budget.take(limit);
    if (full === undefined || atLimit === 'ignore') return;
    if (atLimit === 'fail') throw usedUp(limit, full.freeAt, { who: 'from here', Kind: LocalRateLimit });
    await waitUntil(full.freeAt, limit);
  }
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
      hint: `wait until then${server === undefined ? ' (--budget=wait does)' : ''}, or see svc trade limits`,
      ...(server === undefined ? {} : { sent: 'yes' as const }),
      more: { server_code: server, cmd, retry_after: next },
    },
  );
}
