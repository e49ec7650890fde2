/** From argv to a command and its typed input. */
import { parseArgs } from 'node:util';
import { SvcError } from '../errors.ts';
import type { Command } from './command.ts';
import type { RawOption, SplitTokens } from './commander.ts';
import { parseDuration } from './duration.ts';
import {
  type Argument,
  camelCase,
  type Flag,
  type Flags,
  negatable,
  repeatable,
  splitList,
  takesValue,
} from './flags.ts';
import { allFlags, GLOBAL_FLAGS, SERVICE_FLAGS } from './global-flags.ts';
import { didYouMean } from './suggest.ts';
import { parseTime } from './time.ts';

/** The words of the command line and the rest, options given before the command included. */
export interface Words {
  readonly words: readonly string[];
  /** The index in argv of each word. */
  readonly at: readonly number[];
}

/** The leading words of argv, as many as could name a command. Global options may stand before and between them. */
export function commandWords(argv: readonly string[], most: number): Words {
  const words: string[] = [];
  const at: number[] = [];
  const flags: [string, Flag][] = [...Object.entries(GLOBAL_FLAGS), ...Object.entries(SERVICE_FLAGS)];
  for (let i = 0; i < argv.length && words.length < most; i++) {
    const token = argv[i] ?? '';
    if (token === '--') break;
    if (token.startsWith('-') && token !== '-') {
      const flag = flags.find(([name, f]) => token === `--${name}` || ('short' in f && token === `-${f.short}`))?.[1];
      if (flag !== undefined && takesValue(flag)) i++;
    } else {
      words.push(token);
      at.push(i);
    }
  }
  return { words, at };
}

export interface ParsedInput {
  /** The input for `run`: arguments and flags by their camel-case names. */
  readonly input: Readonly<Record<string, unknown>>;
  /** The names of the flags that were given. */
  readonly given: ReadonlySet<string>;
}

/** Parses the tokens after the command's words. Throws `usage` and `invalid_value` (exit 2). */
export async function parseInput(command: Command, tokens: readonly string[], now: number): Promise<ParsedInput> {
  const flags = allFlags(command);
  const last = Object.entries(command.args ?? {}).at(-1);
  const dashes = last?.[1].afterDashes ? tokens.indexOf('--') : -1;
  const { options, operands } = await splitTokens(command, flags, dashes < 0 ? tokens : tokens.slice(0, dashes));
  const input: Record<string, unknown> = {};
  const given = new Set<string>();
  if (options.get('help') !== true) {
    assignArguments(command, operands, dashes < 0 ? [] : tokens.slice(dashes + 1), input, given);
  }
  for (const [name, flag] of Object.entries(flags)) {
    const raw = options.get(name);
    if (raw !== undefined) given.add(name);
    input[camelCase(name)] = flagValue(name, flag, raw, now);
  }
  return { input, given };
}

/**
 * What is plainly right is split by Node itself, which is loaded already; commander, which costs 10 ms, has the last word on all
 * else, and the words for what is wrong. Throws `usage`.
 */
async function splitTokens(command: Command, flags: Flags, tokens: readonly string[]): Promise<SplitTokens> {
  const optional = new Map<string, readonly string[]>();
  const rest = takeOptionalValues(flags, tokens, optional);
  let split = splitPlain(flags, rest);
  if (split === undefined) {
    const { splitByCommander } = await import('./commander.ts');
    split = splitByCommander(command.id, flags, rest);
  }
  for (const name of optional.keys()) if (split.options.has(name)) throw givenTwice(name);
  return { options: new Map([...split.options, ...optional]), operands: split.operands };
}

/** Of two values one would be ignored, and a request might go to the wrong server. */
function givenTwice(name: string): SvcError {
  return new SvcError('usage', `--${name} is given more than once, and it takes one value`);
}

