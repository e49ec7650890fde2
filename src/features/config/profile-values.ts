/** Changes to the values of one profile in settings.json. */
import { SvcError } from '../../errors.ts';
import { profileValues, type SettingsDocument } from '../../store/settings-file.ts';

export function checkProfileName(name: string): void {
  if (/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(name)) return;
  throw new SvcError('invalid_value', `"${name}" cannot be the name of a profile`, {
    hint: 'use letters, digits, dots, hyphens and underscores; begin with a letter or a digit',
  });
}

/** Sets these keys, and removes those that are undefined. The profile is created if it does not exist. */
export function withValues(
  document: SettingsDocument,
  name: string,
  changes: Readonly<Record<string, string | undefined>>,
): SettingsDocument {
  const merged = Object.entries({ ...profileValues(document, name), ...changes });
  const values = Object.fromEntries(merged.filter(([, value]) => value !== undefined));
  return { ...document, profiles: { ...document.profiles, [name]: values } };
}
