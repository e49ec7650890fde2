import type { RunContext } from '../../../cli/command.ts';
import type { Flags, Input } from '../../../cli/flags.ts';
import { SvcError } from '../../../errors.ts';
import { Plan } from '../../../http/endpoint.ts';
import { simpleOco } from '../client.ts';
import { wantedAccount } from '../orders/account.ts';
import { changeCommand } from '../orders/change-command.ts';
import { rowOf } from '../orders/change-report.ts';
import type { NewOrderDraft } from '../orders/drafts.ts';
import { CHANGE_FLAGS, ENTRY_TIME_FLAGS, ONCE_FLAG, ORDER_ARGS } from '../orders/flags.ts';
import { askedFor, type OcoLeg, ocoForm } from '../orders/forms.ts';
import { orderOnce, planOrder } from '../orders/new-order.ts';
import { UNDOCUMENTED_OCO } from '../orders/oco-groups.ts';
import type { PlannedRequest } from '../orders/placing.ts';
import { type Change, carryOut } from '../orders/planned-requests.ts';
import {
  checkExitPrices,
  checkSameUnit,
  checkTrailed,
  expiration,
  parseAmount,
  parseDistance,
  parseRate,
  parseTrail,
  timeInForce,
} from '../orders/rules.ts';
import type { TableCache } from '../orders/table-cache.ts';

const FLAGS = {
  leg: {
    type: 'string',
    repeat: true,
    value: 'side@price',
    help: 'One of the two orders, with stop, limit, trail, trail-entry',
  },
  ...ENTRY_TIME_FLAGS,
  ...ONCE_FLAG,
  ...CHANGE_FLAGS,
} as const satisfies Flags;

type CreateInput = Input<typeof ORDER_ARGS, typeof FLAGS>;

function creating(input: CreateInput, ctx: RunContext): Change {
  const amount = parseAmount(input.amount);
  const legs = parseLegs(input.leg);
  const tif = timeInForce('Entry', input.tif, input.expires !== undefined);
  const expires = input.expires === undefined ? undefined : expiration(input.expires.ms, ctx.now());
  const wanted = wantedAccount(input.account, ctx);
  const terms = { amount, tif, expires: input.expires?.text };
  const asked = { ...askedFor('oco create', input.symbol, terms), legs: input.leg };
  const request = (accountId: string, symbol: string) => ({
    endpoint: simpleOco,
    form: ocoForm({ accountId, symbol, amount, tif, expires }, legs),
    command: 'oco create',
    what: `to place an OCO pair of ${amount} ${symbol}`,
    // Some responses name the orders, some do not.
    makesOrder: false,
    opens: true as const,
  });
  const draftOf = ({ side, rate, stop, limit, trail, trailEntry }: OcoLeg): NewOrderDraft => {
    const own = { side, amount, tif, rate, stop, limit, trail, trailEntry, expires };
    return { ...own, symbol: input.symbol, asked, request };
  };
  const [first, second] = legs;
  const plan = async (cache: TableCache): Promise<readonly PlannedRequest[]> => {
    const planned = await planOrder(draftOf(first), { wanted }, cache, ctx);
    const other = await planOrder(draftOf(second), { wanted }, cache, ctx);
    const opens = [...(planned.opens ?? []), ...(other.opens ?? [])];
    return [{ ...planned, opens, does: `${planned.does}; or, whichever fills first: ${other.does}` }];
  };
  const once = input.once === undefined ? undefined : orderOnce(input.once, draftOf(first), wanted);
  return { question: `place an OCO pair of ${amount} ${input.symbol}?`, plan, goesOn: () => false, once };
}

export const tradeOcoCreate = changeCommand({
  id: 'trade oco create',
  summary: 'Create an OCO (one-cancels-the-other) pair',
  description:
    'Places two entry orders of the same amount; when one fills, the other is canceled. svc journals the request, then sends it once. Some gateways do not return the order ids.',
  details: UNDOCUMENTED_OCO,
  args: {
    ...ORDER_ARGS,
    amount: { ...ORDER_ARGS.amount, help: 'Amount of each order: thousands (forex) or contracts' },
  },
  flags: FLAGS,
  examples: [
    {
      run: "svc trade oco create EUR/USD 5 --leg 'buy@1.17,stop=40pips' --leg 'sell@1.15,stop=40pips'",
      why: 'Trade a breakout in either direction',
    },
  ],
  change: creating,
  async run(input, ctx) {
    const answer = await carryOut(creating(input, ctx), input, ctx, rowOf);
    if (answer.as !== undefined || answer.value instanceof Plan) return answer;
    const ids = answer.value.flatMap(({ orderIds }) => orderIds);
    return { ...answer, undo: ids.length === 0 ? undefined : ['trade', 'orders', 'cancel', ...ids] };
  },
});

const PARTS = ['stop', 'limit', 'trail', 'trail-entry'];

export function parseLeg(text: string): OcoLeg {
  const [head = '', ...parts] = text.split(',').map((part) => part.trim());
  const [, side, rateText = ''] = /^(buy|sell)@(.+)$/.exec(head) ?? [];
  if (side === undefined) throw invalid(text, 'must begin with buy@<price> or sell@<price>');
  const given = new Map<string, string>();
  for (const part of parts) {
    const [, name = '', value = ''] = /^([^=]*)=(.*)$/.exec(part) ?? [];
    if (!PARTS.includes(name)) throw invalid(text, `has ${JSON.stringify(part)}; expected ${PARTS.join(', ')}`);
    if (given.has(name)) throw invalid(text, `has ${name} twice`);
    given.set(name, value);
  }
  const of = <T>(name: string, parse: (value: string) => T): T | undefined => {
    const value = given.get(name);
    return value === undefined ? undefined : parse(value);
  };
  const leg: OcoLeg = {
    side: side === 'buy' ? 'buy' : 'sell',
    rate: parseRate(rateText, '--leg'),
    stop: of('stop', (value) => parseDistance(value, '--stop')),
    limit: of('limit', (value) => parseDistance(value, '--limit')),
    trail: of('trail', (value) => parseTrail(value)),
    trailEntry: of('trail-entry', (value) => parseTrail(value, '--trail-entry')),
  };
  checkSameUnit(leg.stop, leg.limit);
  checkTrailed(leg);
  checkExitPrices(leg, leg.rate.value);
  return leg;
}

/** Exactly two. One form field sets the unit of all stops and limits. */
export function parseLegs(texts: readonly string[]): readonly [OcoLeg, OcoLeg] {
  const [first, second, ...more] = texts.map(parseLeg);
  if (first === undefined || second === undefined || more.length > 0) {
    throw new SvcError('usage', `an OCO pair needs exactly two --leg options, not ${texts.length}`, {
      hint: "write --leg 'buy@1.17,stop=40pips' --leg 'sell@1.15,stop=40pips'",
    });
  }
  for (const one of [second.stop, second.limit]) {
    for (const other of [first.stop, first.limit]) checkSameUnit(one, other);
  }
  return [first, second];
}

function invalid(text: string, why: string): SvcError {
  return new SvcError('invalid_value', `--leg: ${JSON.stringify(text)} ${why}`, {
    hint: "write it like 'buy@1.17,stop=40pips,limit=80pips'",
  });
}
