import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { fieldsOf, type Recording, visitFields } from './changed-fields.ts';

const recorded = (name: string): unknown =>
  JSON.parse(readFileSync(new URL(`webhooks/${name}.json`, import.meta.url), 'utf8'));

const ID = 'we_01J9Z3K8Q4';
const subscriptions = { 'GET /v1/webhooks': recorded('subscriptions') };

const RECORDINGS: readonly Recording[] = [
  {
    request: 'GET /v1/webhooks',
    body: recorded('subscriptions'),
    argv: ['webhooks', 'list'],
    needed: { items: 'the list', 'items.*.id': 'left out' },
  },
  {
    request: `GET /v1/webhooks/${ID}/deliveries`,
    body: recorded('deliveries'),
    argv: ['webhooks', 'deliveries', ID],
    needed: { items: 'the list', 'items.*.id': 'left out' },
    others: subscriptions,
  },
  {
    request: 'GET /v1/webhook-events/samples',
    body: recorded('samples'),
    argv: ['webhooks', 'samples'],
  },
  {
    request: `POST /v1/webhooks/${ID}/test`,
    body: recorded('test-queued'),
    argv: ['webhooks', 'test', ID],
    needed: { queued: 'refused', event_id: 'refused' },
    others: subscriptions,
  },
  {
    request: `DELETE /v1/webhooks/${ID}`,
    body: recorded('deleted'),
    argv: ['webhooks', 'delete', ID, '--yes'],
    needed: { ok: 'refused' },
    others: subscriptions,
  },
];

test.each(RECORDINGS.map((one) => [one.request, one] as const))('%s', async (_name, recording) => {
  const { fields } = await visitFields(recording);
  expect(fields).toBe(fieldsOf(recording.body).size);
});
