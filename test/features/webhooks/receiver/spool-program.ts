/** Settles one of two events while the folder of the spool cannot be opened, adds another, and prints what is in the file by then. */
import { closeSync, openSync } from 'node:fs';
import { eventKey } from '../../../../src/features/webhooks/receiver/seen-events.ts';
import { SpoolFile } from '../../../../src/features/webhooks/receiver/spool-file.ts';
import type { SpooledEvent } from '../../../../src/features/webhooks/receiver/spool-lines.ts';

const [path = ''] = process.argv.slice(2);
const event = (id: string, size = 0): SpooledEvent => ({
  key: eventKey(id),
  received_at: '2026-01-01T00:00:00.000Z',
  secret: null,
  event_id: id,
  event_type: null,
  path: '/',
  headers: [],
  body_b64: 'A'.repeat(size),
});

const file = new SpoolFile(path, 1 << 24, Date.now);
// What is settled is enough to rewrite the file.
await Promise.all([file.add(event('evt_large', 5 << 20)), file.add(event('evt_waits'))]);
const taken: number[] = [];
try {
  for (;;) taken.push(openSync('/dev/null', 'r'));
} catch {
  // One descriptor is left, for the new file.
  closeSync(taken.pop() ?? 0);
}
const [large] = file.waiting;
if (large !== undefined) file.settle(large, 200);
for (const one of taken) closeSync(one);
const { added } = await file.add(event('evt_later'));
process.stdout.write(`${added}\n`);
