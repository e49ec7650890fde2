/**
 * What svc uses on this machine: settings, files, secrets. Only a credential helper is made to
 * write: it stores a test entry and erases it.
 */
import { statSync } from 'node:fs';
import { platform } from 'node:os';
import { basename } from 'node:path';
import type { RunContext } from '../../cli/command.ts';
import { type Finding, fail, ok, type Result, warn } from '../../cli/findings.ts';
import { SvcError } from '../../errors.ts';
import { credentialsFile, credentialsPath } from '../../store/credentials.ts';
import { errorCode, fileFailure, readOwnFile } from '../../store/own-file.ts';
import { parseDocument } from '../../store/secret-file.ts';
import { helperPlace } from '../../store/secret-places.ts';
import { chosenPlace, FILE, isSecret, partsOfId, placeOf, SecretStore } from '../../store/secret-store.ts';
import { HELPER_SETTING, SETTING_KEYS, shownValue } from '../../store/setting-keys.ts';
import { settingsPath } from '../../store/settings.ts';
import { webhookSecretsFile, webhookSecretsPath } from '../../store/webhook-secrets.ts';

type Local = Pick<RunContext, 'settings' | 'paths'>;

export async function localFindings(ctx: RunContext): Promise<readonly Finding[]> {
  // Before the files are read, which changes their modes.
  const files = fileFindings(ctx);
  return [
    ...profileFindings(ctx),
    ...valueFindings(ctx),
    ...files,
    ...documentFindings(ctx),
    ...(await storeFindings(ctx)),
  ];
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

/** One for each file that others may read, and for the folder if others may change it. */
function fileFindings({ paths }: Local): readonly Finding[] {
  // Windows stores permissions elsewhere.
  if (platform() === 'win32') return [];
  const found: Finding[] = [];
  for (const path of [paths.config, credentialsPath(paths), webhookSecretsPath(paths), settingsPath(paths)]) {
    const mode = (statSync(path, { throwIfNoEntry: false })?.mode ?? 0) & 0o777;
    const isFolder = path === paths.config;
    if ((mode & (isFolder ? 0o022 : 0o077)) === 0) continue;
    const detail = `other users can ${isFolder ? 'change its files' : 'read it'} (mode ${mode.toString(8)})`;
    const result = fail(detail, `chmod ${isFolder ? 700 : 600} ${path}`);
    found.push({ check: 'files', subject: isFolder ? path : basename(path), ...result });
  }
  if (found.length > 0) return found;
  return [{ check: 'files', subject: null, ...ok(`only you can read the files in ${paths.config}`) }];
}

/** One for each file of secrets that cannot be used. Nothing of it is changed. */
function documentFindings({ paths }: Local): readonly Finding[] {
  const files = [
    { check: 'credentials', path: credentialsPath(paths), fix: 'svc oauth login' },
    { check: 'secrets', path: webhookSecretsPath(paths), fix: 'svc webhooks secrets import <id>' },
  ];
  const found: Finding[] = [];
  for (const { check, path, fix } of files) {
    try {
      parseDocument(readOwnFile(path).toString());
    } catch (error) {
      if (['ENOENT', 'ENOTDIR'].includes(errorCode(error) ?? '')) continue;
      const { message } = errorCode(error) === undefined ? (error as Error) : fileFailure('it cannot be read', error);
      found.push({ check, subject: null, ...fail(`${path} cannot be used: ${message}`, fix) });
    }
  }
  return found;
}

/** By the first part of an id. */
const REMEDIES: Readonly<Record<string, string>> = {
  gateway: 'svc trade login',
  signing: 'svc webhooks secrets import <id>',
};

/** Whether the chosen credential helper works, and whether all secrets are where svc looks. */
async function storeFindings(ctx: RunContext): Promise<readonly Finding[]> {
  const chosen = chosenPlace(ctx);
  const found: Result[] = chosen === FILE ? [] : [await checkHelper(chosen, ctx)];
  const remedies = new Map<string, string>();
  for (const file of [credentialsFile(ctx.paths), webhookSecretsFile(ctx.paths)]) {
    for (const [id, entry] of readEntries(new SecretStore(file, ctx))) {
      const [kind = ''] = partsOfId(id);
      const place = placeOf(entry);
      if (isSecret(entry) && place !== chosen && !remedies.has(place)) {
        remedies.set(place, REMEDIES[kind] ?? 'svc oauth login');
      }
    }
  }
  for (const [place, fix] of remedies) {
    const where = place === FILE ? 'files' : `the credential helper ${place}`;
    found.push(fail(`secrets are in ${where}, where svc does not look: ${HELPER_SETTING} is ${chosen}`, fix));
  }
  return found.map((result) => ({ check: 'store', subject: null, ...result }));
}

async function checkHelper(name: string, ctx: RunContext): Promise<Result> {
  try {
    await helperPlace(name, ctx).check();
    return ok(`the credential helper ${name} stores, reads and erases`);
  } catch (error) {
    if (!(error instanceof SvcError) || ctx.signal.aborted) throw error;
    const detail = `${error.message}${error.hint === undefined ? '' : ` (${error.hint})`}`;
    return fail(detail, `svc config set ${HELPER_SETTING} <name>`);
  }
}

/** A file that cannot be used is a finding of its own. */
function readEntries(store: SecretStore): ReturnType<SecretStore['entries']> {
  try {
    return store.entries();
  } catch (error) {
    if (error instanceof SvcError) return new Map();
    throw error;
  }
}
