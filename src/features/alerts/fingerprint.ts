/** Fingerprints of alerts: 16 hexadecimal digits, which a person may shorten. */
import { collectAlerts } from './alert-selection.ts';
import type { Alertmanager } from './client.ts';
import { checkPrefix, findByPrefix, type IdKind } from './id-prefix.ts';
import type { Alert } from './schema.ts';

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
