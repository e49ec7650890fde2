/** `svc webhooks listen` and requests that anyone can send: they are counted, and do not hide or displace what the service sends. */
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryHome } from '../../../support/svc.ts';
import { deliver, event, Sender } from '../receiver-client.ts';
import { deliveries, lines, listen, recordedIn, rows } from './listening.ts';

const UNSIGNED = 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\na=b';

async function flood(port: number, count: number, request = UNSIGNED): Promise<void> {
  const sender = new Sender(port);
  for (let index = 0; index < count; index++) {
    expect((await sender.send(request).answer()).status).toBeGreaterThanOrEqual(400);
  }
  sender.close();
}

describe('many requests without a valid signature, at svc webhooks listen,', () => {
  it('have rows for the first, and a count of the others', async () => {
    for (const [request, tally] of [
      [UNSIGNED, { invalid: 200, refused: 0 }],
      ['PUT /x HTTP/1.1\r\nHost: a\r\n\r\n', { invalid: 0, refused: 200 }],
    ] as const) {
      const { port, ended } = await listen(['--count', '1', '-o', 'ndjson']);
      await flood(port, 200, request);
      expect((await deliver(port, event('evt_1'))).status).toBe(204);
      const run = await ended;
      const shown = rows(run).filter(({ type, valid }) => type === 'refused' || valid === false).length;
      const omitted = rows(run).flatMap(({ type, requests }) => (type === 'omitted' ? [Number(requests)] : []));
      expect(shown).toBeGreaterThanOrEqual(20);
      expect(omitted.length).toBeLessThan(20);
      expect(shown + omitted.reduce((sum, count) => sum + count, 0)).toBe(200);
      expect(rows(run).at(-1)).toMatchObject({ type: 'end', accepted: 1, valid: 1, ...tally });
      expect([run.code, deliveries(run).filter(({ valid }) => valid).length]).toEqual([0, 1]);
    }
  });

  it('do not fill a recording', async () => {
    const record = join(temporaryHome(), 'rec.ndjson');
    const { port, ended } = await listen(['--count', '1', '--record', record]);
    await flood(port, 500);
    await deliver(port, event('evt_1'));
    await ended;
    const recorded = recordedIn(record);
    expect(recorded[0]).toMatchObject({ status: 'missing_signature', response: 401 });
    expect(recorded.at(-1)).toMatchObject({ event_id: 'evt_1', status: 'valid' });
    expect(recorded.length).toBeLessThan(100);
  });

  it('do not fill a recording with large bodies', async () => {
    const record = join(temporaryHome(), 'rec.ndjson');
    const { port, ended } = await listen(['--count', '1', '--record', record]);
    for (let index = 0; index < 4; index++) await deliver(port, Buffer.alloc(6 * 2 ** 20), { key: 'whsec_other' });
    await deliver(port, event('evt_1'));
    await ended;
    expect(recordedIn(record).map(({ status }) => status)).toEqual([
      'signature_mismatch',
      'signature_mismatch',
      'valid',
    ]);
  });
});

it('svc webhooks listen records all that the service signed, even with a wrong clock', async () => {
  const record = join(temporaryHome(), 'rec.ndjson');
  const { port, ended } = await listen(['--count', '1', '--record', record, '-o', 'ndjson']);
  const timestamp = Math.floor(Date.now() / 1000) - 3_600;
  for (let index = 0; index < 50; index++) {
    expect((await deliver(port, event(`evt_old_${index}`), { timestamp })).status).toBe(401);
  }
  await deliver(port, event('evt_1'));
  const run = await ended;
  expect(recordedIn(record)).toHaveLength(51);
  expect(rows(run).filter(({ type }) => type === 'omitted')).toEqual([]);
});

describe('three invalid deliveries in a row, at svc webhooks listen,', () => {
  const NOW = 1_767_225_600;
  const mismatch = { timestamp: NOW, key: 'whsec_other' };

  it('are explained by their reason', async () => {
    for (const [request, explanation] of [
      [{ timestamp: NOW - 1_000 }, /\(stale\): check the clock of this machine, or use --tolerance;/],
      [{ timestamp: NOW + 1_000 }, /\(future\): check the clock of this machine;/],
      [mismatch, /\(signature_mismatch\): is it the secret of another endpoint\?/],
      [{ timestamp: '1e9' }, /\(malformed_timestamp\): the lines name the reasons;/],
    ] as const) {
      const { port, stop } = await listen([], { now: () => NOW * 1000 });
      for (let index = 0; index < 3; index++) expect((await deliver(port, event('evt_1'), request)).status).toBe(401);
      const explained = lines((await stop()).stderr).filter((line) => line.includes('in a row'));
      expect(explained).toEqual([expect.stringMatching(explanation)]);
      expect(explained[0]?.includes('another endpoint')).toBe(request === mismatch);
    }
  });
});

it('svc webhooks listen says once that a client sends TLS or HTTP/2', async () => {
  const { port, stop } = await listen(['-o', 'ndjson']);
  for (const bytes of ['\x16\x03\x01\x02\x00\x01', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n']) {
    for (let index = 0; index < 3; index++) await new Sender(port).send(Buffer.from(bytes, 'latin1')).rest();
  }
  const warnings = rows(await stop()).filter(({ type }) => type === 'warning');
  expect(warnings.map(({ message }) => message)).toEqual([
    expect.stringContaining('a client sent TLS or HTTP/2 to this port, which is for HTTP/1.1: use http://'),
  ]);
});
