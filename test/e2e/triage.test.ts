import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { isDeepStrictEqual } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startAlertmanagerEmulator } from '../../src/sandbox/alerts/server.ts';
import type { LocalServer } from '../../src/sandbox/http.ts';
import { postAlerts, postSilence } from '../support/alertmanager.ts';
import { answer, faultServer } from '../support/servers.ts';
import { wireAlert } from './alerts.ts';
import { svc } from './binary.ts';
import { named, noScript, noTmux, shellPid, TELL_PID, Terminal, WATCH_ENDS } from './terminal.ts';

const COLUMNS = 80;
const ROWS = 24;

const MANY = JSON.stringify(
  Array.from({ length: 500 }, (_, index) => {
    const alert = wireAlert(index);
    return index === 321 ? { ...alert, labels: { alertname: 'Worst', severity: 'critical' } } : alert;
  }),
);

/** A server of 500 alerts that can go away, and come back at the same address. */
async function manyAlerts() {
  const make = () =>
    http.createServer((_, response) => response.setHeader('content-type', 'application/json').end(MANY));
  let server = make();
  const listen = async (port: number): Promise<void> => {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
  };
  await listen(0);
  const { port } = server.address() as AddressInfo;
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  };
  return {
    url: `http://127.0.0.1:${port}`,
    close,
    async comeBack() {
      server = make();
      await listen(port);
    },
  };
}

