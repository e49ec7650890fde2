/** The settings of one run: their values and origins. */
import type { Context, Paths } from '../context.ts';
import { SvcError } from '../errors.ts';
import { findSetting, HELPER_SETTING, problemWith, type Setting, shownValue, storedValue } from './setting-keys.ts';
import {
  DEFAULT_PROFILE,
  type ProfileValues,
  profileNames,
  profileValues,
  readSettingsFile,
  type SettingsFile,
  type SettingsWarning,
  settingsPath,
} from './settings-file.ts';

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

export interface Settings {
  readonly profile: { readonly name: string; readonly origin: Origin };
  readonly warnings: readonly SettingsWarning[];
  /** With `lenient`, the error that would have been thrown: then no profile applies. */
  readonly failure: SvcError | undefined;
  /** Throws if the effective value is invalid. Undefined if there is none, or no such setting. */
  get(key: string): string | undefined;
  resolve(key: string): ResolvedSetting;
  /** From environment, profile or default, ignoring the option. */
  configured(key: string): ResolvedSetting;
  /** The origin of a service's address in the environment or the profile, ignoring the option. */
  configuredOrigin(key: string): string | undefined;
  /** The origin of a service's address in the profile itself. */
  profileOrigin(key: string): string | undefined;
  /** One for each member of an HA cluster (`alerts.urls`), with the member's address; otherwise itself alone. */
  members(key: string): readonly Settings[];
  /** The other origin in an address variable that an explicit `--profile` overrides. */
  overriddenOrigin(key: string): string | undefined;
}

export interface SettingsSources {
  readonly paths: Paths;
  readonly env: Context['env'];
  readonly profileFlag?: string | undefined;
  /** Key → the value of the option that sets it. */
  readonly flags?: Readonly<Record<string, string>>;
  /** For commands that repair settings: an unknown profile or an invalid file is no error yet, but `failure`. */
  readonly lenient?: boolean;
}

/** The settings that can provide a service's credential. A profile has one of them at most. */
export function credentialKeys(service: string): readonly string[] {
  return ['tokenFile', 'tokenCommand', 'passwordFile'].map((name) => `${service}.${name}`);
}

export function credentialSettings(service: string, settings: Settings): readonly string[] {
  return credentialKeys(service).filter((key) => settings.resolve(key).value !== undefined);
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
  return new LoadedSettings({ flags, env, values: values ?? {}, shared, profile, path, warnings, failure });
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
  readonly values: ProfileValues;
  /** The default profile: its store is that of every profile that names none, because they share the files. */
  readonly shared: ProfileValues;
  readonly profile: Settings['profile'];
  readonly path: string;
  readonly warnings: readonly SettingsWarning[];
  readonly failure: SvcError | undefined;
}

class LoadedSettings implements Settings {
  readonly profile: Settings['profile'];
  readonly warnings: readonly SettingsWarning[];
  readonly failure: SvcError | undefined;
  readonly #loaded: Loaded;

  constructor(loaded: Loaded) {
    this.profile = loaded.profile;
    this.warnings = loaded.warnings;
    this.failure = loaded.failure;
    this.#loaded = loaded;
  }

  get(key: string): string | undefined {
    return this.#usable(key, this.resolve(key));
  }

  resolve(key: string): ResolvedSetting {
    const setting = findSetting(key);
    if (setting === undefined) return UNSET;
    return this.#fromFlag(setting) ?? this.#configured(setting) ?? fromDefault(setting);
  }

