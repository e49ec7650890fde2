/** Runs one parsed command: settings, context, confirmation, dry run, rendering. Returns the exit status. */
import type { Choice, Context, Prompter } from '../context.ts';
import { ERROR_KINDS, SvcError } from '../errors.ts';
import type { RequestValue } from '../http/endpoint.ts';
import { DryRunStop, type ServiceName, type Target } from '../http/target.ts';
import { checkOutputOptions } from '../output/check.ts';
import { type ColorChoice, colorLevel, painter } from '../output/color.ts';
import { escapeText } from '../output/escape.ts';
import { formatNotice } from '../output/messages.ts';
import { progressBar } from '../output/progress.ts';
import { render } from '../output/render.ts';
import { type OutputOptions, RawJson, type Rendering } from '../output/types.ts';
import { loadSettings, type Settings } from '../store/settings.ts';
import type { Answer, Command, RunContext, Typing } from './command.ts';
import { type GlobalInput, outputOptions, settingFlags } from './globals.ts';
import { inputChunks } from './input.ts';
import { Notices } from './notices.ts';
import type { ParsedInput } from './parse.ts';
import { buildTarget, type OutboundParts, outbound, type TargetParts } from './target.ts';
import { traceLine } from './trace.ts';

export interface Engine {
  readonly version: string;
  readonly groups: RunContext['groups'];
  readonly typed: readonly string[];
  readonly authorize: (context: Context) => TargetParts['authorize'];
}

export async function runCommand(
  command: Command,
  parsed: ParsedInput,
  context: Context,
  engine: Engine,
): Promise<number> {
  const globals = parsed.input as unknown as GlobalInput;
  const { service, effect } = command.callOf?.(parsed.input) ?? command;
  const settings = await loadSettings({
    paths: context.paths,
    env: context.env,
    lenient: command.repairsSettings === true,
    ...(globals.profile === undefined ? {} : { profileFlag: globals.profile }),
    flags: settingFlags(command, service, globals),
  });
  const options = outputOptions(globals, settings, context, command.repairsSettings === true);
  const notices = new Notices(context, { quiet: globals.quiet, format: options.format });
  for (const warning of settings.warnings) notices.say(warning);
  const declared = command.outputOf?.(parsed.input) ?? command.output;
  await checkOutputOptions(declared, options, { writes: effect !== 'read' });

  const dryRun: { readonly requests: RequestValue[] } | undefined =
    globals.dryRun === undefined ? undefined : { requests: [] };
  const print = async (value: unknown, output: Rendering): Promise<void> => {
    // Somebody may have been asked, or waited for, since the command began.
    const shown = { ...options, now: context.now() };
    const { rows, dropped, shared, cut } = await render(value, output, shown, context.stdout).catch((error: unknown) =>
      afterWrite(error, effect),
    );
    if (!ctx.wants.table) return;
    if (rows === 0 && output.kind === 'list' && output.empty !== undefined) notices.say(output.empty);
    if (shared.length > 0) notices.say(`common: ${shared.join(' ')}`);
    if (cut > 0) notices.say(`${cut} more left out by --limit`);
    if (dropped.length > 0) {
      notices.say(`too narrow for ${dropped.join(', ')}: a wider terminal, --columns or -o wide shows them`);
    }
  };
  const ctx = runContext({ command, service, globals, settings, context, engine, options, notices, dryRun });
  try {
    const answer = await command.run(parsed.input, ctx);
    const memory = await memoryOf(answer, command, settings, context);
    if (answer.value !== undefined) await print(memory?.value ?? answer.value, answer.as ?? command.output);
    memory?.keep();
    const footer = typeof answer.footer === 'function' ? answer.footer() : answer.footer;
    if (ctx.wants.table) for (const line of footer?.split('\n') ?? []) notices.say(line);
    notices.release();
    await answer.hold?.();
    if (answer.status !== undefined) return answer.status;
    const code = typeof answer.code === 'function' ? answer.code() : answer.code;
    return code === undefined ? 0 : ERROR_KINDS[code].exit;
  } catch (error) {
    if (!(error instanceof DryRunStop) || dryRun === undefined) throw error;
    const { renderDryRun } = await import('./dry-run.ts');
    await renderDryRun(dryRun.requests, {
      curl: globals.dryRun === 'curl',
      options,
      stdout: context.stdout,
      secretHeaders: service === undefined ? new Set() : ctx.target.secretHeaders,
    });
    notices.release();
    return 0;
  } finally {
    await notices.flushed();
  }
}

/** Only a person at a terminal presses <Tab> afterwards: a pipe pays nothing for it. */
async function memoryOf(answer: Answer<unknown>, command: Command, settings: Settings, context: Context) {
  const { offers } = command;
  const { value } = answer;
  const fits = answer.as === undefined && value !== undefined && !(value instanceof RawJson);
  if (!context.stdout.isTTY || offers === undefined || !fits) return undefined;
  const { memorize } = await import('./completion/memory.ts');
  return memorize(value, { ...command, offers }, settings, context);
}

/** A field that no answer has is found out only from the answer: after a write it must not read as "nothing was sent". */
function afterWrite(error: unknown, effect: Command['effect']): never {
  if (effect === 'read' || !(error instanceof SvcError) || error.exit !== 2) throw error;
  throw new SvcError(
    'not_as_asked',
    `the request was sent and answered, but the answer could not be printed: ${error.message}`,
    {
      hint: error.hint ?? 'look before you repeat it',
      cause: error,
    },
  );
}

