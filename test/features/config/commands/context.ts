import type { RunContext } from '../../../../src/cli/command.ts';
import type { Context } from '../../../../src/context.ts';
import { loadSettings, type SettingsSources } from '../../../../src/store/settings.ts';
import { lockContext } from '../../../support/folder.ts';

/** What the engine gives the `config` commands. */
export async function runContext(
  paths: Context['paths'],
  { interactive = false, ...sources }: Partial<SettingsSources> & { interactive?: boolean } = {},
): Promise<RunContext> {
  const env = { PATH: process.env['PATH'], ...sources.env };
  const settings = await loadSettings({ ...sources, paths, env, lenient: true });
  const context = { ...lockContext, processName: undefined, paths, env, settings, interactive };
  // The rest belongs to commands that talk to a service or read input, and reading it here is a failure of the test.
  return new Proxy(context as unknown as RunContext, {
    get(target, name) {
      if (name in target || name === 'then') return target[name as keyof RunContext];
      throw new Error(`a config command reads ctx.${String(name)}`);
    },
  });
}
