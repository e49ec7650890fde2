/** The built binary against openssl, against what `sign` makes, and against files larger than its memory. */
import { spawnSync } from 'node:child_process';
import { closeSync, openSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { NOW_S, PING, recorded, request, SECRET, SIGNATURE, T } from '../features/webhooks/vectors.ts';
import { HOME, LAUNCHER, shell, start, startSvc, svc } from './binary.ts';

const file = (name: string, content: string | Uint8Array): string => {
  const path = join(HOME, name);
  writeFileSync(path, content);
  return path;
};
const ping = file('ping.json', PING);
const env = { SVC_WEBHOOK_SECRET: SECRET };
const GIVEN = ['--timestamp', T, '--signature', SIGNATURE, '--now', T];

const openssl = spawnSync('openssl', ['version']).status === 0;
if (!openssl && process.env['CI']) throw new Error('openssl is missing');
const without = openssl ? '' : ' (skipped: openssl is not installed)';

describe.skipIf(!openssl)(`openssl${without}`, () => {
  it.each([
    ['all bytes', Buffer.from(Array.from({ length: 256 }, (_, byte) => byte))],
    ['more than a piece', Buffer.alloc((1 << 20) + 7, 'é\n\0')],
  ])('agrees about %s', async (name, body) => {
    const path = file(`body ${name}`, body);
    const message = file(`message ${name}`, Buffer.concat([Buffer.from(`${T}.`), body]));
    const { stdout } = spawnSync('openssl', ['dgst', '-sha256', '-mac', 'HMAC', '-macopt', `key:${SECRET}`, message], {
      encoding: 'utf8',
    });
    const signature = `sha256=${/([0-9a-f]{64})\s*$/.exec(stdout)?.[1]}`;
    const args = ['--timestamp', T, '--signature', signature, '--now'];
    expect(await svc(['webhooks', 'verify', path, ...args, T], { env })).toMatchObject({ code: 0 });
    expect(await svc(['webhooks', 'verify', path, ...args, String(NOW_S + 301)], { env })).toMatchObject({ code: 1 });
  });
});

describe('output of svc webhooks sign', () => {
  it.each([
    ['http', 'svc webhooks sign ping.json --as http | svc webhooks verify'],
    ['headers', 'svc webhooks sign ping.json > head; svc webhooks verify ping.json --headers-file head'],
    [
      'signature',
      `svc webhooks verify ping.json --timestamp ${T} --now ${T} --signature "$(svc webhooks sign ping.json --timestamp ${T} --as signature)"`,
    ],
  ])('is valid: %s', async (_, line) => {
    const run = await shell(line, { env, cwd: HOME });
    expect(run).toMatchObject({ code: 0 });
    expect(run.stdout).toMatch(/^valid {2}evt_1 {2}webhook\.ping /);
  });
});

describe('svc webhooks verify', () => {
  it('extracts exact bytes, and nothing of an invalid body', async () => {
    const http = file('hook.http', request());
    const good = await shell(`svc webhooks verify --extract "${http}" --now ${T} > out; echo $?; cmp out "${ping}"`, {
      env,
    });
    expect(good).toMatchObject({ stdout: '0\n', stderr: '' });
    const bad = file('bad.http', request().toString().replace('evt_1', 'evt_2'));
    expect(await svc(['webhooks', 'verify', '--extract', bad, '--now', T], { env })).toMatchObject({
      code: 1,
      stdout: '',
    });
  });

  it('reads a secret from a socket, which is what Node.js gives a child as a pipe', async () => {
    const argv = ['webhooks', 'verify', ping, ...GIVEN, '--secret-file', '/dev/fd/3'];
    const run = startSvc(argv, { stdio: ['pipe', 'pipe', 'pipe', 'pipe'] });
    (run.child.stdio[3] as Writable).end(SECRET);
    expect(await run.ended).toMatchObject({ code: 0, stdout: expect.stringMatching(/^valid/) });
  });

  it('reads a recording of a killed recorder, and one that is being written', async () => {
    const cut = file('cut.ndjson', recorded().repeat(3) + recorded().slice(0, -20));
    const run = await svc(['webhooks', 'verify', cut], { env });
    expect(run).toMatchObject({ code: 0 });
    expect(run.stdout.match(/^valid/gm)).toHaveLength(3);
    expect(run.stderr).toContain('cut off');
    const live = startSvc(['webhooks', 'verify', '--format', 'ndjson'], {
      env,
      input: 'open',
    });
    live.child.stdin?.write(recorded());
    await live.printed('valid  evt_1');
    live.child.stdin?.end(recorded());
    expect((await live.ended).stdout.match(/^valid/gm)).toHaveLength(2);
  });

  it('reads a pipe of 100 MiB in constant memory', async () => {
    const size = 100;
    const big = join(HOME, `big-${size}`);
    closeSync(openSync(big, 'w'));
    truncateSync(big, size << 20);
    const hook = file(
      'peak.cjs',
      `process.on('exit', () => process.stderr.write('peak ' + process.resourceUsage().maxRSS + '\\n'));`,
    );
    const command = [process.execPath, '--require', hook, LAUNCHER, 'webhooks', 'verify', ...GIVEN, '-o', 'json'];
    const { code, stdout, stderr } = await start('bash', ['-c', 'cat "$0" | "$@"', big, ...command], { env }).ended;
    expect([code, JSON.parse(stdout)]).toEqual([1, expect.objectContaining({ body_bytes: size << 20 })]);
    expect(Number(/peak (\d+)/.exec(stderr)?.[1])).toBeLessThan(76 * 1024);
  });
});