/** Undefined where anything is wrong, or could be meant in two ways. */
export function splitPlain(flags: Flags, tokens: readonly string[]): SplitTokens | undefined {
  const declared: Record<string, { type: 'string' | 'boolean'; multiple: true; short?: string }> = {};
  for (const [name, flag] of Object.entries(flags)) {
    declared[name] = { type: takesValue(flag) ? 'string' : 'boolean', multiple: true };
    if (flag.short !== undefined) declared[name].short = flag.short;
    if (negatable(flag)) declared[`no-${name}`] = { type: 'boolean', multiple: true };
  }
  const options = new Map<string, RawOption>();
  try {
    const parsed = parseArgs({ args: [...tokens], options: declared, allowPositionals: true, tokens: true });
    for (const token of parsed.tokens) {
      // Node takes `-q-` for `-q --`.
      if (token.kind === 'option-terminator' && tokens[token.index] !== '--') return undefined;
      if (token.kind !== 'option') continue;
      const { name, value } = token;
      if (value !== undefined) options.set(name, [...((options.get(name) as string[] | undefined) ?? []), value]);
      else if (Object.hasOwn(flags, name)) options.set(name, true);
      else options.set(name.slice('no-'.length), false);
    }
    return { options, operands: parsed.positionals };
  } catch (error) {
    if (error instanceof TypeError && 'code' in error) return undefined;
    throw error;
  }
}

/** Takes `--flag=value` of optional-value flags out of the tokens: a parser would also take `--flag value`, or refuse it. */
function takeOptionalValues(
  flags: Flags,
  tokens: readonly string[],
  options: Map<string, readonly string[]>,
): string[] {
  const rest: string[] = [];
  const end = tokens.indexOf('--');
  for (const [i, token] of tokens.entries()) {
    const equals = token.startsWith('--') && (end === -1 || i < end) ? token.indexOf('=') : -1;
    const name = equals === -1 ? '' : token.slice(2, equals);
    if (flags[name]?.type === 'optional-value') {
      options.set(name, [...(options.get(name) ?? []), token.slice(equals + 1)]);
    } else rest.push(token);
  }
  return rest;
}

function flagValue(name: string, flag: Flag, raw: RawOption | undefined, now: number): unknown {
  if (flag.type === 'boolean') return raw === undefined ? (flag.default ?? false) : raw;
  if (raw === true) return raw;
  const texts = (raw ?? []) as readonly string[];
  for (const text of texts) checkEmpty(name, flag, text);
  if (texts.length > 1 && !repeatable(flag)) throw givenTwice(name);
  if (flag.type === 'pairs') return pairs(name, texts);
  const values = texts.map((text) => single(name, flag, text, now));
  if (flag.repeat) return values;
  if (values.length > 0) return values[0];
  if (flag.required)
    throw new SvcError('missing_value', `--${name} is required`, { hint: `pass --${name} ${placeholder(name, flag)}` });
  if (flag.type === 'duration') return flag.default === undefined ? undefined : parseDuration(flag.default);
  return 'default' in flag ? flag.default : undefined;
}

/** An empty value is most often a variable that is not set: it must not remove a filter. */
function checkEmpty(name: string, flag: Exclude<Flag, { type: 'boolean' }>, text: string): void {
  const hint = flag.emptyHint ?? 'leave the option out, or check the variable that the value comes from';
  if (text === '') throw new SvcError('invalid_value', `--${name} is empty`, { hint });
  if (flag.type === 'string' && flag.list && splitList(text).includes('')) {
    throw new SvcError('invalid_value', `--${name}: an item of "${text}" is empty`, {
      hint: flag.emptyHint ?? 'separate the items with single commas',
    });
  }
}

export function placeholder(name: string, flag: Flag): string {
  if ('value' in flag && flag.value !== undefined) return flag.value.startsWith("'") ? flag.value : `<${flag.value}>`;
  if (flag.type === 'duration' || flag.type === 'time') return `<${flag.type}>`;
  if (flag.type === 'integer' || flag.type === 'number') return '<n>';
  if (flag.type === 'pairs') return '<name=value>';
  return `<${name}>`;
}

