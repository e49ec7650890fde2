import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { fieldsOf, type Recording, visitFields } from './changed-fields.ts';

const recorded = (name: string, folder = 'webhooks'): unknown =>
  JSON.parse(readFileSync(new URL(`${folder}/${name}.json`, import.meta.url), 'utf8'));

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
  {
    request: 'GET /.well-known/oauth-authorization-server',
    body: recorded('metadata', 'oauth'),
    argv: ['oauth', 'discovery'],
    needed: {
      issuer: 'refused',
      authorization_endpoint: 'refused',
      token_endpoint: 'refused',
      code_challenge_methods_supported: 'refused',
    },
  },
];

it.each(RECORDINGS.map((one) => [one.request, one] as const))(
  'svc names each needed field that is missing or wrong, and does without the others: %s',
  async (_name, recording) => {
    const { fields } = await visitFields(recording);
    expect(fields).toBe(fieldsOf(recording.body).size);
  },
);
