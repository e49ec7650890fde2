/** Builds a command's context: its service, its user, its settings. */
import type { Choice, Context, OutStream, Prompter } from '../context.ts';
import { SvcError } from '../errors.ts';
import type { Confirmed } from '../http/endpoint.ts';
import type { KnownSecrets } from '../http/redact.ts';
import type { RequestLog, ServiceName, Target } from '../http/target.ts';
import { escapeJson, escapeText, shellWord } from '../output/escape.ts';
import { type ColorChoice, canvasOf, colorLevel, formatNotice, painter, shorten } from '../output/terminal.ts';
import type { OutputOptions } from '../output/types.ts';
import { inputChunks, readInput } from '../store/input-files.ts';
import type { ProfileOverrides } from '../store/profile-environment.ts';
import { SECRET_VARIABLE } from '../store/setting-keys.ts';
import type { Settings, SettingsSources } from '../store/settings.ts';
import type { Answer, Command, RunContext, Sources } from './command.ts';
import { GLOBAL_FLAGS, type GlobalInput, isRemote, SERVICE_FLAGS } from './common-flags.ts';
import { camelCase } from './flags.ts';
import type { Notices } from './notices.ts';
import type { ParsedInput } from './parse.ts';
import { outageEvent } from './poll.ts';
import { type Authorize, buildOutbound, buildTarget, type OutboundParts } from './target.ts';

/** What `main` passes for all of svc. */
export interface Engine {
  readonly version: string;
  readonly groups: RunContext['groups'];
  readonly sources: Sources;
  readonly typed: readonly string[];
  /** `main`, for a command that runs other command lines. */
  readonly runLine: (argv: readonly string[], context: Context) => Promise<number>;
  readonly secrets: KnownSecrets;
  readonly authorize: Authorize;
}

/** One run of a command: what its command line says, and where it prints. */
export interface Run {
  readonly command: Command;
  readonly parsed: ParsedInput;
  readonly globals: GlobalInput;
  readonly service: Command['service'];
  readonly effect: Command['effect'];
  /** Its notices are printed at once, and `q` ends it. */
  readonly streams: boolean;
  /** Whether it runs on several profiles. */
  readonly several: boolean;
  /** The one profile that `--profile` names. */
  readonly profile: string | undefined;
  readonly context: Context;
  readonly engine: Engine;
  /** Of the settings, whatever the profile. */
  readonly sources: SettingsSources;
  readonly settings: Settings;
  readonly options: OutputOptions;
  readonly notices: Notices;
  /** Standard output. A write removes what is drawn on standard error. */
  readonly stdout: OutStream;
}

/** The context of a command on the server of a profile; `profile` is what `--profile` names. */
export async function openContext(run: Run, settings: Settings, profile: string | undefined): Promise<RunContext> {
  const { command, engine, options, notices } = run;
  const globals = { ...run.globals, profile };
  const overrides = profile === undefined ? undefined : await readOverrides(run, settings);
  const context: Context = { ...run.context, env: overrides?.env ?? run.context.env };
  const { env, stdout, stderr } = context;
  const { secrets, version } = engine;
  const dryRun = Boolean(globals.dryRun);
  addSecretsOf(env, secrets);
  const interactive = isInteractive(globals, context);
  const printed = new Set<string>();
  const checkSecretFile = (path: string): void => {
    if (!context.isReadableByOthers(path) || !isFirst(printed, `file ${path}`)) return;
    notices.warn(`other users can read ${path}, which holds a secret: chmod 600 ${shellWord(path)}`);
  };
  const { log, omitted } = openLog(globals, notices, printed);
  const reaching: OutboundParts = { settings, context, secrets, version, dryRun, checkSecretFile, log };
  const { targetOf, nameServer } = openServers(run, globals, reaching, overrides?.warnings, printed);
  const ask: Ask = async (show) => {
    await notices.release();
    const resume = notices.pauseDrawing();
    return show(context.prompter as Prompter).finally(resume);
  };
  return {
    ...context,
    checkSecretFile,
    secrets,
    settings,
    groups: engine.groups,
    dryRun,
    yes: globals.yes === true,
    interactive,
    screen: interactive ? canvasOf({ env, stream: stderr }) : undefined,
    get prompter() {
      return escapePrompts(ask, stderr);
    },
    typed: engine.typed,
    get serverOptions() {
      return serverOptions(globals, isRemote(command));
    },
    runLine: (argv, over) =>
      engine.runLine(argv, { ...run.context, ...over, env: { ...run.context.env, ...over.env } }),
    wants: wantsOf(options, stdout),
    get target(): Target {
      if (run.service === undefined) throw new SvcError('internal', `${command.id} declares no service`);
      return targetOf(run.service);
    },
    targetOf,
    confirm: createConfirm(run, reaching, { interactive, ask, nameServer }),
    notice: (text) => notices.say(text),
    warn: (text) => notices.warn(text),
    startedAt: run.parsed.now,
    omitted,
    async reportOutage(outage) {
      if (outage === undefined || options.format !== 'ndjson') return;
      await stdout.write(`${escapeJson(JSON.stringify(outageEvent(outage, context.now())))}\n`);
    },
    readInput: (path) => readInput(path, context),
    inputChunks: (path) => inputChunks(path, context),
    drawSvg: async (picture, width) => (await import('../output/chart/svg.ts')).drawSvg(picture, options, width),
    outbound: ({ insecure }) => buildOutbound(reaching, insecure),
  };
}

