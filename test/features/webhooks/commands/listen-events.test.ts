/** The event types of `svc webhooks listen`, for the subscription of a tunnel. */
import { expect, it } from 'vitest';
import { svc } from '../../../support/svc.ts';
import { SECRET } from './listening.ts';

const TUNNEL = ['--tunnel', 'exit 1'];

it.each([
  [
    [...TUNNEL, '--event', 'sumary.completed'],
    'it has summary.completed and webhook.ping\nhint: did you mean summary.completed?',
  ],
  [[...TUNNEL, '--event', 'webhook.ping,other'], '--event: the service has no event type "other"'],
  [[...TUNNEL, '--event', 'webhook.ping,'], '--event: an item of "webhook.ping," is empty'],
  [['--event', 'webhook.ping'], '--event needs --tunnel'],
])('refuses %j', async (args, message) => {
  const env = args.includes('--tunnel') ? {} : SECRET;
  const run = await svc(['webhooks', 'listen', '--port', '0', ...args], { env });
  expect(run).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(message) });
});
