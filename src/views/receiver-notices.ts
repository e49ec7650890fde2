/** What a person is told on standard error while deliveries come. */
import { isPrivate } from '../services/recordings/receiver-address.ts';
import type { ReadyRow } from '../services/recordings/receiver-rows.ts';
import type { Tally } from '../services/recordings/receiver-watch.ts';

/** What a person is told first. `secrets`: how many there are to verify with. */
export function introduction({ url, forward, record }: ReadyRow, secrets: number | undefined): string[] {
  const verify = secrets === undefined ? 'OFF' : `on (${secrets} ${secrets === 1 ? 'secret' : 'secrets'})`;
  const parts = [`listening on ${url}`, `verify: ${verify}`];
  if (forward !== null) parts.push(`forward: ${forward}`);
  if (record !== null) parts.push(`record: ${record}`);
  const lines = [parts.join('  ')];
  if (!isPrivate(new URL(url))) lines.push('warning: other machines reach this address');
  if (secrets === undefined) lines.push('warning: nothing is verified: whoever reaches this address can send events');
  if (record !== null) lines.push('warning: recordings hold transcripts, which are personal data');
  return lines;
}

/** And last: `14 deliveries: 12 valid (1 duplicate), 2 invalid`. */
export function summary({ deliveries, valid, duplicates, invalid, refused }: Tally): string {
  const repeated = duplicates === 0 ? '' : ` (${duplicates} ${duplicates === 1 ? 'duplicate' : 'duplicates'})`;
  const parts = [`${valid} valid${repeated}`, `${invalid} invalid`];
  if (refused > 0) parts.push(`${refused} other ${refused === 1 ? 'request' : 'requests'} refused`);
  return `${deliveries} ${deliveries === 1 ? 'delivery' : 'deliveries'}: ${parts.join(', ')}`;
}
