/** Parses argv into a command's typed input, with commander. */
import { Command as Commander, CommanderError, Option } from 'commander';
import { parseDuration } from '../duration.ts';
import { SvcError } from '../errors.ts';
import { shellWord } from '../output/escape.ts';
import type { Command } from './command.ts';
import { allFlags, GLOBAL_FLAGS, SERVICE_FLAGS, TZ_FLAG } from './common-flags.ts';
import {
  type Argument,
  camelCase,
  type Flag,
  type Instant,
  negatable,
  placeholder,
  repeatable,
  splitList,
  splitPair,
  takesValue,
  usageLine,
} from './flags.ts';
import { didYouMean, meantBy, type Suggestion, suggest } from './lookup.ts';
import { parseTime, type TimeRules, zoneOf } from './time.ts';

/** The leading words that could name a command, and where. Global options may be among them. */
export function commandPath(argv: readonly string[], most: number) {
  const path: string[] = [];
  const at: number[] = [];
  for (let i = 0; i < argv.length && path.length < most; i++) {
    const token = argv[i] ?? '';
    if (token === '--') break;
    if (!token.startsWith('-') || token === '-') {
      path.push(token);
      at.push(i);
    } else if (takesNextWord(token)) i++;
  }
  return { path, at };
}

/** Whether it is an option of many commands whose value is the next token: `-qo`, not `-ojson`. */
function takesNextWord(token: string): boolean {
  return Object.entries<Flag>({ ...GLOBAL_FLAGS, ...SERVICE_FLAGS }).some(([name, flag]) => {
    if (!takesValue(flag)) return false;
    if (token.startsWith('--')) return [name, ...(flag.aliases ?? [])].includes(token.slice(2));
    return flag.short !== undefined && token.indexOf(flag.short) === token.length - 1;
  });
}

export interface ParsedInput {
  /** The input of `run`: arguments and flags by camel-case name. */
  readonly input: Readonly<Record<string, unknown>>;
  /** The names of the given flags and arguments. */
  readonly given: ReadonlySet<string>;
  /** Missing arguments and options; each is prompted for at a terminal. */
  readonly missing: readonly Missing[];
  /** `--help` is given; nothing else was checked. */
  readonly help: boolean;
  /** The reading of the clock by which times such as `2h ago` were read. */
  readonly now: number;
  /** What clock times mean in UTC. */
  readonly notices: readonly string[];
}

/** An argument, or an option that its flag declares. */
export type Missing = { readonly name: string; readonly error?: SvcError } & (
  | { readonly argument: Argument; readonly flag?: undefined }
  | { readonly flag: Exclude<Flag, { type: 'boolean' }>; readonly argument?: undefined }
);

/** Parses what follows the command's words. Throws `usage`, `missing_value`, `invalid_value`. */
export function parseInput(command: Command, tokens: readonly string[], now: number): ParsedInput {
  return requireAll(parsePart(command, tokens, now));
}

/** Throws `missing_value` where a required argument or option is missing. */
export function requireAll(parsed: ParsedInput): ParsedInput {
  const first = parsed.missing.find(({ error }) => error !== undefined);
  if (first?.error !== undefined) throw first.error;
  return parsed;
}

/** Like `parseInput`, but what is `missing` is no error yet: it may be prompted for. */
export function parsePart(command: Command, tokens: readonly string[], now: number): ParsedInput {
  const flags = Object.entries(allFlags(command));
  const { typed, operands, commandLine } = readTokens(command, flags, tokens);
  if (typed.has('help')) return { input: {}, given: new Set(), missing: [], help: true, now, notices: [] };
  const args = readArguments(command, operands, commandLine);
  if (args.extra !== undefined) throw unexpectedArgument(args.extra, command, typed.has('search'));
  const { values, notices } = readFlags(flags, typed, now);
  const given = new Set([...typed.keys(), ...args.given]);
  const input = { ...args.values, ...values };
  return { input, given, missing: findMissing(command, given), help: false, now, notices };
}

/** `commandLine` is for the argument after `--`. */
function readArguments(command: Command, operands: readonly string[], commandLine: readonly string[]) {
  const values: Record<string, unknown> = {};
  const given: string[] = [];
  let rest = operands;
  for (const [name, argument] of Object.entries(command.args ?? {})) {
    const count = argument.repeat ? rest.length : 1;
    const own = argument.afterDashes ? commandLine : rest.slice(0, count);
    if (!argument.afterDashes) rest = rest.slice(count);
    for (const value of own) checkOperand(name, argument, value);
    if (own.length > 0) given.push(name);
    values[camelCase(name)] = argument.repeat ? own : own[0];
  }
  return { values, given, extra: rest[0] };
}

