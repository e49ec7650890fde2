/** Runs one parsed command: settings, context, dry run, rendering. Returns the exit status. */
import { setMaxListeners } from 'node:events';
import type { Context, OutStream } from '../context.ts';
import { ERROR_KINDS, endedBy, SvcError } from '../errors.ts';
import { Plan } from '../http/endpoint.ts';
import { checkOutputOptions, render } from '../output/render.ts';
import { canvasOf, colorLevel, isDumb } from '../output/terminal.ts';
import type { Format, OutputOptions, Rendering } from '../output/types.ts';
import { requireSetting } from '../store/setting-keys.ts';
import { loadSettings, type Settings } from '../store/settings.ts';
import type { Answer, Command, RunContext } from './command.ts';
import type { GlobalInput } from './common-flags.ts';
import { splitList } from './flags.ts';
import { Notices } from './notices.ts';
import type { ParsedInput } from './parse.ts';
import { createRunContext, type Engine, undoTexts } from './run-context.ts';

export async function runCommand(
  command: Command,
  parsed: ParsedInput,
  outer: Context,
  engine: Engine,
): Promise<number> {
  const run = await openRun(command, parsed, outer, engine);
  const ctx = await openContext(run, run.settings, run.profile);
  let end: Answer<unknown>['end'];
  try {
    const { answer, contexts } = await runOnServers(run, ctx);
    end = answer.end;
    if (answer.value instanceof Plan) return await printPlan(answer.value, run, ctx, contexts);
    await printAnswer(answer, run, ctx);
    return exitStatusOf(answer, contexts);
  } catch (error) {
    return exitStatusOfQuit(error, run);
  } finally {
    run.notices.endDrawing();
    await end?.();
    await run.notices.flushed();
  }
}

/** One call of a command, and what its command line says about it. */
interface Call {
  readonly command: Command;
  readonly parsed: ParsedInput;
  readonly globals: GlobalInput;
  readonly service: Command['service'];
  readonly effect: Command['effect'];
  readonly streams: boolean;
  /** Whether the command runs on several profiles. */
  readonly several: boolean;
  /** The one profile that is named. */
  readonly profile: string | undefined;
  readonly outer: Context;
  readonly context: Context;
  /** Ends a watch. */
  readonly quit: AbortController;
  readonly engine: Engine;
}

interface Run extends Call {
  readonly settings: Settings;
  readonly options: OutputOptions;
  readonly notices: Notices;
  /** Standard output. A write removes what is drawn on standard error. */
  readonly stdout: OutStream;
}

async function openRun(command: Command, parsed: ParsedInput, outer: Context, engine: Engine): Promise<Run> {
  const call = callOf(command, parsed, outer, engine);
  const { context, globals, several, streams } = call;
  const settings = await readSettings(call, call.profile);
  const options = outputOptions(globals, settings, context, command.repairsSettings === true);
  const notices = new Notices(context, {
    quiet: globals.quiet,
    traces: globals.verbose || globals.debug,
    ascii: options.ascii,
    dumb: options.dumb === true,
    format: options.format,
    streams,
  });
  for (const text of [...parsed.notices, ...settings.warnings.map((one) => one.text)]) notices.say(text);
  const declared = command.outputOf?.(parsed.input) ?? command.output;
  const output = several ? (await import('./clusters.ts')).clusterOutput(declared) : declared;
  await checkOutputOptions(output, options, { writes: call.effect !== 'read' });
  const stdout: OutStream = Object.assign(Object.create(context.stdout) as OutStream, {
    write: (chunk: string | Uint8Array) => {
      notices.endDrawing();
      return context.stdout.write(chunk);
    },
  });
  return { ...call, settings, options, notices, stdout };
}

function callOf(command: Command, parsed: ParsedInput, outer: Context, engine: Engine): Call {
  const quit = new AbortController();
  const streams = command.streams?.(parsed.input) ?? false;
  // What a watch reads ends by q as it ends by Ctrl-C.
  const context = streams ? { ...outer, signal: AbortSignal.any([outer.signal, quit.signal]) } : outer;
  // Commands of a session wait at the same time: Node would print a warning from the eleventh on.
  setMaxListeners(0, context.signal);
  const globals = parsed.input as unknown as GlobalInput;
  const { service, effect } = command.callOf?.(parsed.input) ?? command;
  const names = [globals.profile ?? []].flat();
  const several = names.length > 1 || globals.allProfiles === true;
  const profile = several ? undefined : names[0];
  return { command, parsed, globals, service, effect, streams, several, profile, outer, context, quit, engine };
}

function readSettings({ command, service, globals, context }: Call, profile: string | undefined): Promise<Settings> {
  return loadSettings({
    paths: context.paths,
    env: context.env,
    lenient: command.repairsSettings === true,
    profileFlag: profile,
    flags: settingFlags(command, service, globals),
  });
}