interface Parts {
  readonly command: Command;
  readonly service: Command['service'];
  readonly globals: GlobalInput;
  readonly settings: Settings;
  readonly context: Context;
  readonly engine: Engine;
  readonly options: OutputOptions;
  readonly notices: Notices;
  readonly dryRun: { readonly requests: RequestValue[] } | undefined;
}

function runContext({
  command,
  service: own,
  globals,
  settings,
  context,
  engine,
  options,
  notices,
  dryRun,
}: Parts): RunContext {
  const interactive =
    context.stdin.isTTY && context.stderr.isTTY && globals.input && !context.env['CI'] && !context.env['SVC_NO_INPUT'];
  let confirmed = globals.yes === true;
  let bar = progressBar(0, context.stderr, context.now);
  const asking = async (): Promise<Prompter> => {
    notices.release();
    await notices.flushed();
    return context.prompter;
  };
  const alarming = async (text: string): Promise<string> => {
    const flag = settings.get('color') as ColorChoice['flag'];
    return (await painter(colorLevel({ flag, env: context.env, stream: context.stderr })))(text, 'bad');
  };
  const targets = new Map<ServiceName, Target>();
  const reaching: OutboundParts = {
    settings,
    context,
    version: engine.version,
    dryRun,
    verbosity: globals.debug ? 2 : globals.verbose ? 1 : 0,
    trace: (event) => notices.always(traceLine(event)),
  };
  const { format } = options;
  const warned = new Set<string>();
  const targetOf = (service: ServiceName): Target => {
    const known = targets.get(service);
    if (known !== undefined) return known;
    const target = buildTarget({
      ...reaching,
      service,
      options: {
        header: globals.header ?? [],
        headerFile: globals.headerFile ?? [],
        insecure: globals.insecure === true,
      },
      authorize: engine.authorize(context),
      confirmed: () => confirmed,
      warn(text) {
        // Signing in takes several requests, and each has the same to warn of.
        if (warned.has(text)) return;
        warned.add(text);
        notices.always(formatNotice(text));
      },
    });
    targets.set(service, target);
    return target;
  };
  return {
    now: context.now,
    random: context.random,
    sleep: context.sleep,
    signal: context.signal,
    takeSignals: context.takeSignals,
    identity: context.identity,
    stdin: context.stdin,
    paths: context.paths,
    env: context.env,
    pid: context.pid,
    self: context.self,
    openBrowser: context.openBrowser,
    settings,
    groups: engine.groups,
    dryRun: dryRun !== undefined,
    yes: globals.yes === true,
    interactive,
    prompter: escaping(asking),
    typed: engine.typed,
    wants: {
      rawJson: format === 'json' && !options.fields && !options.query && !options.sort && options.limit === undefined,
      table: format === 'table' || format === 'wide',
      fields:
        (format !== 'table' && format !== 'wide' && format !== 'id') ||
        [options.fields, options.query, options.columns, options.sort].some((shaping) => shaping !== undefined),
      document: format === 'json' || format === 'yaml',
      terminal: context.stdout.isTTY,
    },
    get target(): Target {
      if (own === undefined) throw new SvcError('internal', `${command.id} declares no service`);
      return targetOf(own);
    },
    targetOf,
    async confirm(question, typing) {
      if (dryRun !== undefined || (confirmed && !(typing?.always && interactive))) return;
      if (!interactive) {
        throw new SvcError('confirmation_required', `nobody can be asked here, and nothing was sent: ${question}`, {
          hint: 'pass --yes to confirm',
        });
      }
      const prompter = await asking();
      const said =
        typing === undefined
          ? await prompter.confirm(escapeText(question))
          : (await prompter.text({ question: await alarming(typingQuestion(question, typing)) })).trim() ===
            typing.word;
      if (!said) throw new SvcError('declined', 'declined: nothing was sent');
      confirmed = true;
    },
    progress(total) {
      bar.clear();
      bar = progressBar(globals.quiet ? 0 : total, context.stderr, context.now);
      return bar;
    },
    notice(text) {
      bar.clear();
      notices.say(text);
    },
    readInput: async (path) => {
      const pieces: Uint8Array[] = [];
      for await (const piece of inputChunks(path, context)) pieces.push(Buffer.from(piece));
      return Buffer.concat(pieces);
    },
    inputChunks: (path) => inputChunks(path, context),
    drawSvg: async (picture) => (await import('../output/chart/svg.ts')).drawSvg(picture, options),
    outbound: ({ insecure }) => outbound(reaching, insecure),
  };
}

function typingQuestion(question: string, { word }: Typing): string {
  return escapeText(`${question} Type ${word} to confirm:`);
}

/** Labels and comments of the service stand among the questions and choices. */
function escaping(asking: () => Promise<Prompter>): RunContext['prompter'] {
  const shown = (choices: readonly Choice[]): Choice[] =>
    choices.map(({ value, name }) => ({ value, name: escapeText(name) }));
  return {
    text: async (question) => (await asking()).text({ ...question, question: escapeText(question.question) }),
    secret: async (question, withdrawn) => (await asking()).secret(escapeText(question), withdrawn),
    select: async (question, choices) => (await asking()).select(escapeText(question), shown(choices)),
    checkbox: async (question, choices) => (await asking()).checkbox(escapeText(question), shown(choices)),
  };
}
