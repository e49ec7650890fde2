/**
 * What svc uses on this machine: Node.js, settings, files. Only a credential helper is made to
 * write: it stores a test entry and erases it.
 */
import { accessSync, constants, statSync } from 'node:fs';
import { platform } from 'node:os';
import { version } from 'node:process';
import type { RunContext } from '../../cli/command.ts';
import { type Finding, fail, ok, type Result, warn } from '../../cli/findings.ts';
import { credentialsPath } from '../../store/credentials.ts';
import { SETTING_KEYS, shownValue } from '../../store/setting-keys.ts';
import { webhookSecretsPath } from '../../store/webhook-secrets.ts';
import { fileFindings, fileModes, secretsFault, storeFindings } from '../oauth/checks.ts';

type Local = Pick<RunContext, 'settings' | 'paths'>;

export async function localFindings(ctx: RunContext): Promise<readonly Finding[]> {
  return [
    ...profileFindings(ctx),
    ...valueFindings(ctx),
    ...(await secretFindings(ctx)),
    ...(await storeFindings(ctx)),
    ...folderFindings(ctx),
    { check: 'node', subject: null, ...nodeResult() },
  ];
}

const OLDEST_NODE = [20, 19] as const;

function nodeResult(): Result {
  const [major = 0, minor = 0] = version.slice(1).split('.').map(Number);
  const [least, from] = OLDEST_NODE;
  if (major > least || (major === least && minor >= from)) return ok(`Node.js ${version}`);
  return fail(`Node.js ${version} is older than ${least}.${from}`, 'install a newer Node.js');
}

function profileFindings({ settings }: Local): readonly Finding[] {
  const common = { check: 'settings', subject: null };
  const { failure, profile, warnings } = settings;
  const found: Finding[] = warnings.map(({ text, fix }) => ({ ...common, ...warn(text, fix) }));
  if (failure !== undefined) return [...found, { ...common, ...fail(failure.message, failure.hint) }];
  const from = profile.origin.detail === '' ? '' : ` (from ${profile.origin.detail})`;
  return [...found, { ...common, ...ok(`profile ${profile.name}${from}`) }];
}

/** One for each value that cannot be used. */
function valueFindings({ settings }: Local): readonly Finding[] {
  return SETTING_KEYS.flatMap((setting): Finding[] => {
    const configured = settings.values(setting.key).find((one) => one.origin.kind !== 'flag');
    if (configured?.problem === undefined || configured.value === undefined) return [];
    const { value, origin, problem } = configured;
    const fix = origin.kind === 'env' ? `unset ${origin.detail}` : `svc config set ${setting.key} <value>`;
    const detail = `${origin.detail}: "${shownValue(setting, value)}" ${problem}`;
    return [{ check: 'setting', subject: setting.key, ...fail(detail, fix) }];
  });
}

async function secretFindings({ paths }: Local): Promise<readonly Finding[]> {
  const found: Finding[] = [...fileFindings(fileModes({ paths }), { paths })];
  const files = [
    { check: 'credentials', path: credentialsPath(paths), fix: 'svc oauth login' },
    { check: 'secrets', path: webhookSecretsPath(paths), fix: 'svc webhooks secrets import <id>' },
  ];
  for (const { check, path, fix } of files) {
    const fault = await secretsFault(path);
    if (fault !== undefined) found.push({ check, subject: null, ...fail(fault, fix) });
  }
  return found;
}

function folderFindings({ paths }: Local): readonly Finding[] {
  return (['config', 'state'] as const).flatMap((name): Finding[] => {
    const path = paths[name];
    const common = { check: 'folder', subject: name };
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats === undefined) return [{ ...common, ...ok(`svc creates ${path} when it needs it`) }];
    if (!stats.isDirectory()) return [{ ...common, ...fail(`${path} is not a directory`, `mv ${path} ${path}.old`) }];
    try {
      accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
    } catch {
      return [{ ...common, ...fail(`you cannot write in ${path}`, `chmod u+rwx ${path}`) }];
    }
    // That of the settings is looked at with its files.
    if (name !== 'config' && platform() !== 'win32' && (stats.mode & 0o022) !== 0) {
      return [{ ...common, ...fail(`other users can change the files in ${path}`, `chmod 700 ${path}`) }];
    }
    return [{ ...common, ...ok(path) }];
  });
}
