/** argv and context in, exit status out: the only place that maps errors to exit statuses. */
import pkg from '../package.json' with { type: 'json' };
import type { HelpSubject } from './cli/help.ts';
import { type Aliases, findCommand, findGroup } from './cli/lookup.ts';
import { commandPath, parseInput, parsePart } from './cli/parse.ts';
import { runCommand } from './cli/run.ts';
import type { Engine } from './cli/run-context.ts';
import type { Context, OutStream } from './context.ts';
import { SvcError } from './errors.ts';
import { GROUPS, SOURCES } from './features/index.ts';
import { authorizerFor } from './features/oauth/authorizer.ts';
import { KnownSecrets } from './http/redact.ts';

const ENGINE: Omit<Engine, 'typed' | 'secrets'> = {
  version: pkg.version,
  groups: GROUPS,
  sources: SOURCES,
  runLine: main,
  authorize: authorizerFor,
};

/** Command lines of amtool that begin with other words than the groups of svc. */
const AMTOOL: Readonly<Record<string, readonly string[]>> = {
  'check-config': ['alerts', 'config', 'check'],
  'cluster show': ['alerts', 'status'],
  'config routes show': ['alerts', 'routes'],
  'config routes test': ['alerts', 'route'],
};

/** Never throws: errors go to stderr and into the status. `aliases` are prepared by the build. */
export async function main(argv: readonly string[], outer: Context, aliases?: () => Aliases): Promise<number> {
  const secrets = new KnownSecrets();
  const context = { ...outer, stderr: hiding(outer.stderr, secrets) };
  try {
    return await dispatch(argv, context, secrets, aliases);
  } catch (error) {
    return await report(error, argv, context);
  }
}

async function dispatch(
  argv: readonly string[],
  context: Context,
  secrets: KnownSecrets,
  aliases: (() => Aliases) | undefined,
): Promise<number> {
  if (argv[0] === '__complete') return complete(argv.slice(1), context);
  const before = argv.slice(0, [...argv, '--'].indexOf('--'));
  const wantsHelp = before.includes('--help') || before.includes('-h');
  const { path, at } = commandPath(argv, 3);
  const [first, ...rest] = path;
  if (first === undefined) return runOptionsAlone(before, wantsHelp, context);
  if (first === 'version' && rest.length === 0) return runOptionsAlone(['--version'], wantsHelp, context);
  if (first === 'help') return explain(argv.toSpliced(at[0] ?? 0, 1), context, secrets);
  for (const [line, ours] of Object.entries(AMTOOL)) {
    if (!`${path.join(' ')} `.startsWith(`${line} `)) continue;
    const others = argv.filter((_, index) => !at.slice(0, line.split(' ').length).includes(index));
    return dispatch([...ours, ...others], context, secrets, aliases);
  }
  const group = await findGroup(GROUPS, first);
  const found = await findCommand(group, rest, { at: at.slice(1), prepared: aliases, nounLists: !wantsHelp });
  if (found.kind === 'commands') return wantsHelp ? printHelp(context.stdout, found, context) : usage(context, found);
  const { command, length } = found;
  const tokens = argv.filter((_, index) => at.indexOf(index) < 0 || at.indexOf(index) > length);
  const parsed = parsePart(command, tokens, context.now());
  if (parsed.help) return printHelp(context.stdout, found, context);
  const engine = { ...ENGINE, typed: argv, secrets };
  if (parsed.missing.length === 0) return runCommand(command, parsed, context, engine);
  const { askMissing } = await import('./cli/prompting.ts');
  const { answered, typed } = await askMissing({ command, tokens, parsed }, context, engine);
  return runCommand(command, answered, context, { ...engine, typed });
}

async function complete(argv: readonly string[], context: Context): Promise<number> {
  const { answerCompletion } = await import('./cli/completion/answer.ts');
  const { completionModel } = await import('./cli/completion/model.ts');
  return print(context, answerCompletion(argv, await completionModel(GROUPS), context));
}

/** A command line that names no command: `svc`, `svc --version`. */
async function runOptionsAlone(options: readonly string[], wantsHelp: boolean, context: Context): Promise<number> {
  const help: HelpSubject = { kind: 'svc', groups: GROUPS };
  if (wantsHelp) return printHelp(context.stdout, help, context);
  if (options.some((token) => ['--version', '-V', '-v'].includes(token))) return print(context, `${pkg.version}\n`);
  const unknown = options.find((token) => token.startsWith('-'));
  if (unknown !== undefined) throw new SvcError('usage', `unknown option ${unknown}`, { hint: 'see svc --help' });
  return usage(context, help);
}

/** `svc help`, `svc help alerts list --format json`, `svc help exit-statuses`. */
async function explain(argv: readonly string[], context: Context, secrets: KnownSecrets): Promise<number> {
  const { HELP, helpText, wantsData } = await import('./cli/reference/help-command.ts');
  const tokens = argv.filter((token) => token !== '--help' && token !== '-h');
  const parsed = parseInput(HELP, tokens, context.now());
  if (wantsData(parsed)) {
    return runCommand({ ...HELP, defaultFormat: 'json' }, parsed, context, { ...ENGINE, typed: argv, secrets });
  }
  const topic = parsed.input['topic'] as readonly string[];
  const named = topic.length === 0 && tokens.length < argv.length ? ['help'] : topic;
  return print(context, await helpText(named, GROUPS, context.stdout.columns, parsed.input['all'] === true));
}

/** All standard error output passes here, and loses the secrets that the run has used. */
function hiding(stream: OutStream, secrets: KnownSecrets): OutStream {
  return Object.assign(Object.create(stream) as OutStream, {
    write: (chunk: string | Uint8Array) => stream.write(typeof chunk === 'string' ? secrets.hide(chunk) : chunk),
  });
}

async function print(context: Context, text: string): Promise<number> {
  await context.stdout.write(text);
  return 0;
}

async function printHelp(stream: OutStream, subject: HelpSubject, { stdout }: Context): Promise<number> {
  const { formatHelp } = await import('./cli/help.ts');
  await stream.write(formatHelp(subject, stdout.columns));
  return 0;
}

async function usage(context: Context, help: HelpSubject): Promise<number> {
  await printHelp(context.stderr, help, context);
  return new SvcError('usage', '').exit;
}

async function report(error: unknown, argv: readonly string[], context: Context): Promise<number> {
  const known = error instanceof SvcError ? error : unexpected(error);
  if (known.isInterruption) return known.exit;
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
