/** `svc webhooks check-receiver` against receivers that are right, and wrong in one way each. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Outbound } from '../../../src/http/target.ts';
import { PROBE_NAMES, type ProbeName } from '../../../src/services/recordings/probe-names.ts';
import { checkReceiver, type ProbeResult } from '../../../src/services/recordings/receiver-check.ts';
import { PROBES } from '../../../src/services/recordings/receiver-probes.ts';
import { type Run, svc, temporaryHome } from '../../support/svc.ts';
import { type Flaw, handmade, KEY, receiver } from './handmade-receiver.ts';
import { listen } from './listening.ts';

const env = { SVC_WEBHOOK_SECRET: KEY };
const check = (url: string, ...args: string[]): Promise<Run> =>
  svc(['webhooks', 'check-receiver', url, ...args], { env });

const outbound: Outbound = {
  userAgent: 'svc/test',
  tls: { insecure: false },
  proxy: {},
  signal: new AbortController().signal,
  verbosity: 0,
  trace: () => {},
};

/** Without the command: its tests draw the same number again and again, and each event is to have its own id. */
async function probe(url: string, only: readonly ProbeName[] = [], deadlineMs = 5_000): Promise<ProbeResult[]> {
  const kit = { key: KEY, userAgent: 'svc/test', now: Date.now, random: Math.random };
  const results: ProbeResult[] = [];
  for await (const one of checkReceiver({ url: new URL(url), only, deadlineMs, kit }, outbound)) results.push(one);
  return results;
}

async function failing(url: string): Promise<string[]> {
  const results = await probe(url);
  expect(results.map(({ probe }) => probe)).toEqual([...PROBE_NAMES]);
  return results.filter(({ verdict }) => verdict !== 'pass').map(({ probe }) => probe);
}

it('has its probes in the order of their names', () => {
  expect(PROBES.map(({ name }) => name)).toEqual([...PROBE_NAMES]);
});

it('passes a receiver that keeps to the document', async () => {
  const { url, taken } = await handmade();
  expect(await failing(url)).toEqual([]);
  expect(taken).toHaveLength(15);
  expect(taken.every(({ method, path }) => method === 'POST' && path === '/hook')).toBe(true);
  const events = taken.slice(0, 6).map(({ body }) => (JSON.parse(body.toString()) as { id: string }).id);
  expect(events[4]).toBe(events[5]);
  expect(new Set(events).size).toBe(5);
  expect(taken[12]?.body.toString()).toContain('\ufffd');
  expect(taken[13]?.body).toHaveLength(2 * 1024 * 1024);
  const deliveries = taken.map(({ headers }) => headers[headers.indexOf('X-Service-Delivery') + 1]);
  expect(deliveries.every((id) => id?.startsWith('dlv_'))).toBe(true);
});

it('passes svc webhooks listen', async () => {
  const { port, stop } = await listen([]);
  const { code, stderr } = await check(`http://127.0.0.1:${port}/`);
  await stop();
  expect({ code, stderr }).toEqual({ code: 0, stderr: '14 of 14 probes passed\n' });
});

/** One flaw each; every probe fails for some receiver. */
const FLAWS: Readonly<Partial<Record<Flaw, readonly string[]>>> = {
  'pings-unwanted': ['valid-ping'],
  'summaries-fail': ['valid-summary', 'unknown-fields', 'same-event-twice', 'large-body'],
  'types-known-only': ['unknown-type'],
  'fields-known-only': ['unknown-fields'],
  'duplicates-refused': ['same-event-twice'],
  'signature-not-compared': ['bad-signature'],
  'signature-optional': ['missing-signature'],
  'timestamp-optional': ['missing-timestamp'],
  'no-past-limit': ['stale-timestamp'],
  'no-future-limit': ['future-timestamp'],
  'timestamp-parsed-loosely': ['shifted-dot'],
  'utf8-crashes': ['not-utf8'],
  'small-bodies-only': ['large-body'],
  redirects: [...PROBE_NAMES],
};

