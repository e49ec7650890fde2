/** Where the commands take a configuration from: the running server, or a file. */
import type { RunContext } from '../../../cli/command.ts';
import { FILE, type Flags } from '../../../cli/flags.ts';
import { SvcError } from '../../../errors.ts';
import { type Alertmanager, originalConfig } from '../api.ts';
import { decodeText } from '../file.ts';
import type { CheckedConfig, RoutingConfig } from './config.ts';
import type { Problem } from './yaml.ts';

export const CONFIG_FILE = {
  'config-file': { ...FILE, aliases: ['config.file'], help: 'Use this file instead of the running configuration' },
} as const satisfies Flags;

type Input = Pick<RunContext, 'readInput' | 'notice'>;
type Server = Pick<Alertmanager, 'status'>;

interface Source {
  readonly name: string;
  readonly text: string;
  /** Of the server that runs it. */
  readonly version?: string;
}

/** Warns about fields that svc does not know, because they may decide about an alert. */
export async function readConfig(from: string | Server, ctx: Input): Promise<RoutingConfig> {
  const source = await readSource(from, ctx);
  const read = await readRoutingConfig(source.text, source.version);
  warn(source, [...read.unknown, ...read.ignored], ctx);
  return validConfig(source, read);
}

async function readSource(from: string | Server, ctx: Input): Promise<Source> {
  if (typeof from === 'string') return readConfigFile(from, ctx);
  const status = await from.status();
  const version = status.versionInfo?.version ?? '';
  return { name: 'the running configuration', text: originalConfig(status), version };
}

const MOST_NAMED = 5;

function warn({ name }: Source, problems: readonly Problem[], { notice }: Input): void {
  for (const problem of problems.slice(0, MOST_NAMED)) notice(`warning: ${name}:${problemText([problem])}`);
  const more = problems.length - MOST_NAMED;
  if (more > 0) notice(`and ${more} more warnings; svc alerts config check lists all of a file`);
}

function validConfig({ name, version }: Source, { config, problems = [] }: CheckedConfig): RoutingConfig {
  if (config !== undefined) return config;
  const message = `${name}:${problemText(problems)}`;
  if (version === undefined) {
    const hint = 'svc alerts config check lists everything that is wrong with a file';
    throw new SvcError('invalid_value', message, { hint });
  }
  throw new SvcError('wrong_shape', `svc cannot read ${message}`, { hint: 'svc alerts status --config prints it' });
}

/** zod loads with the first configuration, not with the commands. */
export async function readRoutingConfig(text: string, version?: string): Promise<CheckedConfig> {
  return (await import('./config.ts')).readRoutingConfig(text, version);
}

export async function readConfigFile(path: string, ctx: Input): Promise<Source> {
  const text = decodeText(await ctx.readInput(path), path);
  if (/^\s*\{?\s*["']?apiVersion["']?\s*:/m.test(text)) {
    throw new SvcError('invalid_value', `${path} is a Kubernetes object, not a configuration of an Alertmanager`, {
      hint: "take it out: kubectl get secret NAME -o jsonpath='{.data.alertmanager\\.yaml}' | base64 -d",
    });
  }
  return { name: path, text };
}

/** `12:5: no receiver is named pager` */
function problemText([first, ...others]: readonly Problem[]): string {
  const more = others.length === 0 ? '' : ` (and ${others.length} more)`;
  return first === undefined ? '' : `${first.line}:${first.column}: ${first.message}${more}`;
}
