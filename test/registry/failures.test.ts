/** Every command against a service that fails in every way: exit statuses, streams, secrets, and what was sent how often. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ErrorReport } from '../../src/errors.ts';
import { VARIABLES } from '../../src/store/setting-keys.ts';
import { answer, type Fault, type Received } from '../http/servers.ts';
import { SCRATCH } from '../support/scratch.ts';
import { isConnecting, SESSION_ID } from './gateway.ts';
import { healthyBody } from './healthy.ts';
import {
  CASES,
  type Case,
  healthyExit,
  type Invoked,
  isWrite,
  MARKER,
  type Peer,
  startPeer,
  writes,
} from './invoke.ts';

interface Failure {
  readonly name: string;
  readonly fault: Fault;
  /** The exit statuses where a read fails so, and nothing was sent before. */
  readonly read: readonly number[];
  /** Where the write itself fails so. */
  readonly write: readonly number[];
  /** For a write whose success has no body: there a body says nothing. */
  readonly bodiless?: readonly number[];
  /** How often a read is sent. */
  readonly attempts: readonly [least: number, most: number];
  readonly args?: readonly string[];
}

/** Services and proxies may say again what they were told: nothing of it may come out. */
const echo = ({ headers }: Received): string => {
  const told = 'authorization' in headers || Object.values(headers).includes(MARKER);
  return `denied: ${headers['authorization']} ${told ? MARKER : ''}`;
};
const says = (status: number, type: string, headers: Readonly<Record<string, string>> = {}): Fault => {
  const body = (request: Received): string =>
    type.includes('json') ? JSON.stringify({ code: status, message: echo(request) }) : echo(request);
  const all = { 'content-type': type, 'x-api-key': MARKER, ...headers };
  return (socket, request) => socket.write(answer(status, body(request), all));
};
const succeeds =
  (type: string, body: (request: Received) => string): Fault =>
  (socket, request) =>
    socket.write(answer(200, body(request), { 'content-type': type }));

/** What errors of trading hold beside what every error does. */
const TRADING = ['account_id', 'journal_id', 'candidates', 'server_code', 'cmd', 'request_id', 'retry_after'];

/** A read, a write, and one that does nothing else. */
const CONNECTS: ReadonlySet<string> = new Set(['trade accounts', 'trade buy', 'trade login']);

/** What is read before an order fails in every way for the first command that reads it; for the others, which do it alike, so: */
const READS: readonly string[] = ['401', 'a reset', 'silence'];
const firstReaders = new Map<string, string>();

const formatOf = ({ sample }: Case): string => (sample.draws ? 'ndjson' : 'json');

/** A stream says so before it fails. */
const UNREACHABLE = /^\{"event":"unreachable","at":"[^"]+","reason":"[^\n]+"\}\n/;

const ONCE = [1, 1] as const;
const RETRIED = [4, 4] as const;

const FAILURES: readonly Failure[] = [
  { name: '401', fault: says(401, 'text/plain'), read: [4], write: [4], attempts: ONCE },
  { name: '403', fault: says(403, 'application/json'), read: [4], write: [4], attempts: ONCE },
  // Whether a 404 is of the thing or of the address, each service says in its own way.
  { name: '404 as text', fault: says(404, 'text/plain'), read: [3, 5], write: [3, 5], attempts: ONCE },
  { name: '404 as JSON', fault: says(404, 'application/json'), read: [3, 5], write: [3, 5], attempts: ONCE },
  {
    name: '429',
    fault: says(429, 'text/plain', { 'retry-after': '0' }),
    read: [6],
    write: [6],
    attempts: RETRIED,
  },
  { name: '500', fault: says(500, 'application/json'), read: [7], write: [8], attempts: ONCE },
  { name: '503', fault: says(503, 'text/plain'), read: [7], write: [8], attempts: RETRIED },
  {
    name: 'an HTML page',
    fault: succeeds('text/html', (request) => `<!doctype html><title>${echo(request)}</title>`),
    read: [7],
    write: [8],
    attempts: ONCE,
  },
  {
    name: 'broken JSON',
    fault: succeeds('application/json', (request) => `[{"${echo(request)}"`),
    read: [7],
    write: [8],
    bodiless: [0],
    attempts: ONCE,
  },
  {
    name: 'nothing',
    fault: succeeds('application/json', () => ''),
    read: [7],
    write: [8],
    bodiless: [0],
    attempts: ONCE,
  },
  {
    name: 'a part of the body',
    fault: (socket) =>
      socket.end('HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 900\r\n\r\n[{"a":'),
    read: [7],
    write: [8],
    attempts: [1, 4],
  },
  { name: 'a reset', fault: (socket) => socket.resetAndDestroy(), read: [7], write: [8], attempts: RETRIED },
];

