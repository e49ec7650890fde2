/** Every command in every format, at every width, with and without color: what comes out can be trusted. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { displayWidth } from '../../src/output/terminal.ts';
import { FORMATS, type Format } from '../../src/output/types.ts';
import { inTurn } from '../support/turns.ts';
import {
  CASES,
  type Case,
  healthyExit,
  type Invocation,
  type Invoked,
  MARKER,
  type Peer,
  startPeer,
} from './invoke.ts';

const ESCAPE = '\u001b';
const SGR = /\u001b\[[0-9;]*m/g;
/** Characters that no output may have: C0 except tab and line feed, DEL, C1, bidi controls. */
const HOSTILE = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]/;

let peer: Peer;
beforeAll(async () => {
  peer = await startPeer();
});
afterAll(() => peer.close());

it.each(CASES.filter(({ sample }) => sample.draws))('$name in a pipe', async (what) => {
  for (const format of ['table', 'wide', 'ndjson']) {
    const { stdout, stderr } = await healthy(what, { args: ['-o', format] });
    expectPrinted(what, stdout);
    expect(stdout + stderr).not.toMatch(HOSTILE);
    if (format === 'ndjson') for (const line of stdout.trimEnd().split('\n')) JSON.parse(line);
  }
});

/** The first case of each group and kind of output meets everything. The others are rendered by the same code: each meets a share, in turn. */
const THOROUGH: ReadonlySet<Case> = new Set(
  new Map(
    CASES.map((what) => [`${what.command.id.split(' ')[0]} ${what.command.output.kind}`, what] as const).reverse(),
  ).values(),
);
const COLORED: readonly Format[] = ['table', 'wide'];
/** What does not depend on a command's columns. */
const SHARED = ['beside', 'environment', 'quiet', 'without color', 'with color'] as const;
const WRITTEN = CASES.filter(({ sample }) => !sample.draws);

describe.each(WRITTEN.map((what, at) => ({ what, at, name: what.name })))('$name', ({ what, at }) => {
  const runs = new Map<Format, Promise<Invoked>>();
  /** In a pipe, without other options: run once. */
  const plain = (format: Format): Promise<Invoked> => {
    const run = runs.get(format) ?? healthy(what, { args: ['-o', format] });
    runs.set(format, run);
    return run;
  };

  const isThorough = THOROUGH.has(what);
  const wanted = isThorough ? SHARED : inTurn(SHARED, at, 1);
  const inItsTurn = (check: (typeof SHARED)[number]) => it.each(wanted.filter((one) => one === check));

  it.each(isThorough ? FORMATS : inTurn(FORMATS, at, 1))('-o %s', async (format) => {
    const { stdout, stderr } = await plain(format);
    expectPrinted(what, stdout, format);
    expect(stdout + stderr).not.toMatch(HOSTILE);
    if (what.sample.prints === 'nothing') return;
    if (format === 'json') JSON.parse(stdout);
    if (format === 'ndjson') for (const line of stdout.trimEnd().split('\n')) JSON.parse(line);
  });

  inItsTurn('beside')('prints one JSON value however much is told beside it', async () => {
    const env = {
      http_proxy: 'http://127.0.0.1:9',
      https_proxy: 'http://127.0.0.1:9',
      HTTP_PROXY: 'http://127.0.0.1:9',
    };
    const { stdout } = await plain('json');
    const insecure = what.command.service === undefined ? [] : ['--insecure'];
    const forms = [
      ['-ojson', '-v'],
      ['--json', '--debug', ...insecure],
    ];
    for (const args of isThorough ? forms : inTurn(forms, at, 1)) {
      const run = await healthy(what, { args, env });
      expect(run.stdout).toBe(stdout);
      expect(run.stderr).not.toContain(MARKER);
      if (what.command.service !== undefined && !what.sample.silent)
        expect(run.stderr).toMatch(/^(GET|POST|PUT|PATCH|DELETE) http/m);
    }
  });

  inItsTurn('environment')('takes the format from the environment, an option before it', async () => {
    const { stdout } = await plain('json');
    const over = { args: ['--json'], env: { SVC_OUTPUT: 'yaml' } };
    for (const invocation of isThorough ? [{ env: { SVC_OUTPUT: 'json' } }, over] : [over]) {
      const run = await healthy(what, invocation);
      if (what.sample.mirrors) expect(JSON.parse(run.stdout)).toHaveLength(JSON.parse(stdout).length);
      else expect(run.stdout).toBe(stdout);
    }
  });

  inItsTurn('quiet')('prints ids with -q, and no notice', async () => {
    const quiet = await healthy(what, { args: ['-q'] });
    expect(quiet.stdout).toBe((await plain('id')).stdout);
    expect(quiet.stderr).toBe('');
  });

  inItsTurn('without color')('has no escape sequence without color', async () => {
    const formats = isThorough ? FORMATS : ['wide' as const];
    const unwanted = formats.map((format) => ({ env: { NO_COLOR: '1' }, args: ['-o', format] }));
    const ways: readonly Invocation[] = [...unwanted, { args: ['--color', 'never'] }];
    for (const invocation of isThorough ? ways : inTurn(ways, at, 1)) {
      const { stdout, stderr } = await healthy(what, { ...invocation, terminal: 80 });
      expect(stdout + stderr, String(invocation.args)).not.toContain(ESCAPE);
    }
  });

  inItsTurn('with color')('has colors and nothing else with --color always in a pipe', async () => {
    for (const format of isThorough ? FORMATS : inTurn(COLORED, at, 1)) {
      const { stdout } = await healthy(what, { args: ['--color', 'always', '-o', format] });
      expect(stdout.replace(SGR, ''), format).not.toContain(ESCAPE);
      if (!what.sample.mirrors) expect(stdout.replace(SGR, ''), format).toBe((await plain(format)).stdout);
    }
  });

  it.each(inTurn([40, 80, 200], at, 1))('fits a terminal of %d columns', async (width) => {
    const { stdout } = await healthy(what, { terminal: width, env: { NO_COLOR: '1' } });
    expectPrinted(what, stdout);
    expect(stdout).not.toContain(ESCAPE);
    const { output, defaultFormat } = what.command;
    if (output.kind === 'text' || defaultFormat !== undefined || what.sample.prints !== undefined) return;
    expect(stdout.split('\n').filter((line) => displayWidth(line) > width)).toEqual([]);
  });
});

async function healthy(what: Case, invocation: Invocation): Promise<Invoked> {
  const run = await peer.run(what, { ...invocation, answer: true });
  expect({ code: run.code, stderr: run.code === healthyExit(what) ? '' : run.stderr }).toEqual({
    code: healthyExit(what),
    stderr: '',
  });
  // A free port is another one each time.
  const number = /(?<=127\.0\.0\.1:|port"?: ?)\d+/g;
  return { ...run, stdout: run.stdout.replace(number, '1') };
}

function expectPrinted({ sample }: Case, stdout: string, format = 'table'): void {
  const unseen = sample.waits && ['table', 'wide', 'id'].includes(format);
  if (sample.prints === 'nothing' || unseen) expect(stdout).toBe('');
  else expect(stdout).toMatch(/[^\n]\n$/);
}
