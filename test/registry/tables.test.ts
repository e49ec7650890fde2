/** What scripts and the next command read in the tables of every command: in pipes nothing is rounded or relative, on terminals no id is missing. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inTurn } from '../support/turns.ts';
import { CASES, type Case, type Peer, startPeer } from './invoke.ts';

let peer: Peer;
beforeAll(async () => {
  peer = await startPeer();
});
afterAll(() => peer.close());

const TABULAR = CASES.filter(({ command, sample }) => {
  const printsRows = ['list', 'record'].includes(command.output.kind) && command.defaultFormat === undefined;
  return printsRows && sample.prints === undefined && !sample.draws && !sample.waits && sample.terminal === undefined;
});

/** Each line is run once for all tests that read it. */
const runs = new Map<string, Promise<string>>();
function printed(what: Case, ...args: string[]): Promise<string> {
  const line = [what.name, ...args].join(' ');
  const run = runs.get(line) ?? peer.run(what, { args, answer: true }).then(({ stdout }) => stdout);
  runs.set(line, run);
  return run;
}

/** Labels are ids, too: their names may be in the header. So is what a check is about: `address:trade`. */
const parts = (id: string): readonly string[] => id.toLowerCase().split(/[\s=:]+/);

/** What these print with -q is in csv and in the wide table only: numbers of rows, times, and the source ids of compared prices. */
const IN_WIDE_ONLY = ['catalog products snapshots', 'catalog products dynamics', 'catalog compare'];

const TESTS = ['in full', 'ids'] as const;

describe.each(TABULAR.map((what, at) => ({ what, at, name: what.name })))('$name', ({ what, at }) => {
  const formats = inTurn(['table', 'csv'] as const, at, 1);
  // Another sample of the same command prints the same columns.
  const isFirst = TABULAR.find(({ command }) => command === what.command) === what;
  const wanted = isFirst ? TESTS : inTurn(TESTS, at, 1);
  it.each(wanted.includes('in full') ? formats : [])(
    'prints times and numbers in full in a pipe, -o %s',
    async (format) => {
      const text = await printed(what, '-o', format);
      const json = await printed(what, '-o', 'json');
      for (const wrong of [
        /\b\d+[ydhms] ago\b/g,
        /\bin \d+[ydhm]\b/g,
        ...(format === 'csv' ? [] : [/\b\d{1,3}(,\d{3})+\b/g]),
        /\S*…/g,
      ]) {
        expect((text.match(wrong) ?? []).filter((part) => !json.includes(part))).toEqual([]);
      }
    },
  );

  it.each(wanted.filter((one) => one === 'ids'))(
    'prints the complete %s in a pipe, and enough of them on a terminal',
    async () => {
      const ids = (await printed(what, '-q')).split('\n').filter((id) => id !== '');
      const isInTable = !IN_WIDE_ONLY.includes(what.command.id);
      for (const format of formats.map((one) => (one === 'table' && !isInTable ? 'wide' : one))) {
        const text = (await printed(what, '-o', format)).toLowerCase();
        expect(ids.filter((id) => parts(id).some((part) => !text.includes(part)))).toEqual([]);
      }
      for (const terminal of isInTable ? [60] : []) {
        const { stdout } = await peer.run(what, { terminal, answer: true, env: { NO_COLOR: '1' } });
        const text = stdout.toLowerCase();
        expect(ids.filter((id) => parts(id).some((part) => !text.includes(part.slice(0, 8))))).toEqual([]);
      }
    },
  );
});

it('visited most commands', () => {
  expect(new Set(TABULAR.map(({ command }) => command.id)).size).toBeGreaterThan(80);
});
