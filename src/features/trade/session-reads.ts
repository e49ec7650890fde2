/** The commands of `trade session` that read: each is the command of svc with this name, over the connection of the session. */
import type { Command, RunContext } from '../../cli/command.ts';
import { SvcError } from '../../errors.ts';
import { tokensOf } from './batch-file.ts';
import type { TradingContext, TradingSession } from './trading-session.ts';

export interface Result {
  readonly command: string;
  /** As in `-o json`. */
  readonly value: unknown;
  /** Why the exit status of the command would not be 0. */
  readonly code: string | null;
}

/** They change what is stored on this machine; the session settles by itself. */
const NO_READS: readonly string[] = ['login', 'logout', 'journal settle'];

/** Options that the session has for all its commands. */
const SHARED = new Set(['transport', 'budget']);

/** Undefined if the line is no read. `account` is the default of commands that take one. Throws if its command is one that a session cannot run, or its options are wrong. */
export async function readingOf(
  { command: name, ...fields }: Readonly<Record<string, unknown>>,
  account: string | undefined,
  ctx: RunContext,
): Promise<((open: TradingSession) => Promise<Result>) | undefined> {
  const command = typeof name === 'string' ? await readCommand(name, ctx) : undefined;
  if (command === undefined) return undefined;
  const shape = ownShape(command);
  const given = Object.hasOwn(shape.flags, 'account') ? { account, ...fields } : fields;
  const { parseInput } = await import('../../cli/parse.ts');
  const { input } = parseInput(command, tokensOf(given, shape), ctx.now());
  if (command.streams?.(input)) throw endless(command);
  return async (open) => {
    const context: TradingContext = { ...ctx, interactive: false, trading: open };
    const answer = await command.run(input, context);
    const value = await whole(answer.value);
    const { code } = answer;
    const end = typeof code === 'function' ? code() : code;
    return { command: command.id.replace(/^trade /, ''), value, code: end ?? null };
  };
}

function ownShape({ args = {}, flags = {} }: Command) {
  return { args, flags: Object.fromEntries(Object.entries(flags).filter(([flag]) => !SHARED.has(flag))) };
}

/** What a line with this command may have; undefined if a session cannot run it. */
export function readShape(command: Command) {
  return isRead(command) && ends(command) ? ownShape(command) : undefined;
}

function isRead({ id, effect }: Command): boolean {
  return effect === 'read' && !NO_READS.includes(id.replace(/^trade /, ''));
}

function ends({ output }: Command): boolean {
  return output.kind === 'list' || output.kind === 'record';
}

/** An event is one line. */
const MOST_ROWS = 10_000;

/** All rows of a list that comes in parts. */
async function whole(value: unknown): Promise<unknown> {
  if (typeof value !== 'object' || value === null || !(Symbol.asyncIterator in value)) return value;
  const rows: unknown[] = [];
  for await (const row of value as AsyncIterable<unknown>) {
    if (rows.push(row) <= MOST_ROWS) continue;
    throw new SvcError('usage', `the result has more than ${MOST_ROWS} rows`, { hint: 'ask for fewer' });
  }
  return rows;
}

async function readCommand(name: string, { groups }: RunContext): Promise<Command | undefined> {
  const { commands = {} } = (await groups.find((group) => group.name === 'trade')?.load()) ?? {};
  const load = [name, `${name} list`]
    .map((one) => (Object.hasOwn(commands, one) ? commands[one] : undefined))
    .find(Boolean);
  const command = await load?.();
  if (command === undefined || !isRead(command)) return undefined;
  if (!ends(command)) throw endless(command);
  return command;
}

function endless({ id }: Command): SvcError {
  return new SvcError('usage', `a session cannot run "${id.replace(/^trade /, '')}"`, {
    hint: 'it runs commands that read once and end',
  });
}
