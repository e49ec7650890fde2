/** webhook-secrets.json: the signing secrets of endpoints, and the plain reading of them. */
import { isUtf8 } from 'node:buffer';
import { closeSync, fchmodSync, fstatSync, readFileSync, type Stats, statSync } from 'node:fs';
import { platform } from 'node:os';
import { dirname, join } from 'node:path';
// biome-ignore lint/style/noRestrictedImports: whose a file may be is a fact of the machine, and of no context
import { geteuid } from 'node:process';
import type { Paths } from '../context.ts';
import { SvcError } from '../errors.ts';
import { isObject, parseJsonText } from '../json-object.ts';
import { errorCode, fileFailure } from './file-failure.ts';
import { jsonFault } from './json-fault.ts';
import { openOwnFile } from './own-file.ts';

export interface StoredSecret {
  /** Origin and path of the service, null where no address was configured. */
  readonly base_url: string | null;
  readonly endpoint_id: string;
  readonly secret: string;
  /** RFC 3339 in UTC. */
  readonly stored_at: string;
}

/** Whatever else somebody wrote into it is kept. */
export interface SecretsDocument {
  readonly version: 1;
  readonly secrets: readonly StoredSecret[];
  readonly [unknown: string]: unknown;
}

/** The file holds what is no list of secrets. Its content is never part of a message. */
export class BrokenSecretsFile extends SvcError {}

export interface SecretsFile {
  readonly document: SecretsDocument;
  readonly warnings: readonly string[];
}

const LARGEST = 1024 * 1024;

export function webhookSecretsPath(paths: Paths): string {
  return join(paths.config, 'webhook-secrets.json');
}

/** A missing file is an empty one. What others may read is closed to them first; what others may change is refused. */
export function readWebhookSecrets(path: string): SecretsFile {
  let file: number;
  try {
    file = openOwnFile(path, 'r');
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(errorCode(error) ?? ''))
      return { document: { version: 1, secrets: [] }, warnings: [] };
    throw fileFailure(`cannot read ${path}`, error);
  }
  try {
    const stats = fstatSync(file);
    if (stats.size > LARGEST) throw new SvcError('file_unusable', `${path} is larger than 1 MiB`);
    const warnings = platform() === 'win32' ? [] : secured(file, stats, path);
    return { document: parseWebhookSecrets(readFileSync(file), path), warnings };
  } catch (error) {
    throw fileFailure(`cannot read ${path}`, error);
  } finally {
    closeSync(file);
  }
}

/** Windows keeps its rights elsewhere, and does not get here. */
function secured(file: number, stats: Stats, path: string): string[] {
  const uid = geteuid?.();
  // The superuser may read anybody's, as with sudo.
  if (stats.uid !== uid && uid !== 0) {
    throw new SvcError('file_unusable', `${path} belongs to another user, and may hold their secrets for yours`);
  }
  const folder = dirname(path);
  const { mode } = statSync(folder);
  if ((mode & 0o022) !== 0) {
    throw new SvcError('file_unusable', `other users may change ${folder} (mode ${octal(mode)})`, {
      hint: 'set it to 700, and look whether the secrets in it are yours',
    });
  }
  if ((stats.mode & 0o077) === 0) return [];
  fchmodSync(file, 0o600);
  return [`other users could read ${path} (mode ${octal(stats.mode)}): it is 600 now`];
}

function octal(mode: number): string {
  return (mode & 0o777).toString(8);
}

function parseWebhookSecrets(bytes: Uint8Array, path: string): SecretsDocument {
  const broken = (why: string): SvcError =>
    new BrokenSecretsFile('file_unusable', `${path} ${why}`, {
      hint: 'restore it, or import the secrets again: the file is set aside then, not overwritten',
    });
  if (!isUtf8(bytes)) throw broken('is not UTF-8 text');
  const json = Buffer.from(bytes).toString('utf8');
  let value: unknown;
  try {
    value = parseJsonText(json);
  } catch {
    // The message of JSON.parse repeats a part of the text.
    const { line, column } = jsonFault(json) ?? { line: 1, column: 1 };
    throw broken(`is not valid JSON at line ${line}, column ${column}`);
  }
  if (!isObject(value)) throw broken('must hold a JSON object');
  if (typeof value['version'] === 'number' && value['version'] !== 1) {
    throw new SvcError('file_unusable', `${path} was written by another version of svc: version ${value['version']}`);
  }
  const secrets = value['secrets'];
  if (value['version'] !== 1 || !Array.isArray(secrets)) throw broken('holds no list of secrets');
  const wrong = secrets.findIndex((entry) => !isStored(entry));
  if (wrong >= 0) throw broken(`holds no secret at place ${wrong + 1} of its list`);
  return value as unknown as SecretsDocument;
}

function isStored(value: unknown): value is StoredSecret {
  if (!isObject(value)) return false;
  const { base_url, endpoint_id, secret, stored_at } = value as Partial<Record<keyof StoredSecret, unknown>>;
  return (
    (base_url === null || typeof base_url === 'string') &&
    typeof endpoint_id === 'string' &&
    typeof secret === 'string' &&
    typeof stored_at === 'string'
  );
}
