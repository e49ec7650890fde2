/**
 * Values that would be ignored: an option given twice, and one whose value is empty. Every option of every command refuses them. Of the options that commands
 * share, which have one parser, each command takes some in turn; the long suites take all.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { allFlags } from '../../src/cli/common-flags.ts';
import type { Flag } from '../../src/cli/flags.ts';
import { inTurn } from '../support/turns.ts';
import { REGISTERED } from './commands.ts';
import { CASES, type Peer, SCREENS, startPeer } from './invoke.ts';

let peer: Peer;
beforeAll(async () => {
  peer = await startPeer();
});
afterAll(() => peer.close());

/** The first sample of each command represents it. */
const ALL = [...CASES, ...SCREENS];
const FIRST = ALL.filter(({ command }, index) => ALL.findIndex((one) => one.command === command) === index);

const isRepeatable = (flag: Flag): boolean => flag.type === 'pairs' || ('repeat' in flag && flag.repeat === true);
/** Some of the shared options for each command. */
const SHARED = 2;

function valuedFlags(command: (typeof FIRST)[number]['command'], at: number): readonly (readonly [string, Flag])[] {
  const all = Object.entries(allFlags(command)).filter(([, flag]) => flag.type !== 'boolean');
  const isOwn = ([name]: readonly [string, Flag]): boolean => Object.hasOwn(command.flags ?? {}, name);
  const shared = all.filter((one) => !isOwn(one));
  return [...all.filter(isOwn), ...inTurn(shared, at, SHARED)];
}

const visited = { twice: new Set<string>(), empty: new Set<string>() };

/** How the option is written with this value: long, and short where there is one. */
function formsOf(name: string, flag: Flag, value: string): string[][] {
  if (flag.type === 'optional-value') return [[`--${name}=${value}`]];
  const short = 'short' in flag && flag.short !== undefined ? [[`-${flag.short}`, value]] : [];
  return [[`--${name}=${value}`], [`--${name}`, value], ...short];
}

it.each(FIRST.map((what, at) => ({ what, at, id: what.command.id })))(
  'svc $id refuses an option given twice, an empty value and an empty argument',
  async ({ what, at }) => {
    const { command } = what;
    const refusal = async (...args: string[]): Promise<string> => {
      const run = await peer.run(what, { args, env: { NO_COLOR: '1' } });
      expect(run, args.join(' ')).toMatchObject({ code: 2, stdout: '', requests: [], connections: 0 });
      return run.stderr;
    };
    for (const [place, [name, flag]] of valuedFlags(command, at).entries()) {
      for (const form of inTurn(formsOf(name, flag, ''), at + place, 1))
        expect(await refusal(...form), form.join(' ')).toContain(`--${name} is empty`);
      if (flag.type === 'string' && flag.list === true)
        expect(await refusal(`--${name}`, 'a,,b')).toContain(`--${name}: an item of "a,,b" is empty`);
      visited.empty.add(`${command.id} --${name}`);
      if (isRepeatable(flag)) continue;
      const written = formsOf(name, flag, 'x');
      for (const form of inTurn(written, at + place, 1)) {
        const other = written[(written.indexOf(form) + 1) % written.length] ?? [];
        expect(await refusal(...form, ...other)).toContain(`--${name} is given more than once`);
      }
      visited.twice.add(`${command.id} --${name}`);
    }
    const [argument] = Object.entries(command.args ?? {});
    if (argument !== undefined && !argument[1].afterDashes)
      expect(await refusal('')).toContain(`<${argument[0]}> is empty`);
  },
);

it('visited every option of every command, and every shared option', () => {
  const all = FIRST.flatMap(({ command }, at) =>
    valuedFlags(command, at).map(([name, flag]) => ({ name, flag, option: `${command.id} --${name}` })),
  );
  const known = new Set(
    REGISTERED.flatMap(({ command }) => Object.entries(allFlags(command))).flatMap(([name, flag]) =>
      flag.type === 'boolean' ? [] : [name],
    ),
  );
  expect(new Set(FIRST.map(({ command }) => command.id))).toEqual(new Set(REGISTERED.map(({ command }) => command.id)));
  expect(new Set(all.map(({ name }) => name))).toEqual(known);
  expect(visited.empty).toEqual(new Set(all.map(({ option }) => option)));
  expect(visited.twice).toEqual(new Set(all.filter(({ flag }) => !isRepeatable(flag)).map(({ option }) => option)));
});
