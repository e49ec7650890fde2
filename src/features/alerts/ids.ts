/** Fingerprints of alerts and ids of silences, which a person may shorten as long as they name one thing. */
import { SvcError } from '../../errors.ts';
import { type Alertmanager, isUuid } from './api.ts';
import type { Alert, Silence } from './schema.ts';
import { collectAlerts } from './selection.ts';

interface IdKind {
  /** `silence`, for messages. */
  readonly thing: string;
  /** Whether a text can be the beginning of an id at all. */
  readonly form: RegExp;
  /** What to do when there is none. */
  readonly hint: string;
}

const MOST_NAMED = 5;

/** Throws `not_found`, and `invalid_value` where several ids begin so. */
function findByPrefix<T>(items: Iterable<T>, prefix: string, idOf: (item: T) => string, kind: IdKind): T {
  const wanted = checkPrefix(prefix, kind);
  const found = new Map<string, T>();
  for (const item of items) {
    const id = idOf(item);
    if (id === wanted) return item;
    if (id.startsWith(wanted)) found.set(id, item);
  }
  const [first] = found.values();
  if (first === undefined) {
    throw new SvcError('not_found', `there is no ${kind.thing} ${wanted}`, { hint: kind.hint });
  }
  if (found.size === 1) return first;
  const ids = [...found.keys()];
  const more = ids.length > MOST_NAMED ? ` and ${ids.length - MOST_NAMED} more` : '';
  const named = ids.slice(0, MOST_NAMED).join(', ');
  throw new SvcError('invalid_value', `${ids.length} ${kind.thing}s begin with ${wanted}: ${named}${more}`, {
    hint: 'give more of the id',
  });
}

/** The text in lower case. Throws `invalid_value` where no id can begin so. */
function checkPrefix(prefix: string, { thing, form, hint }: IdKind): string {
  const lower = prefix.toLowerCase();
  if (!form.test(lower)) {
    throw new SvcError('invalid_value', `"${prefix}" is no ${thing} id, nor the beginning of one`, { hint });
  }
  return lower;
}

/** 16 hexadecimal digits. */
const ALERT: IdKind = {
  thing: 'alert',
  form: /^[0-9a-f]{1,16}$/,
  hint: 'svc alerts list -a shows all; a resolved alert is gone',
};

/** Whether a text can be a fingerprint or the beginning of one. Some words can, such as `dead`. */
export function isFingerprintPrefix(text: string): boolean {
  return ALERT.form.test(text.toLowerCase());
}

/**
 * The one alert whose fingerprint is, or begins with, the text. Every alert is read, for the service has no way to ask for one.
 * Throws `not_found` and `invalid_value`.
 */
export async function findAlert(alertmanager: Pick<Alertmanager, 'alerts'>, prefix: string): Promise<Alert> {
  checkFingerprints([prefix]); // before anything is sent
  const [alert] = pickAlerts(await collectAlerts(alertmanager.alerts()), [prefix]);
  return alert as Alert;
}

/** Throws `invalid_value` where no fingerprint can begin so. */
export function checkFingerprints(prefixes: readonly string[]): void {
  for (const prefix of prefixes) checkPrefix(prefix, ALERT);
}

/** The alerts that several texts mean. Two that mean the same alert give it once. */
export function pickAlerts(alerts: readonly Alert[], prefixes: readonly string[]): readonly Alert[] {
  const found = prefixes.map((prefix) =>
    findByPrefix(alerts, prefix, ({ fingerprint }) => fingerprint.toLowerCase(), ALERT),
  );
  return [...new Set(found)];
}

/** UUIDs. The server takes upper-case ones, but then finds nothing, so they are sent in lower case. */
const SILENCE: IdKind = {
  thing: 'silence',
  form: /^[0-9a-f][0-9a-f-]{0,35}$/,
  hint: 'svc silences list -a shows all, expired ones too',
};

/** The one silence whose id is, or begins with, the text. */
export function findAmong(silences: Iterable<Silence>, prefix: string): Silence {
  return findByPrefix(silences, prefix, ({ id }) => id.toLowerCase(), SILENCE);
}

/** Reads one silence by a whole id, and the list of all by the beginning of one. */
export async function findSilence(
  alertmanager: Pick<Alertmanager, 'silence' | 'silences'>,
  idOrPrefix: string,
): Promise<Silence> {
  if (isUuid(idOrPrefix)) return alertmanager.silence(idOrPrefix);
  checkPrefix(idOrPrefix, SILENCE); // before anything is sent
  return findAmong(await readSilences(alertmanager), idOrPrefix);
}

/** One id, or the beginning of one, and what is there for it. */
export type FoundSilence =
  | { readonly typed: string; readonly silence: Silence; readonly error?: undefined }
  | { readonly typed: string; readonly silence?: undefined; readonly error: SvcError };

/** Looks all of them up, each silence once; one that is not there does not keep the others from being found. */
export async function findSilences(
  alertmanager: Pick<Alertmanager, 'silence' | 'silences'>,
  idsOrPrefixes: readonly string[],
): Promise<readonly FoundSilence[]> {
  for (const typed of idsOrPrefixes) checkPrefix(typed, SILENCE); // before anything is sent
  const [only] = idsOrPrefixes;
  const among =
    idsOrPrefixes.length === 1 && only !== undefined && isUuid(only)
      ? [await alertmanager.silence(only)]
      : await readSilences(alertmanager);
  const found = new Map<string, FoundSilence>();
  for (const typed of idsOrPrefixes) {
    try {
      const silence = findAmong(among, typed);
      found.set(silence.id, { typed, silence });
    } catch (error) {
      if (!(error instanceof SvcError)) throw error;
      found.set(typed, { typed, error });
    }
  }
  return [...found.values()];
}

/** All of them, expired ones too. */
export async function readSilences(alertmanager: Pick<Alertmanager, 'silences'>): Promise<readonly Silence[]> {
  const silences: Silence[] = [];
  for await (const silence of alertmanager.silences()) silences.push(silence);
  return silences;
}
