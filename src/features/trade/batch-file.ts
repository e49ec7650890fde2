/** The lines of `trade batch` and `trade session`: each a request with the names that its command's arguments and options have. */
import type { Command, RunContext } from '../../cli/command.ts';
import type { Arguments, Flags, Input } from '../../cli/flags.ts';
import { SvcError } from '../../errors.ts';
import { duplicateKey, isObject, JsonLimit, parseJsonText } from '../../json-object.ts';
import { CANCEL_ARGS, CANCEL_FLAGS, canceling } from './cancel-orders.ts';
import { CLOSE_ARGS, CLOSE_FLAGS, closing } from './close-positions.ts';
import { FLATTEN_FLAGS, flattening } from './commands/flatten.ts';
import { ORDER_UPDATE_ARGS, ORDER_UPDATE_FLAGS, updatingOrder } from './commands/orders-update.ts';
import { POSITION_UPDATE_ARGS, POSITION_UPDATE_FLAGS, updatingPosition } from './commands/positions-update.ts';
import { opening } from './new-order.ts';
import { creatingOco, OCO_CREATE_FLAGS } from './oco-groups.ts';
import { ENTRY_FLAGS, entryDraft, MARKET_FLAGS, marketDraft } from './order-drafts.ts';
import { ORDER_ARGS, SIZED_ARGS } from './order-flags.ts';
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

/** Options of the session apply to all lines, so a line cannot have them. */
const SHARED = ['transport', 'budget', 'preview', 'wait', 'require-open'];

function ownFlags<const F extends Flags>(flags: F, ...left: readonly string[]): F {
  const own = Object.entries(flags).filter(([name]) => !SHARED.includes(name) && !left.includes(name));
  return Object.fromEntries(own) as unknown as F;
}

const MARKET = ownFlags(MARKET_FLAGS);
const ENTRY = ownFlags(ENTRY_FLAGS);

/** By the name after `svc trade`. */
const COMMANDS: Readonly<Record<string, BatchCommand>> = {
  buy: batchCommand(SIZED_ARGS, MARKET, (input, ctx) => opening(marketDraft('buy', input), input, ctx)),
  sell: batchCommand(SIZED_ARGS, MARKET, (input, ctx) => opening(marketDraft('sell', input), input, ctx)),
  'entry buy': batchCommand(SIZED_ARGS, ENTRY, (input, ctx) =>
    opening(entryDraft('buy', input, ctx.now()), input, ctx),
  ),
  'entry sell': batchCommand(SIZED_ARGS, ENTRY, (input, ctx) =>
    opening(entryDraft('sell', input, ctx.now()), input, ctx),
  ),
  close: batchCommand(TRADES, ownFlags(CLOSE_FLAGS, 'symbol', 'everything'), (input, ctx) =>
    closing({ ...input, everything: false }, ctx),
  ),
  flatten: batchCommand({}, ownFlags(FLATTEN_FLAGS), flattening),
  'orders cancel': batchCommand(ORDERS, ownFlags(CANCEL_FLAGS, 'all', 'symbol'), (input, ctx) =>
    canceling({ ...input, all: false }, ctx),
  ),
  'orders update': batchCommand(ORDER_UPDATE_ARGS, ownFlags(ORDER_UPDATE_FLAGS), updatingOrder),
  'positions update': batchCommand(POSITION_UPDATE_ARGS, ownFlags(POSITION_UPDATE_FLAGS), updatingPosition),
  'oco create': batchCommand(ORDER_ARGS, ownFlags(OCO_CREATE_FLAGS), creatingOco),
};

/** The names of the previous release. */
const FORMER_NAMES: Readonly<Record<string, string>> = {
  'order cancel': 'orders cancel',
  'order set': 'orders update',
  'position set': 'positions update',
};

export const BATCH_COMMANDS: readonly string[] = Object.keys(COMMANDS);

export function isChange(command: unknown): boolean {
  return typeof command === 'string' && Object.hasOwn(COMMANDS, command);
}

/** By command. */
export const LINE_SHAPES: Readonly<Record<string, Pick<BatchCommand, 'args' | 'flags'>>> = COMMANDS;

