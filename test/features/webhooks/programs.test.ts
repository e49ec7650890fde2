/** Nothing that a real program writes is called INVALID because of how it writes it, and nothing that was changed is called valid. */
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { signatureOf } from '../../../src/features/webhooks/signature.ts';
import { type Run, svc } from '../../support/svc.ts';
import { PROGRAMS, type Received, RICH } from './programs.ts';
import { NOW_S, PING, SECRET, T } from './vectors.ts';

const verify = (stdin: string): Promise<Run> =>
  svc(['webhooks', 'verify', '-o', 'ndjson'], { stdin, now: () => NOW_S * 1000, env: { SVC_WEBHOOK_SECRET: SECRET } });

function delivery(body: Buffer): Received {
  const headers = {
    'content-type': 'application/json',
    'x-service-event': 'summary.completed',
    'x-service-delivery': 'dlv_1',
    'x-service-timestamp': T,
    'x-service-signature': signatureOf(SECRET, T, body),
  };
  return { headers, body };
}

function changed({ headers, body }: Received): Received {
  return { headers, body: Buffer.from(body.toString().replace('evt_1', 'evt_2')) };
}

/** The body in the notations that say only what was parsed, or nothing. */
const LOST = /the signed bytes are lost|contains no delivery|the body is not in it/;

describe.each(PROGRAMS)('%s', (_, keeps, write) => {
  it('with a compact body', async () => {
    const run = await verify(write(delivery(PING)));
    if (keeps === 'unreadable') expect(run).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(LOST) });
    else {
      expect(run).toMatchObject({ code: 0 });
      expect(JSON.parse(run.stdout)).toMatchObject({ valid: true, event_id: 'evt_1' });
    }
  });

  it('with a body that changes when it is written again', async () => {
    const run = await verify(write(delivery(RICH)));
    if (keeps === 'whole') {
      expect(run).toMatchObject({ code: 0 });
      expect(JSON.parse(run.stdout)).toMatchObject({ valid: true, body_bytes: RICH.length });
    } else expect(run).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(LOST) });
  });

  it.each([
    ['compact', PING],
    ['rich', RICH],
  ])('with another byte in a %s body', async (_name, body) => {
    const run = await verify(write(changed(delivery(body))));
    if (keeps === 'whole') {
      expect(run).toMatchObject({ code: 1 });
      expect(JSON.parse(run.stdout)).toMatchObject({ valid: false, status: 'signature_mismatch', event_id: null });
    } else expect(run).toMatchObject({ code: 2, stdout: '' });
  });
});

it('with a piece cut out or put in are valid only with the received bytes', async () => {
  const sha256 = createHash('sha256').update(PING).digest('hex');
  const piece = fc.oneof(
    fc.string({ maxLength: 8 }),
    fc.constantFrom('"', "'", '\n', '\r\n\r\n', '{', '}', '###\n', '\\'),
  );
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...PROGRAMS),
      fc.nat(),
      fc.nat({ max: 20 }),
      piece,
      async (program, at, cut, put) => {
        const text = program[2](delivery(PING));
        const start = at % text.length;
        const { code, stdout } = await verify(text.slice(0, start) + put + text.slice(start + cut));
        expect([0, 1, 2]).toContain(code);
        for (const line of stdout.split('\n').filter((one) => one.includes('"valid":true'))) {
          expect(JSON.parse(line)).toMatchObject({ body_sha256: sha256 });
        }
      },
    ),
    { numRuns: 400 },
  );
});
