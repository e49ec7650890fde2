import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { signatureOf } from '../../../../src/features/webhooks/signature.ts';
import { failure, type Run, type RunOptions, svc } from '../../../support/svc.ts';
import { NOW_S, PING, recorded, request, SECRET, SIGNATURE, T, VECTORS } from '../vectors.ts';

const dir = mkdtempSync(join(tmpdir(), 'svc-verify-'));
afterAll(() => rmSync(dir, { recursive: true }));

function file(name: string, content: string | Uint8Array): string {
  const path = join(dir, name);
  writeFileSync(path, content, { mode: 0o600 });
  return path;
}
const key = file('key', `${SECRET}\n`);
const ping = file('ping.json', PING);
const http = file('hook.http', request());
const GIVEN = ['--timestamp', T, '--signature', SIGNATURE];

async function verify(args: readonly string[], options: RunOptions = {}): Promise<Run> {
  const run = await svc(['webhooks', 'verify', ...args], {
    now: () => NOW_S * 1000 + 900,
    env: { SVC_WEBHOOK_SECRET: SECRET },
    ...options,
  });
  for (const text of [run.stdout, run.stderr]) expect(text).not.toContain(SECRET.slice(6));
  return run;
}
/** The one row. */
const json = async (args: readonly string[], options: RunOptions = {}) =>
  JSON.parse((await verify([...args, '-o', 'json'], options)).stdout);

describe('svc webhooks verify', () => {
  it('agrees with OpenSSL, Python and Node on deliveries written by hand', async () => {
    for (const { name, secret = SECRET, timestamp = T, body = PING, signature = SIGNATURE, ...wanted } of VECTORS) {
      const path = file('body', body);
      const run = await verify([path, '--timestamp', timestamp, '--signature', signature, '-o', 'json'], {
        env: { SVC_WEBHOOK_SECRET: secret },
      });
      if (wanted.verdict === 'empty_secret' || wanted.verdict === 'bad_secret') {
        expect([run.code, run.stdout, failure(run).code], name).toEqual([2, '', wanted.verdict]);
        continue;
      }
      expect({ code: run.code, ...JSON.parse(run.stdout) }, name).toMatchObject({
        code: wanted.verdict === 'valid' ? 0 : 1,
        status: wanted.verdict,
        hints: wanted.hint === undefined ? [] : [wanted.hint],
        notes: wanted.note === undefined ? [] : [wanted.note],
      });
    }
  });
});

