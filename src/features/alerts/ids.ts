/** Fingerprints of alerts and ids of silences, which a person may shorten as long as they name one thing. */
import { SvcError } from '../../errors.ts';
import { type Alertmanager, isUuid } from './api.ts';
import type { Alert, Silence } from './schema.ts';
import { collect } from './selection.ts';

/** `form`: what can be the beginning of an id at all. The server finds no id in upper case, so all are in lower case here. */
const KINDS = {
  alert: { form: /^[0-9a-f]{1,16}$/, hint: 'svc alerts list -a shows all; a resolved alert is gone' },
  silence: { form: /^[0-9a-f][0-9a-f-]{0,35}$/, hint: 'svc silences list -a shows all, expired ones too' },
};
type Thing = keyof typeof KINDS;

const MOST_NAMED = 5;

/** The text in lower case. Throws `invalid_value` where no id can begin so. */
function checkPrefix(thing: Thing, prefix: string): string {
  const { form, hint } = KINDS[thing];
  const lower = prefix.toLowerCase();
  if (form.test(lower)) return lower;
  throw new SvcError('invalid_value', `"${prefix}" is no ${thing} id, nor the beginning of one`, { hint });
}

/** Throws `not_found`, and `invalid_value` where several ids begin so. */
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
    throw new SvcError('not_found', `there is no ${thing} ${wanted}`, { hint: KINDS[thing].hint });
  }
  if (others.length === 0) return first;
  const named = [...found.keys()].slice(0, MOST_NAMED).join(', ');
  const more = found.size > MOST_NAMED ? ` and ${found.size - MOST_NAMED} more` : '';
  throw new SvcError('invalid_value', `${found.size} ${thing}s begin with ${wanted}: ${named}${more}`, {
    hint: 'give more of the id',
  });
}

/** Whether a text can be a fingerprint or the beginning of one. Some words can, such as `dead`. */
export function isFingerprintPrefix(text: string): boolean {
  return KINDS.alert.form.test(text.toLowerCase());
}

/** Throws `invalid_value` where no fingerprint can begin so. */
export function checkFingerprints(prefixes: readonly string[]): void {
  for (const prefix of prefixes) checkPrefix('alert', prefix);
}

/** Every alert is read, for the service has no way to ask for one. Throws `not_found` and `invalid_value`. */
export async function findAlert(alertmanager: Pick<Alertmanager, 'alerts'>, prefix: string): Promise<Alert> {
  checkFingerprints([prefix]); // before anything is sent
  const [alert] = pickAlerts(await collect(alertmanager.alerts()), [prefix]);
  return alert as Alert;
}

/** The alerts that several texts mean. Two that mean the same alert give it once. */
export function pickAlerts(alerts: readonly Alert[], prefixes: readonly string[]): readonly Alert[] {
  const found = prefixes.map((prefix) => findByPrefix('alert', alerts, ({ fingerprint }) => fingerprint, prefix));
  return [...new Set(found)];
}

/** The one silence whose id is, or begins with, the text. */
export function pickSilence(silences: readonly Silence[], prefix: string): Silence {
  return findByPrefix('silence', silences, ({ id }) => id, prefix);
}

/** One id, or the beginning of one, and the silence or the reason why there is none. */
export type FoundSilence =
  | { readonly typed: string; readonly silence: Silence; readonly error?: undefined }
  | { readonly typed: string; readonly silence?: undefined; readonly error: SvcError };

type Silences = Pick<Alertmanager, 'silence' | 'silences'>;

/** Each silence once. One that is not there does not keep the others from being found. A single whole id is read by itself. */
export async function findSilences(alertmanager: Silences, typed: readonly string[]): Promise<readonly FoundSilence[]> {
  for (const text of typed) checkPrefix('silence', text); // before anything is sent
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
