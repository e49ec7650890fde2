/** Splits a command line into options and operands. */
import { parseArgs } from 'node:util';
import { SvcError } from '../errors.ts';
import type { Command } from './command.ts';
import type { RawOption, SplitTokens } from './commander.ts';
import { type Flags, negatable, takesValue } from './flags.ts';

/**
 * What is plainly right is split by Node itself, which is loaded already; commander, which costs 10 ms, has the last word on all
 * else, and the words for what is wrong. Throws `usage`.
 */
export async function splitTokens(command: Command, flags: Flags, tokens: readonly string[]): Promise<SplitTokens> {
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
export function givenTwice(name: string): SvcError {
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
