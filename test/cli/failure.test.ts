import { describe, expect, it } from 'vitest';
import { svc, temporaryHome } from '../support/svc.ts';

const WRONG = ['alerts', 'nope'];

describe('the format of a failure', () => {
  it('follows the option, in any position and spelling', async () => {
    for (const args of [['-o', 'json'], ['-ojson'], ['--output', 'json'], ['--output=ndjson'], ['--json']]) {
      const { stderr } = await svc([...args, ...WRONG]);
      expect(JSON.parse(stderr), args.join(' ')).toMatchObject({ error: { code: 'usage', exit: 2 } });
      expect((await svc([...WRONG, ...args])).stderr).toBe(stderr);
    }
    expect((await svc([...WRONG, '--', '-o', 'json'])).stderr).toMatch(/^svc: /);
    expect((await svc([...WRONG, '-o', 'json', '-o', 'table'])).stderr).toMatch(/^svc: /);
  });

  it('follows the environment and the profile, the option first', async () => {
    const home = temporaryHome();
    expect((await svc(['config', 'set', 'output', 'json', '--profile', 'script'], { home })).code).toBe(0);
    const says = async (args: readonly string[], env = {}): Promise<string> =>
      (await svc([...WRONG, ...args], { home, env })).stderr;
    expect(await says([])).toMatch(/^svc: /);
    expect(await says(['--profile', 'script'])).toMatch(/^\{/);
    expect(await says([], { SVC_PROFILE: 'script' })).toMatch(/^\{/);
    expect(await says(['-o', 'table'], { SVC_PROFILE: 'script' })).toMatch(/^svc: /);
    expect(await says([], { SVC_OUTPUT: 'ndjson' })).toMatch(/^\{/);
    expect(await says(['--profile', 'unknown'])).toMatch(/^svc: /);
  });

  it('follows the color setting of the option or the profile', async () => {
    const home = temporaryHome();
    const terminal = 80;
    expect((await svc(WRONG, { home, terminal })).stderr).toContain('\x1b[');
    expect((await svc([...WRONG, '--color', 'never'], { home, terminal })).stderr).not.toContain('\x1b');
    expect((await svc([...WRONG, '--color=always'], { home })).stderr).toContain('\x1b[');
    await svc(['config', 'set', 'color', 'never'], { home });
    expect((await svc(WRONG, { home, terminal })).stderr).not.toContain('\x1b');
  });
});
