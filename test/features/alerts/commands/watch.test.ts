import { EventEmitter, once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { displayWidth } from '../../../../src/output/terminal.ts';
import { answer, faultServer } from '../../../support/servers.ts';
import { type RunOptions, svc } from '../../../support/svc.ts';
import { type Reply, SILENCED, scripted, wireAlert } from './scripted.ts';

const [A, B, C] = [wireAlert('a'), wireAlert('b'), wireAlert('c')] as const;

async function watch(replies: readonly Reply[], argv: readonly string[] = [], options: RunOptions = {}) {
  await using script = await scripted(replies);
  const { server, signal } = script;
  const flag = argv.some((text) => text.startsWith('--watch')) ? [] : ['--watch'];
  const run = await svc(['alerts', 'list', ...flag, '--base-url', server.url, ...argv], { signal, ...options });
  return { ...run, requests: [...server.requests] };
}

describe('svc alerts list --watch in a pipe', () => {
  const events = async (replies: readonly Reply[], ...argv: string[]): Promise<string[]> => {
    const { code, stdout } = await watch(replies, argv);
    expect(code).toBe(130);
    return stdout
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => {
        const { event, at, alert, ...others } = JSON.parse(line);
        expect(others).toEqual({});
        expect(new Date(at).toISOString()).toBe(at);
        return `${event} ${alert.fingerprint[0]}`;
      });
  };

  it('prints each alert of the first reading as added, then only changes', async () => {
    const other = { ...B, annotations: { summary: 'worse' } };
    expect(await events([[A, B], [A, B], [A, other, C], [C], []])).toEqual([
      ...['added a', 'added b'],
      ...['changed b', 'added c'],
      ...['resolved a', 'resolved b'],
      'resolved c',
    ]);
  });

  it('prints nothing for an alert that its source reports again', async () => {
    const alive = { ...A, updatedAt: '2026-11-20T12:01:00.000Z', endsAt: '2026-11-20T12:06:00.000Z' };
    expect(await events([[A], [alive]])).toEqual(['added a']);
  });

  it('prints a silenced alert as changed, and one that is active again as added', async () => {
    const silenced = { ...A, ...SILENCED };
    expect(await events([[A], [silenced], [silenced], [], [silenced], [A]])).toEqual([
      'added a',
      'changed a',
      'added a',
    ]);
    expect(await events([[A], [silenced], []], '-a')).toEqual(['added a', 'changed a', 'resolved a']);
    expect(await events([[A], [silenced], [A]], '--state', 'silenced')).toEqual(['added a', 'changed a']);
  });

  it('prints an outage as unreachable and recovered', async () => {
    const { stdout, stderr, code } = await watch([[A], 'away', [A]]);
    const rows = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { event: string });
    expect([code, rows.map(({ event }) => event)]).toEqual([130, ['added', 'unreachable', 'recovered']]);
    expect(stderr).toMatch(/waiting for it\nthe service responds again\n/);
  });

  it('ends if the credential is refused', async () => {
    const { code, stdout, stderr } = await watch([[A], 'refused', [A]]);
    expect([code, stdout.split('\n').length - 1]).toEqual([4, 1]);
    expect(stderr).toContain('requires a credential');
  });

  it('reads every state, so that a silenced alert is not printed as resolved', async () => {
    const { requests } = await watch([[A]], ['team=db', '-r', 'ops']);
    expect(requests[0]?.path).toBe('/api/v2/alerts?filter=team%3D%22db%22&receiver=ops');
  });

  it('ends when its reader goes away', async () => {
    const { code, stdout } = await watch([[A], [A, B], []], [], { onStdout: () => 'closed' });
    expect([code, stdout.split('\n').length - 1]).toEqual([0, 1]);
  });

  it('escapes hostile text', async () => {
    const { stdout } = await watch([[wireAlert('a', { x: '\u001b[2J\n\u202e' })]]);
    expect(stdout.split('\n')).toHaveLength(2);
    expect(stdout).not.toMatch(/[\x00-\x09\x0b-\x1f\u202e]/);
  });
});

