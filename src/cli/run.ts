/** Runs one parsed command and returns its exit status: settings, context, dry run, rendering. */
import { setMaxListeners } from 'node:events';
import type { Context } from '../context.ts';
import { ERROR_KINDS, interruptionOf, SvcError } from '../errors.ts';
import { Plan } from '../http/endpoint.ts';
import { checkOutputOptions, type Rendered, render } from '../output/render.ts';
import { type ColorChoice, canvasOf, colorLevel, isDumb } from '../output/terminal.ts';
import type { Format, OutputOptions, Rendering } from '../output/types.ts';
import { requireSetting } from '../store/setting-keys.ts';
import { loadSettings, type Settings, type SettingsSources } from '../store/settings.ts';
import type { Answer, Command, RunContext } from './command.ts';
import type { GlobalInput } from './common-flags.ts';
import { splitList } from './flags.ts';
import { Notices } from './notices.ts';
import type { ParsedInput } from './parse.ts';
import { type Engine, openContext, type Run, undoTexts } from './run-context.ts';

export async function runCommand(
  command: Command,
  parsed: ParsedInput,
  outer: Context,
  engine: Engine,
): Promise<number> {
  const quit = new AbortController();
  const run = await openRun(command, parsed, outer, engine, quit.signal);
  let end: Answer<unknown>['end'];
  try {
    const clusters = run.several ? await openClusters(run) : undefined;
    const contexts = clusters?.map(({ ctx }) => ctx) ?? [await openContext(run, run.settings, run.profile)];
    const [ctx] = contexts as [RunContext];
    const answer = clusters === undefined ? await command.run(parsed.input, ctx) : await runOnAll(run, clusters);
    end = answer.end;
    if (answer.value instanceof Plan) return await printPlan(answer.value, run, contexts);
    await printAnswer(answer, run, ctx, quit);
    return exitStatusOf(answer, contexts);
  } catch (error) {
    // Leaving a watch with q is a success.
    const hasQuit = quit.signal.aborted && !outer.signal.aborted;
    if (hasQuit && error instanceof SvcError && error.isInterruption) return 0;
    throw error;
  } finally {
    await end?.();
    await run.notices.close();
  }
}

/** What the command line says, checked against settings and output; `quit` ends a watch. */
async function openRun(
  command: Command,
  parsed: ParsedInput,
  outer: Context,
  engine: Engine,
  quit: AbortSignal,
): Promise<Run> {
  const streams = command.streams?.(parsed.input) ?? false;
  // What a watch reads ends by q as it ends by Ctrl-C.
  const context = streams ? { ...outer, signal: AbortSignal.any([outer.signal, quit]) } : outer;
  // Commands of a session wait at the same time: Node would print a warning from the eleventh on.
  setMaxListeners(0, context.signal);
  const globals = parsed.input as unknown as GlobalInput;
  const { service, effect } = command.callOf?.(parsed.input) ?? command;
  const profiles = [globals.profile ?? []].flat();
  const several = globals.allProfiles === true || profiles.length > 1;
  const profile = several ? undefined : profiles[0];
  const sources: SettingsSources = {
    paths: context.paths,
    env: context.env,
    lenient: command.repairsSettings === true,
    flags: settingFlags(command, service, globals),
  };
  const settings = await loadSettings({ ...sources, profileFlag: profile });
  const options = outputOptions(globals, settings, context, command.repairsSettings === true);
  const notices = new Notices(context, globals, options, streams);
  for (const text of parsed.notices) notices.say(text);
  for (const { text } of settings.warnings) notices.say(text);
  const declared = command.outputOf?.(parsed.input) ?? command.output;
  const output = several ? (await import('./clusters.ts')).clusterOutput(declared) : declared;
  await checkOutputOptions(output, options, { writes: effect !== 'read' });
  const stdout = notices.endDrawingAtFirstWrite(context.stdout);
  return {
    command,
    parsed,
    globals,
    service,
    effect,
    streams,
    several,
    profile,
    context,
    engine,
    sources,
    settings,
    options,
    notices,
    stdout,
  };
}

/** The command's context on the server of each profile. */
async function openClusters(run: Run) {
  const { command, parsed, globals, service, context } = run;
  if (parsed.given.has('watch')) {
    throw new SvcError('usage', '--watch follows one cluster, and there are several profiles', {
      hint: `leave --watch out, and repeat the command: watch -n 5 svc ${command.id} …`,
    });
  }
  const { profilesOf, withAddresses } = await import('./clusters.ts');
  const read = profilesOf(globals, context.paths).map(async (name) => ({
    name,
    settings: await loadSettings({ ...run.sources, profileFlag: name }),
  }));
  const profiles = withAddresses(await Promise.all(read), globals, service);
  return Promise.all(
    profiles.map(async ({ name, settings }) => ({ name, ctx: await openContext(run, settings, name) })),
  );
}

async function runOnAll({ command, parsed }: Run, clusters: Awaited<ReturnType<typeof openClusters>>) {
  const { runOnClusters } = await import('./clusters.ts');
  return runOnClusters(command, parsed.input, clusters);
}