describe('a receiver with a flaw', () => {
  it.each(Object.entries(FLAWS))('%s fails %j', async (flaw, names) => {
    const { url } = await handmade([flaw as Flaw]);
    expect(await failing(url)).toEqual(names);
  });

  it('leaves no probe that cannot fail', () => {
    // A summary is in four of them, and whoever redirects redirects all.
    const alone = Object.values(FLAWS).filter((names) => names.length === 1);
    expect([...new Set(alone.flat())].sort()).toEqual(
      PROBE_NAMES.filter((name) => name !== 'valid-summary' && name !== 'no-redirect').sort(),
    );
    expect([...new Set(Object.values(FLAWS).flat())].sort()).toEqual([...PROBE_NAMES].sort());
  });
});

it('does not take a late answer for one', async () => {
  const { url } = await handmade(['slow']);
  const results = await probe(url, ['valid-ping', 'bad-signature'], 300);
  expect(results.map(({ got, verdict }) => [got, verdict])).toEqual([
    ['no answer within 0.3 s', 'fail'],
    ['no answer within 0.3 s', 'fail'],
  ]);
});

describe('a receiver that is not there', () => {
  it('is told at once', async () => {
    const { code, stdout, stderr } = await check('http://127.0.0.1:1/hook');
    expect({ code, stdout }).toEqual({ code: 7, stdout: '' });
    expect(stderr).toContain('nothing listens at 127.0.0.1:1');
  });

  it('that goes away half-way leaves the rest unsent', async () => {
    const leaving = await receiver((_request, response) => {
      leaving.stop();
      response.writeHead(204, { connection: 'close' }).end();
    });
    const { code, stdout } = await check(leaving.url, '-o', 'json');
    expect(code).toBe(1);
    const results = JSON.parse(stdout) as ProbeResult[];
    expect(results.slice(0, 3).map(({ verdict, got }) => [verdict, got])).toEqual([
      ['pass', '204'],
      ['fail', expect.stringContaining('nothing listens')],
      ['skipped', 'not sent'],
    ]);
    expect(results).toHaveLength(14);
  });

  it('that breaks the connection fails that probe alone', async () => {
    const { url } = await receiver((request, response, body) => {
      if (body.includes('recording.archived')) request.socket.resetAndDestroy();
      else response.writeHead(204).end();
    });
    const only = ['valid-ping', 'unknown-type', 'valid-summary'].flatMap((name) => ['--only', name]);
    const { code, stdout } = await check(url, '-o', 'json', ...only);
    expect(code).toBe(1);
    expect((JSON.parse(stdout) as ProbeResult[]).map(({ probe, verdict, got }) => [probe, verdict, got])).toEqual([
      ['valid-ping', 'pass', '204'],
      ['valid-summary', 'pass', '204'],
      ['unknown-type', 'fail', 'the connection broke before an answer'],
    ]);
  });
});

it('prints a table, and what passed', async () => {
  const { url } = await handmade(['duplicates-refused']);
  const { code, stdout, stderr } = await check(url, '--only', 'same-event-twice', '--only', 'bad-signature');
  expect(code).toBe(1);
  expect(stdout.replace(/ +\d+$/gm, ' MS')).toBe(
    [
      'PROBE             EXPECTED         GOT       VERDICT  MS',
      'same-event-twice  2xx, both times  204, 409  fail MS',
      'bad-signature     4xx              401       pass MS',
      '',
    ].join('\n'),
  );
  expect(stderr).toBe('1 of 2 probes passed\n');
});

