import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { SvcError } from '../../../../src/errors.ts';
import { startAlertmanagerEmulator } from '../../../../src/sandbox/alerts/server.ts';
import type { LocalServer } from '../../../../src/sandbox/http.ts';
import { getJson, postAlerts, postSilence } from '../../../support/alertmanager.ts';
import { answer, faultServer } from '../../../support/servers.ts';
import { type Run, type RunOptions, svc } from '../../../support/svc.ts';
import { wireAlert } from './scripted.ts';

const ENTER = '\u001b[?1049h\u001b[?25l';
const LEAVE = '\u001b[H\u001b[J\u001b[?25h\u001b[?1049l';
const [UP, DOWN, HOME, END, PAGE_UP, PAGE_DOWN] = ['A', 'B', 'H', 'F', '5~', '6~'].map((code) => `\u001b[${code}`);
const ESCAPE = '\u001b';

const NOW = Date.now();
const MINUTE = 60_000;
const ago = (minutes: number): string => new Date(NOW - minutes * MINUTE).toISOString();

/** Worst first: db-0, db-1, web-0, web-1, info-0. */
const ALERTS = [
  { labels: { alertname: 'Later', severity: 'info', team: 'ops', instance: 'info-0' }, startsAt: ago(1) },
  { labels: { alertname: 'Slow', severity: 'warning', team: 'web', instance: 'web-1' }, startsAt: ago(9) },
  { labels: { alertname: 'Slow', severity: 'warning', team: 'web', instance: 'web-0' }, startsAt: ago(8) },
  { labels: { alertname: 'DiskFull', severity: 'critical', team: 'db', instance: 'db-1' }, startsAt: ago(7) },
  {
    labels: { alertname: 'DiskFull', severity: 'critical', team: 'db', instance: 'db-0' },
    annotations: { summary: 'full \u001b[31m', runbook_url: 'https://runbooks.example.com/disk', note: 'javascript:1' },
    generatorURL: 'https://prometheus.example.com/graph',
    startsAt: ago(6),
  },
];

const PATIENCE_MS = 20_000;

/** The screen, as the terminal shows it. */
class Screen {
  lines: readonly string[] = [];
  press: (keys: string) => void = () => {};

  /** What was written: frames, and the way in and out. */
  draw(text: string): void {
    const frame = text.split('\u001b[H').at(-1) ?? '';
    if (!frame.endsWith('\u001b[J') || text.endsWith(LEAVE)) return;
    this.lines = frame
      .split('\r\n')
      .slice(0, -1)
      .map((line) => line.replace('\u001b[2K', ''));
  }

  async shows(...wanted: readonly (string | RegExp)[]): Promise<string> {
    return await vi.waitFor(
      () => {
        const text = this.lines.join('\n');
        for (const one of wanted) expect(text).toMatch(one);
        return text;
      },
      { timeout: PATIENCE_MS, interval: 2 },
    );
  }

  /** The instance of the selected alert. */
  async selects(instance: string): Promise<void> {
    await this.shows(new RegExp(`^> .*\\binstance=${instance}\\b`, 'm'));
  }
}

async function triage(
  url: string,
  act: (screen: Screen) => Promise<void>,
  { argv = [], ...options }: RunOptions & { readonly argv?: readonly string[] } = {},
): Promise<Run> {
  const screen = new Screen();
  let failure: unknown;
  const stop = new AbortController();
  const run = svc(['alerts', 'triage', '--base-url', url, ...argv], {
    terminal: 100,
    env: { NO_COLOR: '1' },
    sleeps: 200,
    signal: stop.signal,
    onStdout: (text) => {
      screen.draw(text);
      return undefined;
    },
    keys: (press) => {
      screen.press = press;
      act(screen).catch((error: unknown) => {
        failure = error;
        stop.abort(new SvcError('interrupted', 'interrupted', { isInterruption: true }));
      });
    },
    ...options,
  });
  const ended = await run;
  if (failure !== undefined) throw failure;
  expect(ended.stdout.startsWith(ENTER)).toBe(true);
  expect(ended.stdout.endsWith(LEAVE)).toBe(true);
  return ended;
}

