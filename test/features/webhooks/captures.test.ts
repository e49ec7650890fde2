/**
 * One file for each format that svc reads, each with three deliveries: genuine, tampered, and encoded again on the way. nginx, mitmproxy and Chromium's
 * DevTools wrote theirs themselves; the others follow the documentation of the program.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { svc, temporaryHome } from '../../support/svc.ts';
import { statuses } from './commands/handmade-receiver.ts';
import { NOW_S, SECRET } from './vectors.ts';

const FOLDER = join(import.meta.dirname, 'captures');
const RICH = Buffer.from(
  '{"id": "evt_1", "type": "summary.completed", "created_at": "2026-01-01T00:00:00Z",\n "data": {"audio_id": "a_1", "title": "Caf\\u00e9 — \\"5 < 6\\" \\/ 日本", "duration_ms": 1.0, "path": "C:\\\\x"}}',
);

/** `text`: a mismatch proves nothing. */
type Bytes = 'exact' | 'text';

const FILES: readonly (readonly [file: string, bytes: Bytes, time: boolean, body: Buffer])[] = [
  ['raw.http', 'exact', false, RICH],
  ['recording.ndjson', 'exact', true, RICH],
  ['nginx-json.log', 'text', false, RICH],
  ['mitmproxy.har', 'text', true, RICH],
  ['chromium.har', 'text', true, RICH],
  ['api-gateway-v1.ndjson', 'text', false, RICH],
  ['api-gateway-v1-base64.ndjson', 'exact', false, RICH],
  ['api-gateway-v2.ndjson', 'text', false, RICH],
  ['api-gateway-v2-base64.ndjson', 'exact', false, RICH],
  ['alb.ndjson', 'text', false, RICH],
  ['alb-base64.ndjson', 'exact', false, RICH],
  ['webhook.site.json', 'text', false, RICH],
  ['ngrok.json', 'exact', false, RICH],
  ['log.ndjson', 'text', false, RICH],
  ['log-base64.ndjson', 'exact', false, RICH],
  ['log-buffer.ndjson', 'exact', false, RICH],
];
/** The body was parsed: the signed bytes are lost. */
const PARSED = ['hookdeck.json', 'smee.ndjson'];
const NO_BODY = 'curl-v.txt';

const env = { SVC_WEBHOOK_SECRET: SECRET };
const now = (): number => NOW_S * 1000;
const path = (file: string): string => join(FOLDER, file);

it('every capture has a row', () => {
  expect([...FILES.map(([file]) => file), ...PARSED, NO_BODY].sort()).toEqual(readdirSync(FOLDER).sort());
});

describe('verify, inspect and replay read', () => {
  it.each(FILES)('%s', async (file, bytes, time, body) => {
    const checked = await svc(['webhooks', 'verify', path(file), '--tolerance', 'none', '-o', 'ndjson'], { env, now });
    const rows = checked.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { status: string; notes: string[]; clock: string });
    const [genuine, ...mismatches] = rows;
    expect(genuine).toMatchObject({ status: 'valid', event_id: 'evt_1', body_bytes: body.length });
    expect(genuine?.clock !== 'now').toBe(time);
    expect(mismatches.map(({ status }) => status)).toEqual(['signature_mismatch', 'signature_mismatch']);
    const isText = mismatches.map(({ notes }) => notes.includes('text_body'));
    expect(isText).toEqual([bytes === 'text', bytes === 'text']);
    expect(checked.code).toBe(1);

    const shown = await svc(['webhooks', 'inspect', path(file), '-o', 'json'], { env, now });
    expect(shown.code).toBe(1);
    expect(JSON.parse(shown.stdout)).toEqual(JSON.parse(body.toString()));

    const peer = await statuses(204);
    const argv = ['webhooks', 'replay', path(file), '--to', peer.url, '--resign', '-o', 'json'];
    const replayed = await svc(argv, { env, now });
    expect(replayed).toMatchObject({ code: 0, stderr: expect.stringContaining('2 skipped: nothing proves') });
    expect(peer.taken.map((one) => one.body)).toEqual([body]);
  });

  it.each(PARSED)('no delivery from %s', async (file) => {
    for (const argv of [['verify'], ['inspect'], ['replay', '--to', 'http://127.0.0.1:1/']]) {
      const run = await svc(['webhooks', ...argv, path(file)], { env, now });
      expect(run).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('the signed bytes are lost') });
    }
  });

  it('a folder with all of them, and report mismatches that prove nothing', async () => {
    const { code, stdout, stderr } = await svc(['webhooks', 'verify', FOLDER, '--tolerance', 'none'], { env, now });
    expect(code).toBe(2);
    expect(stdout.match(/^valid /gm)).toHaveLength(FILES.length);
    const count = (wanted: Bytes): number => FILES.filter(([, bytes]) => bytes === wanted).length;
    expect(stdout.match(/a mismatch proves nothing/g)).toHaveLength(2 * count('text'));
    expect(stderr.match(/the signed bytes are lost/g)).toHaveLength(6);
  });
});

it('--format reads a file that is not recognized by its beginning', async () => {
  const recording = readFileSync(path('recording.ndjson'), 'utf8').split('\n')[0];
  const stdin = `garbage\n${recording}\n`;
  const run = await svc(['webhooks', 'verify', '-', '--format', 'ndjson', '-o', 'json'], { stdin, env, now });
  expect(run).toMatchObject({ code: 2, stdout: expect.stringContaining('evt_1') });
  expect(run.stderr).toContain('stdin:1: not a recorded delivery');
});

it('--headers-file reads the output of curl -v', async () => {
  expect(await svc(['webhooks', 'verify', path(NO_BODY)], { env, now })).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('contains no delivery, only text\nhint: if this is the body, pass its headers'),
  });
  const argv = ['webhooks', 'verify', '-', '--headers-file', path(NO_BODY), '-o', 'json'];
  const run = await svc(argv, { stdin: RICH, env, now });
  expect(run).toMatchObject({ code: 0, stdout: expect.stringContaining('"status": "valid"') });
});

it.each([
  ['{"level":"info","msg":"started"}\n', 'only JSON with "level", "msg"'],
  ['\0\x01', 'only binary data'],
  ['hello', 'only text'],
])('describe an unknown file: %j', async (stdin, what) => {
  for (const argv of [
    ['verify', '-'],
    ['replay', '-', '--to', 'http://127.0.0.1:1/'],
  ]) {
    const run = await svc(['webhooks', ...argv], { stdin, env, home: temporaryHome() });
    expect(run).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(what) });
  }
});
