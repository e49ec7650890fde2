import { suggest } from '../../cli/lookup.ts';
import { SvcError } from '../../errors.ts';
import { findSetting, SETTING_KEYS, type Setting } from '../../store/setting-keys.ts';

/** The setting that the user named. */
export function namedSetting(key: string): Setting {
  const setting = findSetting(key);
  if (setting !== undefined) return setting;
  const meant = suggest(
    key,
    SETTING_KEYS.map((known) => known.key),
  );
  throw new SvcError('invalid_value', `there is no setting "${key}"`, {
    hint: meant === undefined ? 'svc help configuration lists them' : `did you mean ${meant}?`,
    meant: meant === undefined ? undefined : { typed: key, meant },
  });
}
