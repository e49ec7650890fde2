/** Parses argv into a command's typed input, with commander. */
import { Command as Commander, CommanderError, Option } from 'commander';
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
import { didYouMean, type Suggestion, suggest } from './lookup.ts';
import { parseDuration, parseTime, type TimeRules, zoneOf } from './time.ts';

/** The command's words and the rest, which includes options before the command. */
export interface CommandPath {
  readonly path: readonly string[];
  readonly at: readonly number[];
}

/** The leading words of argv that could name a command. Global options may come before and between them. */
export function commandPath(argv: readonly string[], most: number): CommandPath {
  const path: string[] = [];
  const at: number[] = [];
  const valued = new Set(
    [...Object.entries<Flag>(GLOBAL_FLAGS), ...Object.entries<Flag>(SERVICE_FLAGS)]
      .filter(([, flag]) => takesValue(flag))
      .flatMap(([name, flag]) => [`-${flag.short}`, ...spellingsOf(name, flag)]),
  );
  for (let i = 0; i < argv.length && path.length < most; i++) {
    const token = argv[i] ?? '';
    if (token === '--') break;
    if (!token.startsWith('-') || token === '-') {
      path.push(token);
      at.push(i);
    } else if (takesNext(token, valued)) i++;
  }
  return { path, at };
}

/** `-qo` takes the next word as its value, `-ojson` does not. */
function takesNext(token: string, valued: ReadonlySet<string>): boolean {
  if (token.startsWith('--')) return valued.has(token);
  const letters = [...token.slice(1)];
  const first = letters.findIndex((letter) => valued.has(`-${letter}`));
  return first >= 0 && first === letters.length - 1;
}