describe('one delivery of svc webhooks verify', () => {
  it('is one object, with all its fields', async () => {
    expect(await json([http])).toEqual({
      source: http,
      status: 'valid',
      valid: true,
      signature_ok: true,
      timestamp: NOW_S,
      age_s: 0,
      tolerance_s: 300,
      event_id: 'evt_1',
      event_type: 'webhook.ping',
      secret_index: 0,
      body_bytes: 82,
      body_sha256: '51a42ece7470952abc5be27668dcba56bb8d7dbb154b2e52c10026a8d983f363',
      hints: [],
      notes: [],
      clock: 'now',
    });
  });

  it('is one line in tables, without a summary', async () => {
    expect(await verify([ping, ...GIVEN])).toMatchObject({
      code: 0,
      stdout: 'valid  evt_1  webhook.ping  age 0 s  82 B  secret 5036e143\n',
      stderr: '',
    });
    const lf = file('lf.json', `${PING}\n`);
    const { code, stdout, stderr } = await verify([lf, ...GIVEN]);
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
    expect(stdout).toMatch(
      /^INVALID {2}signature_mismatch {2}.+lf\.json {2}the signature matches without the trailing newline \(.*\n$/,
    );
  });

  it('with an empty body says that it is empty', async () => {
    expect((await verify([file('empty.json', ''), ...GIVEN])).stdout).toContain('  the body is empty: another secret');
  });

  it('with a header option given twice is a duplicate; an option replaces the header of the request', async () => {
    expect((await json([ping, ...GIVEN, '--header', `X-Service-Timestamp: ${T}`])).status).toBe('duplicate_header');
    expect((await json([http, '--format', 'http', '--timestamp', '1767225599'])).status).toBe('signature_mismatch');
    expect((await json([http, '--format', 'http', ...GIVEN])).status).toBe('valid');
  });

  it('with a separate signature is never parsed, because a body may be like a container', async () => {
    expect((await json([http, ...GIVEN])).status).toBe('signature_mismatch');
    const rec = file('dressed', recorded());
    expect((await json([rec, ...GIVEN])).status).toBe('signature_mismatch');
  });

  it('without a signature says what to pass', async () => {
    const { code, stdout, stderr } = await verify([ping]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toBe(
      `svc: ${ping}: contains no delivery, only JSON with "id", "type", "created_at"\n` +
        'hint: if this is the body, pass its headers: --headers-file FILE, or --timestamp T --signature S\n',
    );
    expect((await json([ping, '--signature', SIGNATURE])).status).toBe('missing_timestamp');
  });

  it('that is truncated is invalid', async () => {
    const cut = file('cut.http', request().subarray(0, -1));
    expect((await json([cut])).status).toBe('truncated_input');
    expect((await verify([cut])).stdout).toContain('81 B');
  });

  it('shows its event and contradictions only if the signature is valid', async () => {
    const wrong = file('wrong.http', request().toString().replace('Event: webhook.ping', 'Event: summary.completed'));
    expect(await json([wrong])).toMatchObject({
      valid: true,
      event_type: 'webhook.ping',
      notes: ['unsigned_header_mismatch'],
    });
    expect((await verify([wrong])).stdout).toContain('secret 5036e143  unsigned_header_mismatch');
    const forged = file('forged.http', request().toString().replace('evt_1', 'evt_2'));
    expect(await json([forged])).toMatchObject({ event_id: null, event_type: null, secret_index: null });
    const odd = Buffer.from('not JSON');
    expect(await json([file('odd', odd), '--timestamp', T, '--signature', signatureOf(SECRET, T, odd)])).toMatchObject({
      valid: true,
      event_id: null,
    });
  });

  it('never shows the expected signature', async () => {
    const bad = ['--timestamp', T, '--signature', `sha256=${'0'.repeat(64)}`];
    for (const format of ['table', 'json', 'yaml', 'csv']) {
      expect((await verify([ping, ...bad, '-o', format])).stdout).not.toContain(SIGNATURE.slice(7));
    }
  });
});

describe('the secrets of svc webhooks verify', () => {
  it('are all tried, and the matching one is named', async () => {
    const other = file('other', 'whsec_other');
    expect(await json([http, '--secret-file', other, '--secret-file', key], { env: {} })).toMatchObject({
      secret_index: 1,
    });
    expect(await verify([http, '--secret-file', other], { env: {} })).toMatchObject({ code: 1 });
  });

  it('are required, and never read from the command line', async () => {
    expect(await verify([http], { env: {} })).toMatchObject({ code: 2, stdout: '' });
    const typed = await verify([http, '--secret', 'whsec_x']);
    expect(typed).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('--endpoint <id>') });
    expect(typed.stderr).not.toContain('whsec_x');
    expect(await verify([http], { env: { SVC_WEBHOOK_SECRET: '' } })).toMatchObject({ code: 2, stdout: '' });
  });
});

describe('the clock of svc webhooks verify', () => {
  const old = String(NOW_S - 26 * 3600);
  const stale = ['--timestamp', old, '--signature', signatureOf(SECRET, old, PING)];

  it('is the current time by default', async () => {
    const { code, stdout } = await verify([ping, ...stale]);
    expect(code).toBe(1);
    expect(stdout).toContain(
      'signature OK, but the timestamp is 26 h old (limit 300 s); for archives use --now or --tolerance none',
    );
    for (const args of [
      ['--now', old],
      ['--tolerance', '2d'],
      ['--tolerance', 'none'],
    ]) {
      expect(await verify([ping, ...stale, ...args]), args.join(' ')).toMatchObject({ code: 0 });
    }
    expect(await json([ping, ...stale, '--tolerance', 'none'])).toMatchObject({
      tolerance_s: null,
      notes: ['tolerance_not_checked'],
      age_s: 93_600,
    });
    expect(await json([ping, ...GIVEN, '--now', '2026-01-01T00:10:00Z'])).toMatchObject({
      status: 'stale',
      age_s: 600,
      signature_ok: true,
      event_id: 'evt_1',
    });
  });

  it('is compared with whole seconds, and the mistake is named', async () => {
    for (const [timestamp, message] of [
      [`${T}000`, 'is it in milliseconds?'],
      [`0${T}`, 'X-Service-Timestamp is not a whole number of Unix seconds'],
    ] as const) {
      const signature = signatureOf(SECRET, timestamp, PING);
      const { stdout } = await verify([ping, '--timestamp', timestamp, '--signature', signature]);
      expect(stdout).toContain(message);
    }
  });

  it('of a recording or a HAR is the time of receipt by default', async () => {
    const rec = file('rec.ndjson', recorded());
    const late = { now: () => (NOW_S + 99_999) * 1000 };
    expect(await json([rec], late)).toMatchObject({ valid: true, age_s: 1, clock: 'received_at' });
    expect((await verify([rec], late)).stdout).toContain('age 1 s when received');
    expect(await json([rec, '--now', 'now'], late)).toMatchObject({ status: 'stale', clock: 'now' });
  });
});

