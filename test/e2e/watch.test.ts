import { isDeepStrictEqual } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startAlertmanagerEmulator } from '../../src/sandbox/alerts/server.ts';
import type { LocalServer } from '../../src/sandbox/http.ts';
import { startTradingEmulator } from '../../src/sandbox/trade/server.ts';
import { postAlerts } from '../support/alertmanager.ts';
import { answer, type FaultServer, faultServer } from '../support/servers.ts';
import { startShell, startSvc } from './binary.ts';
import { hostileServer } from './hostile.ts';
import { named, noTmux, shellPid, TELL_PID, Terminal, WATCH_ENDS } from './terminal.ts';

let emulator: LocalServer;
beforeEach(async () => {
  emulator = await startAlertmanagerEmulator({ now: Date.now, seed: 'demo' });
});
afterEach(() => emulator.close());

describe.skipIf(noTmux)(named('a watch at a terminal', noTmux), () => {
  const STATE = '#{pane_title} #{alternate_on} #{cursor_flag} #{wrap_flag} #{origin_flag} #{cursor_x}';
  let terminal: Terminal;
  let hostile: FaultServer;
  beforeAll(async () => {
    hostile = await hostileServer();
    terminal = new Terminal(100, 30);
  });
  afterAll(async () => {
    terminal?.close();
    await hostile.close();
  });

  const begin = async (url: string): Promise<number> => {
    terminal.begin(`echo before; (${TELL_PID}; exec svc alerts list -a --watch=1s --base-url ${url})`);
    await terminal.shows((all) => all.some((line) => line.includes('again every')));
    return shellPid();
  };

  it.each(WATCH_ENDS)('ends with %s, and restores the terminal', async (how, expected) => {
    const { lines: settings } = await terminal.run('stty -a');
    const state = terminal.tell(STATE);
    let refuses = false;
    await using refusing = await faultServer((socket) => {
      socket.write(refuses ? answer(401, '"no"') : answer(200, '[]'));
    });
    const pid = await begin(how === 'a refusal' ? refusing.url : emulator.url);
    expect(terminal.tell('#{alternate_on} #{cursor_flag}')).toBe('1 0');
    terminal.type('typed');
    // Keys that svc has not read when something else than a key ends it belong to the shell. Two more pictures show that it read these.
    for (const _ of how.startsWith('SIG') || how === 'a refusal' ? ['first', 'second'] : []) {
      const [heading] = terminal.lines();
      await terminal.shows((all) => all[0] !== heading);
    }
    refuses = true;
    if (how === 'q') terminal.type('q');
    if (how === 'Ctrl-C') terminal.press('C-c');
    if (how === 'two Ctrl-C') terminal.press('C-c', 'C-c');
    if (how.startsWith('SIG')) process.kill(pid, how);
    const { lines, status } = await terminal.finish();
    expect(status).toBe(expected);
    expect(lines.filter((line) => !/^(?:svc|hint): |Hangup/.test(line))).toEqual(['before', `pid ${pid}`]);
    expect(terminal.tell(STATE)).toBe(state);
    expect((await terminal.run('stty -a')).lines).toEqual(settings);
  });

  it.each([
    ['q', 0],
    ['C-c', 130],
    ['SIGTERM', 143],
  ])('of pushes ends with %s, and restores the terminal and its keys', async (how, expected) => {
    const { lines: settings } = await terminal.run('stty -g | md5sum');
    const state = terminal.tell(STATE);
    const gateway = await startTradingEmulator({ now: Date.now, random: Math.random, seed: 'demo' });
    try {
      const env = `SVC_TRADE_URL=${gateway.url} SVC_TRADE_TOKEN=${gateway.token}`;
      terminal.begin(`clear; (${TELL_PID}; ${env} exec svc trade watch prices)`);
      await terminal.shows((all) => all.some((line) => line.includes('connected since')));
      for (const columns of [40, 200, 100]) {
        terminal.resize(columns, 30);
        await terminal.shows((all) => all.some((line) => /^[ ~] {2}USD\/JPY +1\d\d\.\d{3}/.test(line)));
        // No line is wrapped. The prices go on between two looks.
        await terminal.shows((all) => isDeepStrictEqual(terminal.lines(true), all));
      }
      if (how === 'SIGTERM') process.kill(shellPid(), how);
      else terminal.press(how);
      expect((await terminal.finish()).status).toBe(expected);
      expect(terminal.tell(STATE)).toBe(state);
      expect((await terminal.run('stty -g | md5sum')).lines).toEqual(settings);
      expect(gateway.sessions).toEqual([]);
      expect(gateway.requests.filter(({ path }) => path === '/unsubscribe')).toHaveLength(6);
    } finally {
      await gateway.close();
    }
  });

  it('does not echo typed keys', async () => {
    await begin(emulator.url);
    expect(terminal.settings()).toMatch(/ -echo /);
    terminal.type('q');
    await terminal.finish();
  });

  it('shows changes, and fits every width', async () => {
    await begin(emulator.url);
    await postAlerts(emulator.url, [
      { labels: { alertname: '磁盘已满', team: 'new' }, annotations: { summary: 'x'.repeat(300) } },
    ]);
    await terminal.shows((all) => all.some((line) => line.includes('added')));
    for (const columns of [40, 200, 80]) {
      terminal.resize(columns, 30);
      await terminal.shows(() => terminal.tell('#{pane_width}') === String(columns));
      // The first look after the change of size.
      const drawn = terminal.lines()[0];
      await terminal.shows((all) => all[0] !== drawn);
      expect(terminal.lines(true)).toEqual(terminal.lines());
    }
    terminal.press('C-c');
    await terminal.finish();
    terminal.resize(100, 30);
  });

  it('escapes text from the service', async () => {
    await terminal.run(':');
    const title = terminal.tell('#{pane_title}');
    await begin(hostile.url);
    const lines = terminal.lines();
    expect(lines.join('\n')).toContain('\\x1b[2J');
    expect(lines.filter((line) => line.startsWith('forged'))).toEqual([]);
    expect(terminal.tell('#{pane_title} #{alternate_on}')).toBe(`${title} 1`);
    terminal.press('C-c');
    expect((await terminal.finish()).status).toBe(130);
    expect(terminal.tell('#{pane_title} #{alternate_on}')).toBe(`${title} 0`);
  });
});

describe('a watch in a pipe', () => {
  const env = (): Record<string, string> => ({ SVC_ALERTS_URL: emulator.url });

  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('ends by %s', async (signal, status) => {
    const run = startSvc(['alerts', 'list', '--watch=1h', '-o', 'ndjson'], { env: env() });
    await run.printed('\n');
    const { code, stderr } = await run.kill(signal);
    expect([code, stderr]).toEqual([status, '']);
  });

  it('ends quietly at the next change after its reader closed', async () => {
    const run = startShell(`svc alerts list --watch=1s -o ndjson | head -n 1; echo "ended \${PIPESTATUS[0]}"`, {
      env: env(),
    });
    await run.printed('"added"');
    await postAlerts(emulator.url, [{ labels: { alertname: 'Another' } }]);
    const { stdout, stderr } = await run.ended;
    expect([stdout.split('\n').at(-2), stderr]).toEqual(['ended 0', '']);
  });
});
