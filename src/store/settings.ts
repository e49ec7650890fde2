/** The settings of one run, their values and origins, and settings.json as every command reads it. */
import { isUtf8 } from 'node:buffer';
import { type Stats, statSync } from 'node:fs';
import { platform } from 'node:os';
import { join } from 'node:path';
import type { Context, Paths } from '../context.ts';
import { SvcError } from '../errors.ts';
import { isObject, parseJsonText } from '../json-object.ts';
import { errorCode, fileFailure, readOwnFile } from './own-file.ts';
import { findSetting, HELPER_SETTING, problemWith, type Setting, shownValue, storedValue } from './setting-keys.ts';

export interface Origin {
  readonly kind: 'flag' | 'env' | 'profile' | 'default' | 'unset';
  /** The option, the variable, or the file; empty for a default. */
  readonly detail: string;
}

interface ResolvedSetting {
  readonly value: string | undefined;
  readonly origin: Origin;
  /** What is wrong with the value, as the end of a sentence that begins with its name. */
  readonly problem: string | undefined;
}

export interface SettingsSources {
  readonly paths: Paths;
  readonly env: Context['env'];
  readonly profileFlag?: string | undefined;
  /** Key → the value of the option that sets it. */
  readonly flags?: Readonly<Record<string, string>>;
  /** For commands that repair settings: an unknown profile or an invalid file is a `failure`. */
  readonly lenient?: boolean;
}

/** The settings of a service that can provide its credential. A profile has one of them at most. */
export const CREDENTIAL_SETTINGS = ['tokenFile', 'tokenCommand', 'passwordFile'];

/** Those of them that are set. */
export function credentialSettings(service: string, settings: Settings): readonly string[] {
  const found: string[] = [];
  for (const name of CREDENTIAL_SETTINGS) {
    const key = `${service}.${name}`;
    if (settings.values(key).length > 0) found.push(key);
  }
  return found;
}

/** The origin of the effective address among those of these kinds. */
export function originOf(key: string, settings: Settings, ...kinds: readonly Origin['kind'][]): string | undefined {
  const address = settings.get(key, kinds);
  return address === undefined ? undefined : new URL(address).origin;
}

/** The other origin in an address variable that an explicit `--profile` overrides. */
export function overriddenOrigin(key: string, settings: Settings): string | undefined {
  const [address, ...others] = settings.values(key).filter(({ origin }) => origin.kind !== 'flag');
  const variable = others.find(({ origin }) => origin.kind === 'env')?.value;
  if (address?.value === undefined || variable === undefined || !URL.canParse(variable)) return undefined;
  const { origin } = new URL(variable);
  return URL.canParse(address.value) && new URL(address.value).origin === origin ? undefined : origin;
}

export async function loadSettings(sources: SettingsSources): Promise<Settings> {
  const { paths, env, flags = {}, lenient = false } = sources;
  const path = settingsPath(paths);
  let file: SettingsFile = { document: {}, warnings: [] };
  let failure: SvcError | undefined;
  try {
    file = readSettingsFile(path);
  } catch (error) {
    if (!lenient || !(error instanceof SvcError)) throw error;
    failure = error;
  }
  const profile = selectProfile(sources, file, path);
  const values = profileValues(file.document, profile.name);
  if (values === undefined) failure ??= unknownProfile(profile, file);
  if (failure !== undefined && !lenient) throw failure;
  const shared = profileValues(file.document, DEFAULT_PROFILE) ?? {};
  const { warnings } = file;
  return new Settings({ flags, env, stored: values ?? {}, shared, profile, path, warnings, failure });
}

function selectProfile({ env, profileFlag }: SettingsSources, file: SettingsFile, path: string): Settings['profile'] {
  if (profileFlag !== undefined) return { name: profileFlag, origin: { kind: 'flag', detail: '--profile' } };
  const named = env['SVC_PROFILE'];
  if (named) return { name: named, origin: { kind: 'env', detail: 'SVC_PROFILE' } };
  const { profile } = file.document;
  if (profile !== undefined) return { name: profile, origin: { kind: 'profile', detail: path } };
  return { name: DEFAULT_PROFILE, origin: { kind: 'default', detail: '' } };
}

function unknownProfile({ name, origin }: Settings['profile'], file: SettingsFile): SvcError {
  return new SvcError('config_invalid', `${origin.detail}: there is no profile "${name}"`, {
    hint: `use one of ${profileNames(file.document).join(', ')}; "svc config set" with --profile creates one`,
  });
}

interface Loaded {
  readonly flags: Readonly<Record<string, string>>;
  readonly env: Context['env'];
  readonly stored: ProfileValues;
  /** The default profile, whose store serves all profiles that name none: they share the files. */
  readonly shared: ProfileValues;
  readonly profile: { readonly name: string; readonly origin: Origin };
  readonly path: string;
  readonly warnings: readonly SettingsWarning[];
  readonly failure: SvcError | undefined;
}

