import { describe, expect, it } from 'vitest';
import { answer, faultServer } from '../support/servers.ts';
import { failure, svc, temporaryHome } from '../support/svc.ts';

const WRONG = ['alerts', 'nope'];

describe('a failure', () => {
  it('is two lines without control characters, whatever the service wrote, and one line of JSON', async () => {
    const text = 'the \x1b[2J\nsvc: all is well\u202e';
    await using server = await faultServer((socket) => socket.write(answer(400, JSON.stringify(text))));
    const argv = ['alerts', 'list', '--base-url', server.url];
    const plain = await svc(argv);
    expect(plain.stderr).toMatch(/^svc: .*the \\x1b\[2J\\nsvc: all is well\\u202e.*\n(?:hint: .*\n)?$/);
    const data = await svc([...argv, '-o', 'json']);
    expect(data.stderr).toMatch(/^[^\n\x1b\u202e]*\n$/);
    expect(failure(data)).toEqual({
      code: 'refused',
      message: expect.stringContaining(text),
      hint: null,
      http_status: 400,
      exit: 3,
      retryable: false,
    });
  });
});

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
