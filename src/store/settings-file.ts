/** settings.json: its shape, and the plain read that every command does. */
import { isUtf8 } from 'node:buffer';
import { type Stats, statSync } from 'node:fs';
import { platform } from 'node:os';
import { join } from 'node:path';
import type { Paths } from '../context.ts';
import { SvcError } from '../errors.ts';
import { isObject, parseJsonText } from '../json-object.ts';
import { errorCode, fileFailure, readOwnFile } from './own-file.ts';
import { findSetting } from './setting-keys.ts';

/** `{ "profile": "prod", "profiles": { "prod": { "alerts.url": "…" } } }`, and unknown keys. */
export interface SettingsDocument {
  /** The profile in use if neither option nor variable names one. */
  readonly profile?: string;
  readonly profiles?: Readonly<Record<string, ProfileValues>>;
  readonly [unknown: string]: unknown;
}

export type ProfileValues = Readonly<Record<string, unknown>>;

/** Always exists. Profiles inherit nothing: a missing address must not mean another's service. */
export const DEFAULT_PROFILE = 'default';

const LARGEST_BYTES = 1024 * 1024;

export function settingsPath(paths: Paths): string {
  return join(paths.config, 'settings.json');
}

export interface SettingsFile {
  readonly document: SettingsDocument;
  readonly warnings: readonly SettingsWarning[];
}

export interface SettingsWarning {
  readonly text: string;
  /** The command that fixes it. */
  readonly fix: string;
}

/** A missing file counts as empty. An unusable one is an error, and is never overwritten. */
export function readSettingsFile(path: string): SettingsFile {
  const file = readSettingsBytes(path);
  if (file === undefined) return { document: {}, warnings: [] };
  const document = parseSettings(file.bytes, path);
  return { document, warnings: [...warnOfMode(file.stats, path), ...warnOfUnknownKeys(document, path)] };
}

/** Undefined if there is no file. */
export function readSettingsBytes(path: string): { readonly bytes: Uint8Array; readonly stats: Stats } | undefined {
  try {
    const stats = statSync(path);
    if (stats.size > LARGEST_BYTES) throw new SvcError('config_invalid', `${path} is larger than 1 MiB`);
    return { bytes: readOwnFile(path), stats };
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(errorCode(error) ?? '')) return undefined;
    throw fileFailure(`cannot read ${path}`, error, 'make it readable, or set SVC_CONFIG_DIR to another directory');
  }
}

const REPAIR = 'correct it with: svc config edit';

export function parseSettings(bytes: Uint8Array, path: string): SettingsDocument {
  if (!isUtf8(bytes)) throw new SvcError('config_invalid', `${path} is not UTF-8 text`, { hint: REPAIR });
  const json = Buffer.from(bytes)
    .toString('utf8')
    .replace(/^\ufeff/, '');
  let value: unknown;
  try {
    value = parseJsonText(json);
  } catch (error) {
    throw new SvcError('config_invalid', `${path} is not valid JSON`, { hint: REPAIR, cause: error });
  }
  const wrong = findShapeProblem(value);
  if (wrong !== undefined) throw new SvcError('config_invalid', `${path}: ${wrong}`, { hint: REPAIR });
  return value as SettingsDocument;
}

function findShapeProblem(value: unknown): string | undefined {
  if (!isObject(value)) return 'must contain a JSON object';
  const { profile, profiles = {} } = value;
  if (profile !== undefined && typeof profile !== 'string') return '"profile" must be a string';
  if (!isObject(profiles)) return '"profiles" must be an object';
  const wrong = Object.entries(profiles).find(([, values]) => !isObject(values));
  return wrong === undefined ? undefined : `profile ${wrong[0]} must be an object`;
}

export function profileNames({ profiles = {} }: SettingsDocument): string[] {
  return [...new Set([DEFAULT_PROFILE, ...Object.keys(profiles)])];
}

export function profileValues({ profiles = {} }: SettingsDocument, name: string): ProfileValues | undefined {
  if (Object.hasOwn(profiles, name)) return profiles[name];
  return name === DEFAULT_PROFILE ? {} : undefined;
}

function warnOfMode(stats: Stats, path: string): SettingsWarning[] {
  // Windows stores permissions elsewhere and reports every file as writable for all.
  if ((stats.mode & 0o022) === 0 || platform() === 'win32') return [];
  const text = `other users can change ${path} (mode ${(stats.mode & 0o777).toString(8)}); set it to 600`;
  return [{ text, fix: `chmod 600 ${path}` }];
}

function warnOfUnknownKeys(document: SettingsDocument, path: string): SettingsWarning[] {
  const unknown = Object.keys(document).filter((key) => key !== 'profile' && key !== 'profiles');
  for (const [name, values] of Object.entries(document.profiles ?? {})) {
    for (const key of Object.keys(values)) if (findSetting(key) === undefined) unknown.push(`${key} (profile ${name})`);
  }
  if (unknown.length === 0) return [];
  const text = `${path} contains unknown keys, which svc ignores: ${unknown.join(', ')}`;
  return [{ text, fix: 'svc config edit' }];
}
