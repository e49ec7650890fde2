/** The lines of `trade batch` and `trade session`: each a command of `svc trade` with its arguments and options as JSON. */
import type { Command, Commands, RunContext } from '../../../cli/command.ts';
import type { Arguments, Flags } from '../../../cli/flags.ts';
import { SvcError } from '../../../errors.ts';
import { duplicateKey, isObject, JsonLimit, parseJsonText } from '../../../json-object.ts';
import type { ChangeCommand } from '../orders/change-command.ts';
import type { Change } from '../orders/planned-requests.ts';

type Fields = Readonly<Record<string, unknown>>;

export interface CommandLine {
  /** After `svc trade`. */
  readonly name: string;
  readonly command: Command;
  readonly input: Fields;
  /** Undefined for a command that reads. */
  readonly change: Change | undefined;
}

interface Shape {
  readonly args: Arguments;
  readonly flags: Flags;
}

/** The names of the previous release. */
const FORMER_NAMES: Readonly<Record<string, string>> = {
  'order get': 'orders get',
  'order cancel': 'orders cancel',
  'order set': 'orders update',
  'position set': 'positions update',
  'oco edit': 'oco update',
  'symbols info': 'symbols get',
};

const TOKEN = 'it changes the stored token, which the connection uses: run it before';
const ENDLESS = 'it runs until it is stopped: use subscribe in a session';
const LINES = 'write its commands as lines of their own';

/** Commands that no line can be, and why. */
const OUTSIDE: Readonly<Record<string, string>> = {
  login: TOKEN,
  logout: TOKEN,
  stream: ENDLESS,
  watch: ENDLESS,
  dashboard: ENDLESS,
  batch: LINES,
  session: LINES,
};

const OF_ALL = 'it is an option of svc trade session and svc trade batch';

/** Options that no line can have, and why. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  transport: OF_ALL,
  budget: 'it is an option of single commands',
  temporary: 'it would hold the connection: change it back with another line',
};
const NO_WAIT = 'a session prints what becomes of each order, and a batch does not wait';

function whyLeftOut(name: string, { effect }: Command): string | undefined {
  return name === 'wait' && effect === 'money' ? NO_WAIT : LEFT_OUT[name];
}

/** What a line with this command may have; undefined if no line can be this command. */
export function lineShape(command: Command): Shape | undefined {
  const { id, args = {}, flags = {} } = command;
  if (Object.hasOwn(OUTSIDE, nameOf(id))) return undefined;
  const own = Object.entries(flags).filter(([name]) => whyLeftOut(name, command) === undefined);
  // In a line, `id` is its caller's.
  const { id: _, ...others } = args;
  return { args: others, flags: Object.fromEntries(own) };
}

function nameOf(id: string): string {
  return id.replace(/^trade /, '');
}

/** Whether it reduces what is at risk: a session takes it in every situation. */
export function isProtective(command: unknown): boolean {
  const name = typeof command === 'string' && Object.hasOwn(FORMER_NAMES, command) ? FORMER_NAMES[command] : command;
  return name === 'close' || name === 'flatten' || name === 'orders cancel';
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

/** Of one line, without its id. `account` is the default of commands that take one. Throws if anything is wrong that needs no gateway to see. */
export async function commandLine(
  { command: typed, ...fields }: Fields,
  account: string | undefined,
  ctx: RunContext,
): Promise<CommandLine> {
  const command = await findCommand(typed, ctx);
  const name = nameOf(command.id);
  const shape = lineShape(command);
  if (shape === undefined) throw new SvcError('invalid_value', `a line cannot be "${name}": ${OUTSIDE[name]}`);
  const given = Object.hasOwn(shape.flags, 'account') ? { account, ...fields } : fields;
  const left = Object.keys(fields).find((field) => command.flags?.[field] && whyLeftOut(field, command) !== undefined);
  if (left !== undefined) {
    throw new SvcError('invalid_value', `a line cannot have "${left}": ${whyLeftOut(left, command)}`);
  }
  const { parseInput } = await import('../../../cli/parse.ts');
  const { input } = parseInput(command, tokensOf(given, shape), ctx.now());
  if (command.streams?.(input))
    throw new SvcError('usage', `a line cannot be "${name}" with these options: ${ENDLESS}`);
  const { change } = command as Partial<ChangeCommand>;
  const isChange = change !== undefined && (input['preview'] !== true || ctx.dryRun);
  return { name, command, input, change: isChange ? change(input, ctx) : undefined };
}

async function findCommand(typed: unknown, { groups }: RunContext): Promise<Command> {
  const commands: Commands = (await groups.find((group) => group.name === 'trade')?.load())?.commands ?? {};
  const name = typeof typed === 'string' && Object.hasOwn(FORMER_NAMES, typed) ? FORMER_NAMES[typed] : typed;
  const load = [name, `${name} list`]
    .map((one) => (typeof one === 'string' && Object.hasOwn(commands, one) ? commands[one] : undefined))
    .find(Boolean);
  if (load !== undefined) return load();
  throw new SvcError(
    'invalid_value',
    typed === undefined ? '"command" is missing' : `unknown command ${JSON.stringify(typed)}`,
    {
      hint: `use one of ${Object.keys(commands)
        .filter((one) => !Object.hasOwn(OUTSIDE, one))
        .join(', ')}`,
    },
  );
}

export function objectOf(json: string): Fields {
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
export function tokensOf(fields: Fields, { args, flags }: Shape): readonly string[] {
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
