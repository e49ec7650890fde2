/** argv and context in, exit status out: the only place where errors become exit statuses. */
import pkg from '../package.json' with { type: 'json' };
import { authorizerFor } from './auth.ts';
import type { Command, Group } from './cli/command.ts';
import { commandHelp, groupHelp, rootHelp } from './cli/help.ts';
import { commandWords, parseInput } from './cli/parse.ts';
import { didYouMean } from './cli/suggest.ts';
import type { Context } from './context.ts';
import { SvcError } from './errors.ts';
import { GROUPS } from './registry.ts';

/** Runs one command line. Never throws; whatever fails is said on stderr and in the status. */
export async function main(argv: readonly string[], context: Context): Promise<number> {
  try {
    return await dispatch(argv, context);
  } catch (error) {
    return await report(error, argv, context);
  }
}

async function dispatch(argv: readonly string[], context: Context): Promise<number> {
  if (argv[0] === '__complete') {
    const { completionAnswer } = await import('./cli/completion/answer.ts');
    return print(context, await completionAnswer(argv.slice(1), context));
  }
  const end = argv.indexOf('--');
  const before = end === -1 ? argv : argv.slice(0, end);
  const wantsHelp = before.includes('--help') || before.includes('-h');
  const { words, at } = commandWords(argv, 3);
  const [first, ...rest] = words;
  if (first === undefined) {
    if (before.includes('--version') || before.includes('-V')) return print(context, `${pkg.version}\n`);
    const help = rootHelp(GROUPS, context.stdout.columns);
    if (wantsHelp) return print(context, help);
    const unknown = before.find((token) => token.startsWith('-'));
    if (unknown !== undefined) throw new SvcError('usage', `unknown option ${unknown}`, { hint: 'see svc --help' });
    return usage(context, help);
  }
  if (first === 'help')
    return explain(
      argv.filter((_, index) => index !== at[0]),
      context,
    );
  const group = findGroup(first);
  const [word = ''] = rest;
  const alone = Object.hasOwn(group.alone ?? {}, word) ? group.alone?.[word] : undefined;
  const { commands } = alone === undefined ? await group.load() : { commands: [await alone()] };
  const command = findCommand(group, commands, rest);
  if (command === undefined) {
    const help = groupHelp(group, commands, context.stdout.columns);
    return wantsHelp ? print(context, help) : usage(context, help);
  }
  if (wantsHelp && asksForHelp(before)) return print(context, commandHelp(command.command, context.stdout.columns));
  const used = new Set(at.slice(0, 1 + command.words));
  const tokens = argv.filter((_, index) => !used.has(index));
  const parsed = await parseInput(command.command, tokens, context.now());
  if (parsed.input['help'] === true) return print(context, commandHelp(command.command, context.stdout.columns));
  const { runCommand } = await import('./cli/run.ts');
  return runCommand(command.command, parsed, context, {
    version: pkg.version,
    groups: GROUPS,
    typed: argv,
    authorize: (context) => (target, settings) => authorizerFor(context, target, settings),
  });
}

/** `svc alerts list --help` alone needs no parser; `--comment --help` does. */
function asksForHelp(tokens: readonly string[]): boolean {
  return tokens.every((token) => !token.startsWith('-') || token === '--help' || token === '-h');
}

function findGroup(name: string, others: readonly string[] = ['help']): Group {
  const group = GROUPS.find((candidate) => candidate.name === name);
  if (group !== undefined) return group;
  throw new SvcError('usage', `there is no command "${name}"`, {
    hint: didYouMean(name, [...GROUPS.map((g) => g.name), ...others]),
  });
}

/** The longest id or alias that the words begin with. Undefined where there are no words. */
function findCommand(
  group: Group,
  commands: readonly Command[],
  words: readonly string[],
): { readonly command: Command; readonly words: number } | undefined {
  const [only] = commands;
  if (group.single && only !== undefined) return { command: only, words: 0 };
  for (let length = words.length; length > 0; length--) {
    const typed = words.slice(0, length).join(' ');
    const command = commands.find(({ id, aliases = [] }) =>
      [id.slice(group.name.length + 1), ...aliases].includes(typed),
    );
    if (command !== undefined) return { command, words: length };
  }
  const [word] = words;
  if (word === undefined) return undefined;
  const names = commands.map(({ id }) => id.slice(group.name.length + 1));
  throw new SvcError('usage', `there is no command "${group.name} ${word}"`, { hint: didYouMean(word, names) });
}

/** `svc help`, `svc help alerts list`, `svc help exit-codes`. */
async function explain(argv: readonly string[], context: Context): Promise<number> {
  const { words } = commandWords(argv, 3);
  const [first, ...rest] = words;
  if (first === undefined) return print(context, rootHelp(GROUPS, context.stdout.columns));
  const { TOPICS } = await import('./cli/topics.ts');
  const columns = context.stdout.columns;
  const topic = TOPICS.find(({ name }) => name === first);
  if (topic !== undefined) return print(context, topic.text(columns));
  const group = findGroup(
    first,
    TOPICS.map(({ name }) => name),
  );
  const { commands } = await group.load();
  const command = findCommand(group, commands, rest);
  return print(
    context,
    command === undefined ? groupHelp(group, commands, columns) : commandHelp(command.command, columns),
  );
}

async function print(context: Context, text: string): Promise<number> {
  await context.stdout.write(text);
  return 0;
}

async function usage(context: Context, help: string): Promise<number> {
  await context.stderr.write(help);
  return new SvcError('usage', '').exit;
}

async function report(error: unknown, argv: readonly string[], context: Context): Promise<number> {
  const known = error instanceof SvcError ? error : unexpected(error);
  // Whoever pressed Ctrl-C knows; a write that was under way has more to say than the bare word.
  if (known.message === known.code) return known.exit;
  const { sayFailure } = await import('./cli/failure.ts');
  await sayFailure(known, argv, context);
  return known.exit;
}

function unexpected(error: unknown): SvcError {
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return new SvcError('internal', `a bug in svc: ${text}`, {
    hint: 'please report it with the command you typed, without secrets',
    cause: error,
  });
}
