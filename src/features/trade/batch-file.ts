/** The lines of `trade batch`: each a request with the names that its command's arguments and options have. */
import type { Command, RunContext } from '../../cli/command.ts';
import type { Arguments, Flags, Input } from '../../cli/flags.ts';
import { SvcError } from '../../errors.ts';
import { duplicateKey, isObject, JsonLimit, parseJsonText } from '../../json-object.ts';
import { CLOSE_ARGS, CLOSE_FLAGS, closing } from './close-positions.ts';
import { CANCEL_ARGS, CANCEL_FLAGS, canceling } from './commands/order-cancel.ts';
import { ORDER_SET_ARGS, ORDER_SET_FLAGS, settingOrder } from './commands/order-set.ts';
import { POSITION_SET_ARGS, POSITION_SET_FLAGS, settingPosition } from './commands/position-set.ts';
import { ENTRY_FLAGS, entryDraft, MARKET_FLAGS, marketDraft, opening } from './new-order.ts';
import { creatingOco, OCO_CREATE_FLAGS } from './oco-groups.ts';
import { ORDER_ARGS } from './order-flags.ts';
import type { Change } from './planned-requests.ts';

export interface BatchLine {
  /** From 1. */
  readonly line: number;
  readonly change: Change;
}

interface BatchCommand {
  readonly args: Arguments;
  readonly flags: Flags;
  // biome-ignore lint/suspicious/noExplicitAny: the parser makes the input from the same arguments and flags
  readonly change: (input: any, ctx: RunContext) => Change;
}

function batchCommand<const A extends Arguments, const F extends Flags>(
  args: A,
  flags: F,
  change: (input: Input<A, F>, ctx: RunContext) => Change,
): BatchCommand {
  return { args, flags, change };
}

const ORDERS = { order: { ...CANCEL_ARGS.order, required: true } } as const satisfies Arguments;
const TRADES = { trade: { ...CLOSE_ARGS.trade, required: true } } as const satisfies Arguments;

/** What a session has is said once, for all lines: those options are left out, and so undefined. */
const SHARED = ['transport', 'budget', 'preview', 'wait', 'require-open'];

function ownFlags<const F extends Flags>(flags: F, ...left: readonly string[]): F {
  const own = Object.entries(flags).filter(([name]) => !SHARED.includes(name) && !left.includes(name));
  return Object.fromEntries(own) as unknown as F;
}

const MARKET = ownFlags(MARKET_FLAGS);
const ENTRY = ownFlags(ENTRY_FLAGS);

/** By what is typed for them alone. */
const COMMANDS: Readonly<Record<string, BatchCommand>> = {
  buy: batchCommand(ORDER_ARGS, MARKET, (input, ctx) => opening(marketDraft('buy', input), input, ctx)),
  sell: batchCommand(ORDER_ARGS, MARKET, (input, ctx) => opening(marketDraft('sell', input), input, ctx)),
  'entry buy': batchCommand(ORDER_ARGS, ENTRY, (input, ctx) =>
    opening(entryDraft('buy', input, ctx.now()), input, ctx),
  ),
  'entry sell': batchCommand(ORDER_ARGS, ENTRY, (input, ctx) =>
    opening(entryDraft('sell', input, ctx.now()), input, ctx),
  ),
  close: batchCommand(TRADES, ownFlags(CLOSE_FLAGS, 'symbol', 'everything'), (input, ctx) =>
    closing({ ...input, everything: false }, ctx),
  ),
  'order cancel': batchCommand(ORDERS, ownFlags(CANCEL_FLAGS, 'all', 'symbol'), (input, ctx) =>
    canceling({ ...input, all: false }, ctx),
  ),
  'order set': batchCommand(ORDER_SET_ARGS, ownFlags(ORDER_SET_FLAGS), settingOrder),
  'position set': batchCommand(POSITION_SET_ARGS, ownFlags(POSITION_SET_FLAGS), settingPosition),
  'oco create': batchCommand(ORDER_ARGS, ownFlags(OCO_CREATE_FLAGS), creatingOco),
};

export const BATCH_COMMANDS: readonly string[] = Object.keys(COMMANDS);

