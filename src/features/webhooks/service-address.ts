import { parseBaseUrl } from '../../http/address.ts';

/** What people paste along with the address. */
const BASE_PATH = '/v1';

/** Origin and path of the service: one spelling for one service. Throws `invalid_value`. */
export function serviceAddress(text: string): string {
  return parseBaseUrl(text, { strip: BASE_PATH }).href.replace(/\/$/, '');
}
