/** `trade oco`: pairs and groups of orders in which a fill cancels the others. */
import type { RunContext } from '../../cli/command.ts';
import type { Arguments, Flags, Input } from '../../cli/flags.ts';
import { SvcError } from '../../errors.ts';
import { addToOco, editOco, removeFromOco, simpleOco } from './client.ts';
import { orderOnce, planOrder } from './new-order.ts';
import { wantedAccount } from './order-account.ts';
import type { NewOrderDraft } from './order-drafts.ts';
import { CHANGE_FLAGS, checkAccount, checkedIds, ENTRY_TIME_FLAGS, ONCE_FLAG, type ORDER_ARGS } from './order-flags.ts';
import type { OrderForm } from './order-forms.ts';
import { askedFor, type OcoLeg, ocoForm } from './order-forms.ts';
import { openOrders } from './order-rows.ts';
import {
  checkExitPrices,
  checkOrderId,
  checkSameUnit,
  checkTrailed,
  expiration,
  parseAmount,
  parseDistance,
  parseRate,
  parseTrail,
  timeInForce,
} from './order-rules.ts';
import { orderText } from './order-text.ts';
import type { PlannedRequest } from './placing.ts';
import type { Change, ChangeInput } from './planned-requests.ts';
import type { TableCache } from './table-cache.ts';

export const UNDOCUMENTED_OCO =
  'The interface document does not show this request; svc follows the public implementation.';

export const OCO_CREATE_FLAGS = {
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

type OcoCreateInput = Input<typeof ORDER_ARGS, typeof OCO_CREATE_FLAGS>;

export function creatingOco(input: OcoCreateInput, ctx: RunContext): Change {
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

export const OCO_ORDERS = {
  order: { help: 'Order ids', required: true, repeat: true, complete: 'orders' },
} as const satisfies Arguments;

export const OCO_ADD_FLAGS = {
  group: { type: 'string', value: 'id', help: 'Existing group (default: a new one)' },
  ...CHANGE_FLAGS,
} as const satisfies Flags;

type OcoAddInput = Input<typeof OCO_ORDERS, typeof OCO_ADD_FLAGS>;

export function addingToOco(input: OcoAddInput, ctx: RunContext): Change {
  const orderIds = checkedIds(input.order, checkOrderId);
  const { group } = input;
  if (group !== undefined) checkGroup(group);
  if (group === undefined && orderIds.length < 2) {
    throw new SvcError('usage', 'a new group needs at least two orders', {
      hint: 'pass another order id, or --group <id>',
    });
  }
  const where = group === undefined ? 'a new group' : `group ${group}`;
  const form = { orderIds, ocoBulkId: group ?? '0' };
  const what = `add ${named(orderIds)} to ${where}`;
  return regrouping({ endpoint: addToOco, form, command: 'oco add', what, ids: orderIds }, input, ctx);
}

type OcoRemoveInput = Input<typeof OCO_ORDERS, typeof CHANGE_FLAGS>;

export function removingFromOco(input: OcoRemoveInput, ctx: RunContext): Change {
  const orderIds = checkedIds(input.order, checkOrderId);
  const what = `remove ${named(orderIds)} from ${orderIds.length === 1 ? 'its' : 'their'} group`;
  return regrouping(
    { endpoint: removeFromOco, form: { orderIds }, command: 'oco remove', what, ids: orderIds },
    input,
    ctx,
  );
}

export const OCO_GROUP = {
  group: { help: 'Group id from svc trade orders -o wide', required: true },
} as const satisfies Arguments;

export const OCO_UPDATE_FLAGS = {
  add: { type: 'string', repeat: true, value: 'order-id', complete: 'orders', help: 'Order to add' },
  remove: { type: 'string', repeat: true, value: 'order-id', complete: 'orders', help: 'Order to remove' },
  ...CHANGE_FLAGS,
} as const satisfies Flags;

type OcoUpdateInput = Input<typeof OCO_GROUP, typeof OCO_UPDATE_FLAGS>;

export function updatingOco(input: OcoUpdateInput, ctx: RunContext): Change {
  const { group } = input;
  checkGroup(group);
  const [add, remove] = [checkedIds(input.add, checkOrderId), checkedIds(input.remove, checkOrderId)];
  if (add.length + remove.length === 0) throw new SvcError('usage', 'nothing to change: pass --add or --remove');
  const both = add.find((id) => remove.includes(id));
  if (both !== undefined) throw new SvcError('usage', `order ${both} cannot be both added and removed`);
  const parts = [
    ...(add.length === 0 ? [] : [`add ${named(add)} to group ${group}`]),
    ...(remove.length === 0 ? [] : [`remove ${named(remove)} from group ${group}`]),
  ];
  const some = (ids: readonly string[]) => (ids.length === 0 ? undefined : ids);
  const form = { ocoBulkId: group, addOrderIds: some(add), removeOrderIds: some(remove) };
  const what = parts.join(' and ');
  return regrouping({ endpoint: editOco, form, command: 'oco update', what, ids: [...add, ...remove] }, input, ctx);
}

function named(ids: readonly string[]): string {
  return `order${ids.length === 1 ? '' : 's'} ${ids.join(', ')}`;
}

/** 0 means no group. */
function checkGroup(group: string): void {
  if (!/^[1-9]\d*$/.test(group)) {
    throw new SvcError('invalid_value', `${JSON.stringify(group)} is not a group id: it must be a number above 0`);
  }
}

interface Regrouping {
  readonly endpoint: PlannedRequest['request']['endpoint'];
  readonly form: OrderForm;
  readonly command: string;
  readonly what: string;
  /** Every order that it concerns. */
  readonly ids: readonly string[];
}

function regrouping({ endpoint, form, command, what, ids }: Regrouping, input: ChangeInput, ctx: RunContext): Change {
  const plan = async (cache: TableCache): Promise<readonly PlannedRequest[]> => {
    // The request follows from the command line alone.
    const rows = ctx.dryRun ? undefined : (await openOrders(ids, cache))?.asked;
    const [first] = rows ?? [];
    const account = first === undefined ? undefined : await cache.account(first.accountId);
    await checkAccount(`order ${first?.orderId}`, account, input.account, cache);
    const them = rows === undefined ? '' : `: ${rows.map(orderText).join('; ')}`;
    return [
      {
        request: { endpoint, form, command, what: `to ${what}`, makesOrder: false },
        accountId: account?.accountId,
        does: `${what.charAt(0).toUpperCase()}${what.slice(1)}${them}`,
      },
    ];
  };
  return { question: `${what}?`, plan, goesOn: () => false };
}

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