/** The long options that set a flag. */
function spellingsOf(name: string, { aliases = [] }: Flag): readonly string[] {
  return [name, ...aliases].map((one) => `--${one}`);
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

/** Passed to commander in place of a bare `--watch`, which would otherwise consume the next argument. */
const ALONE = '\0';

/** Parses the tokens after the command's words. Throws `usage`, `missing_value` and `invalid_value` (exit 2). */
export function parseInput(command: Command, tokens: readonly string[], now: number): ParsedInput {
  return requireAll(parsePart(command, tokens, now));
}

/** Throws `missing_value` where a required argument or option is missing. */
export function requireAll(parsed: ParsedInput): ParsedInput {
  const first = parsed.missing.find(({ error }) => error !== undefined);
  if (first?.error !== undefined) throw first.error;
  return parsed;
}

/** The values of each option as typed: `true` or `false` for a switch. */
type Typed = Map<string, (string | boolean)[]>;

/** Parses the tokens after the command's words. What is `missing` is no error yet: it may be prompted for. */
export function parsePart(command: Command, tokens: readonly string[], now: number): ParsedInput {
  const flags = Object.entries(allFlags(command));
  const typed: Typed = new Map();
  const parser = declareOptions(command, flags, tokens, typed);
  const args = Object.entries(command.args ?? {});
  const operands = args.filter(([, { afterDashes }]) => !afterDashes);
  const commandLine = args.find(([, { afterDashes }]) => afterDashes);
  for (const [name, { repeat }] of operands) parser.argument(`[${name}${repeat ? '...' : ''}]`);
  const dashes = tokens.indexOf('--');
  const end = dashes < 0 ? tokens.length : dashes;
  const before = markBare(tokens.slice(0, end), flags);
  const after = commandLine === undefined ? tokens.slice(end) : [];
  const failure = parseWith(parser, [...before, ...after]);
  if (failure?.code === 'commander.helpDisplayed')
    return { input: {}, given: new Set(), missing: [], help: true, now, notices: [] };
  if (failure !== undefined) {
    // An extra argument is most often an empty one.
    const empty = operands.find((_, index) => parser.args[index] === '');
    if (empty !== undefined) checkOperand(...empty, '');
    throw usageError(failure, command, flags, parser.args[operands.length]);
  }
  const entries: ArgumentEntry[] = operands.map(([name, argument], index) => [
    name,
    argument,
    parser.processedArgs[index] ?? (argument.repeat ? [] : undefined),
  ]);
  if (commandLine !== undefined) entries.push([...commandLine, tokens.slice(end + 1)]);
  checkValues(entries);
  const { values, notices } = optionValues(flags, typed, now);
  const input = { ...Object.fromEntries(entries.map(([name, , value]) => [camelCase(name), value])), ...values };
  const named = entries.filter(([, , value]) => value !== undefined && value.length > 0).map(([name]) => name);
  const given = new Set([...typed.keys(), ...named]);
  return { input, given, missing: missingOf(command, given), help: false, now, notices };
}

/** The name of an argument, its declaration and its value. */
type ArgumentEntry = readonly [string, Argument, string | readonly string[] | undefined];

function checkValues(entries: readonly ArgumentEntry[]): void {
  for (const [name, argument, value = []] of entries)
    for (const text of [value].flat()) checkOperand(name, argument, text);
}

function parseWith(parser: Commander, tokens: readonly string[]): CommanderError | undefined {
  try {
    parser.parse([...tokens], { from: 'user' });
    return undefined;
  } catch (error) {
    if (error instanceof CommanderError) return error;
    throw error;
  }
}

/** Declaring an option takes commander 50 µs, and a command has 30 to 60: only those that a token may spell are declared. */
function declareOptions(
  command: Command,
  flags: readonly [string, Flag][],
  tokens: readonly string[],
  typed: Typed,
): Commander {
  const parser = silentParser(command.id).helpOption('-h, --help');
  const dashed = tokens.filter((token) => token.startsWith('-')).join(' ');
  const isSpelled = (text: string | undefined) => text !== undefined && dashed.includes(text);
  for (const [name, flag] of flags) {
    const { aliases = [], short } = flag;
    if (name === 'help' || ![name, short, ...aliases].some(isSpelled)) continue;
    const take = (value: string | boolean) => typed.set(name, [...(typed.get(name) ?? []), value]);
    declareOption(parser, name, flag, take, short);
    for (const alias of aliases) declareOption(parser, alias, flag, take);
  }
  return parser;
}

function markBare(tokens: readonly string[], flags: readonly [string, Flag][]): readonly string[] {
  const optional = flags.filter(([, { type }]) => type === 'optional-value');
  const alone = optional.flatMap(([name, flag]) => spellingsOf(name, flag));
  return tokens.map((token) => (alone.includes(token) ? `${token}=${ALONE}` : token));
}

function optionValues(flags: readonly [string, Flag][], typed: Typed, now: number) {
  const clock: Clock = { now, zone: () => zoneOf(tz) };
  const tz = String(optionValue('tz', TZ_FLAG, typed.get('tz') ?? [], clock) ?? 'local');
  const values: Record<string, unknown> = {};
  const notices = new Set<string>();
  for (const [name, flag] of flags) {
    const texts = typed.get(name) ?? [];
    const value = optionValue(name, flag, texts, clock);
    values[camelCase(name)] = value;
    const { iso, zone } = flag.type === 'time' ? ((value ?? {}) as Partial<Instant>) : {};
    if (zone !== undefined) notices.add(`--${name} ${texts[0]} in ${zone} is ${iso}`);
  }
  return { values, notices: [...notices] };
}

function missingOf(command: Command, given: ReadonlySet<string>): readonly Missing[] {
  const missing: Missing[] = [];
  const isMissing = (name: string, { required, promptUnless }: Pick<Argument, 'required' | 'promptUnless'>): boolean =>
    !given.has(name) && (required === true || promptUnless?.every((other) => !given.has(other)) === true);
  for (const [name, argument] of Object.entries(command.args ?? {})) {
    if (!isMissing(name, argument)) continue;
    const hint = `usage: ${usageLine(command)}`;
    const error = new SvcError('missing_value', `missing required argument '${name}'`, { hint });
    missing.push({ name, argument, ...(argument.required ? { error } : {}) });
  }
  for (const [name, flag] of Object.entries(command.flags ?? {})) {
    if (flag.type === 'boolean' || !isMissing(name, flag)) continue;
    const hint = `pass --${name} ${placeholder(name, flag)}`;
    const error = new SvcError('missing_value', `--${name} is required`, { hint });
    missing.push({ name, flag, ...(flag.required ? { error } : {}) });
  }
  return missing;
}

function silentParser(name: string): Commander {
  const silent = { writeOut: () => {}, writeErr: () => {} };
  return new Commander(name).exitOverride().showSuggestionAfterError(false).configureOutput(silent);
}

/** `take` receives each value as typed, `true` or `false` for a switch. */
function declareOption(
  parser: Commander,
  name: string,
  flag: Flag,
  take: (text: string | boolean) => void,
  letter?: string,
): void {
  const short = letter === undefined ? '' : `-${letter}, `;
  const optional = flag.type === 'optional-value' ? ' [value]' : '';
  parser.addOption(new Option(`${short}--${name}${takesValue(flag) ? ' <value>' : optional}`));
  parser.on(`option:${name}`, (text?: string) => take(text === ALONE ? true : (text ?? true)));
  if (!negatable(flag)) return;
  parser.addOption(new Option(`--no-${name}`));
  parser.on(`option:no-${name}`, () => take(false));
}

/** `extra` is the first argument that the command does not take. */
function usageError(
  { code, message }: CommanderError,
  command: Command,
  flags: readonly [string, Flag][],
  extra: string | undefined,
): SvcError {
  const unknown = /^error: unknown option '([^'=]*)/.exec(message)?.[1];
  if (code === 'commander.unknownOption' && unknown !== undefined) {
    const names = flags.map(([name, flag]) => `${negatable(flag) ? 'no-' : ''}${name}`);
    const close = unknown.startsWith('--') ? suggest(unknown.slice(2), names) : undefined;
    const meant = close === undefined ? undefined : `--${close}`;
    const hint = meant === undefined ? `see svc ${command.id} --help` : `did you mean ${meant}?`;
    return new SvcError('usage', `there is no option ${unknown}`, {
      hint,
      meant: meant === undefined ? undefined : { typed: unknown, meant },
    });
  }
  const unfinished = /^error: option '(?:-\w, )?(--\S+)/.exec(message)?.[1];
  if (code === 'commander.optionMissingArgument' && unfinished !== undefined) {
    return new SvcError('usage', `${unfinished} needs a value`, { hint: `see svc ${command.id} --help` });
  }
  const isExcess = code === 'commander.excessArguments';
  const text = isExcess ? `unexpected argument "${extra}"` : message.replace(/^error: /, '').replace(/\n/g, ' ');
  return new SvcError('usage', text, {
    hint: isExcess ? `usage: ${usageLine(command)}` : `see svc ${command.id} --help`,
  });
}

