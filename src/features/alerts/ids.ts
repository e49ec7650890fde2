/** Finds alerts by fingerprint and silences by id, or by an unambiguous beginning. */
import { SvcError } from '../../errors.ts';
import { shellWord } from '../../output/escape.ts';
import { type Alertmanager, isUuid } from './api.ts';
import { formatMatcher, matcher } from './matcher.ts';
import type { Alert, Silence } from './schema.ts';
import { collect } from './selection.ts';

/** `form`: a possible beginning, in lower case, as the server finds no id in upper case. */
const KINDS = {
  alert: { form: /^[0-9a-f]{1,16}$/, hint: 'svc alerts list -a shows all alerts that are not resolved' },
  silence: { form: /^[0-9a-f][0-9a-f-]{0,35}$/, hint: 'svc silences list -a shows all silences' },
};
type Thing = keyof typeof KINDS;

const MOST_NAMED = 5;

function checkPrefix(thing: Thing, prefix: string): string {
  const { form, hint } = KINDS[thing];
  const lower = prefix.toLowerCase();
  if (form.test(lower)) return lower;
  const what = thing === 'alert' ? 'an alert fingerprint' : 'a silence id';
  // Most often a matcher, or the name of an alert.
  const isName = /^[\p{L}_]/u.test(prefix) && (thing === 'alert' || prefix.includes('='));
  const finds = isName ? `svc ${thing}s list -a ${shellWord(prefix)} shows those that match` : hint;
  throw new SvcError('invalid_value', `"${prefix}" is not ${what} or the beginning of one`, { hint: finds });
}

/** Throws `not_found`, or `invalid_value` if several ids begin like this. */
function findByPrefix<T>(thing: Thing, items: readonly T[], idOf: (item: T) => string, prefix: string): T {
  const wanted = checkPrefix(thing, prefix);
  const found = new Map<string, T>();
  for (const item of items) {
    const id = idOf(item).toLowerCase();
    if (id === wanted) return item;
    if (id.startsWith(wanted)) found.set(id, item);
  }
  const [first, ...others] = found.values();
  if (first === undefined) {
    throw new SvcError('not_found', `no ${thing} has the ${thing === 'alert' ? 'fingerprint' : 'id'} ${wanted}`, {
      hint: KINDS[thing].hint,
    });
  }
  if (others.length === 0) return first;
  const named = [...found.keys()].slice(0, MOST_NAMED).join(', ');
  const more = found.size > MOST_NAMED ? ` and ${found.size - MOST_NAMED} more` : '';
  throw new SvcError('invalid_value', `${found.size} ${thing}s begin with ${wanted}: ${named}${more}`, {
    hint: 'give more of the id',
  });
}

/** Also true for some names, such as `dead`. */
export function isFingerprintPrefix(text: string): boolean {
  return KINDS.alert.form.test(text.toLowerCase());
}

/** `1a58 77c0` in one argument: as an alert name it would select nothing. */
export function refuseSeveralFingerprints(text: string): void {
  const prefixes = text.split(/[\s,;]+/).filter((prefix) => prefix !== '');
  if (prefixes.length < 2 || !prefixes.every(isFingerprintPrefix)) return;
  throw new SvcError('invalid_value', `"${text}" is several fingerprints in one argument`, {
    hint: `write ${prefixes.join(' and ')}; for the alert name, write ${shellWord(formatMatcher(matcher('alertname', '=', text)))}`,
  });
}

export function checkFingerprints(prefixes: readonly string[]): void {
  for (const prefix of prefixes) checkPrefix('alert', prefix);
}

/** Reads all alerts: the service has no request for one. */
export async function findAlert(alertmanager: Pick<Alertmanager, 'alerts'>, prefix: string): Promise<Alert> {
  checkFingerprints([prefix]); // before anything is sent
  const [alert] = pickAlerts(await collect(alertmanager.alerts()), [prefix]);
  return alert as Alert;
}

/** Each alert once. */
export function pickAlerts(alerts: readonly Alert[], prefixes: readonly string[]): readonly Alert[] {
  const found = prefixes.map((prefix) => findByPrefix('alert', alerts, ({ fingerprint }) => fingerprint, prefix));
  return [...new Set(found)];
}

export function pickSilence(silences: readonly Silence[], prefix: string): Silence {
  return findByPrefix('silence', silences, ({ id }) => id, prefix);
}

/** What was typed, and the silence or the error. */
export type FoundSilence =
  | { readonly typed: string; readonly silence: Silence; readonly error?: undefined }
  | { readonly typed: string; readonly silence?: undefined; readonly error: SvcError };

type Silences = Pick<Alertmanager, 'silence' | 'silences'>;

/** Each silence once. A missing one is no reason not to find the others. */
export async function findSilences(alertmanager: Silences, typed: readonly string[]): Promise<readonly FoundSilence[]> {
  for (const text of typed) checkPrefix('silence', text); // before anything is sent
  if (typed.length === 0) return [];
  const [first = '', ...others] = typed;
  const isSingle = others.length === 0 && isUuid(first);
  const among = isSingle ? [await alertmanager.silence(first)] : await collect(alertmanager.silences());
  const found = new Map<string, FoundSilence>();
  for (const text of typed) {
    try {
      const silence = pickSilence(among, text);
      found.set(silence.id, { typed: text, silence });
    } catch (error) {
      if (!(error instanceof SvcError)) throw error;
      found.set(text, { typed: text, error });
    }
  }
  return [...found.values()];
}

export async function findSilence(alertmanager: Silences, typed: string): Promise<Silence> {
  const [found] = await findSilences(alertmanager, [typed]);
  if (found?.silence === undefined) throw found?.error;
  return found.silence;
}
