/** Where the commands take a configuration from: the running server, or a file. */
import type { RunContext } from '../../../cli/command.ts';
import { FILE, type Flags } from '../../../cli/flags.ts';
import { SvcError } from '../../../errors.ts';
import { checkYaml, type Problem, readYaml } from '../../../store/yaml.ts';
import { type Alertmanager, originalConfig } from '../api.ts';
import type { RoutingConfig } from './config.ts';

export const CONFIG_FILE = {
  'config-file': { ...FILE, help: 'Use this file instead of the running configuration' },
} as const satisfies Flags;

export async function readConfig(
  configFile: string | undefined,
  open: () => Pick<Alertmanager, 'status'>,
  ctx: Pick<RunContext, 'readInput'>,
): Promise<RoutingConfig> {
  if (configFile === undefined) {
    const [{ readPrinted }, status] = await Promise.all([import('./printed.ts'), open().status()]);
    const original = originalConfig(status);
    const version = status.versionInfo?.version ?? '';
    const printed = await readPrinted(original, version);
    if (printed !== undefined) return printed;
    const read = await readRoutingConfig(original, version);
    if ('config' in read) return read.config;
    throw new SvcError('bad_answer', `svc cannot read the running configuration: ${problemText(read.problems)}`, {
      hint: 'svc alerts status --config prints it',
    });
  }
  const read = await readRoutingConfig(await readUtf8(configFile, ctx));
  if ('config' in read) return read.config;
  throw new SvcError('invalid_value', `${configFile}:${problemText(read.problems)}`, {
    hint: 'svc alerts config check lists everything that is wrong with a file',
  });
}

/** zod loads with the first configuration, not with the commands. */
export async function readRoutingConfig(...args: Parameters<typeof import('./config.ts').readRoutingConfig>) {
  return (await import('./config.ts')).readRoutingConfig(...args);
}

export async function readUtf8(path: string, ctx: Pick<RunContext, 'readInput'>): Promise<string> {
  return Buffer.from(await ctx.readInput(path)).toString();
}

/** A YAML file of another kind. */
export async function readYamlFile<T>(
  path: string,
  schema: Parameters<typeof checkYaml<T>>[1],
  ctx: Pick<RunContext, 'readInput'>,
): Promise<T> {
  const checked = checkYaml(await readYaml(await readUtf8(path, ctx)), schema);
  if ('data' in checked) return checked.data;
  throw new SvcError('invalid_value', `${path}:${problemText(checked.problems)}`);
}

/** `12:5: no receiver is named pager` */
function problemText([first, ...others]: readonly Problem[]): string {
  const more = others.length === 0 ? '' : ` (and ${others.length} more)`;
  return first === undefined ? '' : `${first.line}:${first.column}: ${first.message}${more}`;
}
