import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { listCommand, type RunContext } from '../../../cli/command.ts';
import { SvcError } from '../../../errors.ts';
import type { Cell } from '../../../output/types.ts';
import { fileFailure, makeFolder, writeAtomic } from '../../../store/own-file.ts';
import { problemWithStored, requireSetting, shownValue } from '../../../store/setting-keys.ts';
import {
  credentialKeys,
  profileValues,
  readSettingsFile,
  type SettingsDocument,
  settingsPath,
} from '../../../store/settings.ts';
import { changeSettings } from '../../../store/settings-editor.ts';
import type { AmtoolValue } from '../amtool.ts';
import { checkProfileName, withValues } from '../settings.ts';

interface ImportedValue {
  /** The key in amtool's file. */
  readonly from: string;
  /** Null if it was left out. */
  readonly key: string | null;
  readonly value: string | null;
  /** Why it was left out, or where a secret went. */
  readonly note: string | null;
}

export const configImport = listCommand({
  id: 'config import',
  summary: 'Import the configuration of another tool into a profile',
  description:
    "Reads amtool's configuration and its HTTP client file, and sets the profile in use or --profile, which is created if it does not exist. Asks before it replaces a value. Lists what it left out, and why. Secrets in amtool's files go to files that only you can read, never into settings.json.",
  details:
    'Without a file, svc reads those that amtool reads: ~/.config/amtool/config.yml and /etc/amtool/config.yml, and on Debian ~/.config/prometheus/amtool.yml and /etc/prometheus/amtool.yml. A value in the first file precedes those in the others. Of http.config.file, svc imports basic authentication, bearer tokens, TLS files and the proxy. Files that it names stay where they are. JSON: from, key, value, note.',
  effect: 'write',
  repairsSettings: true,
  args: {
    tool: { help: 'Tool whose configuration to import', required: true, choices: ['amtool'] },
    file: { help: 'Its configuration file, or - (default: where the tool finds it)', complete: 'files' },
  },
  exits: ['guarded'],
  examples: [
    { run: 'svc config import amtool --profile prod --dry-run', why: 'See what would be imported' },
    { run: 'svc config import amtool /etc/amtool/config.yml', why: 'Import one file into the profile in use' },
  ],
  output: {
    kind: 'list',
    columns: [
      { name: 'from', cell: (row: ImportedValue) => row.from },
      { name: 'result', cell: resultCell, shrinks: true },
      { name: 'note', cell: ({ note }) => note ?? undefined, wide: true },
    ],
    id: ({ from }) => from,
  },
  run: async ({ file }, ctx) => {
    const { name } = ctx.settings.profile;
    checkProfileName(name);
    const { amtoolValues } = await import('../amtool.ts');
    const piped = file === '-' ? Buffer.from(await ctx.readInput('-')).toString() : undefined;
    const onDisk = file === undefined ? defaultPaths(ctx) : [resolve(file)];
    const paths = piped === undefined ? onDisk : [STDIN];
    const found = amtoolValues(paths, {
      exists: existsSync,
      read: (path) => (path === STDIN ? (piped ?? '') : read(path, ctx)),
    });
    const planned = found.map((value) => plan(value, resolve(ctx.paths.config, 'secrets', `${name}.${value.key}`)));
    const set = Object.fromEntries(planned.flatMap(({ row: { key }, text }) => (key === null ? [] : [[key, text]])));
    const changes = { ...otherCredentials(set), ...set };
    const value = planned.map(({ row }) => row);
    const replaced = otherValues(readSettingsFile(settingsPath(ctx.paths)).document, name, changes);
    if (replaced.length > 0) await ctx.confirm(`Replace ${replaced.join(', ')} of profile ${name}?`);
    if (ctx.dryRun) return { value, footer: 'nothing was changed' };
    await changeSettings(ctx.paths, ctx, (document) => {
      if (otherValues(document, name, changes).some((key) => !replaced.includes(key))) {
        throw new SvcError('guarded', `another process changed profile ${name} in the meantime`, {
          hint: `see: svc config list --profile ${name}`,
        });
      }
      for (const { secret, path } of planned) if (secret !== undefined) writeSecret(path, secret);
      return withValues(document, name, changes);
    });
    return { value, footer: `imported into profile ${name}; try it: svc alerts status --profile ${name}` };
  },
});

function resultCell({ key, value, note }: ImportedValue): Cell {
  return key === null ? { text: `left out: ${note}`, tone: 'warn' } : `${key} = ${value}`;
}

/** Stands for a path. */
const STDIN = 'standard input';

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

interface Planned {
  readonly row: ImportedValue;
  readonly text: string;
  readonly secret?: string | undefined;
  readonly path: string;
}

/** A value that svc would refuse in settings.json is left out. */
function plan({ from, key, value, secret, note }: AmtoolValue, path: string): Planned {
  const left = (why: string): Planned => ({ row: { from, key: null, value: null, note: why }, text: '', path });
  if (key === undefined || value === undefined) return left(note ?? '');
  const setting = requireSetting(key);
  const text = value(path);
  const problem = secret?.trim() === '' ? 'is empty' : problemWithStored(setting, text);
  if (problem !== undefined) return left(`${key} ${problem}`);
  const stored = secret === undefined ? (note ?? null) : 'the secret goes to a file of its own';
  return { row: { from, key, value: shownValue(setting, text), note: stored }, text, secret, path };
}

/** The profile's other credentials for the service, which an imported one replaces. */
function otherCredentials(set: Readonly<Record<string, string>>): Readonly<Record<string, undefined>> {
  const keys = credentialKeys('alerts');
  const [imported, another] = keys.filter((key) => key in set);
  if (another !== undefined) {
    throw new SvcError('config_invalid', `two credentials: ${imported} and ${another} would both be set`, {
      hint: 'amtool refuses this, too: remove one of them',
    });
  }
  if (imported === undefined) return {};
  return Object.fromEntries(keys.filter((key) => key !== imported).map((key) => [key, undefined]));
}

/** The keys for which the profile has other values. */
function otherValues(
  document: SettingsDocument,
  profile: string,
  changes: Readonly<Record<string, string | undefined>>,
): readonly string[] {
  const values = profileValues(document, profile) ?? {};
  return Object.keys(changes).filter((key) => values[key] !== undefined && values[key] !== changes[key]);
}

function writeSecret(path: string, secret: string): void {
  try {
    makeFolder(dirname(path));
  } catch (error) {
    throw fileFailure(`cannot create ${dirname(path)}`, error);
  }
  writeAtomic(path, secret);
}