let emulator: LocalServer;
beforeEach(async () => {
  emulator = await startAlertmanagerEmulator({ now: Date.now });
  await postAlerts(emulator.url, ALERTS);
});
afterEach(() => emulator.close());

interface Posted {
  readonly id: string;
  readonly comment: string;
  readonly status: { readonly state: string };
  readonly matchers: readonly { readonly name: string; readonly value: string }[];
}

const silences = () => getJson<readonly Posted[]>(emulator.url, '/api/v2/silences');
const silenceOf = (name: string, value: string) => ({
  matchers: [{ name, value, isRegex: false }],
  createdBy: 'ann',
  comment: 'disk \u001b[31mswap',
});

describe('in svc alerts triage', () => {
  const quits = async (act: (screen: Screen) => Promise<void>, options: Parameters<typeof triage>[2] = {}) => {
    const run = await triage(
      emulator.url,
      async (screen) => {
        await screen.selects('db-0');
        await act(screen);
      },
      options,
    );
    expect(run).toMatchObject({ code: 0, asked: [] });
    return run;
  };

  it('the arrows, j, k, pages, Home and End move', async () => {
    await quits(async (screen) => {
      const steps: readonly [string, string][] = [
        [`${DOWN}`, 'db-1'],
        ['j', 'web-0'],
        ['k', 'db-1'],
        [`${UP}`, 'db-0'],
        [`${END}`, 'info-0'],
        [`${HOME}`, 'db-0'],
        [`${PAGE_DOWN}`, 'info-0'],
        [`${PAGE_UP}`, 'db-0'],
        [`${UP}`, 'db-0'],
      ];
      for (const [key, selected] of steps) {
        screen.press(key);
        await screen.selects(selected);
      }
      screen.press('q');
    });
  });

  it('/ filters by text, and Esc removes the filter', async () => {
    await quits(async (screen) => {
      screen.press('/WEB-1\r');
      await screen.shows('1 of 5 alerts', 'filter: WEB-1');
      await screen.selects('web-1');
      screen.press(ESCAPE);
      await screen.shows(/^5 alerts/);
      screen.press('/nothing has this\r');
      await screen.shows('no alerts match the filter');
      screen.press('a');
      await screen.shows('no alert is selected');
      screen.press('q');
    });
  });

  it('Enter shows the alert and what mutes it, and q goes back', async () => {
    const id = await postSilence(emulator.url, silenceOf('instance', 'db-1'));
    await quits(async (screen) => {
      screen.press('\r');
      const text = await screen.shows('Annotations', 'runbook_url  https://runbooks.example.com/disk', 'graph  ');
      expect(text).toContain('summary: full \\x1b[31m');
      expect(text).not.toContain('note  javascript');
      screen.press('q');
      await screen.selects('db-0');
      screen.press(`${END}\r`);
      await screen.shows('Silenced by', `${id} ends in`, 'by ann: disk \\x1b[31mswap');
      screen.press('qq');
    });
  });

  it('a acknowledges, with a comment', async () => {
    const { stderr } = await quits(async (screen) => {
      screen.press('adisk is being replaced');
      await screen.shows(/\$ svc silences ack \w{16} '--comment=disk is being replaced'\s--base-url\shttp/);
      expect(await silences()).toEqual([]);
      screen.press('\r');
      await screen.shows('mutes 1 active alert now', /^done$/m);
      screen.press('q');
      await screen.shows('1 suppressed');
      await screen.selects('db-1');
      screen.press('q');
    });
    expect(await silences()).toMatchObject([{ comment: 'ACK! disk is being replaced', status: { state: 'active' } }]);
    expect(stderr).toMatch(/^svc silences ack \w{16} '--comment=disk is being replaced' --base-url \S+: done$/m);
  });

  it('s silences, with a preview and a duration', async () => {
    await quits(async (screen) => {
      screen.press('s');
      await screen.shows('Silence alerts that match:', 'alertname="DiskFull", instance="db-0", severity="critical"');
      screen.press('\u0015\r');
      await screen.shows('at least one matcher is required');
      screen.press('team\r');
      await screen.shows('is not a list of matchers');
      screen.press('=db\r');
      await screen.shows('mutes 2 alerts now (2 active)', 'DiskFull instance=db-1', '--for 1h');
      screen.press('\u0015soon\r');
      await screen.shows(/"soon" is not a duration|soon/);
      screen.press('\u00152h\r\r');
      await screen.shows('a comment is required');
      screen.press('swap\r');
      await screen.shows('$ svc silences create \'team="db"\' --for 2h --comment=swap --ensure', /^done$/m);
      screen.press('\rq');
    });
    expect(await silences()).toMatchObject([{ comment: 'swap', matchers: [{ name: 'team', value: 'db' }] }]);
  });

  it('e expires the silences that mute the alert, but only after y', async () => {
    const id = await postSilence(emulator.url, silenceOf('instance', 'db-1'));
    const state = async () => (await silences())[0]?.status.state;
    await quits(async (screen) => {
      screen.press('e');
      await screen.shows('no silence mutes the alert');
      screen.press(`${END}`);
      for (const key of ['n', '\r', ESCAPE]) {
        screen.press('e');
        await screen.shows(`$ svc silences expire ${id}`, `${id}  active`, 'Expire this silence? (y/N)');
        screen.press(key);
        await screen.shows('nothing was sent');
        expect(await state()).toBe('active');
        screen.press('q');
        await screen.selects('db-1');
      }
      screen.press('e');
      await screen.shows('(y/N)');
      screen.press('y');
      await screen.shows(/^done$/m);
      screen.press('qq');
    });
    expect(await state()).toBe('expired');
  });

  it('a acknowledges all that Space marked with one command, and leaves its Undo line on the screen', async () => {
    const { stderr, undo } = await quits(async (screen) => {
      screen.press('  ');
      await screen.shows('2 marked', /^ \* critical.*instance=db-0/m, /^ \* critical.*instance=db-1/m);
      await screen.selects('web-0');
      screen.press('aswap');
      await screen.shows(/\$ svc silences ack \w{16} \w{16} --comment=swap\s/);
      screen.press('\r');
      await screen.shows(/^done$/m);
      screen.press('q');
      await screen.shows(/^5 alerts, 2 suppressed; 127/);
      screen.press('q');
    });
    const posted = await silences();
    expect(posted.map(({ comment }) => comment)).toEqual(['ACK! swap', 'ACK! swap']);
    expect(stderr).toMatch(/^svc silences ack \w{16} \w{16} --comment=swap --base-url \S+: done\n/);
    expect(undo).toMatch(/^svc silences expire \S{36} \S{36} --base-url \S+$/);
    for (const { id } of posted) expect(undo).toContain(id);
  });

  it('s silences all that * marked, by the labels that they share', async () => {
    await quits(async (screen) => {
      screen.press('/team=db\r');
      await screen.shows('2 of 5 alerts');
      screen.press('*');
      await screen.shows('2 marked');
      screen.press(`${ESCAPE}*${ESCAPE}${ESCAPE}`);
      await screen.shows(/^5 alerts, 0 suppressed; 127/);
      screen.press('/team=db\r*s');
      await screen.shows('Silence alerts that match: alertname="DiskFull", severity="critical", team="db"_');
      screen.press('\u0015team=~"db|web"\r');
      await screen.shows('mutes 4 alerts now (4 active), with 2 of the 2 marked');
      expect(await silences()).toEqual([]);
      screen.press(ESCAPE);
      await screen.shows('Enter show');
      screen.press('s\r');
      await screen.shows('For how long:');
      screen.press('\rswap\r');
      await screen.shows(/\$ svc silences create 'alertname="DiskFull"' 'severity="critical"' 'team="db"' --for 1h/);
      await screen.shows(/^done$/m);
      screen.press('qq');
    });
    const [only, ...others] = await silences();
    expect([only?.matchers.map(({ value }) => value), others]).toEqual([['DiskFull', 'critical', 'db'], []]);
  });

  it('e expires what mutes all that are marked, and s needs a label that they share', async () => {
    const ids: string[] = [];
    for (const value of ['db', 'web']) ids.push(await postSilence(emulator.url, silenceOf('team', value)));
    await triage(emulator.url, async (screen) => {
      await screen.shows(/^5 alerts, 4 suppressed/);
      screen.press('*s');
      await screen.shows('the marked alerts have no label in common');
      screen.press('e');
      await screen.shows('Expire these 2 silences? (y/N)');
      screen.press('y');
      await screen.shows(/^done$/m);
      screen.press('q');
      await screen.shows(/^5 alerts, 0 suppressed; 127/);
      screen.press('*e');
      await screen.shows('no silence mutes the marked alerts');
      screen.press('q');
    });
    expect((await silences()).map(({ status }) => status.state)).toEqual(['expired', 'expired']);
  });

  it('acts on the alert that is shown, whatever is marked', async () => {
    await quits(async (screen) => {
      screen.press('  \r');
      await screen.shows('Labels', 'instance: web-0');
      screen.press('a\r');
      await screen.shows(/\$ svc silences ack \w{16} --base-url/, /^done$/m);
      screen.press('qq');
      await screen.shows('2 marked', '1 suppressed');
      screen.press('q');
    });
    expect(await silences()).toMatchObject([{ comment: 'ACK! acknowledged with svc' }]);
  });

  it('o opens the runbook, and shows its address if there is no browser', async () => {
    const opening = (text: string) => async (screen: Screen) => {
      screen.press('o');
      await screen.shows(`${text}: https://runbooks.example.com/disk`);
      screen.press('q');
    };
    const browser = { browser: () => undefined, env: { NO_COLOR: '1', DISPLAY: ':0' } };
    const { opened } = await quits(opening('opened runbook_url'), browser);
    expect(opened).toEqual(['https://runbooks.example.com/disk']);
    await quits(opening('no browser was opened (no display)'));
  });
});