/** What an explicit `--profile` changes in the environment. */
async function readOverrides({ context }: Run, settings: Settings): Promise<ProfileOverrides> {
  const { profileOverrides } = await import('../store/profile-environment.ts');
  return profileOverrides(context.env, settings, context.paths);
}

/** True the first time it is called with a text. */
function isFirst(printed: Set<string>, text: string): boolean {
  return printed.size < printed.add(text).size;
}

/** What requests report. Warnings and rows that are left out are printed once. */
function openLog({ debug, verbose }: GlobalInput, notices: Notices, printed: Set<string>) {
  const omitted = { rows: 0 };
  const log: RequestLog = {
    level: debug ? 2 : (Number(verbose) as 0 | 1),
    trace: (event) => notices.trace(event),
    waiting: (host) => notices.showWait(host),
    // Signing in takes several requests, which would all warn of the same.
    warn(text) {
      if (isFirst(printed, `warning ${text}`)) notices.printNow(formatNotice(text));
    },
    omit(text) {
      omitted.rows++;
      if (omitted.rows <= MOST_NAMED && isFirst(printed, `row ${text}`)) notices.warn(text);
      if (omitted.rows === MOST_NAMED + 1) notices.warn('more rows are left out for the same or other reasons');
    },
  };
  return { log, omitted };
}

/** How many of the rows that are left out get a warning of their own. */
const MOST_NAMED = 5;

/** The servers of this run. Each is built, and named before the first write, once. */
function openServers(
  { engine, notices }: Run,
  globals: GlobalInput,
  reaching: OutboundParts,
  warnings: ProfileOverrides['warnings'] | undefined,
  printed: Set<string>,
) {
  const { settings, dryRun, log } = reaching;
  /** Names the server before the first write: one to the wrong server is the costliest mistake. */
  const nameServer = (service: ServiceName, { host, pathname } = targetOf(service).baseUrl): void => {
    if (dryRun || !isFirst(printed, `server ${service} ${host}`)) return;
    const { kind, detail } = settings.resolve(`${service}.url`).origin;
    const source = kind === 'profile' ? `profile ${settings.profile.name}` : detail;
    notices.say(`server: ${host}${pathname === '/' ? '' : pathname} (${source})`);
  };
  const targets = new Map<ServiceName, Target>();
  const targetOf = (service: ServiceName): Target => {
    const known = targets.get(service);
    if (known !== undefined) return known;
    for (const warning of warnings?.[service] ?? []) notices.say(warning);
    const members = settings.members(`${service}.url`);
    const built: Target[] = [];
    for (const member of members) {
      const named = { ...log, writing: () => nameServer(service, one.baseUrl) };
      const parts = { ...reaching, settings: member, service, globals, authorize: engine.authorize, log: named };
      const one: Target = buildTarget(parts);
      // All members together have the time of one request.
      built.push({ ...one, timeoutMs: one.timeoutMs / members.length });
    }
    const [first, ...others] = built;
    const target = { ...(first as Target), others };
    targets.set(service, target);
    return target;
  };
  return { targetOf, nameServer };
}

function wantsOf(options: OutputOptions, stdout: Context['stdout']): RunContext['wants'] {
  const { format, fields, query, columns, sort, limit } = options;
  const table = format === 'table' || format === 'wide';
  const isShaped = (fields ?? query ?? columns ?? sort) !== undefined;
  return {
    rawJson: format === 'json' && !fields && !query && !sort && limit === undefined,
    table,
    wide: format === 'wide',
    fields: (!table && format !== 'id') || isShaped,
    sorted: sort !== undefined,
    document: format === 'json' || format === 'yaml',
    events: format === 'ndjson',
    terminal: stdout.isTTY,
  };
}

