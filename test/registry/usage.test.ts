/** Reports typing errors before anything is sent, with suggestions. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import pkg from '../../package.json' with { type: 'json' };
import { allFlags } from '../../src/cli/common-flags.ts';
import type { Flags } from '../../src/cli/flags.ts';
import { sameNoun } from '../../src/cli/grammar.ts';
import { TOPICS } from '../../src/cli/topics.ts';
import { ERROR_KINDS } from '../../src/errors.ts';
import { GROUPS } from '../../src/features/index.ts';
import { SETTING_KEYS, VARIABLES } from '../../src/store/setting-keys.ts';
import { svc } from '../support/svc.ts';
import { inTurn, oneIn } from '../support/turns.ts';
import { REGISTERED } from './commands.ts';
import { CASES, type Case, healthyExit, type Peer, startPeer } from './invoke.ts';

let peer: Peer;
beforeAll(async () => {
  peer = await startPeer();
});
afterAll(() => peer.close());

/** A name with one letter too many. */
const mistyped = (name: string): string => `${name}x`;

describe('a mistyped name', () => {
  it('of a group gets the suggestion of the nearest', async () => {
    for (const { name } of GROUPS) {
      const run = await svc([mistyped(name), 'list']);
      expect(run).toMatchObject({ code: 2, stdout: '' });
      expect(run.stderr).toContain(`did you mean: svc ${name} list\n`);
    }
  });

  it('of a command gets the suggestion of a command', async () => {
    for (const { group, typed } of oneIn(
      3,
      REGISTERED.filter((one) => !one.group.single),
    )) {
      const run = await svc([group.name, ...mistyped(typed).split(' ')]);
      expect(run).toMatchObject({ code: 2, stdout: '' });
      expect(run.stderr).toMatch(/did you mean: svc \w/);
    }
  });

  it('that is like no other gets a list of all names', async () => {
    const run = await svc(['zzzzzzzzzz']);
    for (const { name } of GROUPS) expect(run.stderr).toContain(name);
    expect((await svc(['-o', 'json', 'zzzzzzzzzz'])).stderr).toMatch(/^\{"error":\{"code":"usage".*\}\}\n$/);
    expect((await svc(['--frobnicate'])).stderr).toContain('--frobnicate');
  });
});