it('svc alerts triage previews what the server matches, not its list', async () => {
  await triage(
    emulator.url,
    async (screen) => {
      await screen.shows(/^1 alert, 0/);
      screen.press('s\u0015severity=~"critical|warning"\r');
      await screen.shows('mutes 4 alerts now (4 active)', 'and 1 more');
      screen.press(`${ESCAPE}q`);
    },
    { argv: ['instance=db-1'] },
  );
});

it('svc alerts triage asks before it mutes more than half of the active alerts', async () => {
  const { code, stderr } = await triage(emulator.url, async (screen) => {
    await screen.selects('db-0');
    screen.press('s\u0015team=~"db|web"\r');
    await screen.shows('For how long:');
    screen.press('\rswap\r');
    await screen.shows('This mutes 4 of the 5 active alerts.', '(y/N)');
    screen.press('n');
    await screen.shows('nothing was sent');
    screen.press('qq');
  });
  expect([code, await silences()]).toEqual([0, []]);
  expect(stderr).toContain('nothing was sent (exit status 2)');
});

describe('the server of svc alerts triage', () => {
  const ALERT = wireAlert('a', { severity: 'critical', instance: 'db-0' });
  const OTHER = wireAlert('b', { severity: 'info', instance: 'db-1' });

  it('that is away leaves the alerts on the screen, with their age and the reason', async () => {
    let isAway = false;
    await using server = await faultServer((socket) => {
      socket.write(isAway ? answer(503, '"maintenance"') : answer(200, JSON.stringify([ALERT])));
    });
    const run = await triage(server.url, async (screen) => {
      await screen.selects('db-0');
      isAway = true;
      const text = await screen.shows('cannot read the alerts: ', / read \S+ ago\n/);
      expect(text).toContain('503');
      expect(text).toContain('>  critical  Alerta');
      isAway = false;
      await screen.shows(/^1 alert, 0 suppressed[^\n]*\n {3}SEVERITY/);
      screen.press('q');
    });
    expect(run).toMatchObject({ code: 0, stderr: '' });
  });

  it('that loses a response leaves an unknown outcome, and gets no second request', async () => {
    let posted = 0;
    await using server = await faultServer((socket, { method, path }) => {
      if (method === 'POST') {
        posted++;
        socket.resetAndDestroy();
      } else socket.write(answer(200, JSON.stringify(path.includes('/silences') ? [] : [ALERT, OTHER])));
    });
    const { code, stderr } = await triage(server.url, async (screen) => {
      await screen.selects('db-0');
      screen.press('a\r');
      await screen.shows('outcome unknown: the request was sent, and may have taken effect.');
      screen.press('qq');
    });
    expect([code, posted]).toEqual([0, 1]);
    expect(stderr).toMatch(/^svc silences ack a0{15} --base-url \S+: outcome unknown/m);
  });

  it('that refuses the credential ends triage, with the screen restored', async () => {
    await using server = await faultServer((socket) => socket.write(answer(401, '"no"')));
    const { code, stderr } = await triage(server.url, async () => {});
    expect(code).toBe(4);
    expect(stderr).toContain('requires a credential');
  });

  it('that no longer responds is reported, and q ends at once', async () => {
    let isSilent = false;
    await using server = await faultServer((socket) => {
      if (!isSilent) socket.write(answer(200, JSON.stringify([ALERT])));
    });
    const act = async (screen: Screen): Promise<void> => {
      await screen.selects('db-0');
      isSilent = true;
      await screen.shows('cannot read the alerts: no response within');
      screen.press('q');
    };
    expect(await triage(server.url, act, { argv: ['--timeout', '1h'] })).toMatchObject({ code: 0 });
  });

  it('that does not respond to a write: Ctrl-C ends triage, and the outcome is unknown', async () => {
    let posted = 0;
    const stop = new AbortController();
    await using server = await faultServer((socket, { method, path }) => {
      if (method !== 'POST') {
        socket.write(answer(200, JSON.stringify(path.includes('/silences') ? [] : [ALERT, OTHER])));
        return;
      }
      posted++;
      stop.abort(new SvcError('interrupted', 'interrupted', { isInterruption: true }));
    });
    const act = async (screen: Screen): Promise<void> => {
      await screen.selects('db-0');
      screen.press('a\r');
    };
    const { code, stderr } = await triage(server.url, act, { signal: stop.signal });
    expect([code, posted]).toEqual([130, 1]);
    expect(stderr).toMatch(/^svc silences ack a0{15} --base-url \S+: interrupted$/m);
    expect(stderr).toContain('interrupted; the request was sent and may have been applied');
  });

  it('gets nothing after Ctrl-C at a question', async () => {
    await postSilence(emulator.url, silenceOf('instance', 'db-1'));
    const stop = new AbortController();
    const { code } = await triage(
      emulator.url,
      async (screen) => {
        await screen.selects('db-0');
        screen.press(`${END}e`);
        await screen.shows('(y/N)');
        stop.abort(new SvcError('interrupted', 'interrupted', { isInterruption: true }));
      },
      { signal: stop.signal },
    );
    expect([code, (await silences())[0]?.status.state]).toEqual([130, 'active']);
  });
});

it('svc alerts triage needs a terminal: no pipe, no CI, not TERM=dumb, and no -o json', async () => {
  const environments = [{}, { terminal: 80, env: { CI: 'true' } }, { terminal: 80, env: { TERM: 'dumb' } }];
  for (const options of environments) {
    const { code, stdout, stderr } = await svc(['alerts', 'triage', '--base-url', emulator.url], options);
    expect([options, code, stdout, stderr]).toEqual([options, 2, '', expect.stringContaining('alerts list --watch')]);
  }
  expect((await svc(['alerts', 'triage', '--base-url', emulator.url, '-o', 'json'], { terminal: 80 })).code).toBe(2);
});
