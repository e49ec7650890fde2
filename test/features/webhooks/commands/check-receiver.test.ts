/** `svc webhooks check-receiver` against receivers that are right, and wrong in one way each. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { describe, expect, it } from 'vitest';
import { PROBE_NAMES, PROBES } from '../../../../src/features/webhooks/probes/probes.ts';
import type { ProbeResult } from '../../../../src/features/webhooks/probes/receiver-check.ts';
import { freePorts } from '../../../support/ports.ts';
import { type Run, svc } from '../../../support/svc.ts';
import { handmade, KEY, receiver } from './handmade-receiver.ts';
import { listen } from './listening.ts';
import { probe } from './probing.ts';

const env = { SVC_WEBHOOK_SECRET: KEY };
/** With a valid and a forged one before all probes. */
const COUNT = PROBES.flatMap(({ sends }) => sends).length + 2;
const check = (url: string, ...args: string[]): Promise<Run> =>
  svc(['webhooks', 'check-receiver', url, ...args], { env });

it('svc webhooks check-receiver passes a receiver that follows the document', async () => {
  const { url, taken } = await handmade();
  const results = await probe(url);
  expect(results.map(({ probe: name, status }) => [name, status])).toEqual(PROBE_NAMES.map((name) => [name, 'pass']));
  expect(taken).toHaveLength(COUNT);
  expect(taken.every(({ method, path }) => method === 'POST' && path === '/hook')).toBe(true);
  const ids = taken
    .filter(({ status }) => status === 204)
    .map(({ body }) => (JSON.parse(body.toString()) as { id: string }).id);
  // One event comes twice.
  expect(new Set(ids).size).toBe(ids.length - 1);
  expect(taken.map(({ body }) => body.length)).toEqual(expect.arrayContaining([2 ** 20, 2 ** 21]));
});

it('svc webhooks check-receiver passes svc webhooks listen', async () => {
  const { port, stop } = await listen([]);
  const { code, stderr } = await check(`http://127.0.0.1:${port}/`);
  await stop();
  expect({ code, stderr }).toEqual({
    code: 0,
    stderr: `${PROBE_NAMES.length} of ${PROBE_NAMES.length} probes passed\n`,
  });
});

describe('svc webhooks check-receiver, for an unreachable receiver,', () => {
  it('exits 7 at once', async () => {
    const { code, stdout, stderr } = await check('http://127.0.0.1:1/hook');
    expect({ code, stdout }).toEqual({ code: 7, stdout: '' });
    expect(stderr).toContain('nothing listens at 127.0.0.1:1');
  });

  it('waits for it with --wait', async () => {
    const port = await freePorts();
    const late = createServer(({ headers }, response) =>
      response.writeHead(String(headers['x-service-signature']).includes('0000') ? 401 : 204).end(),
    );
    const starting = async (): Promise<void> => {
      if (!late.listening) await once(late.listen(port, '127.0.0.1'), 'listening');
    };
    const argv = ['webhooks', 'check-receiver', `http://127.0.0.1:${port}/`, '--only', 'valid-ping', '--wait', '1m'];
    const { code, stderr } = await svc(argv, { env: { SVC_WEBHOOK_SECRET: KEY }, sleepsUntil: starting });
    late.closeAllConnections();
    late.close();
    expect({ code, stderr }).toEqual({ code: 0, stderr: '1 of 1 probes passed\n' });
  });

  it('skips the other probes if it stops half-way', async () => {
    const leaving = await receiver((_request, response) => {
      leaving.server.close();
      response.writeHead(204, { connection: 'close' }).end();
    });
    const { code, stdout } = await check(leaving.url, '-o', 'json');
    expect(code).toBe(1);
    const results = JSON.parse(stdout) as ProbeResult[];
    expect(results.slice(0, 3).map(({ status, got }) => [status, got])).toEqual([
      ['fail', expect.stringContaining('nothing listens')],
      ['skipped', 'not sent: the receiver can no longer be reached'],
      ['skipped', 'not sent: the receiver can no longer be reached'],
    ]);
    expect(results).toHaveLength(PROBE_NAMES.length);
  });

  it('fails one probe if it breaks one connection', async () => {
    const { url } = await receiver((request, response, body) => {
      if (body.includes('recording.archived')) request.socket.resetAndDestroy();
      else response.writeHead(String(request.headers['x-service-signature']).includes('0000') ? 401 : 204).end();
    });
    const only = ['valid-ping', 'unknown-type', 'valid-summary'].flatMap((name) => ['--only', name]);
    const { code, stdout } = await check(url, '-o', 'json', ...only);
    expect(code).toBe(1);
    expect((JSON.parse(stdout) as ProbeResult[]).map(({ probe, status, got }) => [probe, status, got])).toEqual([
      ['valid-ping', 'pass', '204'],
      ['valid-summary', 'pass', '204'],
      ['unknown-type', 'fail', 'the connection broke before a response'],
    ]);
    expect((await check(url, ...only)).stdout).toBe(
      'fail  unknown-type  an event of the type recording.archived, which does not exist yet: the connection broke before a response  → see the log of the receiver\n',
    );
  });
});