export class Settings {
  readonly #loaded: Loaded;
  readonly profile: Loaded['profile'];
  readonly warnings: readonly SettingsWarning[];
  /** With `lenient`, the error that would have been thrown: then no profile applies. */
  readonly failure: SvcError | undefined;

  constructor(loaded: Loaded) {
    this.#loaded = loaded;
    this.profile = loaded.profile;
    this.warnings = loaded.warnings;
    this.failure = loaded.failure;
  }

  /** The effective value, or the first of these kinds. Throws if it is invalid. */
  get(key: string, kinds?: readonly Origin['kind'][]): string | undefined {
    const values = this.values(key);
    const found = kinds === undefined ? values[0] : values.find(({ origin }) => kinds.includes(origin.kind));
    if (found?.value !== undefined && found.problem !== undefined) throw invalidValue(key, found);
    return found?.value;
  }

  resolve(key: string): ResolvedSetting {
    return this.values(key)[0] ?? UNSET;
  }

  /** All values that it has, in order of precedence: option, environment, profile, default. */
  values(key: string): readonly ResolvedSetting[] {
    const setting = findSetting(key);
    if (setting === undefined) return [];
    const { flags, env, profile } = this.#loaded;
    const values: ResolvedSetting[] = [];
    const option = Object.hasOwn(flags, key) ? flags[key] : undefined;
    if (option !== undefined) values.push(givenValue(setting, option, 'flag', setting.flag));
    // `--profile` is an option: its addresses, users and account override the variables.
    const isOfServer = setting.type === 'url' || key.endsWith('.user') || key === 'trade.account';
    const isProfileFirst = isOfServer && profile.origin.kind === 'flag';
    const stored = storedIn(this.#loaded, setting);
    if (isProfileFirst) values.push(...stored);
    // An empty variable counts as unset, and an account is of the gateway that the variables name.
    const variable = env[setting.env ?? ''];
    if (variable && !(isProfileFirst && this.#isForeignAccount(key)))
      values.push(givenValue(setting, variable, 'env', setting.env));
    if (!isProfileFirst) values.push(...stored);
    if (setting.default !== undefined) values.push({ value: setting.default, origin: DEFAULT, problem: undefined });
    return values;
  }

  /** One for each member of an HA cluster (`alerts.urls`), with its address; otherwise itself. */
  members(key: string): readonly Settings[] {
    const { stored, profile } = this.#loaded;
    const urls = this.get(`${key}s`)?.split(',');
    if (urls === undefined || this.resolve(key).origin.kind !== 'profile') return [this];
    if (Object.hasOwn(stored, key)) {
      throw new SvcError('config_invalid', `profile ${profile.name} has both ${key} and ${key}s`, {
        hint: `svc config unset ${key} --profile ${profile.name}`,
      });
    }
    return urls.map((url) => new Settings({ ...this.#loaded, stored: { ...stored, [key]: url } }));
  }

  /** Whether the account of the environment belongs to another gateway than that of the profile. */
  #isForeignAccount(key: string): boolean {
    return key === 'trade.account' && overriddenOrigin('trade.url', this) !== undefined;
  }
}

function givenValue(setting: Setting, value: string, kind: Origin['kind'], detail = ''): ResolvedSetting {
  return { value, origin: { kind, detail }, problem: problemWith(setting, value) };
}

/** The value in the profile, if it has one. */
function storedIn({ stored, shared, path, profile }: Loaded, setting: Setting): readonly ResolvedSetting[] {
  const isOwn = Object.hasOwn(stored, setting.key) || setting.key !== HELPER_SETTING;
  const given = (isOwn ? stored : shared)[setting.key];
  // Of an HA cluster, the first member.
  const several = setting.type === 'url' ? stored[`${setting.key}s`] : undefined;
  const value = given ?? (typeof several === 'string' ? several.split(',')[0] : undefined);
  if (value === undefined) return [];
  const detail = `${path} (profile ${isOwn ? profile.name : DEFAULT_PROFILE})`;
  return [{ ...storedValue(setting, value), origin: { kind: 'profile', detail } }];
}

function invalidValue(key: string, { value = '', origin, problem }: ResolvedSetting): SvcError {
  const setting = findSetting(key);
  const shown = setting === undefined ? value : shownValue(setting, value);
  if (origin.kind !== 'profile') return new SvcError('invalid_value', `${origin.detail}: "${shown}" ${problem}`);
  // The command that corrects an output format must print: its own option overrides the value.
  const despite = setting?.type === 'choice' && setting.flag !== undefined ? ` ${setting.flag} ${setting.default}` : '';
  return new SvcError('config_invalid', `${key} in ${origin.detail}: "${shown}" ${problem}`, {
    hint: `set it with: svc config set ${key} <value>${despite}`,
  });
}

const UNSET: ResolvedSetting = { value: undefined, origin: { kind: 'unset', detail: '' }, problem: undefined };
const DEFAULT: Origin = { kind: 'default', detail: '' };

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
