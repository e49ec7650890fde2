/** What a command's `run` is given: its service, its user, its settings. */
import type { Choice, Context, Prompter } from '../context.ts';
import { SvcError } from '../errors.ts';
import { shellWord } from '../http/as-curl.ts';
import type { Confirmed } from '../http/endpoint.ts';
import type { KnownSecrets } from '../http/known-secrets.ts';
import type { RequestLog, ServiceName, Target } from '../http/target.ts';
import { escapeJson, escapeText } from '../output/escape.ts';
import { type ColorChoice, colorLevel, formatNotice, painter, progressBar } from '../output/terminal.ts';
import type { OutputOptions } from '../output/types.ts';
import type { Settings } from '../store/settings.ts';
import type { Command, RunContext, Typing } from './command.ts';
import type { GlobalInput } from './globals.ts';
import { inputChunks, wholeInput } from './input.ts';
import type { Notices } from './notices.ts';
import { outageEvent } from './poll.ts';
import { buildTarget, type OutboundParts, outbound, type TargetParts } from './target.ts';
import { traceLine } from './trace.ts';

/** What `main` knows of the whole of svc. */
export interface Engine {
  readonly version: string;
  readonly groups: RunContext['groups'];
  readonly typed: readonly string[];
  readonly secrets: KnownSecrets;
  readonly authorize: (context: Context) => TargetParts['authorize'];
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
  readonly dryRun: boolean;
  /** What an explicit `--profile` changes in the environment; undefined without one. */
  readonly profile: typeof import('../store/profile-environment.ts') | undefined;
}

export function runContext({
  command,
  service: own,
  globals,
  settings,
  context: full,
  engine,
  options,
  notices,
  dryRun,
  profile,
}: Parts): RunContext {
  const env = profile?.profileEnvironment(full.env, settings, full.paths) ?? full.env;
  const context = env === full.env ? full : { ...full, env };
  addSecretsOf(env, engine.secrets);
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
  const checkedFiles = new Set<string>();
  const checkSecretFile = (path: string): void => {
    if (checkedFiles.has(path)) return;
    checkedFiles.add(path);
    if (!context.isReadableByOthers(path)) return;
    bar.clear();
    notices.warn(`other users can read ${path}, which holds a secret: chmod 600 ${shellWord(path)}`);
  };
  const warned = new Set<string>();
  const log: RequestLog = {
    level: globals.debug ? 2 : globals.verbose ? 1 : 0,
    trace: (event) => notices.always(traceLine(event)),
    warn(text) {
      // Signing in takes several requests, and each has the same to warn of.
      if (warned.has(text)) return;
      warned.add(text);
      notices.always(formatNotice(text));
    },
  };
  const targets = new Map<ServiceName, Target>();
  const reaching: OutboundParts = {
    settings,
    context,
    secrets: engine.secrets,
    version: engine.version,
    dryRun,
    checkSecretFile,
    log,
  };
  const { format } = options;
  const named = new Set<ServiceName>();
  /** Once, before the first write: the wrong server is the costliest mistake. */
  const nameServer = (service: ServiceName): void => {
    if (named.has(service) || dryRun) return;
    named.add(service);
    const { host, pathname } = targetOf(service).baseUrl;
    const { kind, detail } = settings.origin(`${service}.url`);
    const source = kind === 'profile' ? `profile ${settings.profile.name}` : detail;
    notices.say(`server: ${host}${pathname === '/' ? '' : pathname} (${source})`);
  };
  const targetOf = (service: ServiceName): Target => {
    const known = targets.get(service);
    if (known !== undefined) return known;
    for (const warning of profile?.profileWarnings(service, full.env, settings, full.paths) ?? []) notices.say(warning);
    const target = buildTarget({
      ...reaching,
      service,
      options: {
        header: globals.header ?? [],
        headerFile: globals.headerFile ?? [],
        insecure: globals.insecure === true,
      },
      authorize: engine.authorize(context),
      log: { ...log, writing: () => nameServer(service) },
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
    readFile: context.readFile,
    checkSecretFile,
    identity: context.identity,
    stdin: context.stdin,
    paths: context.paths,
    env: context.env,
    pid: context.pid,
    self: context.self,
    openBrowser: context.openBrowser,
    secrets: engine.secrets,
    settings,
    groups: engine.groups,
    dryRun,
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
      sorted: options.sort !== undefined,
      document: format === 'json' || format === 'yaml',
      events: format === 'ndjson',
      terminal: context.stdout.isTTY,
    },
    get target(): Target {
      if (own === undefined) throw new SvcError('internal', `${command.id} declares no service`);
      return targetOf(own);
    },
    targetOf,
    async confirm(question, typing) {
      if (dryRun || (confirmed && !(typing?.always && interactive))) return PROOF;
      if (own !== undefined && interactive) nameServer(own);
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
      return PROOF;
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
    warn(text) {
      bar.clear();
      notices.warn(text);
    },
    async reportOutage(outage) {
      if (outage === undefined || format !== 'ndjson') return;
      await context.stdout.write(`${escapeJson(JSON.stringify(outageEvent(outage, context.now())))}\n`);
    },
    readInput: (path) => wholeInput(path, context),
    inputChunks: (path) => inputChunks(path, context),
    drawSvg: async (picture) => (await import('../output/chart/svg.ts')).drawSvg(picture, options),
    outbound: ({ insecure }) => outbound(reaching, insecure),
  };
}

/** The only one there is: it shows that whoever has it called `confirm`. */
const PROOF = {} as Confirmed;

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

/** Of ours: `SVC_WEBHOOK_SECRET`, `SVC_TRADE_TOKEN`. */
export const SECRET_VARIABLE = /^SVC_\w*(?:TOKEN|PASSWORD|SECRET)$/;

function addSecretsOf(env: Context['env'], secrets: KnownSecrets): void {
  for (const [name, value] of Object.entries(env)) {
    if (SECRET_VARIABLE.test(name)) secrets.add(value);
    else if (/^https?_proxy$/i.test(name)) secrets.addAddress(value);
  }
}
