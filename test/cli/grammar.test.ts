/** Names as people write them: in singular and plural, with the verbs of other tools, and by aliases. */
import { describe, expect, it } from 'vitest';
import { type Command, type Group, listCommand, loadCommands } from '../../src/cli/command.ts';
import { sameNoun } from '../../src/cli/grammar.ts';
import { formatHelp } from '../../src/cli/help.ts';
import { findCommand, nameOf } from '../../src/cli/lookup.ts';
import { parseInput } from '../../src/cli/parse.ts';
import { GROUPS } from '../../src/features/index.ts';
import { svc } from '../support/svc.ts';

describe('nouns', () => {
  it.each([
    ['alert', 'alerts'],
    ['categories', 'category'],
    ['product', 'products'],
    ['list', 'list'],
  ])('treats %s and %s as the same word', (one, other) => {
    expect(sameNoun(one, other)).toBe(true);
  });

  it.each([
    ['alert', 'alters'],
    ['oc', 'oco'],
    ['', 'get'],
  ])('treats %s and %s as different words', (one, other) => {
    expect(sameNoun(one, other)).toBe(false);
  });

  it('prefers an exact match', () => {
    expect(nameOf(['orders', 'order'], ['order'])).toBe('order');
    expect(nameOf(['order get', 'orders list'], ['orders', 'get'])).toBe('order get');
  });
});

describe('svc', () => {
  const page = async (...typed: string[]) => (await svc([...typed, '--help'])).stdout;

  it.each([
    ['alert list', 'alerts list'],
    ['alert query', 'alerts list'],
    ['silence add', 'silences create'],
    ['silence query', 'silences list'],
    ['silence expire', 'silences expire'],
    ['silence show', 'silences get'],
    ['catalog product list', 'catalog products list'],
    ['catalog product show', 'catalog products get'],
    ['catalog category ls', 'catalog categories list'],
    ['webhook remove', 'webhooks delete'],
    ['webhooks secret rm', 'webhooks secrets delete'],
    ['alerts search', 'alerts list'],
  ])('%s is %s', async (typed, id) => {
    expect(await page(...typed.split(' '))).toBe(await page(...id.split(' ')));
    expect((await svc(['help', ...typed.split(' ')])).stdout).toBe(await page(...id.split(' ')));
  });

  it.each([['catalog products'], ['catalog product'], ['webhooks secrets']])('%s alone lists', async (typed) => {
    const [group = '', noun = ''] = typed.split(' ');
    const list = await svc([group, noun, 'list', '-o', 'json']);
    expect(await svc([group, noun, '-o', 'json'])).toEqual(list);
    expect(await svc([group, '-o', 'json', noun])).toEqual(list);
    expect(await svc([group, noun, '--limitx'])).toMatchObject({ code: 2, stdout: '' });
  });

  it('reads the word after a noun as a verb', async () => {
    expect(await svc(['catalog', 'products', 'lst', 'oat'])).toMatchObject({
      code: 2,
      stderr: 'svc: there is no command "catalog products lst"\nhint: did you mean: svc catalog products list oat\n',
    });
  });

  it.each([
    ['ack 1a58', 'svc silences ack 1a58'],
    ['mute', 'svc silences create'],
    ['login --device', 'did you mean: svc oauth login --device, or: svc trade login --device\n'],
    ['logs ep_1', 'did you mean: svc webhooks deliveries ep_1, or: svc trade journal ep_1\n'],
    ['trigger webhook.ping', 'did you mean: svc webhooks send webhook.ping\n'],
    ['listen --port 0', 'did you mean: svc webhooks listen --port 0\n'],
    ['forward 3000', 'did you mean: svc webhooks listen 3000\n'],
    ['orders list', 'did you mean: svc trade orders list\n'],
    ['product list oat', 'did you mean: svc catalog products list oat\n'],
    ['get ep_1', 'one of: svc alerts get, svc silences get, svc webhooks get, '],
    ['alerts firing', 'svc alerts list'],
    ['silences edit 2f1a', 'svc silences update 2f1a'],
    ['silences constructor', 'one of: '],
  ])('%s: names what is meant', async (line, hint) => {
    const { code, stderr } = await svc(line.split(' '));
    expect([code, stderr]).toEqual([2, expect.stringContaining(hint)]);
  });

  it.each([
    ['check-config no.yml', 'alerts config check no.yml'],
    ['config routes show --config.file no.yml', 'alerts routes --config-file no.yml'],
    [
      'config routes test a=b --config.file=no.yml --verify.receivers=x',
      'alerts route a=b --config-file no.yml --expect x',
    ],
    [
      '--timeout 1s cluster --base-url http://127.0.0.1:9 show',
      'alerts status --timeout 1s --base-url http://127.0.0.1:9',
    ],
  ])('runs %s, as amtool does', async (theirs, ours) => {
    const run = await svc(theirs.split(' '));
    expect(run).toMatchObject({ code: expect.any(Number), stderr: (await svc(ours.split(' '))).stderr });
    expect(run.stderr).not.toContain('did you mean');
  });

  it('names each command for the word after the name of its group', async () => {
    const ids = (await Promise.all(GROUPS.map(loadCommands))).flat().map(({ id }) => id.split(' '));
    const groups = new Map(ids.flatMap(([group = '', noun]) => (noun === undefined ? [] : [[noun, group]])));
    for (const { name } of GROUPS) groups.delete(name);
    expect(groups.size).toBeGreaterThan(60);
    for (const [noun = '', group] of groups) {
      const { code, stderr } = await svc([noun]);
      expect([code, stderr], noun).toEqual([
        2,
        expect.stringMatching(new RegExp(`: (.*, )?(or: )?svc ${group} ${noun}\\b`)),
      ]);
    }
  });

  it('quotes what a shell would split in the line that it suggests', async () => {
    const { stderr } = await svc(['alerts', 'lst', 'job="a b"', "it's"]);
    expect(stderr).toContain(`did you mean: svc alerts list 'job="a b"' `);
  });

  it('suggests no word that differs in more than a third', async () => {
    for (const argv of [['upgrade'], ['catalog', 'oat'], ['completion', 'sh']]) {
      const { code, stderr } = await svc(argv);
      expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining('one of: ') });
    }
  });

  it('takes --no-color for --color never', async () => {
    const env = { FORCE_COLOR: '1' };
    expect((await svc(['zzz'], { env })).stderr).toContain('\x1b[');
    expect((await svc(['zzz', '--no-color'], { env })).stderr).not.toContain('\x1b[');
    expect(await svc(['config', 'list', '--no-color', '--color', 'always'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--no-color and --color always contradict each other\n'),
    });
  });
});