describe('svc alerts list --watch at a terminal', () => {
  const ENTER = '\u001b[?1049h\u001b[?25l';
  const LEAVE = '\u001b[H\u001b[J\u001b[?25h\u001b[?1049l';
  const frames = async (
    replies: readonly Reply[],
    argv: readonly string[] = [],
    terminal = 80,
  ): Promise<string[][]> => {
    const { code, stdout } = await watch(replies, argv, { terminal, env: { NO_COLOR: '1' } });
    expect(code).toBe(130);
    expect(stdout.startsWith(ENTER)).toBe(true);
    expect(stdout.endsWith(LEAVE)).toBe(true);
    const drawn = stdout.slice(ENTER.length, -LEAVE.length);
    return drawn
      .split('\u001b[H')
      .slice(1)
      .map((frame) => {
        expect(frame.endsWith('\u001b[J')).toBe(true);
        const lines = frame.slice(0, -'\u001b[J'.length).split('\r\n');
        expect(lines.pop()).toBe('');
        for (const line of lines) expect(line.startsWith('\u001b[2K')).toBe(true);
        return lines.map((line) => line.slice('\u001b[2K'.length));
      });
  };

  it('draws each reading with its time and the changes', async () => {
    const [first, second, third] = await frames([
      [A, B],
      [B, C],
      [B, C],
    ]);
    expect(first?.[0]).toMatch(/^2 alerts at \d\d:\d\d:\d\dZ, again every 5s$/);
    expect(first?.[1]).toBe('no change yet');
    expect(first?.join('\n')).toContain('Alerta');
    expect(second?.slice(1, 3)).toEqual([
      expect.stringMatching(/^\d\d:\d\d:\d\dZ added Alertc$/),
      expect.stringMatching(/Z resolved Alerta$/),
    ]);
    expect(second?.find((line) => line.includes('c0000000') || / Alertc /.test(line))).toMatch(/^\+ /);
    // Shown until something else changes, but marked only once.
    expect(third?.slice(1, 3)).toEqual(second?.slice(1, 3));
    expect(third?.filter((line) => line.startsWith('+'))).toEqual([]);
  });

  it.each([1, 80, 200])('never draws more than a screen of %d columns', async (width) => {
    const many = Array.from({ length: 60 }, (_, index) =>
      wireAlert((index + 16).toString(16), { cluster: 'eu', text: '日本語'.repeat(index) }),
    );
    for (const frame of await frames([many, [], many, 'away'], [], width)) {
      expect(frame.length).toBeLessThanOrEqual(22);
      for (const line of frame) expect(displayWidth(line)).toBeLessThanOrEqual(width);
    }
  });

  it('shows every critical alert among many new alerts', async () => {
    const many = (count: number, severity: string, prefix: string) =>
      Array.from({ length: count }, (_, index) => wireAlert(`${prefix}${(index + 16).toString(16)}`, { severity }));
    const old = [...many(40, 'info', 'a'), ...many(10, 'critical', 'c')];
    const [, shown] = await frames([old, [...old, ...many(30, 'warning', 'b')]], [], 120);
    expect(shown?.filter((line) => line.includes('Alertc'))).toHaveLength(10);
  });

  it('says how many rows are hidden by the screen or by --limit', async () => {
    const many = Array.from({ length: 60 }, (_, index) => wireAlert((index + 16).toString(16)));
    const [full] = await frames([many]);
    const rows = full?.slice(0, -1).filter((line) => line.includes('active')).length ?? 0;
    expect(rows).toBeGreaterThan(10);
    expect(full?.at(-2)).toBe(`… ${60 - rows} more`);
    const [limited] = await frames([many], ['--limit', '3', '--sort', '-id']);
    expect(limited?.at(-2)).toBe('… 57 more');
    expect(limited?.slice(0, -1).filter((line) => line.includes('active'))).toHaveLength(3);
  });

  it('shows the rows during an outage, and says what is shown, how old it is, and how to quit', async () => {
    const silenced = { ...A, ...SILENCED };
    const argv = ['severity=critical', '-r', 'ops', '--state', 'silenced'];
    const [, away, back] = await frames([[silenced], 'away', [silenced]], argv, 120);
    expect(away?.join('\n')).toMatch(/503[\s\S]* Alerta /);
    expect(back?.join('\n')).not.toContain('503');
    const shown = 'silenced severity="critical" receiver=~"ops"';
    expect(away?.at(-1)).toMatch(/^silenced severity="critical" receiver=~"ops"; read \d+ s ago; q to quit$/);
    expect(back?.at(-1)).toBe(`${shown}; up to date; q to quit`);
    const [never] = await frames(['away'], [], 120);
    expect(never?.at(-1)).toBe('active; not read yet; q to quit');
    expect(never?.slice(0, 2)).toEqual(['no alerts read yet, again every 5s', expect.stringContaining('503')]);
  });

  it.each(['answered', 'not answered'])('ends with q and exit 0 while a request is %s', async (state) => {
    const pressed = new EventEmitter();
    const body = answer(200, JSON.stringify([A]));
    await using server = await faultServer((socket) => {
      if (state === 'answered') socket.write(body);
      pressed.emit('request');
    });
    const run = await svc(['alerts', 'list', '--watch', '--base-url', server.url], {
      terminal: 80,
      sleeps: true,
      keys: (press) => void once(pressed, 'request').then(() => setImmediate(press, 'xq')),
    });
    expect([run.code, run.stderr]).toEqual([0, '']);
    expect(run.stdout.endsWith(LEAVE)).toBe(true);
  });

  it('draws with TERM=dumb one picture below the other, without escape sequences', async () => {
    const { code, stdout } = await watch([[A], [A, B]], ['--no-headers'], {
      terminal: 80,
      env: { TERM: 'dumb' },
    });
    expect(code).toBe(130);
    expect(stdout).not.toContain('\u001b');
    const pictures = stdout.split('\n\n').filter((text) => / alerts? at /.test(text));
    expect(pictures.map((text) => text.split('\n')[0])).toEqual([
      expect.stringMatching(/^1 alert at /),
      expect.stringMatching(/^2 alerts at /),
    ]);
    expect(stdout.match(/q to quit$/gm)).toHaveLength(2);
  });

  it('escapes hostile text', async () => {
    const [frame, gone] = await frames([[wireAlert('a', { x: '\u001b[2J\r\n\u202e' })], []]);
    expect(frame?.join('')).not.toMatch(/[\x00-\x1f\u202e]/);
    expect(gone?.join('')).not.toMatch(/[\x00-\x1f\u202e]/);
  });

  it('restores the terminal before it prints why it ended', async () => {
    const { code, stdout, stderr } = await watch([[A], 'refused'], [], { terminal: 80 });
    expect([code, stdout.endsWith(LEAVE)]).toEqual([4, true]);
    expect(stderr).toContain('requires a credential');
  });
});

describe('svc alerts list --watch', () => {
  it('refuses options that it cannot follow, and sends nothing', async () => {
    const refused = {
      '-o json': '-o json',
      '-q': '-o id',
      '--query [0]': '--query',
      '--sort id': '--sort',
      '--limit 3': '--limit',
      '--columns id': '--columns',
      '--group-by team': '--group-by',
      '--watch=999ms': 'at least 1s',
      '--watch=99999999999999y': 'at least 1s',
      '--watch=often': 'not a duration',
    };
    for (const [line, why] of Object.entries(refused)) {
      const { code, stdout, stderr, requests } = await watch([[A]], line.split(' '));
      expect([line, code, stdout, requests]).toEqual([line, 2, '', []]);
      expect([line, stderr]).toEqual([line, expect.stringContaining(why)]);
    }
  });
});
