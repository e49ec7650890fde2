import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startAlertmanagerEmulator } from '../../src/sandbox/alerts/server.ts';
import type { LocalServer } from '../../src/sandbox/http.ts';
import { getJson, postAlerts } from '../support/alertmanager.ts';
import { named, noTmux, ShellTerminal } from './terminal.ts';

const LONG = 'svc silences create severity=critical --for 30d -c why';
const asked = (lines: readonly string[]): boolean => lines.some((line) => line.includes('(y/N)'));

interface StoredSilence {
  readonly id: string;
  readonly comment: string;
  readonly status: { readonly state: string };
}

describe.skipIf(noTmux)(named('a prompt at a terminal', noTmux), () => {
  let server: LocalServer;
  let terminal: ShellTerminal;
  beforeEach(async () => {
    server = await startAlertmanagerEmulator({ now: Date.now, seed: 'demo' });
    terminal = new ShellTerminal(90, 30, { SVC_ALERTS_URL: server.url });
  });
  afterEach(async () => {
    terminal.close();
    await server.close();
  });

  const silences = async (): Promise<readonly StoredSilence[]> => await getJson(server.url, '/api/v2/silences');
  const created = async (): Promise<number> => (await silences()).filter(({ comment }) => comment === 'why').length;

  it('appears before a long silence, and y creates it', async () => {
    terminal.begin(LONG);
    const lines = await terminal.showsLines(asked);
    expect(lines.join('')).toContain('It lasts longer than 24h (alerts.maxSilence).');
    expect(await created()).toBe(0);
    terminal.type('y');
    terminal.press('Enter');
    const { lines: after, status } = await terminal.finish();
    expect(status).toBe(0);
    expect(after.join('\n')).toMatch(/^ID +[0-9a-f-]{36}$/m);
    expect(await created()).toBe(1);
  });

  it('is declined with Enter: exit 2, nothing sent', async () => {
    terminal.begin(LONG);
    await terminal.showsLines(asked);
    terminal.press('Enter');
    const { lines, status } = await terminal.finish();
    expect([status, lines.at(-1)]).toEqual([2, 'svc: declined: nothing was sent']);
    expect(await created()).toBe(0);
  });

  it('is asked again each time after Ctrl-Z and fg', async () => {
    terminal.begin(LONG);
    await terminal.showsLines(asked);
    for (let round = 0; round < 2; round++) {
      terminal.press('C-z');
      await terminal.showsLines((lines) => lines.some((line) => line.includes('Stopped')) && lines.at(-1) === '$');
      expect(await created()).toBe(0);
      terminal.begin('fg');
      await terminal.showsLines((lines) => asked(lines) && !lines.some((line) => line.includes('Stopped')));
    }
    terminal.type('y');
    terminal.press('Enter');
    expect((await terminal.finish()).status).toBe(0);
    expect(await created()).toBe(1);
  });

  it.each([
    ['Ctrl-C', 130],
    ['SIGTERM', 143],
  ])('ends with %s, and restores the terminal', async (how, expected) => {
    const { lines: before } = await terminal.run('stty -a');
    terminal.begin(`(echo "pid $BASHPID"; exec ${LONG})`);
    const [first = ''] = await terminal.showsLines(asked);
    if (how === 'Ctrl-C') terminal.press('C-c');
    else process.kill(Number(first.slice('pid '.length)), 'SIGTERM');
    const { lines, status } = await terminal.finish();
    expect(status).toBe(expected);
    expect(lines.filter((line) => !/^server: |mutes 2 active alerts now/.test(line))).toEqual([first]);
    expect(await created()).toBe(0);
    const { lines: after } = await terminal.run('stty -a');
    expect(after).toEqual(before);
    expect(after.join(' ')).toMatch(/ icanon .* echo /);
    expect(terminal.tell('#{cursor_flag}')).toBe('1');
  });

  const choices = (lines: readonly string[]) =>
    lines.filter((line) => /^[❯ ][ ◯◉]*(?:[0-9a-f-]{16,}|No more)/.test(line));

  it('lists the worst alerts first, and searches several of many one after the other', async () => {
    const others = Array.from({ length: 9 }, (_, n) => ({
      labels: { alertname: 'Later', severity: 'none', n: `${n}` },
    }));
    await postAlerts(server.url, [...others, { labels: { alertname: 'Worst', severity: 'critical' } }]);
    terminal.begin('svc silences ack');
    const all = choices(await terminal.showsLines((lines) => choices(lines).length > 9));
    expect(all[0]).toMatch(/^❯ \w{16} {2}Worst /);
    expect(all.slice(0, 3).every((line) => line.includes('severity=critical'))).toBe(true);
    for (const wanted of ['Later n=4', 'Worst']) {
      terminal.type(wanted);
      await terminal.showsLines((lines) => choices(lines).length === 1 && choices(lines)[0]?.includes(wanted) === true);
      terminal.press('Enter');
      const left = choices(await terminal.showsLines((lines) => choices(lines)[0] === '❯ No more'));
      expect(left.some((line) => line.includes(wanted))).toBe(false);
    }
    terminal.press('Enter');
    const { lines, status } = await terminal.finish();
    expect(status).toBe(0);
    expect(lines.join('\n')).toMatch(/^Without prompts: svc silences ack \w{16} \w{16}$/m);
    const made = (await silences()).filter(({ comment }) => comment === 'ACK! acknowledged with svc');
    expect(made).toHaveLength(2);
  });

  it('does not appear if it is not needed', async () => {
    for (const line of [`CI=1 ${LONG}`, `TERM=dumb ${LONG}`, `${LONG} </dev/null`, `${LONG} 2>/dev/null`]) {
      const { lines, status } = await terminal.run(line);
      expect({ line, status, asked: asked(lines) }).toEqual({ line, status: 2, asked: false });
    }
    expect(await created()).toBe(0);
    const { lines, status } = await terminal.run(`${LONG} --yes`);
    expect([status, asked(lines)]).toEqual([0, false]);
    expect(await created()).toBe(1);
  });
});
