/** Every command against a service that fails in every way: exit statuses, streams, secrets, and what was sent how often. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ErrorReport } from '../../src/errors.ts';
import { answer, type Fault, type Received } from '../support/servers.ts';
import { inTurn, oneIn } from '../support/turns.ts';
import { isConnecting } from './gateway.ts';
import { healthyBody } from './healthy.ts';
import {
  CASES,
  type Case,
  expectClean,
  healthyExit,
  type Invoked,
  isWrite,
  MARKER,
  type Peer,
  REMOTE,
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

/** Services and proxies may say again what they were traced: nothing of it may come out. */
const echo = ({ headers }: Received): string => {
  const secret = 'authorization' in headers || Object.values(headers).includes(MARKER);
  return `denied: ${headers['authorization']} ${secret ? MARKER : ''}`;
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

/** Additional fields of trading errors. */
const TRADING = ['account_id', 'journal_id', 'candidates', 'server_code', 'cmd', 'request_id', 'retry_after'];

/** A read, a write, and one that does nothing else. */
const CONNECTS: ReadonlySet<string> = new Set(['trade accounts list', 'trade buy', 'trade login']);

const formatOf = ({ sample }: Case): string => (sample.draws ? 'ndjson' : 'json');

/** A stream says so before it fails. */
const UNREACHABLE = /^\{"event":"unreachable","at":"[^"]+","reason":"[^\n]+"\}\n/;

const ONCE = [1, 1] as const;
const RETRIED = [4, 4] as const;

/** An unreadable response. */
const UNREADABLE = { read: [7], write: [8], bodiless: [0], attempts: ONCE } as const;

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
  { name: '500', fault: says(500, 'application/json'), read: [7], write: [8], attempts: RETRIED },
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
    ...UNREADABLE,
  },
  { name: 'nothing', fault: succeeds('application/json', () => ''), ...UNREADABLE },
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
  args: ['--timeout', '2s'],
};

const PROTECTIVE = /^trade (?:close|flatten|orders (?:cancel|update)|positions update|oco (?:add|remove|update))$/;
/** After these failures of a read nothing is sent, whatever it is. */
const ENDS_ALL = ['401', '403', 'a part of the body', 'a reset'];

let peer: Peer;
beforeAll(async () => {
  peer = await startPeer();
});
afterAll(async () => {
  await peer.close();
});

/** Requests of one kind are sent, read and explained by the same code. */
function kindOf({ command: { service, effect, output, streams } }: Case): string {
  if (effect === 'money') return `${service} money`;
  if (effect !== 'read') return `${service} write`;
  return `${service} ${streams?.({}) ? 'stream' : output.kind}`;
}

/** The first case of each kind meets every failure at every request, and some again with `--debug`. */
const THOROUGH: ReadonlySet<Case> = new Set(
  REMOTE.filter((what, index) => REMOTE.findIndex((one) => kindOf(one) === kindOf(what)) === index),
);

/**
 * The others meet failures of different outcomes in turn, at their first request and at their first write; a reset at every request.
 * They meet 401 in `credentials.test.ts`.
 */
const OUTCOMES: readonly string[] = ['404 as JSON', '429', '500', 'broken JSON', 'a reset'];

const failuresOf = (what: Case): readonly Failure[] =>
  THOROUGH.has(what)
    ? FAILURES
    : inTurn(
        FAILURES.filter(({ name }) => OUTCOMES.includes(name)),
        REMOTE.indexOf(what),
        1,
      );

it('covers every kind of case with every failure', () => {
  expect(new Set([...THOROUGH].map(kindOf))).toEqual(new Set(REMOTE.map(kindOf)));
  expect(FAILURES.filter(({ name }) => OUTCOMES.includes(name))).toHaveLength(OUTCOMES.length);
});

it.each(CASES.filter(({ sample }) => sample.silent))('$name sends nothing', async (what) => {
  expect(await peer.run(what)).toMatchObject({ code: healthyExit(what), connections: 0 });
});

