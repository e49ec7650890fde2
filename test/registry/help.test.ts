/** Every help page: as it is, as narrow terminals get it, and as the launcher has it prepared. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { manualPages } from '../../scripts/reference/manual.ts';
import { referencePages } from '../../scripts/reference/markdown.ts';
import { preparedPages } from '../../scripts/reference/prepared.ts';
import { GLOBAL_FLAGS, SERVICE_FLAGS, SOME_FLAGS, WRITE_FLAGS } from '../../src/cli/common-flags.ts';
import type { Flags } from '../../src/cli/flags.ts';
import { formatHelp } from '../../src/cli/help.ts';
import { optionNodes, optionUsage } from '../../src/cli/reference/options.ts';
import { buildCommandTree, commandNode } from '../../src/cli/reference/tree.ts';
import { GROUPS } from '../../src/features/index.ts';
import { type RunOptions, svc } from '../support/svc.ts';
import { REGISTERED } from './commands.ts';

const SNAPSHOTS = join(import.meta.dirname, '__snapshots__');
const NARROW = 40;

/** The arguments that show each page. */
const PAGES: readonly { readonly typed: string; readonly file: string }[] = [
  '',
  ...GROUPS.filter(({ single }) => !single).map(({ name }) => name),
  ...REGISTERED.map(({ command }) => command.id),
].map((typed) => ({ typed, file: `${typed === '' ? 'svc' : typed.replaceAll(' ', '-')}.txt` }));

const { help, aliases } = await preparedPages();

const split = (typed: string): string[] => typed.split(' ').filter((word) => word !== '');

it.each(PAGES)('svc $typed --help prints its page, without color and within the terminal', async ({ typed, file }) => {
  const shown = async (argv: readonly string[], options?: RunOptions): Promise<string> => {
    const { code, stdout, stderr } = await svc(argv, options);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    return stdout;
  };
  const path = split(typed);
  const page = await shown([...path, '--help'], { env: { NO_COLOR: '1' }, terminal: 80 });
  await expect(page).toMatchFileSnapshot(join(SNAPSHOTS, file));
  expect(tooWide(page, 80)).toEqual([]);
  expect(tooWide(await shown([...path, '--help'], { terminal: NARROW }), NARROW)).toEqual([]);

  const prepared = help[typed];
  expect(await shown([...path, '-h'])).toBe(prepared);
  expect(await shown(['help', ...path])).toBe(prepared);
  const colored = await shown([...path, '--help'], { env: { FORCE_COLOR: '1' }, terminal: 200 });
  expect(colored).toBe(prepared);
  expect(colored).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f]|[ \t]$/m);
  expect(colored).toMatch(/[^\n]\n$/);
});

describe('the page of a command', () => {
  it('has its parts in order, and one line for global options', () => {
    for (const { command } of REGISTERED) {
      const parts = (help[command.id] ?? '').split('\n\n');
      expect(parts[0]?.replaceAll('\n', ' '), command.id).toBe(command.summary);
      expect(parts[1], command.id).toMatch(/^Usage: svc /);
      const titles = parts.flatMap((part) => /^([A-Z][\w ]+):\n/.exec(part)?.[1] ?? []);
      const order = titles.map((title) => ['Examples', 'Arguments', 'Options'].indexOf(title) + 1 || 4);
      expect(order, command.id).toEqual([...order].sort());
      expect(titles, command.id).toContain('Examples');
      expect(parts.at(-1), command.id).toMatch(
        /^Global options: svc help options\n(?:All options: svc help [\w -]+ --all\n)?$/,
      );
      expect(parts.join('\n'), command.id).not.toContain('--no-headers');
    }
  });

  it('puts an option under the title of its group', () => {
    const [first] = REGISTERED;
    if (first === undefined) throw new Error('no command');
    const flags: Flags = {
      state: { type: 'string', help: 'A filter', group: 'Filter options' },
      all: { type: 'boolean', help: 'All of them' },
      receiver: { type: 'string', help: 'Another filter', group: 'Filter options' },
    };
    const page = formatHelp({ kind: 'command', command: { ...first.command, flags } });
    expect(page).toContain(
      'Options:\n      --all  All of them\n\nFilter options:\n      --state <state>        A filter\n      --receiver <receiver>  Another filter\n',
    );
  });

  it('leaves details to the manual and the reference', async () => {
    const [group] = GROUPS;
    if (group === undefined) throw new Error('no group');
    const load = Object.values((await group.load()).commands)[0];
    if (load === undefined) throw new Error('no command');
    const explained = { ...(await load()), details: 'Some rare detail.' };
    const groups = [{ ...group, load: async () => ({ commands: { list: async () => explained } }) }];
    expect(formatHelp({ kind: 'command', command: explained })).not.toContain('rare detail');
    const tree = await buildCommandTree(groups);
    expect(Object.values(referencePages(tree, commandNode(explained))).join()).toContain('Some rare detail.');
    expect(Object.values(await manualPages(groups)).join()).toContain('Some rare detail.');
  });
});