describe('several deliveries of svc webhooks verify', () => {
  const mixed = file('mixed.ndjson', recorded() + recorded(Buffer.from('{}')) + recorded());

  it('are printed as an array, lines or rows, with a summary on stderr', async () => {
    expect((await json([mixed])).map(({ status }: { status: string }) => status)).toEqual([
      'valid',
      'signature_mismatch',
      'valid',
    ]);
    const lines = await verify([mixed, '-o', 'ndjson']);
    expect(lines.stdout.match(/"source":"[^"]*"/g)).toEqual([1, 2, 3].map((n) => `"source":"${mixed}:${n}"`));
    const table = await verify([mixed]);
    expect(table).toMatchObject({ code: 1, stderr: '3 checked: 2 valid, 1 signature_mismatch\n' });
    expect(table.stdout.split('\n')[0]).toMatch(/secret 5036e143 {2}\S.*mixed\.ndjson:1$/);
    const csv = await verify([mixed, '-o', 'csv']);
    expect(csv.stdout.split('\n')).toHaveLength(5);
    expect((await verify([mixed, '-q'])).stdout).toBe(`evt_1\n${mixed}:2\nevt_1\n`);
  });
});

it('svc webhooks verify searches for a cause only for a limited time', async () => {
  const many = file('many.ndjson', recorded().repeat(2000));
  expect(await verify([many], { env: { SVC_WEBHOOK_SECRET: 'whsec_wrong' } })).toMatchObject({
    code: 1,
    stderr: '2000 checked: 2000 signature_mismatch\n',
  });
});

it.each([
  [99, ['body_minus_trailing_newline']],
  [100, []],
])(
  'svc webhooks verify explains no further delivery after a hundred without a cause: after %i',
  async (count, hints) => {
    const unexplained = recorded(Buffer.from('{}')).repeat(count);
    const path = file('causes.ndjson', unexplained + recorded(Buffer.concat([PING, Buffer.from('\n')])));
    const rows = (await verify([path, '-o', 'ndjson'])).stdout.trimEnd().split('\n');
    expect(JSON.parse(rows.at(-1) ?? '').hints).toEqual(hints);
  },
);

describe('svc webhooks verify exits 2 for input that cannot be checked', () => {
  const empty = join(dir, 'empty');
  mkdirSync(empty);
  it('because it has no delivery', async () => {
    for (const args of [
      [file('nothing', '')],
      [empty],
      [file('blank.ndjson', '\n'), '--format', 'ndjson'],
      [file('half.ndjson', recorded().slice(0, 200)), '--format', 'ndjson'],
      [join(dir, 'none')],
      [file('none.har', '{"log":{"entries":[]}}')],
      [file('bad.har', '{"log":{'), '--format', 'har'],
      [file('sh', 'curl x -d "$B"')],
    ]) {
      const run = await verify([...args, '-o', 'json']);
      expect(run, args.join(' ')).toMatchObject({ code: 2, stdout: '' });
      expect(run.stderr).not.toBe('');
    }
  });

  it('after the rest was checked and printed', async () => {
    const run = await verify([join(dir, 'none'), http, join(dir, 'none2'), '-o', 'json']);
    expect(run.code).toBe(2);
    expect(JSON.parse(run.stdout)).toMatchObject({ valid: true });
    expect(JSON.parse(run.stderr).error).toMatchObject({
      code: 'file_unusable',
      exit: 2,
      message: expect.stringContaining('1 more'),
    });
  });
});

describe('svc webhooks verify --extract', () => {
  it('prints the exact bytes of a valid body', async () => {
    const { code, stdout, stderr } = await verify([http, '--extract']);
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: PING.toString(), stderr: '' });
  });

  it('prints nothing of an invalid body', async () => {
    const bad = file('bad.http', request().toString().replace('evt_1', '\x1b[2J!'));
    const run = await verify([bad, '--extract']);
    expect(run).toMatchObject({ code: 1, stdout: '' });
    expect(run.stderr).toContain('signature_mismatch');
    expect(JSON.parse((await verify([bad, '--extract', '-o', 'json'])).stderr).error.code).toBe('signature_invalid');
  });

  it('accepts one delivery only', async () => {
    expect(await verify([http, ping, '--extract'])).toMatchObject({ code: 2, stdout: '' });
    expect(await verify([file('two.ndjson', recorded().repeat(2)), '--extract'])).toMatchObject({
      code: 2,
      stdout: '',
    });
    expect(await verify([file('none.http', ''), '--extract'])).toMatchObject({ code: 2, stdout: '' });
  });
});

it('svc webhooks verify escapes text of a sender', async () => {
  const body = Buffer.from(JSON.stringify({ id: 'evt\x1b[2J', type: '\u202ex' }));
  const args = [file('hostile', body), '--timestamp', T, '--signature', signatureOf(SECRET, T, body)];
  for (const format of ['table', 'json', 'csv', 'yaml', 'id']) {
    expect((await verify([...args, '-o', format])).stdout, format).not.toMatch(/[\x1b\u202e]/);
  }
});
