/** At a terminal each missing argument is prompted for, and the line that svc prints then needs no prompt. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { camelCase } from '../../src/cli/flags.ts';
import { parseInput } from '../../src/cli/parse.ts';
import { REGISTERED } from './commands.ts';
import { CASES, type Case, healthyExit, NOW, type Peer, startPeer } from './invoke.ts';
import { shellCommands } from './shell-commands.ts';

let peer: Peer;
beforeAll(async () => {
  peer = await startPeer();
});
afterAll(() => peer.close());

interface Required {
  readonly name: string;
  readonly help: string;
  /** What the sample has for it. */
  readonly values: readonly string[];
}

function requiredBy({ command, sample }: Case): readonly Required[] {
  const { input, given } = parseInput(command, sample.args, NOW);
  const args = Object.entries(command.args ?? {}).filter(
    ([name, { required, promptUnless }]) => required || (promptUnless && given.has(name)),
  );
  const flags = Object.entries(command.flags ?? {}).filter(([, flag]) => flag.type !== 'boolean' && flag.required);
  return [
    ...args.map(([name, { help }]) => ({ name, help, values: [input[camelCase(name)]].flat() as string[] })),
    ...flags.map(([name, { help }]) => {
      const at = sample.args.indexOf(`--${name}`);
      return { name: `--${name}`, help, values: [sample.args[at + 1] ?? ''] };
    }),
  ];
}

/** What follows a semicolon is about command lines: `Ids of products; - reads them`. */
function asQuestion(help: string): string {
  return help.replace(/ \(required\)$|;.*$/, '');
}

/** The sample without them. */
function without({ sample: { args } }: Case, required: readonly Required[]): readonly string[] {
  const rest = [...args];
  for (const { name, values } of required) {
    if (name.startsWith('--')) rest.splice(rest.indexOf(name), 2);
    else for (const value of values) rest.splice(rest.indexOf(value), 1);
  }
  return rest.filter((arg) => arg !== '--');
}

const FIRST = CASES.filter(({ command }, index) => CASES.findIndex((one) => one.command === command) === index);
const PROMPTED = FIRST.filter((what) => requiredBy(what).length > 0);

it('covers every command with a required argument', () => {
  const ids = PROMPTED.map(({ command }) => command.id);
  const declared = REGISTERED.map(({ command }) => command).filter(({ args = {}, flags = {} }) =>
    Object.values({ ...args, ...flags }).some(
      (one) => ('required' in one && one.required) || (!('type' in one) && one.promptUnless),
    ),
  );
  expect(ids).toEqual(declared.map(({ id }) => id));
});

// What is piped in leaves no terminal to ask at.
describe.each(PROMPTED.filter(({ sample }) => sample.stdin === undefined))('svc $command.id', (what) => {
  const { command, sample } = what;
  const required = requiredBy(what);
  const bare: Case = { ...what, sample: { ...sample, args: without(what, required) } };

  it('prompts for each', async () => {
    const open = [...required];
    const run = await peer.run(bare, {
      terminal: 80,
      answer: true,
      answers(question, choices) {
        const next = open.find(({ help }) => question.startsWith(`${asQuestion(help)}:`));
        if (question.startsWith('Another (') || next === undefined) return sample.word ?? '';
        const chosen = next.values.map((value) => choices.find((name) => name.split('  ')[0] === value));
        if (chosen.every((name) => name !== undefined)) return chosen;
        if (choices.length > 0) return choices.at(-1) ?? '';
        return peer.atPeer(next.values.join(' '));
      },
    });
    expect(run.code, run.stderr).toBe(healthyExit(what));
    for (const { help } of required) expect(run.asked.join('\n')).toContain(`${asQuestion(help)}:`);
    const [, line = ''] = /^Without prompts: (.*)$/m.exec(run.stderr) ?? [];
    const [typed = []] = shellCommands(line);
    expect(parseInput(command, typed.slice(1 + command.id.split(' ').length), NOW).missing).toEqual([]);
  });
});
