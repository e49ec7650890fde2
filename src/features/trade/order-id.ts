/** Order and trade ids (doc 3 §2, rule 1): texts of digits from end to end, as they are larger than numbers keep exactly. */
import { SvcError } from '../../errors.ts';

/** A rounded number such as `123.0` is another order to the gateway, or none. */
export function checkOrderId(text: string, what = 'an order id'): void {
  if (/^\d+$/.test(text)) return;
  throw new SvcError('invalid_value', `${JSON.stringify(text)} is not ${what}, which is made of digits alone`);
}
