/** What a person is told on standard error while deliveries come. */
import { isPrivate } from './receiver-address.ts';
import type { ReadyRow, Tally } from './receiver-rows.ts';

/** What a person is told first. `secrets`: how many there are to verify with. */
export function introduction({ url, forward, record, events }: ReadyRow, secrets: number | undefined): string[] {
  const verify = secrets === undefined ? 'OFF' : `on (${secrets} ${secrets === 1 ? 'secret' : 'secrets'})`;
  const parts = [`listening on ${url}`, `verify: ${verify}`];
  if (forward !== null) parts.push(`forward: ${forward}`);
  if (record !== null) parts.push(`record: ${record}`);
  if (events !== null) parts.push(`events: ${events.join(', ')}`);
  const lines = [parts.join('  ')];
  if (!isPrivate(new URL(url))) lines.push('warning: other machines reach this address');
  if (secrets === undefined) lines.push('warning: nothing is verified: whoever reaches this address can send events');
  if (record !== null) lines.push('warning: recordings hold transcripts, which are personal data');
  return lines;
}

/** And last: `14 deliveries: 12 valid (1 duplicate), 2 invalid, 3 left out by --event`. */
export function summary({ deliveries, valid, duplicates, invalid, refused, filtered }: Tally): string {
  const repeated = duplicates === 0 ? '' : ` (${duplicates} ${duplicates === 1 ? 'duplicate' : 'duplicates'})`;
  const parts = [`${valid} valid${repeated}`, `${invalid} invalid`];
  if (refused > 0) parts.push(`${refused} other ${refused === 1 ? 'request' : 'requests'} refused`);
  if (filtered > 0) parts.push(`${filtered} left out by --event`);
  return `${deliveries} ${deliveries === 1 ? 'delivery' : 'deliveries'}: ${parts.join(', ')}`;
}
