/** `--dry-run` of every command that can change something: what it shows is what would be sent, and nothing is. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Received } from '../support/servers.ts';
import { inTurn } from '../support/turns.ts';
import { asks, CASES, type Invoked, MARKER, type Peer, startPeer, writes } from './invoke.ts';

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

it.each(WRITING)('$name --dry-run prints the request', async (what) => {
  const all = writes(await peer.run(what, { args: ['-o', 'json'] }));
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
    expect(request.method).toBe(real?.method);
    expect(request.url).toBe(`${peer.url}${real?.path}`);
    expect(shownBody(request.body, real)).toEqual(sentBody(real));
    if (what.sample.anonymous) expect(request.headers['authorization']).toBeUndefined();
    else expect(request.headers['authorization']).toMatch(/^(Bearer )?\*\*\*$/);
    const { authorization: _, ...open } = request.headers;
    expect(real?.headers).toMatchObject(open);
  }
});

const FORMATS = ['table', 'wide', 'json', 'ndjson', 'csv', 'tsv', 'yaml', 'id'];

describe.each(FORMATS)('--dry-run -o %s', (format) => {
  it.each(WRITING.filter((_, at) => inTurn(FORMATS, at, 2).includes(format)))('$name', async (what) => {
    const dry = await peer.run(what, { args: ['--dry-run', '-o', format], unconfirmed: true });
    expectUnsent(dry, what.sample.follows === true);
    expect(dry.stdout).toMatch(/[^\n]\n$/);
  });
});

const isLive = ({ command }: (typeof WRITING)[number]): boolean => command.service === 'trade';

it.each(WRITING.filter(isLive))('$name --dry-run=curl says that no line can send it', async (what) => {
  const dry = await peer.run(what, { args: ['--dry-run=curl'], unconfirmed: true });
  expect({ code: dry.code, stdout: dry.stdout, writes: writes(dry) }).toEqual({ code: 2, stdout: '', writes: [] });
  expect(dry.stderr).toContain('no line can send this request, as it needs the id of a live session');
});

it.each(WRITING.filter((what) => !isLive(what)))(
  '$name --dry-run=curl is a command line without the secret',
  async (what) => {
    for (const more of [[], ['-o', 'json']]) {
      const dry = await peer.run(what, { args: ['--dry-run=curl', ...more], unconfirmed: true });
      expectUnsent(dry, what.sample.follows === true);
      for (const line of dry.stdout.trimEnd().split(/(?<!\\)\n(?=curl )/)) {
        // A body that one line cannot show comes by a pipe.
        expect(line).toMatch(/^(?:echo [\w+/]+=* \| base64 -d \| )?curl /);
        expect(line).toContain(peer.url);
      }
    }
  },
);

it.each(WRITING)('$name --dry-run does not prompt', async (what) => {
  const dry = await peer.run(what, { args: ['--dry-run'], unconfirmed: true, terminal: 80 });
  expectUnsent(dry, false);
  expect(dry.asked).toEqual([]);
});

it.each(WRITING.filter(({ sample }) => sample.follows))('$name --dry-run works where nothing listens', async (what) => {
  const prefix = `SVC_${what.command.service?.toUpperCase()}_URL`;
  const dry = await peer.run(what, {
    args: ['--dry-run'],
    unconfirmed: true,
    env: { [prefix]: 'http://127.0.0.1:9' },
  });
  expect({ code: dry.code, connections: dry.connections }).toEqual({ code: 0, connections: 0 });
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
