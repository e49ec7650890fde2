/** `svc __complete <source> [<prefix>] [-- <word>…]`: what the scripts of the shells ask for, from this machine's files alone. */
import type { Context } from '../../context.ts';
import type { ServiceName } from '../../http/target.ts';
import { escapeText } from '../../output/escape.ts';
import { type Candidate, readCandidates } from '../../store/completion-cache.ts';
import { SETTING_KEYS } from '../../store/setting-keys.ts';
import { loadSettings } from '../../store/settings.ts';
import { profileNames, readSettingsFile, settingsPath } from '../../store/settings-file.ts';
import type { RemoteSource } from '../flags.ts';

/** Whose names a source holds. */
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

/**
 * A line for each value, with a tab before its note. `words` are those before the cursor: whose names are offered depends on their
 * `--profile` and `--base-url`. Never fails: whoever pressed <Tab> is not told about a broken file.
 */
export async function completionAnswer(
  argv: readonly string[],
  context: Pick<Context, 'paths' | 'env' | 'now'>,
): Promise<string> {
  const dashes = argv.indexOf('--', 1);
  const [source = '', prefix = ''] = dashes < 0 ? argv : argv.slice(0, dashes);
  const words = dashes < 0 ? [] : argv.slice(dashes + 1);
  try {
    const candidates = await candidatesOf(source, words, context);
    return candidates
      .filter(({ value }) => value.startsWith(prefix) && isSafe(value, prefix))
      .map(({ value, note }) => (note === undefined ? `${value}\n` : `${value}\t${shownNote(note)}\n`))
      .join('');
  } catch {
    return '';
  }
}

/**
 * A value that holds what a terminal obeys cannot be typed, and none is offered in its place. One that begins with a dash would be
 * read as an option, and is offered to whoever typed the dash.
 */
function isSafe(value: string, prefix: string): boolean {
  return value !== '' && escapeText(value) === value && (prefix !== '' || !value.startsWith('-'));
}

const NOTE_WIDTH = 80;

function shownNote(note: string): string {
  const characters = [...escapeText(note)];
  return characters.length <= NOTE_WIDTH ? characters.join('') : `${characters.slice(0, NOTE_WIDTH - 1).join('')}…`;
}

async function candidatesOf(
  source: string,
  words: readonly string[],
  { paths, env, now }: Pick<Context, 'paths' | 'env' | 'now'>,
): Promise<readonly Candidate[]> {
  if (source === 'settings') return SETTING_KEYS.map(({ key, help }) => ({ value: key, note: help }));
  if (source === 'profiles') {
    return profileNames(readSettingsFile(settingsPath(paths)).document).map((value) => ({ value }));
  }
  if (!Object.hasOwn(SOURCE_SERVICES, source)) return [];
  const service = SOURCE_SERVICES[source as RemoteSource];
  const profileFlag = optionValue(words, '--profile');
  const baseUrl = optionValue(words, '--base-url');
  const settings = await loadSettings({
    paths,
    env,
    ...(profileFlag === undefined ? {} : { profileFlag }),
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
