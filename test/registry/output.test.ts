/** Every command in every format, at every width, with and without color: what comes out can be trusted. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { displayWidth } from '../../src/output/terminal.ts';
import { FORMATS, type Format } from '../../src/output/types.ts';
import { inTurn } from '../support/turns.ts';
import {
  CASES,
  type Case,
  healthyExit,
  type Invocation,
  type Invoked,
  isWrite,
  MARKER,
  type Peer,
  SAMPLED,
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

const parsesAsLines = (text: string): void => {
  for (const line of text.trimEnd().split('\n')) JSON.parse(line);
};

it.each(CASES.filter(({ sample }) => sample.draws))(
  '$name prints rows in a pipe instead of a picture',
  async (what) => {
    for (const format of ['table', 'wide', 'ndjson']) {
      const { stdout, stderr } = await healthy(what, { args: ['-o', format] });
      expectPrinted(what, stdout);
      expect(stdout + stderr).not.toMatch(HOSTILE);
      if (format === 'ndjson') parsesAsLines(stdout);
    }
  },
);

/** The first case of each group and kind of output meets everything. The others are rendered by the same code: each meets a share, in turn. */
const THOROUGH: ReadonlySet<Case> = new Set(
  new Map(
    CASES.map((what) => [`${what.command.id.split(' ')[0]} ${what.command.output.kind}`, what] as const).reverse(),
  ).values(),
);

/** What does not depend on a command's columns. */
const SHARED: readonly ((what: Case, at: number) => Promise<void>)[] = [
  /** Notices and traces are no part of the JSON value on stdout. */
  async function printsOneValueBesideNotices(what, at) {
    const proxy = 'http://127.0.0.1:9';
    const env = { http_proxy: proxy, https_proxy: proxy, HTTP_PROXY: proxy };
    const { stdout } = await plain(what, 'json');
    const insecure = what.command.service === undefined ? [] : ['--insecure'];
    for (const args of share(what, at, [
      ['-ojson', '-v'],
      ['--json', '--debug', ...insecure],
    ])) {
      const run = await healthy(what, { args, env });
      expect(run.stdout).toBe(stdout);
      expect(run.stderr).not.toContain(MARKER);
      if (what.command.service !== undefined && !what.sample.silent)
        expect(run.stderr).toMatch(/^(GET|POST|PUT|PATCH|DELETE) http/m);
    }
  },
  async function takesTheFormatFromTheEnvironment(what) {
    const { stdout } = await plain(what, 'json');
    for (const invocation of [
      { env: { SVC_OUTPUT: 'json' } },
      { args: ['--json'], env: { SVC_OUTPUT: 'yaml' } }, // an option takes precedence
    ]) {
      const run = await healthy(what, invocation);
      if (what.sample.mirrors) expect(JSON.parse(run.stdout)).toHaveLength(JSON.parse(stdout).length);
      else expect(run.stdout).toBe(stdout);
    }
  },
  async function printsIdsAndNoNoticeWithQuiet(what) {
    const ids = await plain(what, 'id');
    expect(await healthy(what, { args: ['-q'] })).toMatchObject({ stdout: ids.stdout, stderr: '' });
  },
  async function hasNoEscapeWithoutColor(what, at) {
    const formats = THOROUGH.has(what) ? FORMATS : ['wide'];
    const unwanted = formats.map((format) => ({ env: { NO_COLOR: '1' }, args: ['-o', format] }));
    for (const invocation of share<Invocation>(what, at, [...unwanted, { args: ['--color', 'never'] }])) {
      const { stdout, stderr } = await healthy(what, { ...invocation, terminal: 80 });
      expect(stdout + stderr, String(invocation.args)).not.toContain(ESCAPE);
    }
  },
  async function hasColorsAndNothingElseWithColorAlways(what, at) {
    for (const format of THOROUGH.has(what) ? FORMATS : inTurn<Format>(['table', 'wide'], at, 1)) {
      const { stdout } = await healthy(what, { args: ['--color', 'always', '-o', format] });
      expect(stdout.replace(SGR, ''), format).not.toContain(ESCAPE);
      if (!what.sample.mirrors) expect(stdout.replace(SGR, ''), format).toBe((await plain(what, format)).stdout);
    }
  },
];

function share<T>(what: Case, at: number, all: readonly T[]): readonly T[] {
  return THOROUGH.has(what) ? all : inTurn(all, at, 1);
}

it.each(SAMPLED.filter(({ sample }) => !sample.draws).map((what, at) => ({ what, at, name: what.name })))(
  '$name prints what scripts and terminals can trust',
  async ({ what, at }) => {
    // csv has every column, whatever a line or a picture leaves out.
    for (const format of new Set<Format>([...share(what, at, FORMATS), 'csv'])) await expectFormat(what, format);
    for (const check of share(what, at, SHARED)) await check(what, at);
    for (const width of inTurn([40, 80, 200], at, 1)) await expectFits(what, width);
  },
);

async function expectFormat(what: Case, format: Format): Promise<void> {
  const { stdout, stderr, requests, server } = await plain(what, format);
  expectPrinted(what, stdout, format);
  expect(stdout + stderr).not.toMatch(HOSTILE);
  if (!requests.some(isWrite)) expect(server).toBeUndefined();
  if (what.sample.prints === 'nothing') return;
  if (format === 'json') JSON.parse(stdout);
  if (format === 'ndjson') parsesAsLines(stdout);
}

async function expectFits(what: Case, width: number): Promise<void> {
  const { stdout } = await healthy(what, { terminal: width, env: { NO_COLOR: '1' } });
  expectPrinted(what, stdout);
  expect(stdout).not.toContain(ESCAPE);
  const { output, defaultFormat } = what.command;
  if (output.kind === 'text' || defaultFormat !== undefined || what.sample.prints !== undefined) return;
  expect(stdout.split('\n').filter((line) => displayWidth(line) > width)).toEqual([]);
}

/** In a pipe, without other options. */
function plain(what: Case, format: Format): Promise<Invoked> {
  return healthy(what, { args: ['-o', format] });
}

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