describe('--junit', () => {
  it('is well-formed whatever the receiver answers, and replaces the report before', async () => {
    const hostile = ']]>&<"\'\u0000\u001b[31m\ud800 \ufffe\u0085</failure>';
    const { url } = await receiver((_request, response) => response.writeHead(500).end(hostile));
    const file = join(temporaryHome(), 'report.xml');
    for (const only of ['valid-ping', 'unknown-type']) {
      expect((await check(url, '--only', only, '--junit', file)).code).toBe(1);
    }
    const text = readFileSync(file, 'utf8');
    expect(text).toContain('tests="1" failures="1" errors="0" skipped="0"');
    expect(text).toContain('<failure message="expected 2xx, got 500" type="unknown-type">]]&gt;&amp;&lt;&quot;');
    expect(text).not.toContain('\u001b');
    expect(wellFormed(file)).toBe('');
  });

  it('that cannot be written is told before anything is sent', async () => {
    const { url, taken } = await handmade();
    const { code, stderr } = await check(url, '--junit', join(temporaryHome(), 'no', 'report.xml'));
    expect({ code, taken }).toEqual({ code: 2, taken: [] });
    expect(stderr).toContain('report.xml');
  });

  it('tells of a check that did not take place', async () => {
    const file = join(temporaryHome(), 'report.xml');
    expect((await check('http://127.0.0.1:1/', '--junit', file)).code).toBe(7);
    expect(readFileSync(file, 'utf8')).toContain('failures="0" errors="0" skipped="14"');
    expect(wellFormed(file)).toBe('');
  });
});

describe('--dry-run', () => {
  it('shows all requests, sends nothing and writes no report', async () => {
    const { url, taken } = await handmade();
    const file = join(temporaryHome(), 'report.xml');
    const { code, stdout } = await check(url, '--dry-run', '-o', 'json', '--junit', file);
    const requests = JSON.parse(stdout) as { readonly method: string; readonly body: unknown }[];
    expect({ code, sent: taken.length, shown: requests.length }).toEqual({ code: 0, sent: 0, shown: 15 });
    expect(requests[12]?.body).toEqual({ base64: expect.any(String) });
    expect(existsSync(file)).toBe(false);
  });
});

it.each([
  ['ftp://127.0.0.1/', 'is not http'],
  ['http://u:p@127.0.0.1/', 'holds a user or a password'],
  ['http://127.0.0.1/#a', 'fragment'],
  ['http://127.0.0.1:99999/', 'not a valid URL'],
  ['http://127.0.0.1/a b', 'blank'],
])('refuses %s', async (url, why) => {
  const { code, stderr } = await check(url);
  expect(code).toBe(2);
  expect(stderr).toContain(why);
  expect(stderr).not.toContain('u:p');
});

it('needs one secret, and shows it nowhere', async () => {
  const { url } = await handmade();
  expect((await svc(['webhooks', 'check-receiver', url])).code).toBe(2);
  const two = await svc(['webhooks', 'check-receiver', url, '--secret-env', 'A', '--secret-env', 'B'], {
    env: { A: KEY, B: 'whsec_other' },
  });
  expect(two.code).toBe(2);
  for (const args of [['-o', 'json'], ['--dry-run'], ['--dry-run=curl'], ['--debug']]) {
    const { stdout, stderr } = await check(url, ...args);
    expect(stdout + stderr + two.stderr).not.toContain(KEY.slice(6));
  }
});

/** What is against a file being XML: as much of the grammar as a report needs. */
function wellFormed(file: string): string {
  const text = new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(file));
  const outside = /[^\t\n\r\x20-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u.exec(text);
  if (outside !== null) return `a character that XML has not, at ${outside.index}`;
  const open: string[] = [];
  let at = text.indexOf('?>') + 2;
  const token =
    /<(\/?)([a-z]+)((?: [a-z]+="(?:[^<&"]|&(?:amp|lt|gt|quot|apos|#\d+);)*")*)(\/?)>|(?:[^<&]|&(?:amp|lt|gt|quot|apos|#\d+);)+/y;
  while (at < text.length) {
    token.lastIndex = at;
    const match = token.exec(text);
    if (match === null) return `neither a tag nor text at ${at}: ${text.slice(at, at + 20)}`;
    const [, end, name, , empty] = match;
    if (end === '/' && open.pop() !== name) return `</${name}> ends what did not begin`;
    if (name !== undefined && end === '' && empty === '') open.push(name);
    at = token.lastIndex;
  }
  return open.join(' ');
}
