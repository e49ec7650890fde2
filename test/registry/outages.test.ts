/** Commands that watch a service, or wait for it, report an outage while they run. */
import type { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import type { Command } from '../../src/cli/command.ts';
import { SvcError } from '../../src/errors.ts';
import { answer, faultServer, type Received } from '../support/servers.ts';
import { svc } from '../support/svc.ts';
import { REGISTERED } from './commands.ts';
import { healthyBody } from './healthy.ts';

interface Watching {
  readonly argv: readonly string[];
  /** It runs until it is stopped. */
  readonly isEndless?: true;
}

/** Without a service of the command's own to watch, or with a gateway, whose outages have tests of their own. */
const APART = [...['alerts triage', 'webhooks listen', 'silences run'], ...['trade stream', 'trade watch']];
const WATCHING: Readonly<Record<string, Watching>> = {
  'alerts list': { argv: ['--watch=1s'], isEndless: true },
  'alerts check': { argv: ['--expect', '--wait', '1h'] },
  'catalog check': { argv: ['5f6c2a9e-0c1d-4f3b-9a57-2b1e8d3c4a10', '--below', '1000', '--wait', '1h'] },
  'webhooks test': { argv: ['ep_1', '--wait', '1h'] },
};

type Down = 'answers 503' | 'closes every connection' | 'stays silent';
const DOWN: readonly Down[] = ['answers 503', 'closes every connection', 'stays silent'];

async function watching(command: Command, down: Down, format: string) {
  const { argv = [], isEndless } = WATCHING[command.id] ?? {};
  const stop = new AbortController();
  const waiting: (() => void)[] = [];
  const received: Received[] = [];
  let isDown = command.effect === 'read';
  const respond = (socket: Socket, request: Received): void => {
    const body = command.service && healthyBody(command.service, request, received);
    socket.write(answer(body === undefined ? 404 : 200, body ?? '{}'));
    // A write is made first where the command needs one: what follows it is lost.
    if (command.effect !== 'read' && request.method === 'POST') isDown = true;
  };
  await using server = await faultServer((socket, request) => {
    received.push(request);
    if (!isDown) respond(socket, request);
    else if (down === 'answers 503') socket.write(answer(503, '"down"'));
    else if (down === 'closes every connection') socket.destroy();
    else waiting.push(() => respond(socket, request));
  });
  const recover = (): void => {
    if (!isDown || (command.effect !== 'read' && !received.some(({ method }) => method === 'POST'))) return;
    command = { ...command, effect: 'read' };
    isDown = false;
    for (const go of waiting.splice(0)) go();
  };
  const sees = (text: string): undefined => {
    if (text.includes('"unreachable"') || /waiting for (it|the service)/.test(text)) recover();
    if (isEndless && /"recovered"|responds again/.test(text)) stop.abort(new SvcError('interrupted', 'interrupted'));
    return undefined;
  };
  const prefix = `SVC_${command.service?.toUpperCase()}`;
  return await svc([...command.id.split(' '), ...argv, '-o', format], {
    env: { [`${prefix}_URL`]: server.url, [`${prefix}_TOKEN`]: 't0ken' },
    now: () => Date.UTC(2026, 0, 15, 12),
    signal: stop.signal,
    // A notice comes first: where there are events, the stream is what is waited for.
    ...(format === 'ndjson' ? { onStdout: sees } : { onStderr: sees }),
  });
}

const STREAMING = REGISTERED.map(({ command }) => command).filter(({ streams }) => streams !== undefined);

it('covers every command that streams', () => {
  const ids = STREAMING.map(({ id }) => id);
  expect(new Set(ids)).toEqual(new Set([...Object.keys(WATCHING), ...APART]));
});

it('requires every command that watches or waits to declare it', () => {
  const waits = (name: string): boolean => ['watch', 'follow', 'interval', 'every'].includes(name);
  const watchers = REGISTERED.map(({ command }) => command).filter(
    ({ service, flags = {} }) =>
      (service === 'alerts' || service === 'webhooks' || service === 'catalog') &&
      Object.entries(flags).some(([name, flag]) => waits(name) && flag.type !== 'choice'),
  );
  expect(watchers.length).toBeGreaterThanOrEqual(4);
  for (const { id, streams } of watchers) expect(streams, id).toBeDefined();
});

describe.each(STREAMING.filter(({ id }) => id in WATCHING))('svc $id', (command) => {
  const code = WATCHING[command.id]?.isEndless ? 130 : 0;

  it.each(DOWN)('prints events with -o ndjson when its service %s', async (down) => {
    const run = await watching(command, down, 'ndjson');
    const rows = run.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    const outages = rows.filter(({ event }) => event === 'unreachable' || event === 'recovered');
    expect(outages).toEqual([
      { event: 'unreachable', at: '2026-01-15T12:00:00.000Z', reason: expect.any(String) },
      { event: 'recovered', at: '2026-01-15T12:00:00.000Z' },
    ]);
    expect([run.code, run.stderr]).toEqual([code, expect.stringMatching(/waiting for .*\n.*responds again\n/s)]);
  });

  // What a script without ndjson sees, and a person: the notice must not wait for the end.
  it.each(['table', 'json'])('prints lines on stderr at once with -o %s', async (format) => {
    if (format === 'json' && command.id === 'alerts list') return;
    const run = await watching(command, 'answers 503', format);
    expect([run.code, run.stderr]).toEqual([code, expect.stringMatching(/waiting for .*\n.*responds again\n/s)]);
    if (format === 'json' && code === 0) expect(JSON.parse(run.stdout)).toBeTypeOf('object');
  });
});
