/** The ways in which a real gateway surprises its clients, each a switch: for tests, and for trying a script out. */
import { HOSTILE } from '../webhooks/traps.ts';

export const TRADING_TRAPS = {
  'bad-token': 'every token is refused',
  'sticky-nodes': 'there are two nodes, and a request without the cookie of the balancer reaches the wrong one',
  'no-websocket': 'there is polling alone',
  'drop-connection': 'a connection is cut after five pushes, and its id is forgotten',
  'ora-20301': 'tables whose calls are counted are refused as asked for too often, with their command number',
  'accounts-path-404': 'the path /trading/get_model/Accounts is not known',
  'slow-gateway': 'every answer but those of the connection takes 3 s (divided by --fast)',
  'hostile-gateway': 'every text but ids and times holds escape sequences',
  'market-closed': 'no price moves, nothing may be traded, and orders at market are accepted and wait',
  'partial-fills': 'an order is filled in three parts, each a trade of its own',
  'fok-killed':
    'orders with FOK or IOC are accepted and then not filled; with partial-fills, the last part of an IOC is not',
  'push-before-answer': 'what comes of an order is pushed before the order is answered',
  'lost-order-answer': 'an order is carried out, and the connection is cut instead of an answer',
  'order-500': 'an order is answered 500, and not carried out',
  'order-500-applied': 'an order is answered 500, and carried out',
  'executed-with-error': 'an order is carried out, and answered as executed with an error beside it',
  'no-push': 'nothing is ever pushed',
  'non-json-push': 'with every tick something that is no JSON is pushed',
  flood: 'every tick is pushed a thousand times',
  'duplicate-candles': 'some candles come twice, once with fewer ticks',
  'from-to-ignored': 'candles are the newest ones, whatever the range',
} as const satisfies Readonly<Record<string, string>>;

export type TradingTrap = keyof typeof TRADING_TRAPS;

/** What clients tell apart, compare or count with stays as it was. */
const KEPT = /^(?:\w*[iI]d|\w*[tT]ime|\w+Date|action|hedging)$/;

export function hostileText(text: string): string {
  return text + HOSTILE;
}

/** Every text within a value with the hostile one at its end, also within an error that is JSON in a text. */
export function hostileRecord(value: unknown, name = ''): unknown {
  if (typeof value === 'string') {
    if (value === '' || KEPT.test(name)) return value;
    return value.startsWith('{') ? JSON.stringify(hostileRecord(JSON.parse(value))) : hostileText(value);
  }
  if (Array.isArray(value)) return value.map((item) => hostileRecord(item, name));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, hostileRecord(inner, key)]));
}