/** All of them hold by themselves, or it throws for the first that does not. `account` is that of lines which name none. */
export async function readBatch(
  text: string,
  account: string | undefined,
  ctx: RunContext,
): Promise<readonly BatchLine[]> {
  const lines: BatchLine[] = [];
  const set = new Map<string, number>();
  for (const [index, json] of text.split('\n').entries()) {
    if (json.trim() === '') continue;
    const line = index + 1;
    lines.push({ line, change: await atLine(line, () => changeOf(json, { line, account, set }, ctx)) });
  }
  return lines;
}

/** Names the line in whatever is thrown. */
export async function atLine<T>(line: number, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof SvcError)) throw error;
    const { code, message, hint, more } = error;
    throw new SvcError(code, `line ${line}: ${message}`, {
      ...(hint && { hint }),
      more: { ...more, line },
      cause: error,
    });
  }
}

interface Around {
  readonly line: number;
  readonly account: string | undefined;
  /** By the id of an order: the line that sets it. */
  readonly set: Map<string, number>;
}

async function changeOf(json: string, { line, account, set }: Around, ctx: RunContext): Promise<Change> {
  const { command: name, ...fields } = objectOf(json);
  const command = typeof name === 'string' && Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command === undefined) {
    throw new SvcError(
      'invalid_value',
      `"command" is ${name === undefined ? 'missing' : `${JSON.stringify(name)}, which is none`}`,
      {
        hint: `it is one of ${BATCH_COMMANDS.join(', ')}`,
      },
    );
  }
  const { parseInput } = await import('../../cli/parse.ts');
  const { input } = parseInput(declared(command), tokensOf(fields, command), ctx.now());
  if (name === 'order set') {
    // What a line leaves as it is was read before the first line was sent, and would undo the change of an earlier one.
    const id = String(input['order']);
    const earlier = set.get(id);
    if (earlier !== undefined)
      throw new SvcError('invalid_value', `order ${id} is set by line ${earlier}: say all in one`);
    set.set(id, line);
  }
  return command.change({ ...input, account: input['account'] ?? account }, ctx);
}

function objectOf(json: string): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = parseJsonText(json);
  } catch (error) {
    throw new SvcError('invalid_value', `is ${error instanceof JsonLimit ? error.message : 'not JSON'}`);
  }
  const twice = duplicateKey(json);
  if (twice !== undefined) {
    throw new SvcError('invalid_value', `${JSON.stringify(twice)} is given twice`, { hint: 'leave one of them out' });
  }
  if (isObject(value)) return value;
  throw new SvcError('invalid_value', 'is not a JSON object', {
    hint: 'write it like {"command":"buy","symbol":"EUR/USD","amount":5}',
  });
}

/** The same line as it would be typed. */
function tokensOf(fields: Readonly<Record<string, unknown>>, { args, flags }: BatchCommand): readonly string[] {
  const unknown = Object.keys(fields).find((name) => !Object.hasOwn(args, name) && !Object.hasOwn(flags, name));
  if (unknown !== undefined) {
    throw new SvcError('invalid_value', `there is no ${JSON.stringify(unknown)} here`, {
      hint: `there are ${[...Object.keys(args), ...Object.keys(flags)].join(', ')}`,
    });
  }
  const options = Object.entries(flags).flatMap(([name, flag]) => {
    const value = fields[name];
    if (value === undefined || value === null) return [];
    if (flag.type === 'boolean') return isTrue(name, value) ? [`--${name}`] : [];
    return textsOf(name, value).map((text) => `--${name}=${text}`);
  });
  const operands = Object.keys(args).flatMap((name) => textsOf(name, fields[name] ?? []));
  return [...options, '--', ...operands];
}

function isTrue(name: string, value: unknown): boolean {
  if (typeof value === 'boolean') return value;
  throw new SvcError('invalid_value', `${JSON.stringify(name)} is neither true nor false`);
}

function textsOf(name: string, value: unknown): readonly string[] {
  return (Array.isArray(value) ? value : [value]).map((one: unknown) => {
    if (typeof one === 'string') return one;
    // A larger id would have been rounded by now.
    if (typeof one === 'number' && Math.abs(one) <= Number.MAX_SAFE_INTEGER) return String(one);
    throw new SvcError('invalid_value', `${JSON.stringify(name)} is ${JSON.stringify(one)}: write it as a text`);
  });
}

function declared({ args, flags }: BatchCommand): Command {
  return {
    id: 'trade batch',
    summary: '',
    effect: 'money',
    args,
    flags,
    output: { kind: 'text' },
    examples: [{ run: '', why: '' }],
    run: async () => ({ value: undefined }),
  };
}
