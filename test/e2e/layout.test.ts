import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startAlertmanagerEmulator } from '../../src/sandbox/alerts/server.ts';
import type { LocalServer } from '../../src/sandbox/http.ts';
import { postAlerts } from '../support/alertmanager.ts';
import { named, noScript, noTmux, ShellTerminal, typescript } from './terminal.ts';

let server: LocalServer;
beforeAll(async () => {
  server = await startAlertmanagerEmulator({ now: Date.now, seed: 'demo' });
  // Two cells wide, one, none, joined, right to left. Terminals do not agree about skin tones.
  await postAlerts(server.url, [
    { labels: { alertname: '磁盘已满磁盘已满', severity: '严重', host: 'überall-42', team: 'プラットフォーム' } },
    {
      labels: { alertname: 'Emoji', host: '👩‍👩‍👧‍👦🇩🇪❤️ e\u0301', team: 'עברית العربية' },
      annotations: { summary: '🔥'.repeat(60) },
    },
    { labels: { alertname: 'Long', host: 'a'.repeat(150) }, annotations: { summary: 'word '.repeat(60) } },
  ]);
});
afterAll(() => server.close());

describe.skipIf(noTmux)(named('at a terminal', noTmux), () => {
  let terminal: ShellTerminal;
  beforeAll(() => {
    terminal = new ShellTerminal(80, 300, { SVC_ALERTS_URL: server.url });
  });
  afterAll(() => terminal?.close());

  it.each([40, 200])('%i columns wide, no line of a table, a record or a help is wrapped', async (columns) => {
    terminal.resize(columns, 300);
    // A command that can be copied is not broken by svc, and a word that is too long cannot be.
    const breakable = (text: string): boolean =>
      !/^ +svc /.test(text) && text.split(' ').every((word) => word.length <= columns);
    for (const line of [
      'svc alerts list -a',
      'svc alerts get $(svc alerts list Long -q)',
      'svc alerts get $(svc alerts list Emoji -q)',
      'svc silences create --help',
    ]) {
      const { lines, status } = await terminal.run(`${line} 2>/dev/null`);
      expect(status, line).toBe(0);
      expect(lines.join('').trim()).not.toBe('');
      const whole = terminal.lines(true).filter(breakable);
      expect(terminal.lines(), line).toEqual(expect.arrayContaining(whole));
    }
  });
});

describe.skipIf(noScript)(named('color on a terminal', noScript), () => {
  const COLOR = /\x1b\[[0-9;]+m/;
  const bytesOf = async (line: string, env: Record<string, string> = {}): Promise<string> => {
    const { bytes, status } = await typescript(line, { SVC_ALERTS_URL: server.url, ...env });
    expect(status).toBe(0);
    return bytes;
  };

  it('is decided for each stream separately', async () => {
    const both = await bytesOf('svc alerts list -a | cat; svc alerts nope | cat');
    const [table = '', failure = ''] = both.split(/(?=\x1b)/, 2);
    expect(table).toContain('STATE');
    expect(failure).toMatch(COLOR);
  });
});