function single(name: string, flag: Flag, text: string, now: number): unknown {
  const bad = (why: string, hint?: string): SvcError =>
    new SvcError('invalid_value', `--${name}: ${why}`, hint === undefined ? {} : { hint });
  const named = <T>(parse: () => T): T => {
    try {
      return parse();
    } catch (error) {
      if (error instanceof SvcError) throw bad(error.message, error.hint);
      throw error;
    }
  };
  switch (flag.type) {
    case 'choice':
    case 'optional-value':
      if (flag.choices !== undefined && !flag.choices.includes(text)) {
        throw bad(`there is no "${text}"`, didYouMean(text, flag.choices));
      }
      return text;
    case 'integer':
    case 'number': {
      const form = flag.type === 'integer' ? /^[+-]?\d{1,15}$/ : /^[+-]?(\d{1,15}(\.\d{1,15})?|\.\d{1,15})$/;
      if (!form.test(text)) throw bad(`"${text}" is not ${flag.type === 'integer' ? 'a whole number' : 'a number'}`);
      const value = Number(text);
      if (flag.min !== undefined && value < flag.min) throw bad(`${text} is less than ${flag.min}`);
      if (flag.max !== undefined && value > flag.max) throw bad(`${text} is more than ${flag.max}`);
      return value;
    }
    case 'duration': {
      const value = named(() => parseDuration(text));
      if (flag.positive && value <= 0) throw bad('must be longer than zero');
      return value;
    }
    case 'time':
      return named(() =>
        parseTime(text, { now, bare: flag.bare, unix: flag.unix ?? false, dates: flag.dates ?? false }),
      );
    case 'string':
      named(() => flag.check?.(text));
      return text;
    default:
      return text;
  }
}

function pairs(name: string, texts: readonly string[]): Record<string, string> {
  const entries: [string, string][] = [];
  for (const text of texts) {
    const equals = text.indexOf('=');
    if (equals < 1) throw new SvcError('invalid_value', `--${name}: "${text}" is not name=value`);
    const key = text.slice(0, equals);
    if (entries.some(([known]) => known === key))
      throw new SvcError('invalid_value', `--${name}: ${key} is given twice`);
    entries.push([key, text.slice(equals + 1)]);
  }
  // Null prototype: a label may be called __proto__.
  return Object.assign(Object.create(null) as Record<string, string>, Object.fromEntries(entries));
}

function assignArguments(
  command: Command,
  operands: readonly string[],
  afterDashes: readonly string[],
  input: Record<string, unknown>,
  given: Set<string>,
): void {
  const declared: [string, Argument][] = Object.entries(command.args ?? {});
  let next = 0;
  for (const [name, argument] of declared) {
    if (argument.repeat) {
      const values = argument.afterDashes ? afterDashes : operands.slice(next);
      for (const value of values) checkOperand(name, argument, value);
      if (argument.required && values.length === 0) throw missingArgument(command, name);
      input[camelCase(name)] = values;
      if (values.length > 0) given.add(name);
      next = operands.length;
    } else {
      const value = operands[next];
      if (value === undefined && argument.required) throw missingArgument(command, name);
      if (value !== undefined) checkOperand(name, argument, value);
      input[camelCase(name)] = value;
      if (value !== undefined) given.add(name);
      next++;
    }
  }
  const extra = operands[next];
  if (extra !== undefined) {
    throw new SvcError('usage', `unexpected argument "${extra}"`, { hint: `see svc ${command.id} --help` });
  }
}

function checkOperand(name: string, { choices, afterDashes }: Argument, value: string): void {
  if (value === '' && !afterDashes) {
    throw new SvcError('invalid_value', `<${name}> is empty`, {
      hint: 'check the variable that the value comes from',
    });
  }
  if (choices === undefined || choices.includes(value)) return;
  throw new SvcError('invalid_value', `<${name}>: there is no "${value}"`, { hint: didYouMean(value, choices) });
}

function missingArgument(command: Command, name: string): SvcError {
  return new SvcError('missing_value', `<${name}> is missing`, { hint: `see svc ${command.id} --help` });
}
