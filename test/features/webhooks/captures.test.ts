/**
 * One file for each format that svc reads, each with three deliveries: genuine, tampered, and encoded again on the way. nginx, mitmproxy and Chromium's
 * DevTools wrote theirs themselves; the others follow the documentation of the program.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { svc, temporaryHome } from '../../support/svc.ts';
import { statuses } from './commands/handmade-receiver.ts';
import { NOW_S, PING, SECRET } from './vectors.ts';

const FOLDER = join(import.meta.dirname, 'captures');
const RICH = Buffer.from(
  '{"id": "evt_1", "type": "summary.completed", "created_at": "2026-01-01T00:00:00Z",\n "data": {"audio_id": "a_1", "title": "Caf\\u00e9 — \\"5 < 6\\" \\/ 日本", "duration_ms": 1.0, "path": "C:\\\\x"}}',
);

/** `text`: a mismatch proves nothing. `parsed`: a mismatch cannot be judged at all. */
type Bytes = 'exact' | 'text' | 'parsed';

const FILES: readonly (readonly [file: string, bytes: Bytes, time: boolean, body: Buffer])[] = [
  ['raw.http', 'exact', false, RICH],
  ['recording.ndjson', 'exact', true, RICH],
  ['curl-lines.sh', 'exact', false, RICH],
  ['nginx.log', 'text', true, RICH],
  ['nginx-json.log', 'text', true, RICH],
  ['mitmproxy.har', 'text', true, RICH],
  ['chromium.har', 'text', true, RICH],
  ['api-gateway-v1.ndjson', 'text', true, RICH],
  ['api-gateway-v1-base64.ndjson', 'exact', true, RICH],
  ['api-gateway-v2.ndjson', 'text', true, RICH],
  ['api-gateway-v2-base64.ndjson', 'exact', true, RICH],
  ['alb.ndjson', 'text', false, RICH],
  ['alb-base64.ndjson', 'exact', false, RICH],
  ['webhook.site.json', 'text', true, RICH],
  ['ngrok.json', 'exact', true, RICH],
  ['hookdeck.json', 'parsed', true, PING],
  ['smee.ndjson', 'parsed', true, PING],
  ['log.ndjson', 'text', true, RICH],
  ['log-base64.ndjson', 'exact', true, RICH],
  ['log-buffer.ndjson', 'exact', true, RICH],
];
const NO_BODY = 'curl-v.txt';

const env = { SVC_WEBHOOK_SECRET: SECRET };
const now = (): number => NOW_S * 1000;
const path = (file: string): string => join(FOLDER, file);

it('every capture has a row', () => {
  expect([...FILES.map(([file]) => file), NO_BODY].sort()).toEqual(readdirSync(FOLDER).sort());
});

describe('verify, inspect and replay read', () => {
  it.each(FILES)('%s', async (file, bytes, time, body) => {
    const checked = await svc(['webhooks', 'verify', path(file), '--tolerance', 'none', '-o', 'ndjson'], { env, now });
    const rows = checked.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { status: string; exact: boolean; clock: string });
    const [genuine, ...mismatches] = rows;
    expect(genuine).toMatchObject({ status: 'valid', exact: true, event_id: 'evt_1', body_bytes: body.length });
    expect(genuine?.clock !== 'now').toBe(time);
    if (bytes === 'parsed') {
      expect(mismatches).toEqual([]);
      expect(checked).toMatchObject({ code: 2, stderr: expect.stringContaining('a mismatch proves nothing') });
    } else {
      expect(mismatches.map(({ status }) => status)).toEqual(['signature_mismatch', 'signature_mismatch']);
      expect(mismatches.map(({ exact }) => exact)).toEqual([bytes === 'exact', bytes === 'exact']);
      expect(checked.code).toBe(1);
    }

    const shown = await svc(['webhooks', 'inspect', path(file), '-o', 'json'], { env, now });
    expect(shown.code).toBe(bytes === 'parsed' ? 2 : 1);
    expect(JSON.parse(shown.stdout)).toEqual(JSON.parse(body.toString()));

    const peer = await statuses(204);
    const argv = ['webhooks', 'replay', path(file), '--to', peer.url, '--resign', '-o', 'json'];
    const replayed = await svc(argv, { env, now });
    const left = bytes === 'parsed' ? 'a mismatch proves nothing; skipped' : '2 skipped: nothing proves';
    expect(replayed).toMatchObject({ code: bytes === 'parsed' ? 10 : 0, stderr: expect.stringContaining(left) });
    expect(peer.taken.map((one) => one.body)).toEqual([body]);
  });

  it('a folder with all of them, and report mismatches that prove nothing', async () => {
    const { code, stdout, stderr } = await svc(['webhooks', 'verify', FOLDER, '--tolerance', 'none'], { env, now });
    expect(code).toBe(2);
    expect(stdout.match(/^valid /gm)).toHaveLength(FILES.length);
    const count = (wanted: Bytes): number => FILES.filter(([, bytes]) => bytes === wanted).length;
    const nothing = /a mismatch proves nothing/g;
    expect(stdout.match(nothing)).toHaveLength(2 * count('text'));
    // The first of the others is the failure of the command.
    expect(stderr.match(nothing)).toHaveLength(2 * count('parsed'));
  });
});

it('--format reads a file that is not recognized by its beginning', async () => {
  const recording = readFileSync(path('recording.ndjson'), 'utf8').split('\n')[0];
  const stdin = `garbage\n${recording}\n`;
  for (const argv of [
    ['verify', '-'],
    ['inspect', '-'],
  ]) {
    const run = await svc(['webhooks', ...argv, '--format', 'ndjson', '-o', 'json'], { stdin, env, now });
    expect(run).toMatchObject({ code: 2, stdout: expect.stringContaining('evt_1') });
    expect(run.stderr).toContain('stdin:1: not a recorded delivery');
  }
});

it('name a re-encoding that a length reveals', async () => {
  const run = await svc(['webhooks', 'verify', path('log.ndjson'), '--tolerance', 'none'], { env, now });
  expect(run.stdout).toContain(
    'the file has 173 B, but Content-Length says otherwise: this export re-encodes the body',
  );
});

it('--headers-file reads the output of curl -v', async () => {
  expect(await svc(['webhooks', 'verify', path(NO_BODY)], { env, now })).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('this is the output of curl -v, which has no body\nhint: pass the body'),
  });
  const argv = ['webhooks', 'verify', '-', '--headers-file', path(NO_BODY), '-o', 'json'];
  const run = await svc(argv, { stdin: RICH, env, now });
  expect(run).toMatchObject({ code: 0, stdout: expect.stringContaining('"status": "valid"') });
});

it.each([
  ['{"level":"info","msg":"started"}\n', 'only JSON with "level", "msg"'],
  ['\0\x01', 'only binary data'],
  ['hello', 'only text'],
  ['<?xml version="1.0"?><items/>', 'this is XML'],
  ['<!doctype html><p>', 'this is an HTML page'],
])('describe an unknown file: %j', async (stdin, what) => {
  for (const argv of [
    ['verify', '-'],
    ['replay', '-', '--to', 'http://127.0.0.1:1/'],
  ]) {
    const run = await svc(['webhooks', ...argv], { stdin, env, home: temporaryHome() });
    expect(run).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(what) });
  }
});