function unexpectedArgument(typed: string, command: Command, searches: boolean): SvcError {
  const maySearch = !searches && command.flags?.['search'] !== undefined;
  const details = maySearch ? meantBy(typed, `--search ${shellWord(typed)}`) : { hint: `usage: ${usageLine(command)}` };
  return new SvcError('usage', `unexpected argument "${typed}"`, details);
}

function readFlags(flags: readonly [string, Flag][], typed: Typed, now: number) {
  const clock: Clock = { now, zone: () => zoneOf(tz) };
  const tz = String(readFlag('tz', TZ_FLAG, typed, clock) ?? 'local');
  const values: Record<string, unknown> = {};
  const notices = new Set<string>();
  for (const [name, flag] of flags) {
    const value = readFlag(name, flag, typed, clock);
    values[camelCase(name)] = value;
    const { iso, zone } = flag.type === 'time' ? ((value ?? {}) as Partial<Instant>) : {};
    if (zone !== undefined) notices.add(`--${name} ${typed.get(name)?.[0]} in ${zone} is ${iso}`);
  }
  return { values, notices: [...notices] };
}

/** The values of each option as typed: `true` or `false` for a switch. */
type Typed = Map<string, (string | boolean)[]>;

/** Separates options from arguments. `commandLine` is another program's, from after `--`. */
function readTokens(command: Command, flags: readonly [string, Flag][], tokens: readonly string[]) {
  const typed: Typed = new Map();
  const parser = declareOptions(flags, tokens, typed);
  const dashes = tokens.indexOf('--');
  const end = dashes < 0 ? tokens.length : dashes;
  const takesCommandLine = dashes >= 0 && Object.values(command.args ?? {}).some(({ afterDashes }) => afterDashes);
  const before = markBare(tokens.slice(0, end), flags);
  try {
    const { operands, unknown } = parser.parseOptions([...before, ...(takesCommandLine ? [] : tokens.slice(end))]);
    if (unknown[0] !== undefined && !typed.has('help')) throw unknownOption(unknown[0], command, flags);
    return { typed, operands, commandLine: tokens.slice(end + 1) };
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    // Commander refuses only an option that is the last word and needs a value.
    throw new SvcError('usage', `${before.at(-1)} needs a value`, { hint: `see svc ${command.id} --help` });
  }
}

/** Only options that a token may spell: each costs commander 50 µs, and there are 30 to 60. */
function declareOptions(flags: readonly [string, Flag][], tokens: readonly string[], typed: Typed): Commander {
  const silent = { writeOut: () => {}, writeErr: () => {} };
  const parser = new Commander().helpOption(false).exitOverride().configureOutput(silent);
  const typedText = tokens.join(' ');
  for (const [name, flag] of flags) {
    for (const spelling of [name, `no-${name}`, ...(flag.aliases ?? []), flag.short]) {
      const isNegation = spelling === `no-${name}`;
      if (spelling === undefined || !typedText.includes(spelling) || (isNegation && !negatable(flag))) continue;
      const option = new Option(`${spelling === flag.short ? '-' : '--'}${spelling}${VALUES[flag.type] ?? ' <value>'}`);
      const take = (text: string | undefined): void => {
        const value = text === ALONE ? true : (text?.replace(`=${ALONE}`, '') ?? !isNegation);
        typed.set(name, [...(typed.get(name) ?? []), value]);
      };
      parser.addOption(option.argParser<unknown>(take));
    }
  }
  return parser;
}

const VALUES: Readonly<Record<string, string>> = { boolean: '', 'optional-value': ' [value]' };

/** Passed to commander for a bare `--watch`, which would otherwise consume the next argument. */
const ALONE = '\0';

/** The next word is the value where it can be nothing else: `--dry-run curl`, `--watch 10s`. */
function markBare(tokens: readonly string[], flags: readonly [string, Flag][]): readonly string[] {
  const marked: string[] = [];
  for (let i = 0; i < tokens.length; i++) {
    const token = tokens[i] ?? '';
    const next = tokens[i + 1] ?? '';
    const isNamed = ([name, { aliases = [] }]: readonly [string, Flag]) => [name, ...aliases].includes(token.slice(2));
    const [, flag] = token.startsWith('--') ? (flags.find(isNamed) ?? []) : [];
    const isOptional = flag?.type === 'optional-value';
    const isValue = isOptional && (flag.choices?.includes(next) ?? /^\d+m?[smh]$/.test(next));
    if (isValue) i += 1;
    marked.push(isOptional ? `${token}=${isValue ? next : ALONE}` : token);
  }
  return marked;
}

