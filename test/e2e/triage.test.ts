import { isDeepStrictEqual } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startAlertmanagerEmulator } from '../../src/sandbox/alerts/server.ts';
import type { LocalServer } from '../../src/sandbox/http.ts';
import { postAlerts, postSilence } from '../support/alertmanager.ts';
import { answer, faultServer } from '../support/servers.ts';
import { staticServer, wireAlert } from './alerts.ts';
import { named, noTmux, ShellTerminal, STATE, shellPid, TELL_PID } from './terminal.ts';

const COLUMNS = 80;
const ROWS = 24;

const MANY = JSON.stringify(
  Array.from({ length: 500 }, (_, index) => {
    const alert = wireAlert(index);
    return index === 321 ? { ...alert, labels: { alertname: 'Worst', severity: 'critical' } } : alert;
  }),
);

/** The picture of them, from the first to the last line, with one that is selected. */
const DRAWN = /^500 alerts[^>]*\n> {2}critical {2}Worst[^>]*\nEnter show[^>]*$/;

const silence = () => ({
  matchers: [{ name: 'instance', value: 'db-0', isRegex: false, isEqual: true }],
  startsAt: new Date().toISOString(),
  endsAt: new Date(Date.now() + 3_600_000).toISOString(),
  createdBy: 'ann',
  comment: 'disk swap',
});

describe.skipIf(noTmux)(named('svc alerts triage at a terminal', noTmux), () => {
  let terminal: ShellTerminal;
  let emulator: LocalServer;
  beforeEach(async () => {
    terminal = new ShellTerminal(COLUMNS, ROWS);
    emulator = await startAlertmanagerEmulator({ now: Date.now });
    await postAlerts(emulator.url, [{ labels: { alertname: 'DiskFull', severity: 'critical', instance: 'db-0' } }]);
  });
  afterEach(async () => {
    terminal.close();
    await emulator.close();
  });

  const has = (text: string) => (all: readonly string[]) => all.some((line) => line.includes(text));
  const begin = async (url: string): Promise<number> => {
    terminal.begin(`echo before; (${TELL_PID}; exec svc alerts triage --interval 1s --base-url ${url})`);
    await terminal.showsLines(has('q quit'));
    return shellPid();
  };

  const askWhetherToExpire = async (): Promise<void> => {
    await terminal.showsLines(has('DiskFull'));
    terminal.type('e');
    await terminal.showsLines(has('(y/N)'));
  };

  interface Ending {
    readonly how: string;
    readonly expected: number;
    readonly end: (pid: number) => unknown;
    /** What is left on the screen. */
    readonly printed?: RegExp;
  }

  it.each<Ending>([
    { how: 'q', expected: 0, end: () => terminal.type('q') },
    { how: 'SIGHUP', expected: 129, end: (pid) => process.kill(pid, 'SIGHUP') },
    { how: 'a refusal', expected: 4, end: () => {} },
    {
      how: 'Ctrl-C at a question',
      expected: 130,
      end: () => askWhetherToExpire().then(() => terminal.press('C-c')),
      printed: /^svc silences expire /,
    },
  ])('ends with $how, echoes no key, and restores the terminal', async ({ how, expected, end, printed = /^$/ }) => {
    const { lines: settings } = await terminal.run('stty -a');
    const state = terminal.tell(STATE);
    let isRefusing = false;
    await using refusing = await faultServer((socket) => {
      socket.write(isRefusing ? answer(401, '"no"') : answer(200, '[]'));
    });
    await postSilence(emulator.url, silence());
    const pid = await begin(how === 'a refusal' ? refusing.url : emulator.url);
    expect(terminal.tell('#{alternate_on} #{cursor_flag}')).toBe('1 0');
    expect(terminal.settings()).toMatch(/ -echo /);
    // What was pressed has been read once the keys are shown.
    terminal.type('zxc?');
    await terminal.showsLines(has('svc silences ack'));
    terminal.type('q');
    await terminal.showsLines(has('q quit'));
    isRefusing = true;
    await end(pid);
    const { lines, status } = await terminal.finish();
    expect(status).toBe(expected);
    const own = lines.filter((line) => !/^(?:svc|hint): |Hangup/.test(line));
    expect(own.slice(0, 2)).toEqual(['before', `pid ${pid}`]);
    expect(own.slice(2).join(' ')).toMatch(printed);
    expect(terminal.tell(STATE)).toBe(state);
    expect((await terminal.run('stty -a')).lines).toEqual(settings);
  });

  it('fits 24 rows with 500 alerts, and every other size', async () => {
    await using server = await staticServer(MANY);
    await begin(server.url);
    for (const [columns, rows] of [
      [COLUMNS, ROWS],
      [40, 10],
      [200, 50],
    ] as const) {
      terminal.resize(columns, rows);
      // The terminal cuts or breaks the old lines until the new ones are drawn, and ages grow between two looks.
      const isDrawn = (all: readonly string[]) => all.length === rows - 1 && DRAWN.test(all.join('\n'));
      await terminal.showsLines((all) => isDrawn(all) && isDeepStrictEqual(terminal.lines(true), all));
    }
    terminal.type('q');
    expect((await terminal.finish()).status).toBe(0);
  });

  it('reads arrow and function keys as a whole', async () => {
    await begin(emulator.url);
    await terminal.showsLines(has('DiskFull'));
    terminal.press('Up', 'F5', 'F12', 'S-Right', 'IC', 'Down', 'Enter');
    await terminal.showsLines(has('Fingerprint'));
    terminal.press('Escape');
    await terminal.showsLines(has('q quit'));
    terminal.press('Escape');
    expect((await terminal.finish()).status).toBe(0);
  });

  it('is suspended by Ctrl-Z, and drawn again by fg', async () => {
    const run = `svc alerts triage --base-url ${emulator.url}`;
    const { lines: settings } = await terminal.run('stty -a');
    const state = terminal.tell(STATE);
    terminal.begin(run);
    await terminal.showsLines(has('DiskFull'));
    for (let round = 0; round < 2; round++) {
      terminal.press('C-z');
      await terminal.showsLines((all) => has('Stopped')(all) && all.at(-1) === '$');
      expect(terminal.tell(STATE).replace(/\d+$/, '')).toBe(state.replace(/\d+$/, ''));
      expect((await terminal.run('stty -a')).lines).toEqual(settings);
      terminal.begin('fg');
      await terminal.showsLines(
        (all) => has('DiskFull')(all) && terminal.tell('#{alternate_on} #{cursor_flag}') === '1 0',
      );
    }
    terminal.type('q');
    const { lines, status } = await terminal.finish();
    expect([lines, status]).toEqual([[run], 0]);
    expect(terminal.tell(STATE)).toBe(state);
  });
});
