/** The values of a completion source, from the files of this machine alone. */
import type { Context } from '../../context.ts';
import type { ServiceName } from '../../http/target.ts';
import { type Candidate, readCandidates } from '../../store/completion-cache.ts';
import { SETTING_KEYS } from '../../store/setting-keys.ts';
import { loadSettings } from '../../store/settings.ts';
import { profileNames, readSettingsFile, settingsPath } from '../../store/settings-file.ts';
import type { RemoteSource } from '../flags.ts';

/** The service that knows the names of each source. */
export const SOURCE_SERVICES: Readonly<Record<RemoteSource, ServiceName>> = {
  receivers: 'alerts',
  silences: 'alerts',
  fingerprints: 'alerts',
  subscriptions: 'webhooks',
  products: 'catalog',
  stores: 'catalog',
  sources: 'catalog',
  symbols: 'trade',
  accounts: 'trade',
  orders: 'trade',
  trades: 'trade',
};

/** `words` are those before the cursor: their `--profile` and `--base-url` decide whose names are offered. */
export async function candidatesOf(
  source: 'settings' | 'profiles' | RemoteSource,
  words: readonly string[],
  { paths, env, now }: Pick<Context, 'paths' | 'env' | 'now'>,
): Promise<readonly Candidate[]> {
  if (source === 'settings') return SETTING_KEYS.map(({ key, help }) => ({ value: key, note: help }));
  if (source === 'profiles') {
    return profileNames(readSettingsFile(settingsPath(paths)).document).map((value) => ({ value }));
  }
  const service = SOURCE_SERVICES[source];
  const profileFlag = optionValue(words, '--profile');
  const baseUrl = optionValue(words, '--base-url');
  const settings = await loadSettings({
    paths,
    env,
    profileFlag,
    ...(baseUrl === undefined ? {} : { flags: { [`${service}.url`]: baseUrl } }),
  });
  const address = settings.get(`${service}.url`);
  if (address === undefined) return [];
  return readCandidates(paths, { service, profile: settings.profile.name, address }, source, now());
}

/** The last of `--profile prod` and `--profile=prod`. */
function optionValue(words: readonly string[], option: string): string | undefined {
  let value: string | undefined;
  for (const [index, word] of words.entries()) {
    if (word === '--') break;
    if (word === option) value = words[index + 1];
    else if (word.startsWith(`${option}=`)) value = word.slice(option.length + 1);
  }
  return value;
}