it('svc help options has every option that commands share', async () => {
  const { stdout } = await svc(['help', 'options']);
  for (const option of optionNodes({ ...GLOBAL_FLAGS, ...SERVICE_FLAGS, ...SOME_FLAGS, ...WRITE_FLAGS })) {
    expect(stdout).toContain(optionUsage(option));
  }
});

/** Example lines are to be copied whole, and one long word cannot be broken. */
function tooWide(page: string, width: number): string[] {
  const copied = /^ {2}(?!# ).*\bsvc /;
  return page
    .split('\n\n')
    .flatMap((part) =>
      /^Examples?:\n/.test(part) ? part.split('\n').filter((line) => !copied.test(line)) : part.split('\n'),
    )
    .filter((line) => line.length > width && line.trim().includes(' '));
}

it('has at most 40 lines for every command', () => {
  const long = REGISTERED.filter(({ command }) => (help[command.id] ?? '').trimEnd().split('\n').length > 40);
  expect(long.map(({ command }) => command.id)).toEqual([]);
});

it('shows the options that few need with --all only', async () => {
  const short = help['webhooks listen'] ?? '';
  expect(short).not.toContain('--ready-file <file>');
  expect(short).toMatch(/\nAll options: svc help webhooks listen --all\n$/);
  const { stdout } = await svc(['help', 'webhooks', 'listen', '--all']);
  expect(stdout).toContain('--ready-file <file>');
  expect(stdout).not.toContain('All options:');
  expect(help['alerts get']).not.toContain('All options:');
});

it('has no snapshot of a removed page', () => {
  const files = new Set<string>([...PAGES.map(({ file }) => file)]);
  // That of a new page is written when the run is over.
  expect(readdirSync(SNAPSHOTS).filter((file) => !files.has(file))).toEqual([]);
});

it('shows the page of the command for an alias', async () => {
  for (const [alias, id] of Object.entries(aliases)) {
    expect((await svc([...split(alias), '--help'])).stdout, alias).toBe(help[id]);
  }
});

it('groups the commands of the larger groups by purpose, the most used first', () => {
  const titles = help['trade']?.match(/^\w.*(?=:$)/gm);
  expect(titles).toEqual(['Show', 'Order', 'Manage', 'Set up', 'Example']);
  expect(help['trade']).toMatch(/^Order:\n {2}buy .*\n {2}sell /m);
  expect(help['webhooks']).toMatch(/^Deliveries on this machine:\n {2}verify .*\n {2}listen /m);
  expect(help['sandbox']).toMatch(/^Commands:\n {2}start /m);
});

it('lists every group, and every command of a group', () => {
  for (const { name, summary } of GROUPS) expect(help['']).toMatch(new RegExp(`^ {2}${name} +${summary}$`, 'm'));
  for (const { group, command, typed } of REGISTERED) {
    if (group.single) continue;
    expect(help[group.name], command.id).toMatch(new RegExp(`^ {2}${typed}( [<[]|$| {2})`, 'm'));
  }
});
