/**
 * A JSON file with secrets, for its owner alone, in a folder that only the owner changes. It is
 * read, or moved aside if corrupt. No message contains a part of its content.
 */
import {
  closeSync,
  existsSync,
  fchmodSync,
  fstatSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
} from 'node:fs';
import { platform } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { geteuid } from 'node:process';
import { SvcError } from '../errors.ts';
import { isObject, schemaProblem, tryParseJson } from '../json-object.ts';
import { errorCode, fileFailure, openOwnFile } from './own-file.ts';
import { type SecretsDocument, secretsDocument } from './schemas.ts';

interface SecretFile {
  /** Undefined if the file is missing or corrupt. */
  readonly document: SecretsDocument | undefined;
  readonly warnings: readonly string[];
  readonly corrupt: string | undefined;
}

/** More than svc writes. */
const LARGEST = 4 * 1024 * 1024;
/** Windows stores permissions elsewhere. */
const HAS_MODES = platform() !== 'win32';

/** Throws if the file must not be used, or cannot be read. */
export function readSecretFile(path: string): SecretFile {
  const found = readText(path);
  if (found === undefined) return { document: undefined, warnings: [], corrupt: undefined };
  const { text, warnings } = found;
  try {
    return { document: parseDocument(text), warnings, corrupt: undefined };
  } catch (error) {
    if (error instanceof CorruptDocument) return { document: undefined, warnings, corrupt: error.message };
    if (!(error instanceof SvcError)) throw error;
    throw new SvcError(error.code, `${path} cannot be used: ${error.message}`, { hint: error.hint });
  }
}

/** Its message names the field, without its value. */
export class CorruptDocument extends Error {}

/** The content of the file. Throws `CorruptDocument`. */
export function parseDocument(text: string): SecretsDocument {
  const value = tryParseJson(text.replace(/^\ufeff/, ''));
  if (value === undefined) throw new CorruptDocument('it is not JSON');
  const version = isObject(value) ? value['version'] : undefined;
  if (typeof version === 'number' && version > 1) {
    throw new SvcError('file_unusable', `a newer svc wrote it, with version ${version}`, { hint: 'update svc' });
  }
  const outcome = secretsDocument.safeParse(value);
  if (outcome.success) return outcome.data;
  throw new CorruptDocument(schemaProblem(outcome.error.issues, value));
}

/** Undefined if there is no file. Removes the permissions of others. */
function readText(path: string): { readonly text: string; readonly warnings: readonly string[] } | undefined {
  try {
    const file = openOwnFile(path, 'r');
    try {
      const stats = fstatSync(file);
      checkFolder(path);
      const warnings = HAS_MODES ? restrictMode(file, stats, path) : [];
      if (stats.size > LARGEST) throw new SvcError('file_unusable', `${path} is larger than 4 MiB`);
      return { text: readFileSync(file, 'utf8'), warnings };
    } finally {
      closeSync(file);
    }
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(errorCode(error) ?? '')) return undefined;
    throw fileFailure(`cannot read ${path}`, error, 'make it readable, or set SVC_CONFIG_DIR to another directory');
  }
}

function restrictMode(file: number, { uid, mode }: Stats, path: string): string[] {
  const self = geteuid?.();
  // The superuser may read anybody's files, as with sudo.
  if (uid !== self && self !== 0) {
    throw new SvcError('file_unusable', `${path} belongs to another user`, {
      hint: 'set SVC_CONFIG_DIR to your own directory',
    });
  }
  if ((mode & 0o077) === 0) return [];
  const was = `other users could read ${path} (mode ${octal(mode)})`;
  try {
    fchmodSync(file, 0o600);
    return [`${was}; svc set it to 600`];
  } catch {
    return [`${was}: set it to 600`];
  }
}

/** Others who can write to the folder could put their own secrets there. */
export function checkFolder(path: string): void {
  const folder = dirname(path);
  const mode = statSync(folder, { throwIfNoEntry: false })?.mode ?? 0;
  if (!HAS_MODES || (mode & 0o022) === 0) return;
  throw new SvcError(
    'file_unusable',
    `other users can change ${folder} (mode ${octal(mode)}), which contains secrets`,
    { hint: `run: chmod 700 ${folder}; then check that the secrets in it are yours` },
  );
}

function octal(mode: number): string {
  return (mode & 0o777).toString(8);
}

const MOST_SET_ASIDE = 3;

/** Moves a corrupt file aside for a person. Returns a warning. The caller holds the file's lock. */
export function setAside(path: string, corrupt: string, now: number): string {
  const stamp = new Date(now).toISOString().replace(/[-:.]/g, '');
  let aside = `${path}.corrupt-${stamp}`;
  for (let n = 2; existsSync(aside); n++) aside = `${path}.corrupt-${stamp}-${n}`;
  try {
    renameSync(path, aside);
    const all = readdirSync(dirname(path)).filter((name) => name.startsWith(`${basename(path)}.corrupt-`));
    for (const name of all.sort().slice(0, -MOST_SET_ASIDE)) rmSync(join(dirname(path), name), { force: true });
  } catch (error) {
    throw fileFailure(`cannot move ${path} aside`, error);
  }
  return `${path} could not be used: ${corrupt}; svc moved it to ${aside}`;
}