/** Whether it reduces what is at risk: a session takes it in every situation. */
export function isProtective(command: unknown): boolean {
  const name = typeof command === 'string' && Object.hasOwn(FORMER_NAMES, command) ? FORMER_NAMES[command] : command;
  return name === 'close' || name === 'flatten' || name === 'orders cancel';
}

/** Throws for the first invalid line. A line may have an `id`, as in `trade session`. `account` is the default of lines that name none. */
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
    const change = await atLine(line, () => {
      const { id: _, ...fields } = objectOf(json);
      return changeOf(fields, { line, account, set }, ctx);
    });
    lines.push({ line, change });
  }
  return lines;
}

/** Adds the line number to errors. */
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
  /** By order id: the line that updates it. */
  readonly set: Map<string, number>;
}

/** Of one command, without an id. */
export async function changeOf(
  { command: typed, ...fields }: Readonly<Record<string, unknown>>,
  { line, account, set }: Around,
  ctx: RunContext,
): Promise<Change> {
  const name = typeof typed === 'string' && Object.hasOwn(FORMER_NAMES, typed) ? FORMER_NAMES[typed] : typed;
  const command = typeof name === 'string' && Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (typeof name !== 'string' || command === undefined) {
    throw new SvcError(
      'invalid_value',
      name === undefined ? '"command" is missing' : `unknown command ${JSON.stringify(name)}`,
      {
        hint: `use one of ${BATCH_COMMANDS.join(', ')}`,
      },
    );
  }
  const { parseInput } = await import('../../cli/parse.ts');
  const { input } = parseInput(declared(name, command), tokensOf(fields, command), ctx.now());
  if (name === 'orders update') {
    // Unchanged values are read before the first line is sent, and would undo an earlier change.
    const id = String(input['order']);
    const earlier = set.get(id);
    if (earlier !== undefined)
      throw new SvcError('invalid_value', `line ${earlier} already updates order ${id}: use one line`);
    set.set(id, line);
  }
  return command.change({ ...input, account: input['account'] ?? account }, ctx);
}

export function objectOf(json: string): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = parseJsonText(json);
  } catch (error) {
    throw new SvcError('invalid_value', error instanceof JsonLimit ? error.message : 'not valid JSON');
  }
  const twice = duplicateKey(json);
  if (twice !== undefined) {
    throw new SvcError('invalid_value', `${JSON.stringify(twice)} is given twice`, { hint: 'remove one of them' });
  }
  if (isObject(value)) return value;
  throw new SvcError('invalid_value', 'not a JSON object', {
    hint: 'write it like {"command":"buy","symbol":"EUR/USD","amount":5}',
  });
}

/** The line as command-line arguments. */
export function tokensOf(
  fields: Readonly<Record<string, unknown>>,
  { args, flags }: Pick<BatchCommand, 'args' | 'flags'>,
): readonly string[] {
  const unknown = Object.keys(fields).find((name) => !Object.hasOwn(args, name) && !Object.hasOwn(flags, name));
  if (unknown !== undefined) {
    throw new SvcError('invalid_value', `unknown field ${JSON.stringify(unknown)}`, {
      hint: `use ${[...Object.keys(args), ...Object.keys(flags)].join(', ')}`,
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
  throw new SvcError('invalid_value', `${JSON.stringify(name)} must be true or false`);
}

function textsOf(name: string, value: unknown): readonly string[] {
  return (Array.isArray(value) ? value : [value]).map((one: unknown) => {
    if (typeof one === 'string') return one;
    // A larger id is already rounded.
    if (typeof one === 'number' && Math.abs(one) <= Number.MAX_SAFE_INTEGER) return String(one);
    throw new SvcError('invalid_value', `${JSON.stringify(name)} is ${JSON.stringify(one)}: write it as a string`);
  });
}

/** Errors name the command of the line. */
export function declared(name: string, { args, flags }: Pick<BatchCommand, 'args' | 'flags'>): Command {
  return {
    id: `trade ${name}`,
    summary: '',
    effect: 'money',
    args,
    flags,
    output: { kind: 'text' },
    examples: [{ run: '', why: '' }],
    run: async () => ({ value: undefined }),
  };
}