interface Asking {
  readonly interactive: boolean;
  readonly ask: Ask;
  nameServer(service: ServiceName): void;
}

/** Makes the function that confirms. A confirmation holds for the rest of the run. */
function createConfirm(
  { service, globals }: Run,
  { settings, context, dryRun }: OutboundParts,
  { interactive, ask, nameServer }: Asking,
): RunContext['confirm'] {
  const { env, stderr } = context;
  let confirmed = globals.yes === true;
  return async (question, typing) => {
    if (dryRun || (confirmed && !(typing?.always && interactive))) return PROOF;
    if (!interactive) {
      throw new SvcError(
        'confirmation_required',
        `confirmation required, but this is not a terminal; nothing was sent: ${question}`,
        { hint: 'pass --yes to confirm', meant: { append: '--yes' } },
      );
    }
    if (service !== undefined) nameServer(service);
    if (typing?.word === undefined) {
      confirmed = await ask((prompter) => prompter.confirm(escapeText(question)));
    } else {
      const flag = settings.get('color') as ColorChoice['flag'];
      const paint = await painter(colorLevel({ flag, env, stream: stderr }));
      const shown = paint(escapeText(`${question} Type ${typing.word} to confirm:`), 'bad');
      confirmed = (await ask((prompter) => prompter.text({ question: shown }))).trim() === typing.word;
    }
    if (!confirmed) throw new SvcError('declined', 'declined: nothing was sent');
    return PROOF;
  };
}

/** The command lines that undo what was done on the server of this context. */
export function undoTexts(undo: NonNullable<Answer<unknown>['undo']>, ctx: RunContext): readonly string[] {
  return undo.map((line) => `Undo: ${['svc', ...line, ...ctx.serverOptions].map(shellWord).join(' ')}`);
}

/** Elsewhere an option of the same name is the command's own. */
function serverOptions(globals: GlobalInput, remote: boolean): readonly string[] {
  const { profile } = GLOBAL_FLAGS;
  return Object.keys({ profile, ...(remote ? SERVICE_FLAGS : {}) }).flatMap((name) => {
    const value = globals[camelCase(name) as keyof GlobalInput];
    if (value === true) return [`--${name}`];
    const values = typeof value === 'number' ? [`${value}ms`] : [value].flat();
    return values.filter((one) => typeof one === 'string').flatMap((one) => [`--${name}`, one]);
  });
}

/** Whether a person can be asked. */
export function isInteractive(
  { input }: Pick<GlobalInput, 'input'>,
  { stdin, stderr, env, prompter }: Context,
): boolean {
  // In a job, standard error is a file, and standard input is often a device: /dev/null.
  return input && stderr.isTTY && stdin.isTTY && prompter !== undefined && !env['CI'] && !env['SVC_NO_INPUT'];
}

/** The only proof of confirmation: its holder has called `confirm`. */
const PROOF = {} as Confirmed;

/** Asks when all notices are printed, and draws nothing meanwhile. */
type Ask = <T>(show: (prompter: Prompter) => Promise<T>) => Promise<T>;

/** Beside a choice: the cursor, a box, and the cell that some terminals break a full line after. */
const BESIDE_CHOICE = 5;

/** Prompts may contain labels and comments of the service. A choice takes one terminal line. */
export function escapePrompts(ask: Ask, terminal: Pick<Context['stderr'], 'columns'>): RunContext['prompter'] {
  const shown = (choices: readonly Choice[]): Choice[] => {
    const width = (terminal.columns ?? 80) - BESIDE_CHOICE;
    return choices.map(({ value, name }) => ({ value, name: shorten(escapeText(name), width) }));
  };
  return {
    text: (question) => ask((prompter) => prompter.text({ ...question, question: escapeText(question.question) })),
    secret: (question, withdrawn) => ask((prompter) => prompter.secret(escapeText(question), withdrawn)),
    select: (question, choices) => ask((prompter) => prompter.select(escapeText(question), shown(choices))),
    checkbox: (question, choices) => ask((prompter) => prompter.checkbox(escapeText(question), shown(choices))),
    search: (question, find) =>
      ask((prompter) =>
        prompter.search(escapeText(question), async (typed, signal) => shown(await find(typed, signal))),
      ),
  };
}

function addSecretsOf(env: Context['env'], secrets: KnownSecrets): void {
  for (const [name, value] of Object.entries(env)) {
    if (SECRET_VARIABLE.test(name)) secrets.add(value);
    else if (/^(https?|all)_proxy$/i.test(name)) secrets.addAddress(value);
  }
}