describe('an incomplete command', () => {
  it('without a group shows the page of svc', async () => {
    const page = (await svc(['--help'])).stdout;
    expect(await svc([])).toMatchObject({ code: 2, stdout: '', stderr: page });
    expect(await svc(['help'])).toMatchObject({ code: 0, stdout: page, stderr: '' });
  });

  it('with a group alone shows the page of the group, where the group has no list', async () => {
    for (const { name } of GROUPS.filter(({ single, lists }) => !single && !lists)) {
      const page = (await svc([name, '--help'])).stdout;
      expect(await svc([name])).toMatchObject({ code: 2, stdout: '', stderr: page });
    }
  });

  it.each([...commandsByNoun()])('with a noun alone lists what begins with it: svc %s', async (prefix, typed) => {
    const { code, stdout, stderr } = await svc([...prefix.split(' '), '--help']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const listed = /Commands:\n(.*?)\n\n/s.exec(stdout)?.[1] ?? '';
    expect([...listed.matchAll(/^ {2}([a-z]\S*)/gm)].map(([, word]) => word)).toEqual(typed);
    // A noun alone lists, where it has a list.
    if (!typed.includes('list'))
      expect(await svc(prefix.split(' '))).toMatchObject({ code: 2, stdout: '', stderr: stdout });
    expect(await svc(['help', ...prefix.split(' ')])).toMatchObject({ code: 0, stdout, stderr: '' });
    const data = JSON.parse((await svc(['help', ...prefix.split(' '), '--format', 'json'])).stdout);
    expect(data.commands.map(({ id }: { id: string }) => id)).toEqual(typed.map((word) => `${prefix} ${word}`));
    const mistaken = await svc([...prefix.split(' '), 'zzzzzzzzzz']);
    expect(mistaken).toMatchObject({ code: 2, stdout: '' });
    for (const word of typed) expect(mistaken.stderr).toContain(word);
  });

  it('names the argument that is missing', async () => {
    for (const { command } of REGISTERED) {
      const [name] = Object.entries(command.args ?? {}).find(([, { required }]) => required) ?? [];
      if (name === undefined) continue;
      const run = await svc(command.id.split(' '));
      expect(run).toMatchObject({ code: 2, stdout: '' });
      expect(run.stderr).toContain(`<${name}> is required`);
      expect(run.stderr).toMatch(new RegExp(`usage: svc ${command.id} .*<${name}`));
    }
  });
});

it('prints its version and nothing else', async () => {
  for (const option of ['--version', '-V', '-v', 'version'])
    expect(await svc([option])).toMatchObject({ code: 0, stdout: `${pkg.version}\n`, stderr: '' });
});

describe('svc help', () => {
  it('prints each topic', async () => {
    for (const { name } of TOPICS)
      expect(await svc(['help', name])).toMatchObject({ code: 0, stderr: '', stdout: expect.stringMatching(/\S\n$/) });
  });

  it('exit-statuses has the status of an error', async () => {
    const { stdout } = await svc(['help', 'exit-statuses']);
    for (const { exit } of Object.values(ERROR_KINDS)) expect(stdout).toMatch(new RegExp(`^ *${exit} `, 'm'));
  });

  it('configuration has every setting and every variable', async () => {
    const { stdout } = await svc(['help', 'configuration']);
    for (const { key } of SETTING_KEYS) expect(stdout).toContain(key);
    const settings = SETTING_KEYS.flatMap(({ env }) => env ?? []);
    for (const name of [...settings, ...VARIABLES.map((variable) => variable.name)]) expect(stdout).toContain(name);
  });

  it('suggests a topic for an unknown name', async () => {
    const [group] = GROUPS;
    expect(await svc(['help', 'exit-code'])).toMatchObject({ code: 2, stdout: '' });
    expect((await svc(['help', 'exit-status'])).stderr).toContain('did you mean: svc help exit-statuses\n');
    expect((await svc(['help', group?.name ?? '', 'zzz'])).code).toBe(2);
  });
});

/** The first sample of each command. */
const FIRST = CASES.filter(({ command }, index) => CASES.findIndex((one) => one.command === command) === index);

/** Every command has the global flags, which are parsed by the same code: they are misspelt for the first command of each group. */
const FIRST_OF_GROUP = new Set(
  GROUPS.map(({ name }) => FIRST.find(({ command }) => command.id.split(' ')[0] === name)),
);

function flagsOf(what: Case): Flags {
  return FIRST_OF_GROUP.has(what) ? allFlags(what.command) : (what.command.flags ?? {});
}

/** Its sample without a value that it gives to this option: an option given twice is refused for that alone. */
function withoutOption(what: Case, name: string): Case {
  const { args } = what.sample;
  const at = args.indexOf(`--${name}`);
  return at === -1 ? what : { ...what, sample: { ...what.sample, args: args.toSpliced(at, 2) } };
}

/** Some misspelt options and wrong combinations for each command, in turn. */
const SHARE = 3;

describe('svc', () => {
  it.each(FIRST.map((what, at) => ({ what, at, id: what.command.id })))(
    '$id refuses what is mistyped before it sends anything',
    async ({ what, at }) => {
      await refusesUnknownOptions(what, at);
      await refusesUnknownChoices(what);
      await checksOutputOptions(what, at);
      await sortsByItsColumns(what, at);
    },
  );
});

async function refused(what: Case, ...args: string[]): Promise<string> {
  const run = await peer.run(what, { args, env: { NO_COLOR: '1' } });
  expect(run, args.join(' ')).toMatchObject({ code: 2, stdout: '', requests: [], connections: 0 });
  expect(run.stderr, args.join(' ')).toMatch(/^svc: /m);
  return run.stderr;
}

function some<T>(what: Case, all: readonly T[], at: number): readonly T[] {
  return FIRST_OF_GROUP.has(what) ? all : inTurn(all, at, SHARE);
}

async function refusesUnknownOptions(what: Case, at: number): Promise<void> {
  const names = Object.entries(flagsOf(what)).map(([name, flag]) =>
    flag.type === 'boolean' && flag.default === true ? `no-${name}` : name,
  );
  const long = names.filter((one) => one.length > 3);
  for (const name of some(what, long, at)) {
    const stderr = await refused(what, `--${name}x`);
    expect(stderr).toContain(`--${name}x`);
    expect(stderr, name).toMatch(/did you mean: svc /);
  }
  for (const name of inTurn(['--frobnicate', '-Z'], at, 1)) await refused(what, name);
}

async function refusesUnknownChoices(what: Case): Promise<void> {
  for (const [name, flag] of Object.entries(flagsOf(what))) {
    if (!('choices' in flag) || flag.choices === undefined) continue;
    // Given twice, it would be refused for that.
    if (what.sample.args.some((token) => token.split('=')[0] === `--${name}`)) continue;
    const [choice = ''] = flag.choices;
    const stderr = await refused(withoutOption(what, name), `--${name}=${choice}x`);
    expect(stderr, name).toMatch(new RegExp(`--${name}: unknown [a-z]+ "${choice}x"`));
    expect(stderr, name).toMatch(new RegExp(`did you mean: svc .*--${name}=${choice}`));
  }
}

async function checksOutputOptions(what: Case, at: number): Promise<void> {
  const { output } = what.command;
  const wrong = [
    ['--columns', 'no-such-column'],
    ['--query', ']['],
    ['--query', 'no_such_function(@)'],
    ['--query', '@', '--fields', 'a'],
    ['--json', '-o', 'yaml'],
    ['-o', 'id', '--query', '@'],
    ['--sort', output.kind === 'list' ? '' : 'name'],
    ...(output.kind === 'text' ? [['--fields', 'a']] : []),
  ];
  for (const args of some(what, wrong, at)) await refused(what, ...args);
}

async function sortsByItsColumns(what: Case, at: number): Promise<void> {
  const { output, effect } = what.command;
  if (output.kind !== 'list' || what.sample.draws) return;
  const names = output.columns.map(({ name }) => name);
  if (effect === 'read') {
    const run = await peer.run(what, { args: ['--sort', 'no-such-column'] });
    expect(run).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(names[0] ?? '') });
  } else await refused(what, '--sort', 'no-such-column');
  for (const key of inTurn([`-${names[0]}`, ...names], at, 1))
    expect((await peer.run(what, { args: [`--sort=${key}`] })).code, key).toBe(healthyExit(what));
}

/** `trade orders`, with the words that follow it. What is a command itself has its own page. */
function commandsByNoun(): ReadonlyMap<string, readonly string[]> {
  const prefixes = new Map<string, string[]>();
  for (const { group, typed } of REGISTERED) {
    const [first, second] = typed.split(' ');
    const prefix = `${group.name} ${first}`;
    if (second === undefined || REGISTERED.some(({ command }) => sameNoun(command.id, prefix))) continue;
    prefixes.set(prefix, [...(prefixes.get(prefix) ?? []), second]);
  }
  return prefixes;
}