function unknownOption(token: string, command: Command, flags: readonly [string, Flag][]): SvcError {
  const [typed = token] = token.split('=');
  const names = flags.map(([name, flag]) => `${negatable(flag) ? 'no-' : ''}${name}`);
  const help = `see svc ${command.id} --help`;
  if (!typed.startsWith('--')) {
    const [first, second] = names.filter((name) => name.startsWith(typed.slice(1).toLowerCase()));
    // Without the rest of the line: what follows `-u` elsewhere is a password.
    const hint = first !== undefined && second === undefined ? `did you mean --${first}?` : help;
    return new SvcError('usage', `there is no option ${typed}`, { hint });
  }
  if (names.includes(typed.slice(2))) return new SvcError('usage', `${typed} takes no value`);
  if (Object.hasOwn(command.args ?? {}, typed.slice(2)))
    return new SvcError('usage', `there is no option ${typed}`, { hint: `usage: ${usageLine(command)}` });
  const close = suggest(typed.slice(2), names);
  const details = close === undefined ? { hint: help } : meantBy(typed, `--${close}`);
  return new SvcError('usage', `there is no option ${typed}`, details);
}

/** What is required, or prompted for at a terminal, and not given. */
function findMissing({ id, args = {}, flags = {} }: Command, given: ReadonlySet<string>): readonly Missing[] {
  const missing: Missing[] = [];
  for (const [name, declared] of Object.entries<Argument | Flag>({ ...args, ...flags })) {
    if (given.has(name) || !('required' in declared || 'promptUnless' in declared)) continue;
    const { required, promptUnless } = declared;
    if (!required && !promptUnless?.every((other) => !given.has(other))) continue;
    const error = required ? { error: missingValue(name, declared, { id, args }) } : {};
    missing.push('type' in declared ? { name, flag: declared, ...error } : { name, argument: declared, ...error });
  }
  return missing;
}

function missingValue(name: string, declared: Argument | Flag, command: Pick<Command, 'id' | 'args'>): SvcError {
  if (!('type' in declared))
    return new SvcError('missing_value', `<${name}> is required`, { hint: `usage: ${usageLine(command)}` });
  const hint = `pass --${name} ${placeholder(name, declared)}`;
  return new SvcError('missing_value', `--${name} is required`, { hint });
}

/** The options that decide how a failure is shown, even if the command line is invalid. */
export function failureOptions(argv: readonly string[]): Partial<Record<'output' | 'color' | 'profile', string>> {
  const typed: Typed = new Map();
  try {
    declareOptions(Object.entries<Flag>(GLOBAL_FLAGS), argv, typed).parseOptions([...argv]);
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
  }
  if (typed.has('json') && !typed.has('output')) typed.set('output', ['json']);
  if (typed.has('no-color')) typed.set('color', ['never']);
  const last = (name: 'output' | 'color' | 'profile') => {
    const text = typed.get(name)?.at(-1);
    return text ? { [name]: String(text) } : {};
  };
  return { ...last('output'), ...last('color'), ...last('profile') };
}

type Clock = Required<Pick<TimeRules, 'now' | 'zone'>>;

function readFlag(name: string, flag: Flag, typed: Typed, clock: Clock): unknown {
  const given = typed.get(name);
  if (given === undefined) return defaultOf(flag);
  if (flag.type === 'boolean') return given.at(-1);
  for (const value of given) if (value !== true) checkEmpty(name, flag, String(value));
  if (given.length > 1 && !repeatable(flag) && given.some((value) => value !== true)) {
    // One of two values would be ignored, and a request might go to the wrong server.
    throw new SvcError('usage', `--${name} is given more than once, but takes only one value`);
  }
  const values: unknown[] = [];
  for (const value of given) values.push(value === true ? value : parseSingle(name, flag, String(value), clock));
  if (flag.type === 'pairs') return joinPairs(name, values as Pair[]);
  return flag.repeat ? values : values[0];
}

function defaultOf(flag: Flag): unknown {
  if (flag.type === 'boolean') return flag.default ?? false;
  if (flag.type === 'pairs') return Object.create(null);
  if (flag.repeat) return [];
  if (flag.type === 'duration') return flag.default === undefined ? undefined : parseDuration(flag.default);
  return 'default' in flag ? flag.default : undefined;
}

