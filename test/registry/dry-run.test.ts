/** `--dry-run` of every command that can change something: what it shows is what would be sent, and nothing is. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Received } from '../support/servers.ts';
import { inTurn } from '../support/turns.ts';
import { asks, CASES, type Case, type Invoked, MARKER, type Peer, startPeer, writes } from './invoke.ts';

interface Shown {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

let peer: Peer;
beforeAll(async () => {
  peer = await startPeer();
});
afterAll(() => peer.close());

const WRITING = CASES.filter(
  ({ command, sample }) => command.effect !== 'read' && command.service !== undefined && !sample.local,
);

const FORMATS = ['table', 'wide', 'json', 'ndjson', 'csv', 'tsv', 'yaml', 'id'];

it.each(WRITING.map((what, at) => ({ what, at, name: what.name })))(
  '$name --dry-run prints the request that it would send to the server that a write names',
  async ({ what, at }) => {
    await expectSameRequest(what);
    for (const format of inTurn(FORMATS, at, 1)) {
      const dry = await peer.run(what, { args: ['--dry-run', '-o', format], unconfirmed: true });
      expectUnsent(dry, what.sample.follows === true);
      expect(dry.stdout).toMatch(/[^\n]\n$/);
      expect(dry.server).toBeUndefined();
    }
    await expectCurlLines(what);
    const atTerminal = await peer.run(what, { args: ['--dry-run'], unconfirmed: true, terminal: 80 });
    expectUnsent(atTerminal, false);
    expect(atTerminal.asked).toEqual([]);
  },
);

async function expectSameRequest(what: Case): Promise<void> {
  const run = await peer.run(what, { args: ['-o', 'json'] });
  expect(run.server).toBe(`server: ${new URL(peer.url).host} (SVC_${what.command.service?.toUpperCase()}_URL)`);
  const all = writes(run);
  const sent = what.sample.undoes ? all.slice(0, 1) : all;
  expect(sent).not.toEqual([]);
  const dry = await peer.run(what, { args: ['--dry-run', '-o', 'json', '--debug'], unconfirmed: true });
  expectUnsent(dry, what.sample.follows === true);
  const value = JSON.parse(dry.stdout) as Shown | Shown[];
  expect(Array.isArray(value)).toBe(sent.length > 1);
  const shown = Array.isArray(value) ? value : [value];
  expect(shown).toHaveLength(sent.length);
  for (const [index, request] of shown.entries()) {
    expect(Object.keys(request)).toEqual(['method', 'url', 'headers', 'body']);
    const real = sent[index];
    expect([request.method, request.url]).toEqual([real?.method, `${peer.url}${real?.path}`]);
    expect(shownBody(request.body, real)).toEqual(sentBody(real));
    const { authorization, ...open } = request.headers;
    if (what.sample.anonymous) expect(authorization).toBeUndefined();
    else expect(authorization).toMatch(/^(Bearer )?\*\*\*$/);
    expect(real?.headers).toMatchObject(open);
  }
}

async function expectCurlLines(what: Case): Promise<void> {
  const dry = await peer.run(what, { args: ['--dry-run=curl'], unconfirmed: true });
  if (what.command.service === 'trade') {
    expect({ code: dry.code, stdout: dry.stdout, writes: writes(dry) }).toEqual({ code: 2, stdout: '', writes: [] });
    expect(dry.stderr).toContain('no line can send this request, as it needs the id of a live session');
    return;
  }
  expectUnsent(dry, what.sample.follows === true);
  for (const line of dry.stdout.trimEnd().split(/(?<!\\)\n(?=curl )/)) {
    // A body that one line cannot show comes by a pipe.
    expect(line).toMatch(/^(?:echo [\w+/]+=* \| base64 -d \| )?curl /);
    expect(line).toContain(peer.url);
  }
}

it('needs no server where the request follows from the command line', async () => {
  for (const what of WRITING.filter(({ sample }) => sample.follows)) {
    const variable = `SVC_${what.command.service?.toUpperCase()}_URL`;
    const env = { [variable]: 'http://127.0.0.1:9' };
    const dry = await peer.run(what, { args: ['--dry-run'], unconfirmed: true, env });
    expect({ code: dry.code, connections: dry.connections }, what.name).toEqual({ code: 0, connections: 0 });
  }
});

it('visited a command that prompts', () => {
  expect(WRITING.some(asks)).toBe(true);
});

function expectUnsent(dry: Invoked, follows: boolean): void {
  expect({ code: dry.code, stderr: dry.code === 0 ? '' : dry.stderr }).toEqual({ code: 0, stderr: '' });
  expect(writes(dry)).toEqual([]);
  expect(dry.stdout + dry.stderr).not.toContain(MARKER);
  if (follows) expect(dry.connections).toBe(0);
}

/** A form is pairs, of which some come twice. */
function sentBody({ body = '', headers = {} }: Partial<Received> = {}): unknown {
  if (headers['content-type']?.includes('form-urlencoded')) return [...new URLSearchParams(body)];
  return body === '' ? null : JSON.parse(body);
}

function shownBody(body: unknown, real: Received | undefined): unknown {
  if (!Array.isArray(sentBody(real)) || Array.isArray(body)) return body;
  return Object.entries(body as object).flatMap(([name, value]) => [value].flat().map((one) => [name, one]));
}
