/** The caps on calls of doc 3 §8, and which request counts towards which of them. */
import type { CallValues, EndpointShape } from '../../http/endpoint.ts';

export interface CallLimit {
  readonly cmd: number;
  readonly maxCalls: number;
  readonly windowMs: number;
  /** The document's words. */
  readonly does: string;
}

const limit = (cmd: number, maxCalls: number, seconds: number, does: string): CallLimit => ({
  cmd,
  maxCalls,
  windowMs: seconds * 1000,
  does,
});

/** What is left of one. */
export interface CallsLeft {
  readonly cmd: number;
  readonly does: string;
  readonly left: number;
  readonly max: number;
}

export const CALL_LIMITS: readonly CallLimit[] = [
  limit(8, 2, 600, 'get trader orders'),
  limit(24, 500, 3600, 'set instruments'),
  limit(44, 50, 3600, 'get open positions by account'),
  limit(46, 1500, 3600, 'get orders by account'),
  limit(79, 500, 3600, 'get all accounts per account id'),
  limit(117, 10, 60, 'get last order message'),
  limit(118, 10, 60, 'get custom closed trade'),
];

/**
 * From a request's last word, or the table it reads, to its command number. The document does not tell: this is inferred from the
 * functions' names, and the setting trade.commandNumbers corrects it.
 */
export const COMMAND_NUMBERS: Readonly<Record<string, number>> = {
  update_subscriptions: 24,
  OpenPosition: 44,
  Order: 46,
  Account: 79,
  ClosedPosition: 118,
};

/** By what `commandNumbers` says. */
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

/** `Order=46,Summary=44,ClosedPosition=0` over the table; 0 counts towards none. Undefined where the text is of another form. */
export function commandNumbers(corrections: string | undefined): Readonly<Record<string, number>> | undefined {
  const numbers: Record<string, number> = { ...COMMAND_NUMBERS };
  for (const part of (corrections ?? '').split(',').filter((one) => one.trim() !== '')) {
    const match = /^\s*(\w+)\s*=\s*(\d{1,4})\s*$/.exec(part);
    if (match?.[1] === undefined) return undefined;
    numbers[match[1]] = Number(match[2]);
  }
  return numbers;
}