async function openContext(run: Run, settings: Settings, profile: string | undefined): Promise<RunContext> {
  const { command, parsed, service, globals, context, engine, options, notices } = run;
  const overrides =
    profile === undefined
      ? undefined
      : await (await import('../store/profile-environment.ts')).profileOverrides(context.env, settings, context.paths);
  return createRunContext({
    startedAt: parsed.now,
    command,
    service,
    globals: { ...globals, profile },
    settings,
    context,
    engine,
    options,
    notices,
    overrides,
  });
}

interface Outcome {
  readonly answer: Answer<unknown>;
  /** One for each server. */
  readonly contexts: readonly RunContext[];
}

async function runOnServers(run: Run, ctx: RunContext): Promise<Outcome> {
  const { command, parsed, globals, service, context } = run;
  if (!run.several) return { answer: await command.run(parsed.input, ctx), contexts: [ctx] };
  if (parsed.given.has('watch')) {
    throw new SvcError('usage', '--watch follows one cluster, and there are several profiles', {
      hint: `leave --watch out, and repeat the command: watch -n 5 svc ${command.id} …`,
    });
  }
  const { clustersOf, runOnClusters } = await import('./clusters.ts');
  const clusters = await clustersOf(globals, {
    service,
    paths: context.paths,
    settingsOf: (profile) => readSettings(run, profile),
    contextOf: (settings, profile) => openContext(run, settings, profile),
  });
  return { answer: await runOnClusters(command, parsed.input, clusters), contexts: clusters.map((one) => one.ctx) };
}

async function printPlan(
  plan: Plan,
  { service, options, stdout, notices }: Run,
  ctx: RunContext,
  contexts: readonly RunContext[],
): Promise<number> {
  const { renderDryRun } = await import('./dry-run.ts');
  const secretHeaders = secretHeadersOf(service === undefined ? [] : contexts);
  await renderDryRun(plan.requests, { curl: ctx.wants.curl, options, stdout, secretHeaders });
  await notices.release();
  return 0;
}

/** Prints the value and everything that is said about it, and waits as long as the answer holds. */
async function printAnswer(answer: Answer<unknown>, run: Run, ctx: RunContext): Promise<void> {
  const { service, settings, context, notices } = run;
  const { as = run.command.output } = answer;
  const noting = await noteNames(answer.value, as, run);
  const value = noting === undefined ? answer.value : noting.value;
  if (value !== undefined) await printValue(value, as, run, ctx, answer.hold !== undefined);
  const address = service === undefined ? undefined : settings.get(`${service}.url`);
  if (service !== undefined && address !== undefined) {
    noting?.keep({ service, profile: settings.profile.name, address }, context);
  }
  const footer = typeof answer.footer === 'function' ? answer.footer() : answer.footer;
  if (ctx.wants.table) for (const line of footer?.split('\n') ?? []) notices.say(line);
  for (const line of undoTexts(answer.undo, ctx)) notices.say(line);
  await notices.release();
  await answer.hold?.();
}

/** Notes the names that <Tab> offers next. Only a person at a terminal presses it. */
async function noteNames(value: unknown, as: Rendering, { command, context, several }: Run) {
  const { output, offers } = command;
  if (!context.stdout.isTTY || several || offers === undefined) return undefined;
  // The items of two lists with the same id are of the same kind, whatever the columns.
  const isOwn = as === output || (as.kind === 'list' && output.kind === 'list' && as.id === output.id);
  return isOwn ? (await import('./completion/noting.ts')).noting(value, command) : undefined;
}

/** `goesOn`: the command has not ended when the value is printed. */
async function printValue(
  value: unknown,
  output: Rendering,
  run: Run,
  ctx: RunContext,
  goesOn: boolean,
): Promise<void> {
  const { options, context, effect, quit, stdout } = run;
  const isWatched = output.kind === 'watch' && context.stdin.isTTY && context.stdout.isTTY;
  const leave = (key: string): void => {
    if (key === 'q') quit.abort(endedBy('SIGINT'));
  };
  const forget = isWatched ? context.stdin.onKey?.(leave) : undefined;
  // Prompts or waits may have taken time since the command began.
  const shown = { ...options, now: context.now(), endKey: forget === undefined ? 'Ctrl-C' : 'q' };
  const pager = goesOn || !isPaged(output, run, ctx) ? undefined : await openPager(run);
  const result = await render(value, output, shown, pager ?? stdout)
    .catch((error: unknown) => afterWrite(error, effect))
    .finally(() => forget?.())
    .finally(() => pager?.end());
  if (ctx.wants.table) noticeOmissions(result, output, run);
}

/** Only what a person reads is paged: no data for a program, no rows that come over time, and no report of what was done. */
function isPaged(output: Rendering, { stdout, options, effect, streams, globals, context }: Run, ctx: RunContext) {
  if (!stdout.isTTY || stdout.rows === undefined || options.dumb || effect !== 'read' || streams) return false;
  if (output.kind === 'watch' || (output.kind === 'list' && output.live !== undefined)) return false;
  return ctx.wants.table && globals.input && !context.env['CI'] && !context.env['SVC_NO_INPUT'];
}

