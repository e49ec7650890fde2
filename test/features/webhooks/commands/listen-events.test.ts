/** `svc webhooks listen --event`: which deliveries it leaves out, and that it says so. */
import { describe, expect, it } from 'vitest';
import { svc } from '../../../support/svc.ts';
import { deliver, event } from '../receiver-client.ts';
import { deliveries, lines, listen, rows, SECRET } from './listening.ts';

describe('--event', () => {
  const EVENTS = ['evt_1', 'evt_2', 'evt_3', 'evt_4'];
  const typeOf = (id: string): string => ['summary.completed', 'webhook.ping', 'a.b'][Number(id.at(-1)) % 3] as string;

  it.each([[['webhook.ping,summary.completed']], [['webhook.ping', 'summary.completed']]])(
    'accepts %j',
    async (values) => {
      const { port, stop } = await listen([...values.flatMap((value) => ['--event', value]), '-o', 'ndjson']);
      for (const id of EVENTS) await deliver(port, event(id, typeOf(id)));
      const run = await stop();
      expect(rows(run)[0]).toMatchObject({ type: 'ready', events: ['webhook.ping', 'summary.completed'] });
      expect(deliveries(run).map(({ event_id }) => event_id)).toEqual(['evt_1', 'evt_3', 'evt_4']);
    },
  );

  it('reports what it leaves out at once, in the last row and in the summary', async () => {
    const args = ['--event', 'summary.completed'];
    const table = await listen(args);
    const ndjson = await listen([...args, '-o', 'ndjson']);
    for (const id of EVENTS) for (const { port } of [table, ndjson]) await deliver(port, event(id, typeOf(id)));
    const notices = [
      'filtered out by --event: webhook.ping (answered 204, so the service does not send it again)',
      'filtered out by --event: a.b (answered 204, so the service does not send it again)',
    ];
    const summary = '1 delivery: 1 valid, 0 invalid, 3 filtered out';
    const people = await table.stop();
    expect(lines(people.stderr)[0]).toContain('  events: summary.completed');
    expect(lines(people.stderr).slice(1)).toEqual([...notices, summary]);
    const machine = await ndjson.stop();
    expect(lines(machine.stderr)).toEqual([summary]);
    expect(rows(machine).filter(({ type }) => type === 'warning')).toEqual(
      notices.map((message) => ({ type: 'warning', message })),
    );
    expect(rows(machine).at(-1)).toEqual({
      type: 'end',
      deliveries: 1,
      valid: 1,
      duplicates: 0,
      invalid: 0,
      refused: 0,
      accepted: 1,
      filtered: 3,
    });
  });

  it.each([
    [
      ['--event', 'sumary.completed'],
      'it has summary.completed and webhook.ping\nhint: did you mean summary.completed?',
    ],
    [['--event', 'webhook.ping,other'], '--event: the service has no event type "other"'],
    [['--event', 'webhook.ping,'], '--event: an item of "webhook.ping," is empty'],
    [['--until-event', 'webhook.pong'], 'hint: did you mean webhook.ping?'],
    [['--event', 'webhook.ping', '--until-event', 'summary.completed'], 'will never arrive: --event filters it out'],
  ])('refuses %j', async (args, message) => {
    const run = await svc(['webhooks', 'listen', '--port', '0', ...args], { env: SECRET });
    expect(run).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(message) });
  });
});