async function printPlan({ requests, failures }: Plan, run: Run, contexts: readonly RunContext[]): Promise<number> {
  const { service, options, stdout, notices, globals } = run;
  const { renderDryRun } = await import('./dry-run.ts');
  const targets = service === undefined ? [] : contexts.map(({ target }) => target);
  const secretHeaders = new Set(targets.flatMap((target) => [...target.secretHeaders]));
  await renderDryRun(requests, { curl: globals.dryRun === 'curl', options, stdout, secretHeaders });
  await notices.release();
  for (const { message } of failures) notices.warn(message);
  return failures.length > 0 ? ERROR_KINDS.partly_done.exit : 0;
}

/** Prints the value and everything that is said about it, and waits as long as the answer holds. */
async function printAnswer(answer: Answer<unknown>, run: Run, ctx: RunContext, quit: AbortController): Promise<void> {
  const { notices, command } = run;
  const { as = command.output, footer, undo } = answer;
  if (answer.value !== undefined) {
    const result = await printValue(answer.value, as, run, ctx, answer.hold !== undefined, quit);
    if (ctx.wants.table) noticeOmissions(result, as, run);
  }
  const below = typeof footer === 'function' ? footer() : footer;
  if (ctx.wants.table && below !== undefined) for (const line of below.split('\n')) notices.say(line);
  if (undo !== undefined) for (const line of undoTexts(undo, ctx)) notices.say(line);
  await notices.release();
  await answer.hold?.();
}

/** `goesOn`: the command has not ended when the value is printed. */
async function printValue(
  value: unknown,
  output: Rendering,
  run: Run,
  ctx: RunContext,
  goesOn: boolean,
  quit: AbortController,
): Promise<Rendered> {
  const { options, context, effect, stdout } = run;
  const isWatched = output.kind === 'watch' && context.stdin.isTTY && context.stdout.isTTY;
  const leave = (key: string): void => {
    if (key === 'q') quit.abort(interruptionOf('SIGINT'));
  };
  const forget = isWatched ? context.stdin.onKey?.(leave) : undefined;
  // Prompts or waits may have taken time since the command began.
  const shown = { ...options, now: context.now(), endKey: forget === undefined ? 'Ctrl-C' : 'q' };
  const pager = goesOn || !isPaged(output, run, ctx) ? undefined : await openPager(run);
  try {
    return await render(value, output, shown, pager ?? stdout);
  } catch (error) {
    throw afterWrite(error, effect);
  } finally {
    forget?.();
    await pager?.end();
  }
}

/** Only what a person reads is paged: no data for a program, no stream, no report of a write. */
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

function noticeOmissions({ rows, dropped, shared, cut }: Rendered, output: Rendering, { options, notices }: Run): void {
  if (rows === 0 && options.limit !== 0 && output.kind === 'list' && output.empty !== undefined)
    notices.say(options.query === undefined ? output.empty : '--query selects nothing');
  if (shared.length > 0) notices.say(`common: ${shared.join(' ')}`);
  if (cut > 0) notices.say(`${cut} more left out by --limit`);
  if (dropped.length > 0) {
    notices.say(`hidden: ${dropped.join(', ')} (terminal too narrow; use -o wide or --columns)`);
  }
}

function exitStatusOf({ status, code: given }: Answer<unknown>, contexts: readonly RunContext[]): number {
  if (status !== undefined) return status;
  const code = typeof given === 'function' ? given() : given;
  if (code !== undefined) return ERROR_KINDS[code].exit;
  for (const ctx of contexts) if (ctx.omitted.rows > 0) return ERROR_KINDS.partly_done.exit;
  return 0;
}

/** An unknown field shows only in the response: no error may then read as "nothing was sent". */
function afterWrite(error: unknown, effect: Command['effect']): unknown {
  if (effect === 'read' || !(error instanceof SvcError) || error.exit !== 2) return error;
  return new SvcError(
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

function outputOptions(globals: GlobalInput, settings: Settings, context: Context, lenient: boolean): OutputOptions {
  if (globals.json && globals.output !== undefined && globals.output !== 'json') {
    throw new SvcError('usage', `--json and -o ${globals.output} contradict each other`);
  }
  const isIds = globals.quiet && globals.output === undefined && !globals.json;
  const format = isIds ? 'id' : (usableSetting('output', settings, lenient) as Format);
  const { stdout } = context;
  return {
    format,
    fields: globals.fields === undefined ? undefined : splitList(globals.fields),
    query: globals.query,
    columns: globals.columns === undefined ? undefined : splitList(globals.columns),
    isChosen: globals.output !== undefined,
    headers: globals.headers,
    sort: globals.sort.length === 0 ? undefined : globals.sort,
    // Not for a command's own --limit: for an order that is a price.
    limit: typeof globals.limit === 'number' ? globals.limit : undefined,
    time: globals.time ?? (stdout.isTTY ? 'relative' : 'utc'),
    color: colorLevel({
      flag: usableSetting('color', settings, lenient) as ColorChoice['flag'],
      env: context.env,
      stream: stdout,
    }),
    width: stdout.isTTY && format === 'table' ? (stdout.columns ?? 80) : undefined,
    ...(stdout.isTTY ? {} : { exact: true }),
    ...canvasOf({ env: context.env, stream: stdout }),
    dumb: isDumb(context.env),
    now: context.now(),
  };
}

/** `lenient`: an unusable setting counts as not set. */
function usableSetting(key: 'output' | 'color', settings: Settings, lenient: boolean): string | undefined {
  return lenient && settings.resolve(key).problem !== undefined ? requireSetting(key).default : settings.get(key);
}
