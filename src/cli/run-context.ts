/** What a command's `run` is given: its service, its user, its settings. */
import type { Choice, Context, Prompter } from '../context.ts';
import { SvcError } from '../errors.ts';
import { shellWord } from '../http/as-curl.ts';
import type { Confirmed } from '../http/endpoint.ts';
import type { KnownSecrets } from '../http/known-secrets.ts';
import type { RequestLog, ServiceName, Target } from '../http/target.ts';
import { escapeJson, escapeText } from '../output/escape.ts';
import { type ColorChoice, colorLevel, formatNotice, painter } from '../output/terminal.ts';
import type { OutputOptions } from '../output/types.ts';
import type { ProfileOverrides } from '../store/profile-environment.ts';
import type { Settings } from '../store/settings.ts';
import type { Command, RunContext } from './command.ts';
import type { GlobalInput } from './flags.ts';
import { inputChunks, wholeInput } from './input.ts';
import type { Notices } from './notices.ts';
import { outageEvent } from './poll.ts';
import { buildTarget, type OutboundParts, outbound, type TargetParts } from './target.ts';

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
  /** What an explicit `--profile` changes in the environment; undefined without one. */
  readonly overrides: ProfileOverrides | undefined;
}

export function runContext(parts: Parts): RunContext {
  const { command, service: own, globals, settings, context: outer, engine, options, notices, overrides } = parts;
  const env = overrides?.env ?? outer.env;
  const context: Context = { ...outer, env };
  const { stdin, stdout, stderr } = context;
  const { secrets } = engine;
  const dryRun = globals.dryRun !== undefined;
  addSecretsOf(env, secrets);
  const interactive = stdin.isTTY && stderr.isTTY && globals.input && !env['CI'] && !env['SVC_NO_INPUT'];
  let confirmed = globals.yes === true;
  const asking = async (): Promise<Prompter> => {
    await notices.release();
    return context.prompter;
  };
  const once = onceFor();
  const checkSecretFile = (path: string): void => {
    if (!once(`file ${path}`) || !context.isReadableByOthers(path)) return;
    notices.warn(`other users can read ${path}, which holds a secret: chmod 600 ${shellWord(path)}`);
  };
  const log: RequestLog = {
    level: globals.debug ? 2 : globals.verbose ? 1 : 0,
    trace: (event) => notices.trace(event),
    // Signing in takes several requests, and each has the same to warn of.
    warn(text) {
      if (once(`warning ${text}`)) notices.always(formatNotice(text));
    },
  };
  /** Before the first write: the wrong server is the costliest mistake. */
  const nameServer = (service: ServiceName): void => {
    if (dryRun || !once(`server ${service}`)) return;
    const { host, pathname } = targetOf(service).baseUrl;
    const { kind, detail } = settings.origin(`${service}.url`);
    const source = kind === 'profile' ? `profile ${settings.profile.name}` : detail;
    notices.say(`server: ${host}${pathname === '/' ? '' : pathname} (${source})`);
  };
  const reaching: OutboundParts = { settings, context, secrets, version: engine.version, dryRun, checkSecretFile, log };
  const targets = new Map<ServiceName, Target>();
  const targetOf = (service: ServiceName): Target => {
    const known = targets.get(service);
    if (known !== undefined) return known;
    for (const warning of overrides?.warnings[service] ?? []) notices.say(warning);
    const target = buildTarget({
      ...reaching,
      service,
      globals,
      authorize: engine.authorize(context),
      log: { ...log, writing: () => nameServer(service) },
    });
    targets.set(service, target);
    return target;
  };
  const { format } = options;
  const table = format === 'table' || format === 'wide';
  return {
    ...context,
    checkSecretFile,
    secrets,
    settings,
    groups: engine.groups,
    dryRun,
    yes: globals.yes === true,
    interactive,
    prompter: escaping(asking),
    typed: engine.typed,
    wants: {
      rawJson: format === 'json' && !options.fields && !options.query && !options.sort && options.limit === undefined,
      table,
      fields:
        (!table && format !== 'id') ||
        [options.fields, options.query, options.columns, options.sort].some((shaping) => shaping !== undefined),
      sorted: options.sort !== undefined,
      document: format === 'json' || format === 'yaml',
      events: format === 'ndjson',
      terminal: stdout.isTTY,
    },
    get target(): Target {
      if (own === undefined) throw new SvcError('internal', `${command.id} declares no service`);
      return targetOf(own);
    },
    targetOf,
    async confirm(question, typing) {
      if (dryRun || (confirmed && !(typing?.always && interactive))) return PROOF;
      if (!interactive) {
        throw new SvcError('confirmation_required', `nobody can be asked here, and nothing was sent: ${question}`, {
          hint: 'pass --yes to confirm',
        });
      }
      if (own !== undefined) nameServer(own);
      const prompter = await asking();
      if (typing === undefined) {
        confirmed = await prompter.confirm(escapeText(question));
      } else {
        const flag = settings.get('color') as ColorChoice['flag'];
        const paint = await painter(colorLevel({ flag, env, stream: stderr }));
        const shown = paint(escapeText(`${question} Type ${typing.word} to confirm:`), 'bad');
        confirmed = (await prompter.text({ question: shown })).trim() === typing.word;
      }
      if (!confirmed) throw new SvcError('declined', 'declined: nothing was sent');
      return PROOF;
    },
    progress: (total) => notices.progress(total),
    notice: (text) => notices.say(text),
    warn: (text) => notices.warn(text),
    async reportOutage(outage) {
      if (outage === undefined || format !== 'ndjson') return;
      await stdout.write(`${escapeJson(JSON.stringify(outageEvent(outage, context.now())))}\n`);
    },
    readInput: (path) => wholeInput(path, context),
    inputChunks: (path) => inputChunks(path, context),
    drawSvg: async (picture) => (await import('../output/chart/svg.ts')).drawSvg(picture, options),
    outbound: ({ insecure }) => outbound(reaching, insecure),
  };
}

/** The only one there is: it shows that its holder called `confirm`. */
const PROOF = {} as Confirmed;

/** True the first time it is asked about something. */
function onceFor(): (what: string) => boolean {
  const seen = new Set<string>();
  return (what) => {
    if (seen.has(what)) return false;
    seen.add(what);
    return true;
  };
}

/** Labels and comments of the service are among the questions and choices. */
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
