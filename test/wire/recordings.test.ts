/**
 * Answers of the recording service, written by hand from document 2, and read by the client itself: the sandbox may be wrong in
 * the same way as the client, these files are not.
 */
import { readFileSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import { SvcError } from '../../src/errors.ts';
import { messageOfService, openRecordings } from '../../src/features/webhooks/api.ts';
import { deliveryStatus } from '../../src/features/webhooks/subscriptions/delivery-log.ts';
import { eventsOf, quotaText, subscriptionStatus } from '../../src/features/webhooks/subscriptions/subscription.ts';
import { fileServer } from '../support/servers.ts';
import { CONFIRMED, targetFor } from '../support/targets.ts';
import { withLength } from './responses.ts';

const FOLDER = new URL('webhooks/', import.meta.url);
const sample = (name: string): string => readFileSync(new URL(name, FOLDER), 'utf8');

let bytes = '';
const server = await fileServer((socket) => socket.write(bytes));
const client = openRecordings(targetFor(server.url));
afterAll(() => client.close());

async function read<T>(name: string, call: () => Promise<T>): Promise<{ value: T; text: unknown; sent: string }> {
  const body = sample(name);
  bytes = withLength('HTTP/1.1 200 OK\ncontent-type: application/json', body);
  const value = await call();
  const last = server.requests.at(-1);
  return { value, text: JSON.parse(body), sent: `${last?.method} ${last?.path} ${last?.body}`.trim() };
}

type Row = Readonly<Record<string, unknown>>;
/** Null is absent. */
const withoutNull = (rows: readonly Row[]): readonly Row[] =>
  rows.map((row) => Object.fromEntries(Object.entries(row).map(([name, value]) => [name, value ?? undefined])));

describe('recorded subscriptions', () => {
  it('keep unknown fields, states and types; null is not an empty list of events', async () => {
    const { value, text, sent } = await read('subscriptions.json', () => client.subscriptions());
    expect(sent).toBe('GET /v1/webhooks');
    expect(value).toEqual(withoutNull((text as { items: Row[] }).items));
    expect(value.map(({ status }) => subscriptionStatus(status))).toEqual(['active', 'disabled', 'unknown(3)']);
    expect(value.map(eventsOf)).toEqual([['summary.completed', 'transcript.ready'], [], []]);
    expect(quotaText(value)).toBe('3/5 used (1 active, 1 disabled, 1 unknown(3))');
    expect((await read('no-subscriptions.json', () => client.subscriptions())).value).toEqual([]);
  });

  it('are created with url and events, and the whole response is preserved', async () => {
    const draft = { url: 'https://example.com/hook', events: ['summary.completed'] };
    const { value, text, sent } = await read('created.json', () => client.create(draft));
    expect(sent).toBe(`POST /v1/webhooks ${JSON.stringify(draft)}`);
    expect(value).toEqual(text);
  });

  it('are updated with all events, and with the url only if it changes', async () => {
    const { value, text, sent } = await read('updated.json', () => client.update('we_1', { events: [] }));
    expect(sent).toBe('PATCH /v1/webhooks/we_1 {"events":[]}');
    expect(value).toEqual((text as { item: unknown }).item);
    const both = await read('updated.json', () =>
      client.update('we_1', { url: 'https://example.com/v2', events: ['a'] }),
    );
    expect(both.sent).toBe('PATCH /v1/webhooks/we_1 {"url":"https://example.com/v2","events":["a"]}');
  });

  it('have ids that are one segment of a path', async () => {
    const { sent, value } = await read('deleted.json', () => client.delete('a/b?c#d %', CONFIRMED));
    expect([sent, value]).toEqual(['DELETE /v1/webhooks/a%2Fb%3Fc%23d%20%25', { ok: true }]);
    for (const id of ['', '.', '..'])
      await expect(client.delete(id, CONFIRMED)).rejects.toMatchObject({ code: 'invalid_value' });
  });
});

describe('recorded deliveries', () => {
  it('begin with a test, which may be refused with a success', async () => {
    const queued = await read('test-queued.json', () => client.test('we_1'));
    expect([queued.sent, queued.value]).toEqual([
      'POST /v1/webhooks/we_1/test',
      { event_id: 'evt_01J9Z3', queued: true },
    ]);
    expect((await read('test-not-queued.json', () => client.test('we_1'))).value).toEqual({ queued: false });
  });

  it('keep their own states and empty or missing fields', async () => {
    const { value, text, sent } = await read('deliveries.json', () =>
      client.deliveries('we_1', { page: 2, size: 100 }),
    );
    expect(sent).toBe('GET /v1/webhooks/we_1/deliveries?page=2&page_size=100');
    expect(value.rows).toEqual(withoutNull((text as { items: Row[] }).items));
    expect(value.rows.map(({ status }) => deliveryStatus(status))).toEqual([
      'pending',
      'failed',
      'delivered',
      'unknown(3)',
    ]);
  });

  it('have samples in an array at the top', async () => {
    const { value, text, sent } = await read('samples.json', async () => {
      const all: unknown[] = [];
      for await (const one of client.samples({ event: 'summary.completed', limit: 2 })) all.push(one);
      return all;
    });
    expect([sent, value]).toEqual(['GET /v1/webhook-events/samples?event=summary.completed&limit=2', text]);
  });
});

describe('recorded failures', () => {
  const list = () => client.subscriptions();
  const create = () => client.create({ url: 'https://a.example/', events: [] });
  const sendTest = () => client.test('we_1');

  it('are named with what the service says', async () => {
    for (const [name, call, code, message] of [
      ['400', create, 'refused', 'bad_request: unknown event type: foo'],
      ['401', list, 'unauthorized', 'rejected the credential: unauthorized: missing or invalid bearer token'],
      ['401-oauth', list, 'unauthorized', 'rejected the credential: invalid_token: '],
      ['404', sendTest, 'not_found', 'there is no subscription with this id'],
      ['404', list, 'wrong_path', 'the service does not know GET /webhooks: not_found: webhook not found'],
      ['404-router', sendTest, 'wrong_path', 'does not know POST /webhooks/{endpoint_id}/test: 404 page not found'],
      ['429', create, 'limited', 'too_many_requests: webhook quota exceeded'],
      ['500', list, 'server_error', 'GET /webhooks answered 500: internal: transient'],
      ['500', create, 'outcome_unknown', 'POST /webhooks answered 500: internal: transient; it may have been applied'],
      ['503', sendTest, 'outcome_unknown', 'answered 503: unavailable: storage; it may have been applied'],
      ['502-proxy', create, 'outcome_unknown', 'an HTML page, "502 Bad Gateway"; it may have been applied'],
      ['502-proxy', list, 'server_error', 'answered 502: an HTML page, "502 Bad Gateway"'],
    ] as const) {
      const [head = '', body = ''] = sample(`failures/${name}.txt`).split('\n\n');
      bytes = withLength(head, body);
      const error = await (call as () => Promise<unknown>)().catch((thrown: unknown) => thrown);
      expect(error, name).toBeInstanceOf(SvcError);
      const httpStatus = Number(name.slice(0, 3));
      expect(error, name).toMatchObject({ code, message: expect.stringContaining(message), httpStatus });
      expect(messageOfService(error as SvcError) === undefined, name).toBe(!body.includes('"code"'));
      if (code === 'limited')
        expect(error).toMatchObject({ hint: 'the service asks you to wait 7 s before you try again' });
    }
  });
});