async function openPager({ context, stdout, notices }: Run) {
  const { pagerCommand, PagedOutput } = await import('./pager.ts');
  const pager = pagerCommand(context.env);
  if (pager === undefined) return undefined;
  const onStart = (ended: Promise<void>): void => {
    notices.endDrawing();
    notices.holdFor(ended);
  };
  return new PagedOutput(pager, { context: { ...context, stdout }, onStart, notice: (text) => notices.say(text) });
}

function noticeOmissions(
  { rows, dropped, shared, cut }: Awaited<ReturnType<typeof render>>,
  output: Rendering,
  { options, notices }: Run,
): void {
  if (rows === 0 && options.limit !== 0 && output.kind === 'list' && output.empty !== undefined)
    notices.say(output.empty);
  if (shared.length > 0) notices.say(`common: ${shared.join(' ')}`);
  if (cut > 0) notices.say(`${cut} more left out by --limit`);
  if (dropped.length > 0) {
    notices.say(`too narrow for ${dropped.join(', ')}: use -o wide, --columns or a wider terminal`);
  }
}

function exitStatusOf({ status, code: given }: Answer<unknown>, contexts: readonly RunContext[]): number {
  if (status !== undefined) return status;
  const code = typeof given === 'function' ? given() : given;
  if (code !== undefined) return ERROR_KINDS[code].exit;
  return contexts.some((one) => one.omittedRows() > 0) ? ERROR_KINDS.partly_done.exit : 0;
}

/** Leaving a watch with q is a success. Throws every other error on. */
function exitStatusOfQuit(error: unknown, { quit, outer }: Run): number {
  const hasQuit = quit.signal.aborted && !outer.signal.aborted;
  if (hasQuit && error instanceof SvcError && error.reason === 'signal') return 0;
  throw error;
}

function secretHeadersOf(contexts: readonly Pick<RunContext, 'target'>[]): ReadonlySet<string> {
  return new Set(contexts.flatMap(({ target }) => [...target.secretHeaders]));
}

/** An unknown field shows only in the response: after a write, the error must not read as "nothing was sent". */
function afterWrite(error: unknown, effect: Command['effect']): never {
  if (effect === 'read' || !(error instanceof SvcError) || error.exit !== 2) throw error;
  throw new SvcError(
    'not_as_asked',
    `the request was sent and answered, but the response could not be printed: ${error.message}`,
    { hint: error.hint ?? 'check the state of the service before you repeat it', cause: error },
  );
}

/** Options override the settings they stand for. */
function settingFlags(
  { defaultFormat }: Command,
  service: Command['service'],
  globals: GlobalInput,
): Readonly<Record<string, string>> {
  const flags: Record<string, string> = {};
  const format = globals.json ? 'json' : (globals.output ?? (globals.quiet ? undefined : defaultFormat));
  if (format !== undefined) flags['output'] = format;
  if (globals.noColor && globals.color === 'always') {
    throw new SvcError('usage', '--no-color and --color always contradict each other');
  }
  const color = globals.noColor ? 'never' : globals.color;
  if (color !== undefined) flags['color'] = color;
  if (service === undefined) return flags;
  if (globals.baseUrl !== undefined) flags[`${service}.url`] = globals.baseUrl;
  if (globals.timeout !== undefined) flags['timeout'] = `${globals.timeout}ms`;
  for (const name of ['cacert', 'cert', 'key'] as const) {
    const path = globals[name];
    if (path !== undefined) flags[name] = path;
  }
  return flags;
}

/** `lenient`: unusable settings count as not set. */
function outputOptions(globals: GlobalInput, settings: Settings, context: Context, lenient: boolean): OutputOptions {
  if (globals.json && globals.output !== undefined && globals.output !== 'json') {
    throw new SvcError('usage', `--json and -o ${globals.output} contradict each other`);
  }
  const usable = (key: 'output' | 'color'): string | undefined =>
    lenient && settings.resolve(key).problem !== undefined ? requireSetting(key).default : settings.get(key);
  const format = globals.quiet && globals.output === undefined && !globals.json ? 'id' : (usable('output') as Format);
  const { stdout } = context;
  return {
    format,
    fields: globals.fields === undefined ? undefined : splitList(globals.fields),
    query: globals.query,
    columns: globals.columns === undefined ? undefined : splitList(globals.columns),
    headers: globals.headers,
    sort: globals.sort.length === 0 ? undefined : globals.sort,
    // Not for a command's own --limit: for an order that is a price.
    limit: typeof globals.limit === 'number' ? globals.limit : undefined,
    time: globals.time ?? (stdout.isTTY ? 'relative' : 'utc'),
    color: colorLevel({ flag: usable('color') as 'auto' | 'always' | 'never', env: context.env, stream: stdout }),
    width: stdout.isTTY && format === 'table' ? (stdout.columns ?? 80) : undefined,
    ...(stdout.isTTY ? {} : { exact: true }),
    ...canvasOf({ env: context.env, stream: stdout }),
    dumb: isDumb(context.env),
    now: context.now(),
  };
}
