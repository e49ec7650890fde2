/** Every help page: as it is, as narrow terminals get it, and as the launcher has it prepared. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isRemote } from '../../src/cli/flags.ts';
import { GROUPS } from '../../src/features/index.ts';
import { preparedPages } from '../../src/pages.ts';
import { svc } from '../support/svc.ts';
import { REGISTERED } from './commands.ts';

const SNAPSHOTS = join(import.meta.dirname, '__snapshots__');
const NARROW = 40;

/** The words that lead to each page. */
const PAGES: readonly { readonly words: string; readonly file: string }[] = [
  '',
  ...GROUPS.filter(({ single }) => !single).map(({ name }) => name),
  ...REGISTERED.map(({ command }) => command.id),
].map((words) => ({ words, file: `${words === '' ? 'svc' : words.replaceAll(' ', '-')}.txt` }));

const { help, aliases } = await preparedPages();

const split = (words: string): string[] => words.split(' ').filter((word) => word !== '');

describe.each(PAGES)('svc $words --help', ({ words, file }) => {
  it('is as it was', async () => {
    const { code, stdout, stderr } = await svc([...split(words), '--help'], { env: { NO_COLOR: '1' }, terminal: 80 });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    await expect(withoutShared(stdout)).toMatchFileSnapshot(join(SNAPSHOTS, file));
    expect(tooWide(stdout, 80)).toEqual([]);
  });

  it('is what the launcher has prepared, in a pipe and for svc help', async () => {
    expect((await svc([...split(words), '-h'])).stdout).toBe(help[words]);
    expect((await svc(['help', ...split(words)])).stdout).toBe(help[words]);
  });

  it('fits a narrow terminal', async () => {
    const { code, stdout, stderr } = await svc([...split(words), '--help'], { terminal: NARROW });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(tooWide(stdout, NARROW)).toEqual([]);
  });

  it('holds neither colour nor trailing blanks', async () => {
    const { stdout } = await svc([...split(words), '--help'], { env: { FORCE_COLOR: '1' }, terminal: 200 });
    expect(stdout).toBe(help[words]);
    expect(stdout).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f]|[ \t]$/m);
    expect(stdout.endsWith('\n') && !stdout.endsWith('\n\n')).toBe(true);
  });
});

/** The options that many commands share, each set with a snapshot of its own. */
const SHARED = ['Service options', 'Global options'];

function withoutShared(page: string): string {
  return page
    .split('\n\n')
    .filter((part) => !SHARED.some((title) => part.startsWith(`${title}:\n`)))
    .join('\n\n');
}

describe.each(SHARED)('%s', (title) => {
  const pages = REGISTERED.map(({ command }) => ({ command, page: help[command.id] ?? '' }));
  const parts = pages.map(({ page }) => page.split('\n\n').filter((part) => part.startsWith(`${title}:\n`)));

  it('are as they were, and the same on every page', async () => {
    const [part = '', ...others] = new Set(parts.flat());
    expect(others).toEqual([]);
    await expect(`${part}\n`).toMatchFileSnapshot(join(SNAPSHOTS, sharedFile(title)));
  });

  it('are once on the page of each command that takes them', () => {
    for (const [index, { command }] of pages.entries()) {
      const taken = title === 'Global options' || isRemote(command);
      expect(parts[index], command.id).toHaveLength(taken ? 1 : 0);
    }
  });
});

function sharedFile(title: string): string {
  return `${title.toLowerCase().replace(' ', '-')}.txt`;
}

/** Example lines are to be copied whole, and one long word cannot be broken. */
function tooWide(page: string, width: number): string[] {
  const [text = '', examples = ''] = page.split(/^Examples?:$/m);
  const copied = /^ {2}(?!# ).*\bsvc /;
  return [...text.split('\n'), ...examples.split('\n').filter((line) => !copied.test(line))].filter(
    (line) => line.length > width && line.trim().includes(' '),
  );
}

it('has no snapshot of a page that is gone', () => {
  const files = new Set<string>([...PAGES.map(({ file }) => file), ...SHARED.map(sharedFile)]);
  // That of a new page is written when the run is over.
  expect(readdirSync(SNAPSHOTS).filter((file) => !files.has(file))).toEqual([]);
});

it('shows an alias the page of its command', async () => {
  for (const [alias, id] of Object.entries(aliases)) {
    expect((await svc([...split(alias), '--help'])).stdout, alias).toBe(help[id]);
  }
});

it('lists every group, and every command of a group', () => {
  for (const { name, summary } of GROUPS) expect(help['']).toMatch(new RegExp(`^ {2}${name} +${summary}$`, 'm'));
  for (const { group, command, words } of REGISTERED) {
    if (group.single) continue;
    expect(help[group.name], command.id).toMatch(new RegExp(`^ {2}${words}( [<[]|$| {2})`, 'm'));
  }
});
