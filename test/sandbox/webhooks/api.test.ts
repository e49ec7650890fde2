/** The emulated service against document 2 §3, §4, §7 and §8. */
import { describe, expect, it } from 'vitest';
import { startService, type TestService } from './service.ts';

const URL_A = 'https://a.example/hook';

interface Created {
  readonly endpoint_id: string;
  readonly secret: string;
}
interface Item {
  readonly id: string;
  readonly url: string;
  readonly events: readonly string[];
  readonly status: number;
}

async function create(service: TestService): Promise<Created> {
  const { status, json } = await service.call('POST', '/v1/webhooks', { url: URL_A, events: ['summary.completed'] });
  expect(status).toBe(200);
  return json as Created;
}

async function list(service: TestService): Promise<readonly Item[]> {
  return ((await service.call('GET', '/v1/webhooks')).json as { items: Item[] }).items;
}

describe('a subscription of the sandbox', () => {
  it('has a secret that only the response to its creation shows', async () => {
    await using service = await startService();
    const created = await create(service);
    expect(created).toEqual({
      endpoint_id: expect.stringMatching(/^ep_\w{12}$/),
      secret: expect.stringMatching(/^whsec_\w{32}$/),
      url: URL_A,
      events: ['summary.completed'],
      status: 1,
    });
    const items = await list(service);
    expect(items).toEqual([
      {
        id: created.endpoint_id,
        url: URL_A,
        events: ['summary.completed'],
        status: 1,
        consecutive_failures: 0,
        created_at: expect.stringMatching(/Z$/),
        updated_at: expect.stringMatching(/Z$/),
      },
    ]);
  });

  it('loses its events by an update without events, but not its url by one without url', async () => {
    await using service = await startService();
    const { endpoint_id: id } = await create(service);
    const patch = async (body: unknown): Promise<Item> =>
      ((await service.call('PATCH', `/v1/webhooks/${id}`, body)).json as { item: Item }).item;
    expect(await patch({ url: 'https://b.example/' })).toMatchObject({ url: 'https://b.example/', events: [] });
    expect(await patch({ events: ['webhook.ping'] })).toMatchObject({
      url: 'https://b.example/',
      events: ['webhook.ping'],
    });
    expect(await patch({ url: '', events: [] })).toMatchObject({ url: 'https://b.example/', events: [] });
  });

  it('is enabled again by another url only, which resets the failures', async () => {
    await using service = await startService();
    const { endpoint_id: id } = await create(service);
    const stored = service.account.subscriptions.get(id);
    if (stored === undefined) throw new Error('not stored');
    Object.assign(stored, { status: 2, consecutive_failures: 20 });
    const patch = (body: unknown) => service.call('PATCH', `/v1/webhooks/${id}`, body);
    for (const body of [{ events: [] }, { url: URL_A, events: [] }]) {
      expect((await patch(body)).json).toMatchObject({ item: { status: 2, consecutive_failures: 20 } });
    }
    expect((await patch({ url: `${URL_A}?v=2` })).json).toMatchObject({ item: { status: 1, consecutive_failures: 0 } });
  });

  it('is one of five at most, including disabled ones', async () => {
    await using service = await startService();
    for (let count = 0; count < 5; count++) await create(service);
    for (const one of service.account.subscriptions.values()) one.status = 2;
    const refused = await service.call('POST', '/v1/webhooks', { url: URL_A });
    expect(refused).toEqual({
      status: 429,
      json: { error: { code: 'too_many_requests', message: expect.any(String) } },
    });
    const [first] = await list(service);
    expect(await service.call('DELETE', `/v1/webhooks/${first?.id}`)).toEqual({ status: 200, json: { ok: true } });
    await create(service);
  });

  it('is not created without a right url and right events', async () => {
    await using service = await startService();
    for (const [body, message] of [
      [{}, 'url is required'],
      [{ url: 'http://a.example' }, 'url must be https'],
      [{ url: URL_A, events: ['summary.complete'] }, 'unknown event type: summary.complete'],
      [{ url: URL_A, events: 'summary.completed' }, 'events must be an array'],
      ['{', 'the body is not JSON'],
      [[], 'the body must be an object'],
    ] as const) {
      expect(await service.call('POST', '/v1/webhooks', body)).toEqual({
        status: 400,
        json: { error: { code: 'bad_request', message } },
      });
    }
    expect(await list(service)).toEqual([]);
  });
});

describe('a request to the sandbox', () => {
  it('gets 401 without the right token, whatever it asks for', async () => {
    await using service = await startService();
    for (const token of ['', 'pat_other', `${service.token}x`]) {
      for (const path of ['/v1/webhooks', '/v1/nowhere']) {
        expect(await service.call('GET', path, undefined, token)).toEqual({
          status: 401,
          json: { error: { code: 'unauthorized', message: expect.any(String) } },
        });
      }
    }
  });

  it('gets 404 in the documented format for unknown paths', async () => {
    await using service = await startService();
    for (const [method, path] of [
      ['GET', '/v1/webhooks/ep_1/deliveries'],
      ['PATCH', '/v1/webhooks/ep_1'],
      ['DELETE', '/v1/webhooks/ep_1'],
      ['POST', '/v1/webhooks/ep_1/test'],
      ['GET', '/v2/webhooks'],
    ] as const) {
      const { status, json } = await service.call(method, path, method === 'PATCH' ? {} : undefined);
      expect([path, status, json]).toMatchObject([path, 404, { error: { code: 'not_found' } }]);
    }
  });
});

describe('the log of the sandbox', () => {
  it('has pages, the latest delivery first, until an empty page', async () => {
    await using service = await startService({ seed: 'demo' });
    const [first] = await list(service);
    const page = async (query: string): Promise<{ id: string; created_at: string }[]> =>
      ((await service.call('GET', `/v1/webhooks/${first?.id}/deliveries${query}`)).json as { items: never }).items;
    const pages = [await page(''), await page('?page=2'), await page('?page=3')];
    expect(pages.map(({ length }) => length)).toEqual([20, 14, 0]);
    const all = pages.flat();
    expect(new Set(all.map(({ id }) => id)).size).toBe(34);
    expect(all.map((one) => one.created_at)).toEqual(
      all
        .map((one) => one.created_at)
        .sort()
        .reverse(),
    );
    expect(await page('?page_size=100')).toEqual(all);
    for (const query of ['?page_size=101', '?page_size=0', '?page=0', '?page=x']) {
      expect((await service.call('GET', `/v1/webhooks/${first?.id}/deliveries${query}`)).status).toBe(400);
    }
    service.traps.add('ignored-page');
    expect(await page('?page=3')).toEqual(pages[0]);
  });
});