describe('aliases', () => {
  const listing: Command = listCommand({
    id: 'things list',
    aliases: ['all'],
    summary: 'List things',
    effect: 'read',
    flags: {
      every: { type: 'duration', short: 'e', aliases: ['period'], help: '' },
      draw: { type: 'optional-value', choices: ['svg'], aliases: ['picture'], help: '' },
    },
    examples: [{ run: 'svc things list', why: '' }],
    output: { kind: 'list', columns: [], id: () => '' },
    run: async () => ({ value: [] }),
  });
  const group: Group = {
    name: 'things',
    summary: 'Things',
    load: async () => ({ commands: { list: async () => listing } }),
  };

  it('of a command find it', async () => {
    for (const name of ['all', 'list', 'ls'])
      expect(await findCommand(group, [name])).toMatchObject({ command: { id: 'things list' }, length: 1 });
  });

  it('of an option set it, without a notice', () => {
    const { input, given, notices } = parseInput(listing, ['--period', '2s', '--picture'], 0);
    expect(input).toMatchObject({ every: 2000, draw: true });
    expect([[...given], notices]).toEqual([['every', 'draw'], []]);
    expect(parseInput(listing, ['-e2s'], 0)).toMatchObject({ input: { every: 2000 }, notices: [] });
    expect(() => parseInput(listing, ['--period=2s', '--every=3s'], 0)).toThrow('more than once');
  });

  it('of an option do not appear in help', () => {
    expect(formatHelp({ kind: 'command', command: listing })).not.toMatch(/period|picture/);
  });
});
