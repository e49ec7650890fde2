/** Runs one parsed command: settings, context, dry run, rendering. Returns the exit status. */
import { setMaxListeners } from 'node:events';
import type { Context, OutStream } from '../context.ts';
import { ERROR_KINDS, endedBy, SvcError } from '../errors.ts';
import { Plan } from '../http/endpoint.ts';
import { checkOutputOptions, render } from '../output/render.ts';
import { canvasOf, colorLevel, isDumb, supportsLinks } from '../output/terminal.ts';
import type { Format, OutputOptions, Rendering } from '../output/types.ts';
import { requireSetting } from '../store/setting-keys.ts';
import { loadSettings, type Settings } from '../store/settings.ts';
import type { Answer, Command, RunContext } from './command.ts';
import type { GlobalInput } from './common-flags.ts';
import { splitList } from './flags.ts';
import { Notices } from './notices.ts';
import type { ParsedInput } from './parse.ts';
import { type Engine, runContext, undoTexts } from './run-context.ts';

export async function runCommand(
  command: Command,
  parsed: ParsedInput,
  outer: Context,
  engine: Engine,
): Promise<number> {
  const quit = new AbortController();
  const streams = command.streams?.(parsed.input) ?? false;
  // What a watch reads ends by q as it ends by Ctrl-C.
  const context = streams ? { ...outer, signal: AbortSignal.any([outer.signal, quit.signal]) } : outer;
  // Commands of a session wait at the same time: Node would print a warning from the eleventh on.
  setMaxListeners(0, context.signal);
  const globals = parsed.input as unknown as GlobalInput;
  const { service, effect } = command.callOf?.(parsed.input) ?? command;
  const flags = settingFlags(command, service, globals);
  const settingsOf = (profileFlag: string | undefined) =>
    loadSettings({
      paths: context.paths,
      env: context.env,
      lenient: command.repairsSettings === true,
      profileFlag,
      flags,
    });
  const names = [globals.profile ?? []].flat();
  const several = names.length > 1 || globals.allProfiles === true;
  const settings = await settingsOf(several ? undefined : names[0]);
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
  const clusters = several ? await import('./clusters.ts') : undefined;
  const declared = command.outputOf?.(parsed.input) ?? command.output;
  const output = clusters === undefined ? declared : clusters.clusterOutput(declared);
  await checkOutputOptions(output, options, { writes: effect !== 'read' });

  const stdout: OutStream = Object.assign(Object.create(context.stdout) as OutStream, {
    write: (chunk: string | Uint8Array) => {
      notices.endDrawing();
      return context.stdout.write(chunk);
    },
  });
  /** For what a person reads: data for a program, rows that come over time, and reports of what was done are not paged. */
  const openPager = async (output: Rendering) => {
    if (!stdout.isTTY || stdout.rows === undefined || options.dumb || effect !== 'read' || streams) return undefined;
    const isLive = output.kind === 'watch' || (output.kind === 'list' && output.live !== undefined);
    if (isLive || !ctx.wants.table || !globals.input || context.env['CI'] || context.env['SVC_NO_INPUT'])
      return undefined;
    const { pagerCommand, PagedOutput } = await import('./pager.ts');
    const pager = pagerCommand(context.env);
    if (pager === undefined) return undefined;
    const onStart = (ended: Promise<void>): void => {
      notices.endDrawing();
      notices.holdFor(ended);
    };
    return new PagedOutput(pager, { context: { ...context, stdout }, onStart, notice: (text) => notices.say(text) });
  };

  const print = async (value: unknown, output: Rendering, goesOn: boolean): Promise<void> => {
    // Prompts or waits may have taken time since the command began.
    const isWatched = output.kind === 'watch' && context.stdin.isTTY && context.stdout.isTTY;
    const leave = (key: string): void => {
      if (key === 'q') quit.abort(endedBy('SIGINT'));
    };
    const forget = isWatched ? context.stdin.onKey?.(leave) : undefined;
    const shown = { ...options, now: context.now(), endKey: forget === undefined ? 'Ctrl-C' : 'q' };
    const pager = goesOn ? undefined : await openPager(output);
    const { rows, dropped, shared, cut } = await render(value, output, shown, pager ?? stdout)
      .catch((error: unknown) => afterWrite(error, effect))
      .finally(() => forget?.())
      .finally(() => pager?.end());
    if (!ctx.wants.table) return;
    if (rows === 0 && options.limit !== 0 && output.kind === 'list' && output.empty !== undefined)
      notices.say(output.empty);
    if (shared.length > 0) notices.say(`common: ${shared.join(' ')}`);
    if (cut > 0) notices.say(`${cut} more left out by --limit`);
    if (dropped.length > 0) {
      notices.say(`too narrow for ${dropped.join(', ')}: use -o wide, --columns or a wider terminal`);
    }
  };
  const contextOf = async (own: Settings, profile: string | undefined) => {
    const overrides =
      profile === undefined
        ? undefined
        : await (await import('../store/profile-environment.ts')).profileOverrides(context.env, own, context.paths);
    const chosen = { ...globals, profile };
    return runContext({
      startedAt: parsed.now,
      command,
      service,
      globals: chosen,
      settings: own,
      context,
      engine,
      options,
      notices,
      overrides,
    });
  };
  const ctx = await contextOf(settings, several ? undefined : names[0]);
  let end: Answer<unknown>['end'];
  try {
    const all = await clusters?.clustersOf(globals, { service, paths: context.paths, settingsOf, contextOf });
    const answer =
      all === undefined
        ? await command.run(parsed.input, ctx)
        : await (clusters as NonNullable<typeof clusters>).runOnClusters(command, parsed.input, all);
    end = answer.end;
    if (answer.value instanceof Plan) {
      const { renderDryRun } = await import('./dry-run.ts');
      await renderDryRun(answer.value.requests, {
        curl: ctx.wants.curl,
        options,
        stdout,
        secretHeaders: secretHeadersOf(service === undefined ? [] : (all?.map((one) => one.ctx) ?? [ctx])),
      });
      await notices.release();
      return 0;
    }
    const { as = command.output } = answer;
    // The items of two lists with the same id are of the same kind, whatever the columns.
    const isOwn =
      as === command.output || (as.kind === 'list' && command.output.kind === 'list' && as.id === command.output.id);
    // Only a person at a terminal presses <Tab> afterwards.
    const noting =
      context.stdout.isTTY && !several && command.offers !== undefined && isOwn
        ? (await import('./completion/noting.ts')).noting(answer.value, command)
        : undefined;
    const value = noting === undefined ? answer.value : noting.value;
    if (value !== undefined) await print(value, as, answer.hold !== undefined);
    const address = service === undefined ? undefined : settings.get(`${service}.url`);
    if (service !== undefined && address !== undefined) {
      noting?.keep({ service, profile: settings.profile.name, address }, context);
    }
    const footer = typeof answer.footer === 'function' ? answer.footer() : answer.footer;
    if (ctx.wants.table) for (const line of footer?.split('\n') ?? []) notices.say(line);
    for (const line of undoTexts(answer.undo, ctx)) notices.say(line);
    await notices.release();
    await answer.hold?.();
    if (answer.status !== undefined) return answer.status;
    const code = typeof answer.code === 'function' ? answer.code() : answer.code;
    if (code !== undefined) return ERROR_KINDS[code].exit;
    const contexts = all?.map((one) => one.ctx) ?? [ctx];
    return contexts.some((one) => one.omittedRows() > 0) ? ERROR_KINDS.partly_done.exit : 0;
  } catch (error) {
    if (quit.signal.aborted && error instanceof SvcError && error.reason === 'signal' && !outer.signal.aborted)
      return 0;
    throw error;
  } finally {
    notices.endDrawing();
    await end?.();
    await notices.flushed();
  }
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
    links: supportsLinks({ env: context.env, stream: stdout }),
    now: context.now(),
  };
}
