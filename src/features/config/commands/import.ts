import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { listCommand, type RunContext } from '../../../cli/command.ts';
import { SvcError } from '../../../errors.ts';
import { fileFailure } from '../../../store/own-file.ts';
import { problemWithStored, requireSetting } from '../../../store/setting-keys.ts';
import { CREDENTIAL_SETTINGS, profileValues, readSettingsFile, settingsPath } from '../../../store/settings.ts';
import { changeSettings } from '../../../store/settings-editor.ts';
import type { AmtoolValue } from '../amtool.ts';
import { checkProfileName, withValues } from '../settings.ts';

interface ImportedValue {
  /** The key in amtool's file. */
  readonly from: string;
  /** Null if it was left out. */
  readonly key: string | null;
  readonly value: string | null;
  /** Why it was left out. */
  readonly note: string | null;
}

export const configImport = listCommand({
  id: 'config import',
  summary: 'Import the configuration of another tool into a profile',
  description:
    "Reads amtool's configuration and its HTTP client file, and sets the profile in use or --profile, which is created if it does not exist. Asks before it replaces a value. Lists what it left out, and why. Secrets in amtool's files are left out: settings name files with secrets.",
  details:
    'Without a file, svc reads those that amtool reads: ~/.config/amtool/config.yml and /etc/amtool/config.yml, and on Debian ~/.config/prometheus/amtool.yml and /etc/prometheus/amtool.yml. A value in the first file precedes those in the others. Of http.config.file, svc imports the files of basic authentication, bearer tokens and TLS, and the proxy. JSON: from, key, value, note.',
  effect: 'write',
  repairsSettings: true,
  args: {
    tool: { help: 'Tool whose configuration to import', required: true, choices: ['amtool'] },
    file: { help: 'Its configuration file (default: where the tool finds it)', complete: 'files' },
  },
  examples: [
    { run: 'svc config import amtool --profile prod --dry-run', why: 'See what would be imported' },
    { run: 'svc config import amtool /etc/amtool/config.yml', why: 'Import one file into the profile in use' },
  ],
  output: {
    kind: 'list',
    columns: [
      { name: 'from', cell: (row: ImportedValue) => row.from },
      {
        name: 'result',
        cell: ({ key, value, note }) =>
          key === null ? { text: `left out: ${note}`, tone: 'warn' } : `${key} = ${value}`,
        shrinks: true,
      },
    ],
    id: ({ from }) => from,
  },
  run: async ({ file }, ctx) => {
    const { name } = ctx.settings.profile;
    checkProfileName(name);
    const { amtoolValues } = await import('../amtool.ts');
    const paths = file === undefined ? defaultPaths(ctx) : [resolve(file)];
    const value = amtoolValues(paths, (path) => read(path, ctx)).map(toRow);
    const set = Object.fromEntries(value.flatMap(({ key, value }) => (key === null ? [] : [[key, value ?? '']])));
    const changes = { ...otherCredentials(set), ...set };
    const before = profileValues(readSettingsFile(settingsPath(ctx.paths)).document, name) ?? {};
    const replaced = Object.keys(changes).filter((key) => before[key] !== undefined && before[key] !== changes[key]);
    if (replaced.length > 0) await ctx.confirm(`Replace ${replaced.join(', ')} of profile ${name}?`);
    if (ctx.dryRun) return { value, footer: 'nothing was changed' };
    await changeSettings(ctx.paths, ctx, (document) => withValues(document, name, changes));
    return { value, footer: `imported into profile ${name}; try it: svc alerts status --profile ${name}` };
  },
});

/** A value that svc would refuse in settings.json is left out, and not shown. */
function toRow({ from, setting }: AmtoolValue): ImportedValue {
  if (typeof setting === 'string') return { from, key: null, value: null, note: setting };
  const { key, value } = setting;
  const problem = problemWithStored(requireSetting(key), value);
  if (problem === undefined) return { from, key, value, note: null };
  return { from, key: null, value: null, note: `${key} ${problem}` };
}

/** Those that exist, in the order of their precedence. */
function defaultPaths({ env }: RunContext): readonly string[] {
  const home = env['HOME'] || env['USERPROFILE'] || '/';
  const user = join(home, '.config');
  const all = [
    join(user, 'amtool/config.yml'),
    join(user, 'prometheus/amtool.yml'),
    '/etc/amtool/config.yml',
    '/etc/prometheus/amtool.yml',
  ];
  const found = all.filter((path) => existsSync(path));
  if (found.length > 0) return found;
  throw new SvcError('file_unusable', `amtool has no configuration here: none of ${all.join(', ')} exists`, {
    hint: 'name the file: svc config import amtool <file>',
  });
}

function read(path: string, ctx: RunContext): string {
  try {
    return ctx.readFile(path).toString();
  } catch (error) {
    throw fileFailure(`cannot read ${path}`, error);
  }
}

/** The profile's other credentials for the service, which an imported one replaces. */
function otherCredentials(set: Readonly<Record<string, string>>): Readonly<Record<string, undefined>> {
  const keys = CREDENTIAL_SETTINGS.map((name) => `alerts.${name}`);
  const [imported, another] = keys.filter((key) => key in set);
  if (another !== undefined) {
    throw new SvcError('config_invalid', `two credentials: ${imported} and ${another} would both be set`, {
      hint: 'amtool refuses this, too: remove one of them',
    });
  }
  if (imported === undefined) return {};
  return Object.fromEntries(keys.filter((key) => key !== imported).map((key) => [key, undefined]));
}
