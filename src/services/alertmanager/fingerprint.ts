/** Fingerprints of alerts: 16 hexadecimal digits, which a person may shorten. */

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
  const [alert] = await findAlerts(alertmanager, [prefix]);
  return alert as Alert;
}

/** The same for several texts, with one reading. Two that mean the same alert give it once. */
export async function findAlerts(
  alertmanager: Pick<Alertmanager, 'alerts'>,
  prefixes: readonly string[],
): Promise<readonly Alert[]> {
  const beginnings = prefixes.map((prefix) => checkPrefix(prefix, ALERT)); // before anything is sent
  const candidates: Alert[] = [];
  for await (const alert of alertmanager.alerts()) {
    if (beginnings.some((beginning) => alert.fingerprint.startsWith(beginning))) candidates.push(alert);
  }
  const found = prefixes.map((prefix) =>
    findByPrefix(candidates, prefix, ({ fingerprint }) => fingerprint.toLowerCase(), ALERT),
  );
  return [...new Set(found)];
}