describe.skipIf(noTmux)(named('triage at a terminal', noTmux), () => {
  const STATE = '#{pane_title} #{alternate_on} #{cursor_flag} #{wrap_flag} #{origin_flag} #{cursor_x}';
  let terminal: Terminal;
  let emulator: LocalServer;
  beforeEach(async () => {
    terminal = new Terminal(COLUMNS, ROWS);
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
    await terminal.shows(has('q quit'));
    return shellPid();
  };

  it.each<(typeof WATCH_ENDS)[number]>([...WATCH_ENDS, ['Ctrl-C at a question', 130]])(
    'ends with %s, echoes no key, and restores the terminal',
    async (how, expected) => {
      const { lines: settings } = await terminal.run('stty -a');
      const state = terminal.tell(STATE);
      let isRefusing = false;
      await using refusing = await faultServer((socket) => {
        socket.write(isRefusing ? answer(401, '"no"') : answer(200, '[]'));
      });
      const isQuestion = how === 'Ctrl-C at a question';
      const alert = { name: 'instance', value: 'db-0', isRegex: false, isEqual: true };
      if (isQuestion) await postSilence(emulator.url, { ...silence(), matchers: [alert] });
      const pid = await begin(how === 'a refusal' ? refusing.url : emulator.url);
      expect(terminal.tell('#{alternate_on} #{cursor_flag}')).toBe('1 0');
      expect(terminal.settings()).toMatch(/ -echo /);
      // What was pressed has been read once the keys are shown.
      terminal.type('zxc?');
      await terminal.shows(has('svc silences ack'));
      terminal.type('q');
      await terminal.shows(has('q quit'));
      if (isQuestion) {
        await terminal.shows(has('DiskFull'));
        terminal.type('e');
        await terminal.shows(has('(y/N)'));
      }
      if (how === 'q') terminal.type('q');
      if (how.startsWith('Ctrl-C')) terminal.press('C-c');
      if (how === 'two Ctrl-C') terminal.press('C-c', 'C-c');
      if (how.startsWith('SIG')) process.kill(pid, how);
      isRefusing = true;
      const { lines, status } = await terminal.finish();
      expect(status).toBe(expected);
      const own = lines.filter((line) => !/^(?:svc|hint): |Hangup/.test(line));
      expect(own.slice(0, 2)).toEqual(['before', `pid ${pid}`]);
      expect(own.slice(2).join(' ')).toMatch(isQuestion ? /^svc silences expire / : /^$/);
      expect(terminal.tell(STATE)).toBe(state);
      expect((await terminal.run('stty -a')).lines).toEqual(settings);
    },
  );

  it('acknowledges and expires, and lists its command lines afterwards', async () => {
    await begin(emulator.url);
    await terminal.shows(has('>  critical  DiskFull'));
    terminal.type('a');
    await terminal.shows(has('comment (may be empty):'));
    terminal.press('Enter');
    await terminal.shows(has('active alerts. (y/N)'));
    terminal.type('y');
    await terminal.shows((all) => all.includes('done'));
    terminal.press('Enter');
    await terminal.shows(has('1 suppressed'));
    terminal.type('e');
    await terminal.shows(has('Expire this silence? (y/N)'));
    terminal.type('y');
    await terminal.shows((all) => all.includes('done'));
    terminal.type('q');
    await terminal.shows(has('0 suppressed'));
    terminal.type('q');
    const { lines, status } = await terminal.finish();
    expect(status).toBe(0);
    const ran = lines.slice(2).join('').split('svc ').slice(1);
    expect(ran).toEqual([
      expect.stringMatching(/^silences ack \w{16} --base-url \S+: done.* CREATED-BY .*Undo: $/),
      expect.stringMatching(/^silences expire \S{36} --base-url http:\S+$/),
      expect.stringMatching(/^silences expire \S{36} --base-url \S+: done.* RESULT.*Undo: $/),
      expect.stringMatching(/^silences extend \S{36} --until \S+ --base-url http:\S+$/),
    ]);
  });

  it('fits 24 rows with 500 alerts, and every other size', async () => {
    const server = await manyAlerts();
    try {
      await begin(server.url);
      const lines = await terminal.shows(has('>  critical  Worst'));
      expect([lines[0], lines.length]).toEqual([expect.stringContaining('500 alerts'), ROWS - 1]);
      expect(terminal.lines(true)).toEqual(lines);
      terminal.press('End');
      await terminal.shows((all) => all.some((line) => line.startsWith('>  warning')));
      for (const [columns, rows] of [
        [40, 10],
        [200, 50],
        [COLUMNS, ROWS],
      ] as const) {
        terminal.resize(columns, rows);
        // The terminal breaks the old lines until the new ones are drawn.
        const isDrawn = (all: readonly string[]) =>
          all.length === rows - 1 && has('Enter show')(all) && isDeepStrictEqual(terminal.lines(true), all);
        const drawn = await terminal.shows(isDrawn);
        expect(drawn.filter((line) => line.startsWith('>  warning'))).toHaveLength(1);
      }
      terminal.type('q');
      expect((await terminal.finish()).status).toBe(0);
    } finally {
      await server.close();
    }
  });

  it('shows the age of the alerts while the server is down, and reads them when it is back', async () => {
    const server = await manyAlerts();
    await begin(server.url);
    await terminal.shows(has('>  critical  Worst'));
    await server.close();
    const lines = await terminal.shows(has('cannot read the alerts: nothing listens at'));
    expect(lines[0]).toMatch(/ read (?:\S+ ago|now)$/);
    expect(lines.some((line) => line.startsWith('>  critical  Worst'))).toBe(true);
    await terminal.shows((all) => /read [3-9]s ago/.test(all[0] ?? ''));
    await server.comeBack();
    await terminal.shows((all) => !has('cannot read')(all) && has('Worst')(all));
    terminal.type('q');
    expect((await terminal.finish()).status).toBe(0);
    await server.close();
  });

  it('reads arrow and function keys as a whole', async () => {
    await begin(emulator.url);
    await terminal.shows(has('DiskFull'));
    terminal.press('Up', 'F5', 'F12', 'S-Right', 'IC', 'Down', 'Enter');
    await terminal.shows(has('Fingerprint'));
    terminal.press('Escape');
    await terminal.shows(has('q quit'));
    terminal.press('Escape');
    expect((await terminal.finish()).status).toBe(0);
  });

  it.each(['triage', 'list --watch=1s'])('is suspended by Ctrl-Z, and drawn again by fg: %s', async (command) => {
    const run = `svc alerts ${command} --base-url ${emulator.url}`;
    const { lines: settings } = await terminal.run('stty -a');
    const state = terminal.tell(STATE);
    terminal.begin(run);
    await terminal.shows(has('DiskFull'));
    for (let round = 0; round < 2; round++) {
      terminal.press('C-z');
      await terminal.shows((all) => has('Stopped')(all) && all.at(-1) === '$');
      expect(terminal.tell(STATE).replace(/\d+$/, '')).toBe(state.replace(/\d+$/, ''));
      expect((await terminal.run('stty -a')).lines).toEqual(settings);
      terminal.begin('fg');
      await terminal.shows((all) => has('DiskFull')(all) && terminal.tell('#{alternate_on} #{cursor_flag}') === '1 0');
    }
    terminal.type('q');
    const { lines, status } = await terminal.finish();
    expect([lines, status]).toEqual([[run], 0]);
    expect(terminal.tell(STATE)).toBe(state);
    expect((await terminal.run('stty -a')).lines).toEqual(settings);
  });

  it.skipIf(noScript)('is drawn again after Ctrl-Z at once where no shell could continue it', async () => {
    terminal.begin(`script -qefc 'svc alerts triage --base-url ${emulator.url}' /dev/null`);
    await terminal.shows(has('DiskFull'));
    terminal.press('C-z');
    terminal.type('?');
    await terminal.shows(has('svc silences ack'));
    expect(terminal.tell('#{alternate_on} #{cursor_flag}')).toBe('1 0');
    terminal.type('qq');
    expect((await terminal.finish()).status).toBe(0);
  });

  it('refuses a dumb terminal, and names what to use instead', async () => {
    const { lines, status } = await terminal.run(`TERM=dumb svc alerts triage --base-url ${emulator.url}`);
    expect([lines.at(-1), status]).toEqual(['hint: svc alerts list --watch follows alerts anywhere', 2]);
  });
});

it('refuses a pipe', async () => {
  const { code, stdout, stderr } = await svc(['alerts', 'triage', '--base-url', 'http://127.0.0.1:9']);
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toContain('svc alerts list --watch');
});

function silence() {
  const start = Date.now();
  return {
    matchers: [],
    startsAt: new Date(start).toISOString(),
    endsAt: new Date(start + 3_600_000).toISOString(),
    createdBy: 'ann',
    comment: 'disk swap',
  };
}
