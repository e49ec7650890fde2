/** A log without a total, without filters, in no stated order, whose pages move. */
import { describe, expect, it } from 'vitest';
import { type Subscribed, subscribed } from './subscribed.ts';

const START = Date.UTC(2026, 10, 20, 12);

/** So many deliveries, a minute apart; every tenth has failed. */
function fill(service: Subscribed, count: number, start = START): void {
  for (let index = 0; index < count; index++) {
    const failed = index % 10 === 9;
    const created_at = new Date(start + index * 60_000).toISOString();
    service.account.log.push({
      id: `dlv_${index}`,
      endpoint_id: 'ep_1',
      event_id: `evt_${index}`,
      event_type: 'summary.completed',
      status: failed ? 2 : 1,
      attempts: failed ? 6 : 1,
      last_error: failed ? `http_50${index % 4}` : '',
      delivered_at: failed ? '' : created_at,
      created_at,
    });
  }
}

const ids = (stdout: string): string[] => stdout.trimEnd().split('\n');

describe('svc webhooks deliveries', () => {
  it('lists 20 by default', async () => {
    await using service = await subscribed();
    service.subscribe();
    fill(service, 250);
    expect((await service.run(['deliveries', 'ep_2'])).code).toBe(5);
    const first = await service.run(['deliveries', 'ep_1']);
    expect(first.stdout.trimEnd().split('\n')).toHaveLength(21);
    expect(first.stderr).toBe('there may be more; use --all\n');
    expect(ids((await service.run(['deliveries', 'ep_1', '--limit', '50', '-q'])).stdout)).toHaveLength(50);
    expect(ids((await service.run(['deliveries', 'ep_1', '--limit', '150', '-q'])).stdout)).toHaveLength(150);
    expect(ids((await service.run(['deliveries', 'ep_1', '--all', '-q'])).stdout)).toHaveLength(250);
  });

  it('filters all pages, the latest delivery first', async () => {
    await using service = await subscribed();
    service.subscribe();
    fill(service, 250);
    service.account.log.reverse();
    const failed = await service.run(['deliveries', 'ep_1', '--status', 'failed', '-o', 'json']);
    const found = JSON.parse(failed.stdout).map((item: { event_id: string }) => item.event_id);
    expect(found.slice(0, 2)).toEqual(['evt_249', 'evt_239']);
    expect(found).toHaveLength(25);
    const since = new Date(START + 245 * 60_000).toISOString();
    const late = await service.run(['deliveries', 'ep_1', '--since', since, '--limit', '2', '-q']);
    expect(late.stdout).toBe('dlv_249\ndlv_248\n');
    expect((await service.run(['deliveries', 'ep_1', '--event-id', 'evt_3'])).stderr).toBe(
      '249 of 250 filtered out; the service does not report the total\n',
    );
    expect((await service.run(['deliveries', 'ep_1', '--event', 'webhook.ping', '-o', 'json'])).stdout).toBe('[]\n');
    expect(await service.run(['deliveries', 'ep_1', '--event', 'webhook.pong'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('it has summary.completed and webhook.ping\nhint: did you mean webhook.ping?'),
    });
  });

  it('ends if the service ignores the page, or if pages shift', async () => {
    await using service = await subscribed(['ignored-page']);
    service.subscribe();
    fill(service, 250);
    const run = await service.run(['deliveries', 'ep_1', '--all', '-q']);
    expect(ids(run.stdout)).toHaveLength(100);
    expect((await service.run(['deliveries', 'ep_1', '--all'])).stderr).toContain(
      'warning: page 2 repeated page 1; stopped',
    );
    service.traps.clear();
    service.traps.add('shifting-pages');
    const shifted = ids((await service.run(['deliveries', 'ep_1', '--all', '-q'])).stdout);
    expect(new Set(shifted).size).toBe(shifted.length);
    expect(shifted.filter((id) => /^dlv_\d+$/.test(id))).toHaveLength(250);
  });
});

describe('svc webhooks samples', () => {
  it('lists real events, or one that is generated', async () => {
    await using service = await subscribed();
    const [synthetic] = JSON.parse((await service.run(['samples', '-o', 'json'])).stdout);
    expect(synthetic).toMatchObject({
      id: expect.stringMatching(/^evt_sample_/),
      synthetic: true,
      data: { audio_id: expect.any(String) },
    });
    const event = service.emit();
    expect((await service.run(['samples', '--event', 'summary.completed', '--limit', '1'])).stdout).toMatch(
      new RegExp(`^${event} +summary.completed +real `, 'm'),
    );
    const two = await service.run(['samples', '--event', 'summary.completed,webhook.ping', '--limit', '1', '-q']);
    expect([two.stdout, two.stderr]).toEqual([`${event}\n`, '']);
    for (const limit of ['0', '11']) expect((await service.run(['samples', '--limit', limit])).code).toBe(2);
    for (const [type, hint] of [
      ['other', 'the known event types are summary.completed'],
      ['summary.complete', 'did you mean summary.completed?'],
    ] as const) {
      const stderr = expect.stringContaining(`bad_request: unknown event type: ${type}\nhint: ${hint}`);
      expect(await service.run(['samples', '--event', type])).toMatchObject({ code: 3, stderr });
    }
  });
});
