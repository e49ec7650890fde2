/** What scripts and the next command read in the tables of every command: in pipes nothing is rounded or relative, on terminals no id is missing. */
import { afterAll, beforeAll, expect, it } from 'vitest';
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

async function printed(what: Case, ...args: string[]): Promise<string> {
  return (await peer.run(what, { args, answer: true })).stdout;
}

/** Labels are ids, too: their names may be in the header. So is what a check is about: `address:trade`. */
const parts = (id: string): readonly string[] => id.toLowerCase().split(/[\s=:]+/);

/** What these print with -q is in csv and in the wide table only: numbers of rows, times, and the source ids of compared prices. */
const IN_WIDE_ONLY = ['catalog products snapshots', 'catalog products dynamics', 'catalog compare'];

it.each(TABULAR.map((what) => ({ what, name: what.name })))(
  '$name prints times, numbers and ids in full in a pipe, and enough of the ids on a terminal',
  async ({ what }) => {
    const ids = (await printed(what, '-q')).split('\n').filter((id) => id !== '');
    const json = await printed(what, '-o', 'json');
    const isInTable = !IN_WIDE_ONLY.includes(what.command.id);
    for (const format of [isInTable ? 'table' : 'wide', 'csv']) {
      const text = await printed(what, '-o', format);
      const grouped = format === 'csv' ? [] : [/\b\d{1,3}(,\d{3})+\b/g];
      for (const wrong of [/\b\d+[ydhms] ago\b/g, /\bin \d+[ydhm]\b/g, ...grouped, /\S*…/g])
        expect((text.match(wrong) ?? []).filter((part) => !json.includes(part))).toEqual([]);
      expect(ids.filter((id) => parts(id).some((part) => !text.toLowerCase().includes(part)))).toEqual([]);
    }
    if (!isInTable) return;
    const { stdout } = await peer.run(what, { terminal: 60, answer: true, env: { NO_COLOR: '1' } });
    const text = stdout.toLowerCase();
    expect(ids.filter((id) => parts(id).some((part) => !text.includes(part.slice(0, 8))))).toEqual([]);
  },
);

it('visited most commands', () => {
  expect(new Set(TABULAR.map(({ command }) => command.id)).size).toBeGreaterThan(80);
});
