/** What the global options mean: for the settings, and for the output. */
import type { Context } from '../context.ts';
import { SvcError } from '../errors.ts';
import { canvasOf, colorLevel } from '../output/terminal.ts';
import type { Format, OutputOptions } from '../output/types.ts';
import { requireSetting } from '../store/setting-values.ts';
import type { Settings } from '../store/settings.ts';
import type { Command } from './command.ts';
import { splitList } from './flags.ts';

/** The values of the global options, under the names that `parseInput` gives them. */
export interface GlobalInput {
  readonly output?: Format;
  readonly json: boolean;
  readonly fields?: string;
  readonly query?: string;
  readonly columns?: string;
  readonly headers: boolean;
  readonly sort: readonly string[];
  readonly time?: OutputOptions['time'];
  readonly quiet: boolean;
  readonly verbose: boolean;
  readonly debug: boolean;
  readonly color?: 'auto' | 'always' | 'never';
  readonly input: boolean;
  readonly profile?: string;
  readonly baseUrl?: string;
  readonly timeout?: number;
  readonly header?: readonly string[];
  readonly headerFile?: readonly string[];
  readonly cacert?: string;
  readonly cert?: string;
  readonly key?: string;
  readonly insecure?: boolean;
  readonly dryRun?: string | true;
  readonly yes?: boolean;
  readonly limit?: number | string;
}

/** The settings that options stand for: they win over all others. */
export function settingFlags(
  { defaultFormat }: Command,
  service: Command['service'],
  globals: GlobalInput,
): Readonly<Record<string, string>> {
  const flags: Record<string, string> = {};
  const format = globals.json ? 'json' : (globals.output ?? (globals.quiet ? undefined : defaultFormat));
  if (format !== undefined) flags['output'] = format;
  if (globals.color !== undefined) flags['color'] = globals.color;
  if (service === undefined) return flags;
  if (globals.baseUrl !== undefined) flags[`${service}.url`] = globals.baseUrl;
  if (globals.timeout !== undefined) flags['timeout'] = `${globals.timeout}ms`;
  for (const name of ['cacert', 'cert', 'key'] as const) {
    const path = globals[name];
    if (path !== undefined) flags[name] = path;
  }
  return flags;
}

/** `lenient`: what is configured and cannot be used counts as not configured. */
export function outputOptions(
  globals: GlobalInput,
  settings: Settings,
  context: Context,
  lenient: boolean,
): OutputOptions {
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
    // Of an order it is a price.
    limit: typeof globals.limit === 'number' ? globals.limit : undefined,
    time: globals.time ?? (stdout.isTTY ? 'relative' : 'utc'),
    color: colorLevel({ flag: usable('color') as 'auto' | 'always' | 'never', env: context.env, stream: stdout }),
    width: stdout.isTTY && format === 'table' ? (stdout.columns ?? 80) : undefined,
    ...canvasOf({ env: context.env, stream: stdout }),
    now: context.now(),
  };
}
