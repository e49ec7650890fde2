/** Names as people write them: in singular and plural, with the verbs of other tools, and by aliases. */
import { describe, expect, it } from 'vitest';
import { loadCommands } from '../../src/cli/command.ts';
import { sameNoun } from '../../src/cli/grammar.ts';
import { nameOf } from '../../src/cli/lookup.ts';
import { GROUPS } from '../../src/features/index.ts';
import { svc } from '../support/svc.ts';

describe('the name of a command', () => {
  it('takes a noun in singular and plural for the same word, and nothing else', () => {
    const pairs = ['alert alerts', 'categories category', 'list list', 'alert alters', 'oc oco', ' get'];
    expect(pairs.filter((pair) => sameNoun(...(pair.split(' ') as [string, string])))).toEqual([
      'alert alerts',
      'categories category',
      'list list',
    ]);
    expect(nameOf(['orders', 'order'], ['order'])).toBe('order');
    expect(nameOf(['order get', 'orders list'], ['orders', 'get'])).toBe('order get');
  });

  const page = async (...typed: string[]) => (await svc([...typed, '--help'])).stdout;

  it.each([
    ['alert query', 'alerts list'],
    ['silence add', 'silences create'],
    ['catalog product show', 'catalog products get'],
    ['catalog category ls', 'catalog categories list'],
    ['webhooks secret rm', 'webhooks secrets delete'],
  ])('may be written %s for %s', async (typed, id) => {
    expect(await page(...typed.split(' '))).toBe(await page(...id.split(' ')));
    expect((await svc(['help', ...typed.split(' ')])).stdout).toBe(await page(...id.split(' ')));
  });

  it.each(['catalog product', 'webhooks secrets'])('lists for %s alone', async (typed) => {
    const [group = '', noun = ''] = typed.split(' ');
    const list = await svc([group, noun, 'list', '-o', 'json']);
    expect(await svc([group, noun, '-o', 'json'])).toEqual(list);
    expect(await svc([group, '-o', 'json', noun])).toEqual(list);
    expect(await svc([group, noun, '--limitx'])).toMatchObject({ code: 2, stdout: '' });
  });

  it.each([
    ['login --device', 'did you mean: svc oauth login --device, or: svc trade login --device\n'],
    ['trigger webhook.ping', 'did you mean: svc webhooks send webhook.ping\n'],
    ['orders list', 'did you mean: svc trade orders list\n'],
    ['get ep_1', 'one of: svc alerts get, svc silences get, svc webhooks get, '],
    ['alerts firing', 'svc alerts list'],
    ['silences edit 2f1a', 'svc silences update 2f1a'],
    ['alerts recievers', 'did you mean: svc alerts receivers\n'],
    ['alerts GET', 'did you mean: svc alerts get\n'],
    ['alerts severity=critical', 'did you mean: svc alerts list severity=critical\n'],
    [`alert instance=~a'b`, `did you mean: svc alert list 'instance=~a'"'"'b'\n`],
    ['alerts help', 'did you mean: svc alerts --help\n'],
    ['silences constructor', 'one of: '],
    ['upgrade', 'one of: '],
    [`alerts ${'x'.repeat(61)}`, 'one of: '],
  ])('that is unknown leads to what is meant: %s', async (line, hint) => {
    const { code, stderr } = await svc(line.split(' '));
    expect([code, stderr]).toEqual([2, expect.stringContaining(hint)]);
  });

  it.each([
    ['check-config no.yml', 'alerts config check no.yml'],
    [
      'config routes test a=b --config.file=no.yml --verify.receivers=x',
      'alerts route a=b --config-file no.yml --expect x',
    ],
    [
      '--timeout 1m cluster --base-url http://127.0.0.1:9 show',
      'alerts status --timeout 1m --base-url http://127.0.0.1:9',
    ],
  ])('may be that of amtool: %s', async (theirs, ours) => {
    const run = await svc(theirs.split(' '));
    expect(run).toMatchObject({ code: expect.any(Number), stderr: (await svc(ours.split(' '))).stderr });
    expect(run.stderr).not.toContain('did you mean');
  });

  it('may miss its group: each command is suggested', async () => {
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
});

describe('--no-color', () => {
  it('is --color never', async () => {
    const env = { FORCE_COLOR: '1' };
    expect((await svc(['zzz'], { env })).stderr).toContain('\x1b[');
    expect((await svc(['zzz', '--no-color'], { env })).stderr).not.toContain('\x1b[');
    expect(await svc(['config', 'list', '--no-color', '--color', 'always'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--no-color and --color always contradict each other\n'),
    });
  });
});
