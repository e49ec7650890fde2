/** Deliveries of the emulated service against document 2 §3 and §6. */
import { describe, expect, it } from 'vitest';
import { signatureBy, startReceiver, startService, type TestService } from './service.ts';

/** A retry schedule of 51 minutes in 0.3 s. */
const FAST = 10_000;

async function subscribe(service: TestService, url: string, events = ['summary.completed']): Promise<string> {
  const { json } = await service.call('POST', '/v1/webhooks', { url, events });
  return (json as { endpoint_id: string }).endpoint_id;
}

/** The log as it is when its latest delivery is over. */
async function settled(service: TestService, least = 1): Promise<readonly (readonly unknown[])[]> {
  await expect
    .poll(() => service.account.log.length >= least && service.account.log.every(({ status }) => status !== 0), {
      timeout: 20_000,
    })
    .toBe(true);
  return service.account.log.map(({ status, attempts, last_error }) => [status, attempts, last_error]);
}

const failures = (service: TestService, id: string) => service.account.subscriptions.get(id)?.consecutive_failures;

describe('a delivery of the sandbox', () => {
  it('is the envelope, signed over its exact bytes', async () => {
    await using receiver = await startReceiver();
    await using service = await startService({ fast: FAST });
    const id = await subscribe(service, receiver.url);
    const event = service.emit();
    await receiver.received(1);
    expect(await settled(service)).toEqual([[1, 1, '']]);
    const [delivery] = receiver.deliveries;
    if (delivery === undefined) throw new Error('none');
    const secret = service.account.subscriptions.get(id)?.secret ?? '';
    expect(delivery.headers).toMatchObject({
      'content-type': 'application/json',
      'x-service-event': 'summary.completed',
      'x-service-delivery': service.account.log[0]?.id,
      'x-service-timestamp': expect.stringMatching(/^\d{10}$/),
      'x-service-signature': signatureBy(secret, delivery),
    });
    expect(JSON.parse(delivery.body.toString())).toMatchObject({ id: event, type: 'summary.completed' });
  });

  it('comes for listed types only; a test sends a ping', async () => {
    await using receiver = await startReceiver();
    await using service = await startService({ fast: FAST });
    await subscribe(service, receiver.url, []);
    service.emit();
    const id = await subscribe(service, receiver.url);
    const { json } = await service.call('POST', `/v1/webhooks/${id}/test`);
    expect(json).toEqual({ event_id: expect.stringMatching(/^evt_/), queued: true });
    expect(await settled(service)).toEqual([[1, 1, '']]);
    expect(service.account.log[0]).toMatchObject({ endpoint_id: id, event_type: 'webhook.ping' });
  });

  it('is tried again five times; a success resets the failures', async () => {
    await using receiver = await startReceiver([500, 302, 500, 404, 503, 500, 200]);
    await using service = await startService({ fast: FAST });
    const id = await subscribe(service, receiver.url);
    service.emit();
    expect(await settled(service)).toEqual([[2, 6, 'http_500']]);
    expect(receiver.deliveries).toHaveLength(6);
    expect(failures(service, id)).toBe(6);
    service.emit();
    expect(await settled(service, 2)).toEqual([
      [2, 6, 'http_500'],
      [1, 1, ''],
    ]);
    expect(failures(service, id)).toBe(0);
  });

  it('disables its endpoint after twenty failures in a row, and later events are not recorded', async () => {
    await using receiver = await startReceiver([500]);
    await using service = await startService({ fast: 5 * FAST });
    const id = await subscribe(service, receiver.url);
    // One after the other: what is under way when the endpoint is disabled still arrives.
    for (let count = 1; count <= 3; count++) {
      service.emit();
      await settled(service, count);
    }
    service.emit();
    const log = await settled(service, 4);
    expect(service.account.subscriptions.get(id)).toMatchObject({ status: 2, consecutive_failures: 20 });
    expect(receiver.deliveries).toHaveLength(20);
    expect(log).toEqual([...Array(3).fill([2, 6, 'http_500']), [2, 2, 'endpoint_disabled']]);
    await service.call('POST', `/v1/webhooks/${id}/test`);
    const other = await subscribe(service, receiver.url);
    await service.call('POST', `/v1/webhooks/${other}/test`);
    await receiver.received(21);
    expect(service.account.log.filter((item) => item.endpoint_id === id)).toHaveLength(4);
  });

  it('fails if the receiver is silent, is not there, or is on another machine', async () => {
    await using receiver = await startReceiver([0]);
    for (const [url, error] of [
      [receiver.url, 'timeout'],
      ['http://127.0.0.1:9/', 'connection_refused'],
      ['https://hooks.example/', 'sandbox_delivers_to_loopback_only'],
    ] as const) {
      await using service = await startService({ fast: FAST, receiverMs: error === 'timeout' ? 30 : 20_000 });
      await subscribe(service, url);
      service.emit();
      expect(await settled(service)).toEqual([[2, 6, error]]);
    }
  });
});
