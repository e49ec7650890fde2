import { isDeepStrictEqual } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { startAlertmanagerEmulator } from '../../src/sandbox/alerts/server.ts';
import type { LocalServer } from '../../src/sandbox/http.ts';
import { startTradingEmulator } from '../../src/sandbox/trade/server.ts';
import { postAlerts } from '../support/alertmanager.ts';
import { answer, faultServer } from '../support/servers.ts';
import { startShell } from './binary.ts';
import { named, noTmux, ShellTerminal, STATE, shellPid, TELL_PID } from './terminal.ts';

let emulator: LocalServer;
beforeEach(async () => {
  emulator = await startAlertmanagerEmulator({ now: Date.now, seed: 'demo' });
});
afterEach(() => emulator.close());

describe.skipIf(noTmux)(named('a watch at a terminal', noTmux), () => {
  let terminal: ShellTerminal;
  beforeAll(() => {
    terminal = new ShellTerminal(100, 30);
  });
  afterAll(() => terminal?.close());

  const begin = async (url: string): Promise<number> => {
    terminal.begin(`echo before; (${TELL_PID}; exec svc alerts list -a --watch=1s --base-url ${url})`);
    await terminal.showsLines((all) => all.some((line) => line.includes('again every')));
    return shellPid();
  };

  /** Keys that svc has not read when something else than a key ends it belong to the shell: two more pictures show that it did. */
  const readsKeys = async (): Promise<void> => {
    for (const _ of ['first', 'second']) {
      const [heading] = terminal.lines();
      await terminal.showsLines((all) => all[0] !== heading);
    }
  };

  it.each<readonly [how: string, code: number, end: (pid: number) => unknown]>([
    ['two Ctrl-C', 130, () => terminal.press('C-c', 'C-c')],
    ['SIGHUP', 129, (pid) => readsKeys().then(() => process.kill(pid, 'SIGHUP'))],
    ['a refusal', 4, readsKeys],
  ])('ends with %s, echoes no key, and restores the terminal', async (how, expected, end) => {
    const { lines: settings } = await terminal.run('stty -a');
    const state = terminal.tell(STATE);
    let refuses = false;
    await using refusing = await faultServer((socket) => {
      socket.write(refuses ? answer(401, '"no"') : answer(200, '[]'));
    });
    const pid = await begin(how === 'a refusal' ? refusing.url : emulator.url);
    expect(terminal.tell('#{alternate_on} #{cursor_flag}')).toBe('1 0');
    expect(terminal.settings()).toMatch(/ -echo /);
    terminal.type('typed');
    await end(pid);
    refuses = true;
    const { lines, status } = await terminal.finish();
    expect(status).toBe(expected);
    expect(lines.filter((line) => !/^(?:svc|hint): |Hangup/.test(line))).toEqual(['before', `pid ${pid}`]);
    expect(terminal.tell(STATE)).toBe(state);
    expect((await terminal.run('stty -a')).lines).toEqual(settings);
  });

  it.each([
    ['q', 0],
    ['SIGTERM', 143],
  ])('of pushes ends with %s, and restores the terminal and its keys', async (how, expected) => {
    const { lines: settings } = await terminal.run('stty -g | md5sum');
    const state = terminal.tell(STATE);
    const gateway = await startTradingEmulator({ now: Date.now, random: Math.random, seed: 'demo' });
    try {
      const env = `SVC_TRADE_URL=${gateway.url} SVC_TRADE_TOKEN=${gateway.token}`;
      terminal.begin(`clear; (${TELL_PID}; ${env} exec svc trade watch prices)`);
      await terminal.showsLines((all) => all.some((line) => line.includes('connected since')));
      for (const columns of [40, 100]) {
        terminal.resize(columns, 30);
        await terminal.showsLines((all) => all.some((line) => /^[ ~] {2}USD\/JPY +1\d\d\.\d{3}/.test(line)));
        // No line is wrapped. The prices go on between two pictures.
        await terminal.showsLines((all) => isDeepStrictEqual(terminal.lines(true), all));
      }
      if (how === 'SIGTERM') process.kill(shellPid(), how);
      else terminal.press(how);
      // Before the screen is read: each look at it blocks the gateway, and svc takes a second at most.
      await vi.waitFor(() => {
        expect(gateway.requests.filter(({ path }) => path === '/unsubscribe')).toHaveLength(6);
        expect(gateway.sessions).toEqual([]);
      }, 20_000);
      expect((await terminal.finish()).status).toBe(expected);
      expect(terminal.tell(STATE)).toBe(state);
      expect((await terminal.run('stty -g | md5sum')).lines).toEqual(settings);
    } finally {
      await gateway.close();
    }
  });
});

describe('a watch in a pipe', () => {
  const env = (): Record<string, string> => ({ SVC_ALERTS_URL: emulator.url });

  it('ends quietly at the next change after its reader closed', async () => {
    const line = `svc alerts list --watch=1s -o ndjson | grep -m 1 '"added"'; echo "ended \${PIPESTATUS[0]}"`;
    const run = startShell(line, { env: env() });
    await run.printed('"added"');
    await postAlerts(emulator.url, [{ labels: { alertname: 'Another' } }]);
    const { stdout, stderr } = await run.ended;
    expect(stdout.split('\n').at(-2)).toBe('ended 0');
    // A busy machine responds late, which svc says.
    expect(stderr.replace(/^(?:no response within .*|the service responds again)\n/gm, '')).toBe('');
  });
});