const SILENCE: Failure = {
  name: 'silence',
  fault: () => {},
  read: [7],
  write: [8],
  attempts: ONCE,
  args: ['--timeout', '400ms'],
};

let peer: Peer;
const folder = mkdtempSync(join(SCRATCH, 'svc-registry-'));
beforeAll(async () => {
  peer = await startPeer();
});
afterAll(async () => {
  await peer.close();
  rmSync(folder, { recursive: true });
});

const REMOTE = CASES.filter(
  ({ command, sample }) => command.service !== undefined && sample.apart === undefined && !sample.silent,
);

it.each(CASES.filter(({ sample }) => sample.silent))('$name asks nobody', async (what) => {
  expect(await peer.run(what)).toMatchObject({ code: healthyExit(what), connections: 0 });
});

describe.each(REMOTE)('$name', (what) => {
  let healthy: Invoked;
  beforeAll(async () => {
    healthy = await peer.run(what, { args: ['-o', formatOf(what)] });
    expect({ code: healthy.code, stderr: healthy.stderr }, 'it works against a healthy service').toMatchObject({
      code: healthyExit(what),
    });
    expect(healthy.requests).not.toEqual([]);
  });

  it.each(FAILURES)('answered by $name', async (failure) => {
    for (const [after, request] of healthy.requests.entries()) {
      if (!isWalked(what, failure, healthy, after, request)) continue;
      const where = `${request.method} ${request.path} answered by ${failure.name}`;
      const run = await failsWell(what, failure, healthy, after, peer);
      const told = await fail(what, failure, after, ['--debug'], peer);
      expect(told.code, where).toBe(run.code);
      expectClean(told, where);
      if (told.code !== 0) expect(told.stderr, where).toMatch(/^svc: /m);
    }
  });
});

/** A few at a time, each with a service of its own, as most of it is waiting. One run each is enough. */
describe('answered by silence', () => {
  it.concurrent.each(REMOTE)('$name', async (what) => {
    const silent = await startPeer();
    try {
      const healthy = await silent.run(what, { args: ['-o', formatOf(what)] });
      for (const [after, request] of healthy.requests.entries()) {
        if (isWalked(what, SILENCE, healthy, after, request)) await failsWell(what, SILENCE, healthy, after, silent);
      }
    } finally {
      await silent.close();
    }
  });
});

function isWalked(what: Case, failure: Failure, healthy: Invoked, after: number, request: Received): boolean {
  // All connect alike.
  if (isConnecting(request) && !CONNECTS.has(what.command.id)) return false;
  // What closes or cancels goes on where a cap keeps it from looking.
  if (what.command.effect === 'money' && failure.name === '429' && request.method === 'GET') return false;
  const isWritten = healthy.requests.slice(0, after).some(isWrite);
  if (what.command.effect === 'money' && request.method === 'GET' && !isWritten && !READS.includes(failure.name)) {
    const first = firstReaders.get(request.path) ?? what.name;
    firstReaders.set(request.path, first);
    if (first !== what.name) return false;
  }
  return !(what.sample.looks && request.method === 'GET' && isWritten);
}

async function failsWell(what: Case, failure: Failure, healthy: Invoked, after: number, at: Peer): Promise<Invoked> {
  const request = healthy.requests[after] as Received;
  const where = `${request.method} ${request.path} answered by ${failure.name}`;
  const json = await fail(what, failure, after, ['-o', formatOf(what)], at);
  checkSent(json, what, healthy, after, failure, where);
  if (checkExit(json, what, healthy.requests, after, failure, where) !== 0) {
    expect(what.sample.draws ? json.stdout.replace(UNREACHABLE, '') : json.stdout, where).toBe('');
    expectErrorLine(json, where, what.command.streams?.({}) === true);
  }
  return json;
}

/** The other ways to give one: a password, and a header from a file. */
describe.each(REMOTE)('$name, a credential of another kind', (what) => {
  const prefix = `SVC_${what.command.service?.toUpperCase()}`;
  // The gateway takes a token whatever else is sent.
  const withoutToken: Record<string, undefined> =
    what.command.service === 'trade' ? {} : { [`${prefix}_TOKEN`]: undefined };
  const answered401 = FAILURES.find(({ name }) => name === '401')?.fault;

  if (VARIABLES.some(({ name }) => name === `${prefix}_PASSWORD`)) {
    it('password', async () => {
      const env = { ...withoutToken, [`${prefix}_USER`]: 'ann', [`${prefix}_PASSWORD`]: MARKER };
      const encoded = Buffer.from(`ann:${MARKER}`).toString('base64');
      for (const fault of [undefined, answered401]) {
        const run = await peer.run(what, { args: ['--debug'], env }, fault);
        expect(run.requests[0]?.headers['authorization']).toBe(`Basic ${encoded}`);
        expectClean(run, 'password');
        expect(run.stdout + run.stderr).not.toContain(encoded);
      }
    });
  }

  it('header file', async () => {
    const file = join(folder, 'headers');
    writeFileSync(file, `X-Gate: ${MARKER}\n`, { mode: 0o600 });
    const env = withoutToken;
    for (const fault of [undefined, answered401]) {
      const run = await peer.run(what, { args: ['--debug', '--header-file', file], env }, fault);
      expect(run.requests[0]?.headers['x-gate']).toBe(MARKER);
      expectClean(run, 'header file');
    }
    if (what.command.effect === 'read') return;
    // No curl line can send a request of a live trading session.
    for (const option of what.command.service === 'trade' ? ['--dry-run'] : ['--dry-run', '--dry-run=curl']) {
      const run = await peer.run(what, { args: [option, '--header-file', file], env });
      expect(run.stdout).toContain('x-gate');
      expectClean(run, option);
    }
  });
});

