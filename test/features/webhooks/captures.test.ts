/**
 * One file for each format that svc reads, each with three deliveries: genuine, tampered, and encoded again on the way. nginx, mitmproxy and Chromium's
 * DevTools wrote theirs themselves; the others follow the documentation of the program.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { svc } from '../../support/svc.ts';
import { statuses } from './commands/handmade-receiver.ts';
import { NOW_S, SECRET } from './vectors.ts';

const FOLDER = join(import.meta.dirname, 'captures');
const RICH = Buffer.from(
  '{"id": "evt_1", "type": "summary.completed", "created_at": "2026-01-01T00:00:00Z",\n "data": {"audio_id": "a_1", "title": "Caf\\u00e9 — \\"5 < 6\\" \\/ 日本", "duration_ms": 1.0, "path": "C:\\\\x"}}',
);

/** `text`: a mismatch proves nothing. */
type Bytes = 'exact' | 'text';

/** Whether each has the exact bytes of a body, and the time of its receipt. */
const FILES: Readonly<Record<string, readonly [bytes: Bytes, time: boolean]>> = {
  'raw.http': ['exact', false],
  'recording.ndjson': ['exact', true],
  'nginx-json.log': ['text', false],
  'mitmproxy.har': ['text', true],
  'chromium.har': ['text', true],
  'api-gateway-v1.ndjson': ['text', false],
  'api-gateway-v1-base64.ndjson': ['exact', false],
  'api-gateway-v2.ndjson': ['text', false],
  'api-gateway-v2-base64.ndjson': ['exact', false],
  'alb.ndjson': ['text', false],
  'alb-base64.ndjson': ['exact', false],
  'webhook.site.json': ['text', false],
  'ngrok.json': ['exact', false],
  'log.ndjson': ['text', false],
  'log-base64.ndjson': ['exact', false],
  'log-buffer.ndjson': ['exact', false],
};
/** The body was parsed: the signed bytes are lost. */
const PARSED = ['hookdeck.json', 'smee.ndjson'];
const NO_BODY = 'curl-v.txt';

const env = { SVC_WEBHOOK_SECRET: SECRET };
const now = (): number => NOW_S * 1000;
const path = (file: string): string => join(FOLDER, file);

interface Row {
  readonly status: string;
  readonly event_id: string | null;
  readonly body_bytes: number;
  readonly body_sha256: string;
  readonly notes: readonly string[];
  readonly clock: string;
}

async function verify(args: readonly string[], stdin = ''): Promise<{ code: number; rows: readonly Row[] }> {
  const argv = ['webhooks', 'verify', ...args, '--tolerance', 'none', '-o', 'ndjson'];
  const { code, stdout } = await svc(argv, { env, now, stdin });
  return { code, rows: stdout.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Row])) };
}

describe('files of other programs', () => {
  it('are all in the tables of this test', () => {
    expect([...Object.keys(FILES), ...PARSED, NO_BODY].sort()).toEqual(readdirSync(FOLDER).sort());
  });

  it('are verified by the received bytes', async () => {
    for (const [file, [bytes, time]] of Object.entries(FILES)) {
      const { code, rows } = await verify([path(file)]);
      const [genuine, ...mismatches] = rows;
      expect({ code, rows: rows.length }, file).toEqual({ code: 1, rows: 3 });
      expect(genuine, file).toMatchObject({ status: 'valid', event_id: 'evt_1', body_bytes: RICH.length });
      expect(genuine?.clock !== 'now', file).toBe(time);
      for (const { status, notes } of mismatches) {
        expect({ status, isText: notes.includes('text_body') }, file).toEqual({
          status: 'signature_mismatch',
          isText: bytes === 'text',
        });
      }
    }
  });

  it('are shown by inspect, without what is not signed', async () => {
    for (const file of Object.keys(FILES)) {
      const { code, stdout } = await svc(['webhooks', 'inspect', path(file), '-o', 'json'], { env, now });
      expect({ code, event: JSON.parse(stdout) }, file).toEqual({ code: 1, event: JSON.parse(RICH.toString()) });
    }
  });

  it('are sent by replay --resign, without what is not signed', async () => {
    for (const file of Object.keys(FILES)) {
      const peer = await statuses(204);
      const argv = ['webhooks', 'replay', path(file), '--to', peer.url, '--resign', '-o', 'json'];
      const run = await svc(argv, { env, now });
      expect(run, file).toMatchObject({ code: 0, stderr: expect.stringContaining('2 skipped: nothing proves') });
      expect(peer.taken.map(({ body }) => body)).toEqual([RICH]);
    }
  });

  it('are refused where the body was parsed', async () => {
    for (const file of PARSED) {
      for (const argv of [['verify'], ['inspect'], ['replay', '--to', 'http://127.0.0.1:1/']]) {
        const run = await svc(['webhooks', ...argv, path(file)], { env, now });
        expect(run, file).toMatchObject({
          code: 2,
          stdout: '',
          stderr: expect.stringContaining('the signed bytes are lost'),
        });
      }
    }
  });

  it('may be given as a folder', async () => {
    const { code, stdout, stderr } = await svc(['webhooks', 'verify', FOLDER, '--tolerance', 'none'], { env, now });
    expect(code).toBe(2);
    expect(stdout.match(/^valid /gm)).toHaveLength(Object.keys(FILES).length);
    const texts = Object.values(FILES).filter(([bytes]) => bytes === 'text').length;
    expect(stdout.match(/a mismatch proves nothing/g)).toHaveLength(2 * texts);
    expect(stderr.match(/the signed bytes are lost/g)).toHaveLength(6);
  });

  it('are valid only with the received bytes if a piece is cut out or put in', async () => {
    const sha256 = createHash('sha256').update(RICH).digest('hex');
    const text = fc.constantFrom(...Object.keys(FILES)).map((file) => readFileSync(path(file), 'utf8'));
    const inserted = fc.oneof(
      fc.string({ maxLength: 8 }),
      fc.constantFrom('"', "'", '\n', '\r\n\r\n', '{', '}', '###\n', '\\'),
    );
    await fc.assert(
      fc.asyncProperty(text, fc.nat(), fc.nat({ max: 20 }), inserted, async (whole, at, cut, more) => {
        const start = at % whole.length;
        const { code, rows } = await verify(['-'], whole.slice(0, start) + more + whole.slice(start + cut));
        expect([0, 1, 2]).toContain(code);
        for (const row of rows.filter(({ status }) => status === 'valid')) expect(row.body_sha256).toBe(sha256);
      }),
      { numRuns: 400 },
    );
  });
});

it('svc webhooks verify --format reads a file whose beginning is not recognized', async () => {
  const recording = readFileSync(path('recording.ndjson'), 'utf8').split('\n')[0];
  const stdin = `garbage\n${recording}\n`;
  const run = await svc(['webhooks', 'verify', '-', '--format', 'ndjson', '-o', 'json'], { stdin, env, now });
  expect(run).toMatchObject({ code: 2, stdout: expect.stringContaining('evt_1') });
  expect(run.stderr).toContain('stdin:1: not a recorded delivery');
});

it('svc webhooks verify --headers-file reads the output of curl -v', async () => {
  expect(await svc(['webhooks', 'verify', path(NO_BODY)], { env, now })).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('contains no delivery, only text\nhint: if this is the body, pass its headers'),
  });
  const argv = ['webhooks', 'verify', '-', '--headers-file', path(NO_BODY), '-o', 'json'];
  const run = await svc(argv, { stdin: RICH, env, now });
  expect(run).toMatchObject({ code: 0, stdout: expect.stringContaining('"status": "valid"') });
});
