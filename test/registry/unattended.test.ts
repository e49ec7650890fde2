/** Without a terminal svc does not prompt, and refuses what needs a confirmation. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { inTurn } from '../support/turns.ts';
import { asks, CASES, healthyExit, type Invocation, type Peer, SAMPLED, SCREENS, startPeer, writes } from './invoke.ts';

let peer: Peer;
beforeAll(async () => {
  peer = await startPeer();
});
afterAll(() => peer.close());

const UNATTENDED: readonly { readonly where: string; readonly invocation: Invocation }[] = [
  { where: 'without a terminal', invocation: { terminal: undefined } },
  { where: 'in CI', invocation: { terminal: 80, env: { CI: 'true' } } },
  { where: 'with --no-input', invocation: { terminal: 80, args: ['--no-input'] } },
  { where: 'with SVC_NO_INPUT', invocation: { terminal: 80, env: { SVC_NO_INPUT: '1' } } },
];

const ALL = [...SAMPLED, ...SCREENS].flatMap((what, at) =>
  inTurn(UNATTENDED, at, 1).map((way) => ({ what, name: what.name, ...way })),
);

it.each(ALL)('$name asks nothing $where', async ({ what, where, invocation }) => {
  // Whether somebody may be asked does not depend on how the value is printed.
  for (const format of where === 'in CI' ? ['table', what.sample.draws ? 'ndjson' : 'json'] : ['table']) {
    const args = [...(invocation.args ?? []), '-o', format];
    const run = await peer.run(what, { ...invocation, args, unconfirmed: true });
    expect(run.asked).toEqual([]);
    if (asks(what)) {
      expect(run).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('--yes') });
      expect(writes(run)).toEqual([]);
    } else if (what.sample.terminal !== undefined) expect(run).toMatchObject({ code: 2, stdout: '' });
    else expect(run).toMatchObject({ code: healthyExit(what) });
  }
});

it.each(CASES.filter((what) => asks(what) && what.sample.stdin === undefined))(
  '$name sends what is confirmed, and nothing that is declined',
  async (what) => {
    const { word } = what.sample;
    const typed = word === undefined ? {} : { answers: [word] };
    const yes = await peer.run(what, { unconfirmed: true, terminal: 80, answer: true, ...typed });
    expect(yes).toMatchObject({ code: 0, asked: [expect.stringMatching(/\?/)] });
    if (what.command.service !== undefined) expect(writes(yes)).not.toEqual([]);
    const no = await peer.run(what, {
      unconfirmed: true,
      terminal: 80,
      answer: false,
      ...(word === undefined ? {} : { answers: ['no'] }),
    });
    expect(no).toMatchObject({ code: 2, stdout: '', asked: yes.asked });
    expect(writes(no)).toEqual([]);
  },
);

it.each(CASES.filter(({ sample }) => sample.stdin !== undefined && sample.typed === undefined))(
  '$name refuses empty standard input, and a terminal in its place',
  async (what) => {
    const empty = await peer.run(what, { stdin: '' });
    const { stdin: _, whenEmpty = 2, ...sample } = what.sample;
    if (!sample.mayBeEmpty) expect(empty).toMatchObject({ code: whenEmpty, stdout: '', requests: [] });
    const typed = await peer.run({ ...what, sample }, { terminal: 80 });
    expect(typed).toMatchObject({ code: 2, stdout: '', requests: [], asked: [] });
  },
);
