/** A setting by its name, and the values of one profile, for `svc config`. */
import { suggest } from '../../cli/lookup.ts';
import { SvcError } from '../../errors.ts';
import { findSetting, SETTING_KEYS, type Setting } from '../../store/setting-keys.ts';
import { profileValues, type SettingsDocument } from '../../store/settings.ts';

/** Throws for a name that is no setting, and suggests what was meant. */
export function requireSetting(key: string): Setting {
  const setting = findSetting(key);
  if (setting !== undefined) return setting;
  const keys = SETTING_KEYS.map((known) => known.key);
  const meant = suggest(key, keys);
  throw new SvcError('invalid_value', `there is no setting "${key}"`, {
    hint: meant === undefined ? 'svc help configuration lists them' : `did you mean ${meant}?`,
    meant: meant === undefined ? undefined : { typed: key, meant },
  });
}

export function checkProfileName(name: string): void {
  if (/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(name)) return;
  throw new SvcError('invalid_value', `"${name}" cannot be the name of a profile`, {
    hint: 'use letters, digits, dots, hyphens and underscores; begin with a letter or a digit',
  });
}

/** Removes keys that are undefined. The profile is created if it does not exist. */
export function withValues(
  document: SettingsDocument,
  name: string,
  changes: Readonly<Record<string, string | undefined>>,
): SettingsDocument {
  const merged = Object.entries({ ...profileValues(document, name), ...changes });
  const values = Object.fromEntries(merged.filter(([, value]) => value !== undefined));
  return { ...document, profiles: { ...document.profiles, [name]: values } };
}