describe.each(REMOTE)('$name', (what) => {
  const debugged = THOROUGH.has(what) ? inTurn(FAILURES, [...THOROUGH].indexOf(what), 4) : [];
  let healthy: Invoked;
  beforeAll(async () => {
    healthy = await peer.run(what, { args: ['-o', formatOf(what)] });
    expect({ code: healthy.code, stderr: healthy.stderr }, 'it works against a healthy service').toMatchObject({
      code: healthyExit(what),
    });
    expect(healthy.requests).not.toEqual([]);
  });

  it.each(failuresOf(what))('exits and reports as documented when it is answered by $name', async (failure) => {
    const walked = requestsToFail(what, failure, healthy);
    expect(walked.length, 'requests that fail').toBeGreaterThan(0);
    const hasFailedWrite = walked.some((after) => isWrite(healthy.requests[after] as Received));
    expect(hasFailedWrite, 'its write fails').toBe(healthy.requests.some(isWrite));
    for (const after of walked) {
      const run = await failsWell(what, failure, healthy, after, peer);
      if (!debugged.includes(failure)) continue;
      const where = `${healthy.requests[after]?.path} answered by ${failure.name}`;
      const traced = await fail(what, failure, after, ['--debug'], peer);
      expect(traced.code, where).toBe(run.code);
      expectClean(traced, where);
      if (traced.code !== 0) expect(traced.stderr, where).toMatch(/^svc: /m);
    }
  });
});

/** A few at a time, each with a service of its own, as most of it is waiting. One sample of a command is enough. */
describe('a service that does not respond fails', () => {
  const first = REMOTE.filter(({ command }, index) => REMOTE.findIndex((one) => one.command === command) === index);
  it.concurrent.each(oneIn(8, first))('$name', async (what) => {
    const silent = await startPeer();
    try {
      const healthy = await silent.run(what, { args: ['-o', formatOf(what)] });
      const walked = requestsToFail(what, SILENCE, healthy);
      expect(walked.length, 'requests that fail').toBeGreaterThan(0);
      for (const after of walked) await failsWell(what, SILENCE, healthy, after, silent);
    } finally {
      await silent.close();
    }
  });
});

/** The places of the requests that fail so, one in each run. */
function requestsToFail(what: Case, failure: Failure, { requests }: Invoked): readonly number[] {
  const failing = [...requests.keys()].filter((after) => mayFail(what, failure, requests, after));
  if (failure.name === 'a reset' || (THOROUGH.has(what) && failure !== SILENCE)) return failing;
  const write = failing.find((after) => isWrite(requests[after] as Received));
  return [...new Set([...failing.slice(0, 1), ...(write === undefined ? [] : [write])])];
}

function mayFail(what: Case, failure: Failure, requests: readonly Received[], after: number): boolean {
  const request = requests[after] as Received;
  // All connect alike.
  if (isConnecting(request) && !CONNECTS.has(what.command.id)) return false;
  // Closes and cancels continue at a rate limit for reads.
  if (what.command.effect === 'money' && failure.name === '429' && request.method === 'GET') return false;
  // And where a table cannot be read: `unread-tables.test.ts` has what becomes of it.
  if (PROTECTIVE.test(what.command.id) && request.method === 'GET' && !ENDS_ALL.includes(failure.name)) return false;
  return !(what.sample.looks && request.method === 'GET' && requests.slice(0, after).some(isWrite));
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
  const unanswered = noBody ? bodiless : write;
  const alone = isWrite(request) ? unanswered : read;
  expect(written ? [0, 8, 10] : alone, `${where}: ${stderr}`).toContain(code);
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
  const isOnce = sample.once || request.method !== 'GET' || isConnecting(request);
  const sentOnce = isOnce ? ONCE : attempts;
  const [least, most] = undoes ? [1, 6] : sentOnce;
  expect(again.filter((one) => one === expected[after]).length, where).toBeGreaterThanOrEqual(least);
  expect(again.filter((one) => one === expected[after]).length, where).toBeLessThanOrEqual(most);
  if (!undoes) expect(writes(failed).length, where).toBeLessThanOrEqual(writes(healthy).length);
  // Accounts are at one path or the other. Whether a 404 of the catalog is of the id or of the address, a list tells.
  const asked = again.filter((one) => !/^GET \/(products|categories|settlements)\?limit=1$/.test(one));
  const paths = new Set(asked.map((one) => one.replace(/(\/Accounts|\?models=Account)$/, '')));
  if (!isWrite(request)) expect(paths.size, where).toBe(1);
}

/** Notices of a streaming command are not deferred, and precede it. */
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