/** The global options that decide how a failure is shown. They apply even if the rest of the command line is invalid. */
export function failureOptions(argv: readonly string[]): Partial<Record<'output' | 'color' | 'profile', string>> {
  const found: Partial<Record<'output' | 'color' | 'profile', string>> = {};
  const parser = silentParser('svc').helpOption(false).allowUnknownOption();
  for (const [name, flag] of Object.entries<Flag>(GLOBAL_FLAGS)) {
    declareOption(
      parser,
      name,
      flag,
      (text) => {
        if (name === 'json') found.output = 'json';
        else if (name === 'no-color') found.color = 'never';
        else if ((name === 'output' || name === 'color' || name === 'profile') && text !== '')
          found[name] = String(text);
      },
      flag.short,
    );
  }
  try {
    parser.parseOptions([...argv]);
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
  }
  return found;
}

type Clock = Required<Pick<TimeRules, 'now' | 'zone'>>;

function optionValue(name: string, flag: Flag, typed: readonly (string | boolean)[], clock: Clock): unknown {
  if (typed.length === 0) return defaultOf(flag);
  if (flag.type === 'boolean' || typed.every((value) => value === true)) return typed.at(-1);
  // `--comment --watch`: here --watch is the value.
  const texts = typed
    .map((value) => String(value))
    .map((text) => (text.endsWith(`=${ALONE}`) ? text.slice(0, -2) : text));
  for (const text of texts) checkEmpty(name, flag, text);
  if (texts.length > 1 && !repeatable(flag)) {
    // One of two values would be ignored, and a request might go to the wrong server.
    throw new SvcError('usage', `--${name} is given more than once, but takes only one value`);
  }
  if (flag.type === 'pairs') return texts.reduce((pairs, text) => addPair(name, text, pairs), {});
  const values = texts.map((text) => {
    try {
      return parseSingle(name, flag, text, clock);
    } catch (error) {
      throw severalValues(name, flag, text, clock) ?? error;
    }
  });
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
  try {
    return parseValue(flag, text, clock);
  } catch (error) {
    if (!(error instanceof SvcError)) throw error;
    throw new SvcError('invalid_value', `--${name}: ${error.message}`, { hint: error.hint, meant: error.meant });
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
  throw badValue(`there is no "${text}"`, didYouMean(text, flag.choices));
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
    for (const part of parts) parseSingle(name, flag, part, clock);
  } catch (error) {
    if (error instanceof SvcError) return undefined;
    throw error;
  }
  const hint = `write ${parts.map((part) => `--${name} ${shellWord(part)}`).join(' ')}`;
  return new SvcError('invalid_value', `--${name}: "${text}" is several values in one argument`, { hint });
}

function addPair(name: string, text: string, before: Readonly<Record<string, string>>): Record<string, string> {
  const [key, value] = splitPair(`--${name}`, text);
  if (Object.hasOwn(before, key)) throw new SvcError('invalid_value', `--${name}: ${key} is given twice`);
  // Null prototype: a label may be named __proto__.
  return Object.assign(Object.create(null) as Record<string, string>, before, { [key]: value });
}

function checkOperand(name: string, { choices, afterDashes }: Argument, value: string): void {
  if (value === '' && !afterDashes) {
    throw new SvcError('invalid_value', `<${name}> is empty`, { hint: 'check the variable that the value comes from' });
  }
  if (choices === undefined || choices.includes(value)) return;
  throw new SvcError('invalid_value', `<${name}>: there is no "${value}"`, didYouMean(value, choices));
}