it('svc webhooks check-receiver prints a line for each obligation that is not met, and counts the others', async () => {
  const { url } = await handmade(['signature-optional', 'no-past-limit']);
  const run = await check(url);
  expect(run).toMatchObject({
    code: 1,
    stdout: [
      'fail  missing-signature  204 to a ping without X-Service-Signature  → refuse a request without X-Service-Signature',
      'fail  stale-timestamp  204 to a correctly signed ping that is one hour old  → refuse a timestamp that is more than about 5 minutes old',
      '',
    ].join('\n'),
    stderr: `${PROBE_NAMES.length - 2} of ${PROBE_NAMES.length} probes passed\n`,
  });
  const wide = await check(url, '-o', 'wide');
  expect(wide.stdout.split('\n')).toHaveLength(PROBE_NAMES.length + 2);
  const ids = await check(url, '-q');
  expect([ids.code, ids.stdout]).toEqual([1, 'missing-signature\nstale-timestamp\n']);
});

it('svc webhooks check-receiver --dry-run prints all requests, and sends nothing', async () => {
  const { url, taken } = await handmade();
  const { code, stdout } = await check(url, '--dry-run', '-o', 'json');
  const requests = JSON.parse(stdout) as unknown[];
  expect({ code, sent: taken.length, shown: requests.length }).toEqual({ code: 0, sent: 0, shown: COUNT });
});

it('svc webhooks check-receiver refuses a wrong address, and shows no password', async () => {
  for (const [url, why] of [
    ['ftp://127.0.0.1/', 'is not http'],
    ['http://u:p@127.0.0.1/', 'contains a user name or a password'],
    ['http://127.0.0.1/#a', 'fragment'],
    ['http://127.0.0.1:99999/', 'not a valid URL'],
    ['http://127.0.0.1/a b', 'space'],
  ] as const) {
    const { code, stderr } = await check(url);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(why) });
    expect(stderr).not.toContain('u:p');
  }
});

/** All probes but the one of megabytes, which takes most of the time. */
const SMALL = PROBE_NAMES.filter((name) => name !== 'large-body').flatMap((name) => ['--only', name]);

it('svc webhooks check-receiver needs one secret, and shows it nowhere', async () => {
  const { url } = await handmade();
  expect((await svc(['webhooks', 'check-receiver', url])).code).toBe(2);
  const two = await svc(['webhooks', 'check-receiver', url, '--secret-env', 'A', '--secret-env', 'B'], {
    env: { A: KEY, B: 'whsec_other' },
  });
  expect(two.code).toBe(2);
  for (const args of [['-o', 'json'], ['--dry-run'], ['--dry-run=curl'], ['--debug']]) {
    const { stdout, stderr } = await check(url, ...args, ...SMALL);
    expect(stdout + stderr + two.stderr).not.toContain(KEY.slice(6));
  }
});