  configured(key: string): ResolvedSetting {
    const setting = findSetting(key);
    return setting === undefined ? UNSET : (this.#configured(setting) ?? fromDefault(setting));
  }

  configuredOrigin(key: string): string | undefined {
    const setting = findSetting(key);
    const address = this.#usable(key, (setting && this.#configured(setting)) ?? UNSET);
    return address === undefined ? undefined : new URL(address).origin;
  }

  profileOrigin(key: string): string | undefined {
    const setting = findSetting(key);
    const address = this.#usable(key, (setting && this.#fromProfile(setting)) ?? UNSET);
    return address === undefined ? undefined : new URL(address).origin;
  }

  members(key: string): readonly Settings[] {
    const { values, profile } = this.#loaded;
    const urls = this.get(`${key}s`)?.split(',');
    if (urls === undefined || this.resolve(key).origin.kind !== 'profile') return [this];
    if (Object.hasOwn(values, key)) {
      throw new SvcError('config_invalid', `profile ${profile.name} has both ${key} and ${key}s`, {
        hint: `svc config unset ${key} --profile ${profile.name}`,
      });
    }
    return urls.map((url) => new LoadedSettings({ ...this.#loaded, values: { ...values, [key]: url } }));
  }

  overriddenOrigin(key: string): string | undefined {
    const setting = findSetting(key);
    if (setting === undefined || !this.#profileFirst(setting)) return undefined;
    const variable = this.#fromVariable(setting)?.value;
    const address = this.#configured(setting)?.value;
    if (variable === undefined || address === undefined || !URL.canParse(variable)) return undefined;
    const { origin } = new URL(variable);
    return URL.canParse(address) && new URL(address).origin === origin ? undefined : origin;
  }

  #fromFlag(setting: Setting): ResolvedSetting | undefined {
    const { flags } = this.#loaded;
    const value = Object.hasOwn(flags, setting.key) ? flags[setting.key] : undefined;
    if (value === undefined) return undefined;
    const origin: Origin = { kind: 'flag', detail: setting.flag ?? '' };
    return { value, origin, problem: problemWith(setting, value) };
  }

  #configured(setting: Setting): ResolvedSetting | undefined {
    const [variable, profile] = [this.#fromVariable(setting), this.#fromProfile(setting)];
    if (!this.#profileFirst(setting)) return variable ?? profile;
    // The account in the variable is of the gateway that the variables name.
    const isForeign = setting.key === 'trade.account' && this.overriddenOrigin('trade.url') !== undefined;
    return profile ?? (isForeign ? undefined : variable);
  }

  /** `--profile` is an option: its addresses, users and account override the variables. */
  #profileFirst({ key, type }: Setting): boolean {
    const isOfServer = type === 'url' || key.endsWith('.user') || key === 'trade.account';
    return isOfServer && this.#loaded.profile.origin.kind === 'flag';
  }

  #fromVariable(setting: Setting): ResolvedSetting | undefined {
    // An empty variable counts as unset.
    const variable = setting.env === undefined ? undefined : this.#loaded.env[setting.env] || undefined;
    if (variable === undefined) return undefined;
    const origin: Origin = { kind: 'env', detail: setting.env ?? '' };
    return { value: variable, origin, problem: problemWith(setting, variable) };
  }

  #fromProfile(setting: Setting): ResolvedSetting | undefined {
    const { values, shared, path, profile } = this.#loaded;
    const own = (key: string): unknown => (Object.hasOwn(values, key) ? values[key] : undefined);
    // Of an HA cluster, the first member.
    const given = own(setting.key) ?? (setting.type === 'url' ? firstOf(own(`${setting.key}s`)) : undefined);
    const isShared = given === undefined && setting.key === HELPER_SETTING && Object.hasOwn(shared, setting.key);
    const stored = isShared ? shared[setting.key] : given;
    if (stored === undefined) return undefined;
    const from = isShared ? DEFAULT_PROFILE : profile.name;
    const origin: Origin = { kind: 'profile', detail: `${path} (profile ${from})` };
    return { ...storedValue(setting, stored), origin };
  }

  #usable(key: string, { value, origin, problem }: ResolvedSetting): string | undefined {
    if (problem === undefined || value === undefined) return value;
    const setting = findSetting(key);
    const shown = setting === undefined ? value : shownValue(setting, value);
    if (origin.kind !== 'profile') throw new SvcError('invalid_value', `${origin.detail}: "${shown}" ${problem}`);
    // The command that corrects an output format must be able to print: its own option overrides the invalid one.
    const despite =
      setting?.type === 'choice' && setting.flag !== undefined ? ` ${setting.flag} ${setting.default}` : '';
    throw new SvcError('config_invalid', `${key} in ${origin.detail}: "${shown}" ${problem}`, {
      hint: `set it with: svc config set ${key} <value>${despite}`,
    });
  }
}

const UNSET: ResolvedSetting = { value: undefined, origin: { kind: 'unset', detail: '' }, problem: undefined };

function fromDefault(setting: Setting): ResolvedSetting {
  if (setting.default === undefined) return UNSET;
  return { value: setting.default, origin: { kind: 'default', detail: '' }, problem: undefined };
}

function firstOf(list: unknown): string | undefined {
  return typeof list === 'string' ? list.split(',')[0] : undefined;
}