function fail(
  what: Case,
  { fault, args = [] }: Failure,
  after: number,
  more: readonly string[],
  at: Peer,
): Promise<Invoked> {
  return at.run(what, { args: [...args, ...more] }, fault, after);
}

/** Returns the exit status. */
function checkExit(
  { code, stderr }: Invoked,
  { command }: Case,
  requests: readonly Received[],
  after: number,
  { read, write, bodiless = write }: Failure,
  where: string,
): number {
  const [request, before] = [requests[after] as Received, requests.slice(0, after)];
  const noBody = command.service !== undefined && healthyBody(command.service, request) === '';
  // After a write was answered nothing that goes wrong may read as "nothing happened".
  const written = before.some(isWrite);
  const expected = written ? [0, 8, 10] : isWrite(request) ? (noBody ? bodiless : write) : read;
  expect(expected, `${where}: ${stderr}`).toContain(code);
  return code;
}

/** The request that fails is sent as often as it may be, what precedes it once, and what follows it never. */
function checkSent(
  failed: Invoked,
  { sample }: Case,
  healthy: Invoked,
  after: number,
  { attempts }: Failure,
  where: string,
): void {
  const line = ({ method, path }: Received): string => `${method} ${path}`;
  const expected = healthy.requests.slice(0, after + 1).map(line);
  const sent = failed.requests.map(line);
  expect(sent.slice(0, after + 1), where).toEqual(expected);
  const again = sent.slice(after);
  const request = healthy.requests[after] as Received;
  // What is to be undone is tried again and again: nothing is done twice by it.
  const undoes = sample.undoes === true && request.method === 'DELETE';
  const [least, most] = undoes
    ? [1, 6]
    : sample.once || request.method !== 'GET' || isConnecting(request)
      ? ONCE
      : attempts;
  expect(again.filter((one) => one === expected[after]).length, where).toBeGreaterThanOrEqual(least);
  expect(again.filter((one) => one === expected[after]).length, where).toBeLessThanOrEqual(most);
  if (!undoes) expect(writes(failed).length, where).toBeLessThanOrEqual(writes(healthy).length);
  // Accounts are at one path or the other.
  const paths = new Set(again.map((one) => one.replace(/(\/Accounts|\?models=Account)$/, '')));
  if (!isWrite(request)) expect(paths.size, where).toBe(1);
}

/** Notices of a command that runs on are not held back, and come before it. */
function expectErrorLine(run: Invoked, where: string, hasNotices: boolean): void {
  expectClean(run, where);
  expect(run.stderr.endsWith('\n'), where).toBe(true);
  const lines = run.stderr.trimEnd().split('\n');
  if (!hasNotices) expect(lines, where).toHaveLength(1);
  const report = JSON.parse(lines.at(-1) ?? '') as ErrorReport;
  expect(Object.keys(report), where).toEqual(['error']);
  const { error } = report;
  for (const name of TRADING) delete (error as Partial<Record<string, unknown>>)[name];
  expect(error, where).toEqual({
    code: expect.stringMatching(/^[a-z_]+$/),
    message: expect.stringMatching(/./),
    hint: report.error.hint === null ? null : expect.stringMatching(/./),
    http_status: report.error.http_status === null ? null : expect.any(Number),
    exit: run.code,
    retryable: [6, 7].includes(run.code) ? expect.any(Boolean) : false,
    ...(report.error.sent === undefined ? {} : { sent: expect.stringMatching(/^(?:no|maybe|yes)$/) }),
  });
}

function expectClean({ stdout, stderr }: Invoked, where: string): void {
  expect(stdout + stderr, where).not.toContain(MARKER);
  expect(stdout + stderr, where).not.toContain(SESSION_ID);
  expect(stderr, where).not.toMatch(/^\s+at .*[:(]/m);
  expect(stdout + stderr, where).not.toContain('\u001b');
}