/** An empty value is most often an unset variable: it must not disable a filter. */
function checkEmpty(name: string, flag: Exclude<Flag, { type: 'boolean' }>, text: string): void {
  const hint = flag.emptyHint ?? 'leave the option out, or check the variable that the value comes from';
  if (text === '') throw new SvcError('invalid_value', `--${name} is empty`, { hint });
  if (flag.type === 'string' && flag.list && splitList(text).includes('')) {
    throw new SvcError('invalid_value', `--${name}: an item of "${text}" is empty`, {
      hint: flag.emptyHint ?? 'separate the items with single commas',
    });
  }
}

/** One value of a flag. The error names the flag. */
function parseSingle(name: string, flag: Flag, text: string, clock: Clock): unknown {
  if (flag.type === 'pairs') return splitPair(`--${name}`, text);
  try {
    return parseValue(flag, text, clock);
  } catch (error) {
    if (!(error instanceof SvcError)) throw error;
    throw (
      severalValues(name, flag, text, clock) ??
      new SvcError('invalid_value', `--${name}: ${error.message}`, { hint: error.hint, meant: error.meant })
    );
  }
}

function parseValue(flag: Flag, text: string, clock: Clock): unknown {
  switch (flag.type) {
    case 'choice':
    case 'optional-value':
      return parseChoice(flag, text);
    case 'integer':
    case 'number':
      return parseNumber(flag, text);
    case 'duration': {
      const value = parseDuration(text);
      if (flag.positive && value <= 0) throw badValue('must be longer than zero');
      return value;
    }
    case 'time': {
      const { bare, unix = false, dates = false } = flag;
      return { ...parseTime(text, { ...clock, bare, unix, dates }), text };
    }
    case 'string':
      flag.check?.(text);
      return text;
    default:
      return text;
  }
}

function parseChoice(flag: Extract<Flag, { type: 'choice' | 'optional-value' }>, text: string): string | undefined {
  if ('synonyms' in flag && Object.hasOwn(flag.synonyms ?? {}, text)) return flag.synonyms?.[text];
  if (flag.choices === undefined || flag.choices.includes(text)) return text;
  const what = /^[a-z]+$/.test(flag.value ?? '') ? flag.value : 'value';
  throw badValue(`unknown ${what} "${text}"`, didYouMean(text, flag.choices));
}

function parseNumber({ type, min, max }: Extract<Flag, { type: 'integer' | 'number' }>, text: string): number {
  const form = type === 'integer' ? /^[+-]?\d{1,15}$/ : /^[+-]?(\d{1,15}(\.\d{1,15})?|\.\d{1,15})$/;
  if (!form.test(text)) {
    const [what, like] = type === 'integer' ? ['a whole number', '1000'] : ['a number', '1000 or 1.5'];
    throw badValue(`"${text}" is not ${what}`, { hint: `write it like ${like}, without separators or units` });
  }
  const value = Number(text);
  if (min !== undefined && value < min) throw badValue(`${text} is less than ${min}`);
  if (max !== undefined && value > max) throw badValue(`${text} is more than ${max}`);
  return value;
}

function badValue(why: string, details: Suggestion = {}): SvcError {
  return new SvcError('invalid_value', why, details);
}

/** Undefined unless each part of the text would be a value of its own: `active,silenced`. */
function severalValues(name: string, flag: Flag, text: string, clock: Clock): SvcError | undefined {
  const parts = text.split(/[\s,;]+/).filter((part) => part !== '');
  if (!repeatable(flag) || parts.length < 2) return undefined;
  try {
    for (const part of parts) parseValue(flag, part, clock);
  } catch (error) {
    if (error instanceof SvcError) return undefined;
    throw error;
  }
  const hint = `write ${parts.map((part) => `--${name} ${shellWord(part)}`).join(' ')}`;
  return new SvcError('invalid_value', `--${name}: "${text}" is several values in one argument`, { hint });
}

type Pair = readonly [key: string, value: string];

function joinPairs(name: string, pairs: readonly Pair[]): Record<string, string> {
  // Null prototype: a label may be named __proto__.
  const joined: Record<string, string> = Object.create(null);
  for (const [key, value] of pairs) {
    if (Object.hasOwn(joined, key)) throw new SvcError('invalid_value', `--${name}: ${key} is given twice`);
    joined[key] = value;
  }
  return joined;
}

function checkOperand(name: string, { choices, afterDashes }: Argument, value: string): void {
  if (value === '' && !afterDashes) {
    throw new SvcError('invalid_value', `<${name}> is empty`, { hint: 'check the variable that the value comes from' });
  }
  if (choices === undefined || choices.includes(value)) return;
  throw new SvcError('invalid_value', `<${name}>: unknown ${name} "${value}"`, didYouMean(value, choices));
}
