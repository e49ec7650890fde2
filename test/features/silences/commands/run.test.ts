import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import type { Ended } from '../../../e2e/binary.ts';
import { getJson, postAlerts, type StoredSilence, wire } from '../../../support/alertmanager.ts';
import { answer, faultServer } from '../../../support/servers.ts';
import { svc, temporaryHome } from '../../../support/svc.ts';
import { lines, sharedService, writes } from '../../alerts/commands/service.ts';
import { start } from './built.ts';

interface Silence extends StoredSilence {
  readonly createdBy: string;
}

let label = 0;
const marker = (): string => join(temporaryHome(), 'marker');
/** Extended every two seconds, and long enough not to end where the machine is busy. */
const EXTENDED_OFTEN = ['--ttl', '3s'] as const;
/** Says `ready`, and ends when the file is there. */
const until = (file: string): string => `echo ready; while [ ! -e '${file}' ]; do sleep 0.05; done`;
/** Says `ready`, then what signals it gets, and does nothing else. */
const TRAPPING = `trap 'echo got INT' INT; trap 'echo got TERM; exit 0' TERM; trap 'echo got HUP; exit 0' HUP
echo ready; for i in {1..400}; do sleep 0.05; done`;

const service = sharedService();

describe('svc silences run', () => {
  const silences = async (name: string): Promise<Silence[]> =>
    getJson<Silence[]>(service.url(), `/api/v2/silences?filter=${encodeURIComponent(`run="${name}"`)}`);
  const states = async (name: string): Promise<string[]> => (await silences(name)).map(({ status }) => status.state);
  /** A label of its own keeps each test's silence apart. */
  const run = (script: string, ...options: string[]) => {
    const name = `${++label}`;
    return {
      name,
      process: start(['silences', 'run', `run=${name}`, ...options, '--', 'bash', '-c', script], service.url()),
    };
  };
  const outcome = async (script: string, ...options: string[]): Promise<Ended & { states: string[] }> => {
    const { name, process } = run(script, ...options);
    const ended = await process.ended;
    return { ...ended, states: await states(name) };
  };

  describe.concurrent('the built program', () => {
    it('the silence is active while the command runs, and expires with it; the exit status is passed on', async () => {
      const file = marker();
      const { name, process } = run(`${until(file)}; exit 7`, '-c', 'deploy 214', '--author', 'ci');
      await process.says('stdout', /ready/);
      const [silence, ...more] = await silences(name);
      expect(more).toEqual([]);
      expect(silence).toMatchObject({ status: { state: 'active' }, comment: 'deploy 214', createdBy: 'ci' });
      const length = Date.parse(silence?.endsAt ?? '') - Date.parse(silence?.startsAt ?? '');
      expect(length).toBeGreaterThan(14 * 60_000);
      expect(length).toBeLessThanOrEqual(15 * 60_000);
      writeFileSync(file, '');
      const { code, stdout, stderr } = await process.ended;
      expect([code, stdout]).toEqual([7, 'ready\n']);
      expect(stderr).toContain(`run="${name}" mutes 0 alerts now`);
      expect(stderr).toContain(`silence ${silence?.id} is active until the command ends`);
      expect(await states(name)).toEqual(['expired']);
    });

    it('leaves no silence behind after success, failure or a signal', async () => {
      const ends = await Promise.all(['exit 0', 'exit 200', 'kill -9 $$', 'kill -TERM $$'].map((one) => outcome(one)));
      expect(ends.map(({ code }) => code)).toEqual([0, 200, 137, 143]);
      for (const end of ends) expect(end.states).toEqual(['expired']);
    });

    it.each([
      ['SIGINT', 130, 'got INT'],
      ['SIGTERM', 143, 'got TERM'],
      ['SIGHUP', 129, 'got HUP'],
    ] as const)('sends %s to the command once, expires the silence and exits %i', async (signal, code, got) => {
      const script = signal === 'SIGINT' ? TRAPPING.replace("got INT'", "got INT; exit 0'") : TRAPPING;
      const { name, process } = run(script);
      await process.says('stdout', /ready/);
      expect(await states(name)).toEqual(['active']);
      process.kill(signal);
      const ended = await process.ended;
      expect([ended.code, ended.signal, ended.stdout]).toEqual([code, null, `ready\n${got}\n`]);
      expect(await states(name)).toEqual(['expired']);
    });

    it('waits for a command that continues after a signal', async () => {
      const { name, process } = run(TRAPPING);
      await process.says('stdout', /ready/);
      process.kill('SIGINT');
      await process.says('stdout', /got INT/);
      expect(await states(name)).toEqual(['active']);
      process.kill('SIGTERM');
      const ended = await process.ended;
      expect([ended.code, ended.stdout]).toEqual([130, 'ready\ngot INT\ngot TERM\n']);
      expect(await states(name)).toEqual(['expired']);
    });

    it('extends the silence while the command runs, with the same id', async () => {
      const file = marker();
      const { name, process } = run(until(file), ...EXTENDED_OFTEN);
      await process.says('stdout', /ready/);
      const [first] = await silences(name);
      await vi.waitFor(
        async () => {
          const [silence] = await silences(name);
          expect(Date.parse(silence?.endsAt ?? '')).toBeGreaterThan(Date.parse(first?.endsAt ?? '') + 500);
          expect(silence).toMatchObject({ id: first?.id, status: { state: 'active' } });
        },
        { timeout: 5000, interval: 50 },
      );
      writeFileSync(file, '');
      expect((await process.ended).code).toBe(0);
      const after = await silences(name);
      expect(after.map(({ id, status }) => [id, status.state])).toEqual([[first?.id, 'expired']]);
    });

    it('after kill -9 the silence soon ends by itself', async () => {
      const { name, process } = run('echo "pid $$"; exec sleep 20', '--ttl', '1200ms');
      const [, pid] = await process.says('stdout', /pid (\d+)/);
      process.kill('SIGKILL');
      expect((await process.ended).signal).toBe('SIGKILL');
      globalThis.process.kill(Number(pid), 'SIGKILL');
      expect(await states(name)).toEqual(['active']);
      await vi.waitFor(async () => expect(await states(name)).toEqual(['expired']), { timeout: 6000, interval: 100 });
    });

    it('does not create a silence again that somebody else expired', async () => {
      const file = marker();
      const { name, process } = run(until(file), ...EXTENDED_OFTEN);
      await process.says('stdout', /ready/);
      const [silence] = await silences(name);
      // Right after an extension, so that the next one does not come between reading and expiring.
      await vi.waitFor(async () => expect((await silences(name))[0]?.endsAt).not.toBe(silence?.endsAt), {
        timeout: 5000,
        interval: 10,
      });
      await wire(service.url(), `/api/v2/silence/${silence?.id}`, { method: 'DELETE' });
      const warning = `warning: silence ${silence?.id} has expired; the command continues without it`;
      await process.says('stderr', new RegExp(warning));
      writeFileSync(file, '');
      const { code } = await process.ended;
      expect([code, await states(name)]).toEqual([0, ['expired']]);
    });
  });

  describe('does not run the command', () => {
    const refused = async (argv: readonly string[], options: Parameters<typeof service.svc>[1] = {}) => {
      const file = marker();
      const ended = await service.svc(['silences', 'run', ...argv, '--', 'touch', file], options);
      expect([existsSync(file), ended.stdout, writes(ended.sent)]).toEqual([false, '', []]);
      return ended;
    };

    it('if the silence is refused, too wide, or not confirmed', async () => {
      expect((await refused(['a=~"("'])).code).toBe(3);
      expect((await refused(['a!=b'])).code).toBe(2);
      expect((await refused(['a=~".+"', '--yes'])).code).toBe(2);
      const asked = await refused(['a=b', '--ttl', '25h']);
      expect([asked.code, asked.stderr.includes('--yes')]).toEqual([2, true]);
      expect((await refused(['a=b', '--ttl', '25h'], { terminal: 80, answer: false })).stderr).toContain('declined');
    });

    it('if the command line is incomplete or invalid', async () => {
      for (const [argv, missing] of [
        [['a=b'], 'command'],
        [['a=b', 'true'], 'command'],
        [['a=b', '--'], 'command'],
        [['--', 'true'], 'matcher'],
      ] as const) {
        const ended = await service.svc(['silences', 'run', ...argv]);
        expect([ended.code, ended.sent]).toEqual([2, []]);
        expect(ended.stderr).toContain(`<${missing}> is required`);
      }
    });

    it('in a dry run', async () => {
      const ended = await service.svc(['silences', 'run', 'a=b', '--dry-run', '-o', 'json', '--', 'false']);
      expect([ended.code, ended.sent]).toEqual([0, []]);
      expect(JSON.parse(ended.stdout)).toMatchObject({ method: 'POST', body: { comment: 'while false runs' } });
    });
  });

  it('a command that cannot be started: the silence is expired, exit 2', async () => {
    const ended = await service.svc(['silences', 'run', 'run=nothing', '--', './no-such-program']);
    expect(ended.code).toBe(2);
    expect(ended.stderr).toContain('cannot run ./no-such-program: not found');
    expect(await states('nothing')).toEqual(['expired']);
  });

  it('passes arguments on, and does not put them into the comment', async () => {
    const ended = await service.svc(['silences', 'run', 'run=own', '--', 'sh', '-c', 'exit $#', '--help', '-o', '--'], {
      here: true,
    });
    expect(ended.code).toBe(2);
    expect(await silences('own')).toMatchObject([{ comment: 'while sh runs', createdBy: 'tester@host' }]);
    expect(lines(ended.sent).slice(1)).toEqual([
      'POST /api/v2/silences',
      expect.stringMatching(/^DELETE \/api\/v2\/silence\//),
    ]);
  });

  it('prints what the silence mutes first', async () => {
    await postAlerts(service.url(), [{ labels: { alertname: 'Run', run: 'told' } }]);
    const ended = await service.svc(['silences', 'run', 'run=told', '--', 'true']);
    expect(ended.stderr).toMatch(/run="told" mutes 1 active alert now; it ends at .*\nsilence .* is active until/);
    const quiet = await service.svc(['silences', 'run', 'run=told', '-q', '--', 'true']);
    expect([quiet.code, quiet.stdout, quiet.stderr]).toEqual([0, '', '']);
  });
});

const ID = '2f1a4c0e-1111-4222-8333-444455556660';

/** A server whose answers a test can take away. */
async function flaky(fault: (kind: string, count: number) => 'lost' | 'unapplied' | 'ended' | number | undefined) {
  const counts: Record<string, number> = {};
  const stored: { id: string; endsAt: string; status: { state: string } }[] = [];
  const lapse = (): void => {
    for (const one of stored) if (Date.parse(one.endsAt) <= Date.now()) one.status = { state: 'expired' };
  };
  const server = await faultServer((socket, { method, path, body }) => {
    const kind = method === 'GET' ? `GET /${path.split(/[/?]/)[3]}` : method;
    const count = (counts[kind] ?? 0) + 1;
    counts[kind] = count;
    const wrong = fault(kind, count);
    if (typeof wrong === 'number') return socket.write(answer(wrong, '"no"'));
    if (wrong === 'unapplied') return socket.resetAndDestroy();
    lapse();
    // Somebody ends the silences just before.
    if (wrong === 'ended')
      for (const one of stored) Object.assign(one, { endsAt: new Date().toISOString(), status: { state: 'expired' } });
    const silence = stored.find(({ id }) => path.endsWith(id));
    let reply = '';
    if (kind === 'GET /alerts') reply = '[]';
    else if (method === 'POST') {
      const { id: given, ...posted } = JSON.parse(body);
      const isOver = stored.find((one) => one.id === given)?.status.state === 'expired';
      const id = given === undefined || isOver ? `${ID.slice(0, -1)}${stored.length}` : given;
      const others = stored.filter((one) => one.id !== id);
      stored.splice(0, stored.length, ...others, {
        ...posted,
        id,
        updatedAt: posted.startsAt,
        status: { state: 'active' },
      });
      reply = `{"silenceID":"${id}"}`;
    } else if (method === 'DELETE' && silence !== undefined) silence.status = { state: 'expired' };
    else reply = JSON.stringify(kind === 'GET /silences' ? stored : silence);
    return wrong === 'lost' ? socket.resetAndDestroy() : socket.write(answer(200, reply));
  });
  const run = (...argv: string[]) => svc(['silences', 'run', 'a=b', '--base-url', server.url, ...argv]);
  const states = (): string[] => stored.map(({ status }) => status.state);
  return { run, states, counts, [Symbol.asyncDispose]: () => server.close() };
}

it('an unreachable server: the command is not run', async () => {
  const { code, stdout } = await svc([
    'silences',
    'run',
    'a=b',
    '--base-url',
    'http://127.0.0.1:9',
    '--',
    'echo',
    'ran',
  ]);
  expect([code, stdout]).toEqual([7, '']);
});

describe('a network that loses responses', () => {
  it.each([
    ['lost', ['active']],
    ['unapplied', []],
  ] as const)('the creation (%s): the outcome is unknown, and the command is not run', async (wrong, states) => {
    await using server = await flaky((kind) => (kind === 'POST' ? wrong : undefined));
    const { code } = await server.run('--', 'sh', '-c', 'exit 4');
    expect([code, server.states(), server.counts['POST']]).toEqual([8, states, 1]);
  });

  it('to the deletion: a read shows that it has expired', async () => {
    await using server = await flaky((kind) => (kind === 'DELETE' ? 'lost' : undefined));
    const { code, stderr } = await server.run('--', 'sh', '-c', 'exit 4');
    expect([code, server.states(), server.counts['DELETE']]).toEqual([4, ['expired'], 1]);
    expect(stderr).not.toContain('warning');
  });

  it.each([['unapplied'], [503], [429]] as const)('the deletion (%s): repeats it', async (wrong) => {
    await using server = await flaky((kind, count) => (kind === 'DELETE' && count < 3 ? wrong : undefined));
    const { code, stderr } = await server.run('--', 'sh', '-c', 'exit 4');
    expect([code, server.states(), server.counts['DELETE']]).toEqual([4, ['expired'], 3]);
    expect(stderr).not.toContain('warning');
  });

  it('every deletion: warns with the id, and keeps the status of the command', async () => {
    await using server = await flaky((kind) => (kind === 'DELETE' ? 500 : undefined));
    const { code, stderr } = await server.run('-q', '--', 'sh', '-c', 'exit 4');
    expect([code, server.states(), server.counts['DELETE']]).toEqual([4, ['active'], 6]);
    expect(stderr).toMatch(new RegExp(`^warning: silence ${ID} may still be active \\(.*\\); it ends at .*Z\\. `));
    expect(stderr).toContain(`svc silences expire ${ID}`);
  });

  it('does not repeat a deletion that is not allowed', async () => {
    await using server = await flaky((kind) => (kind === 'DELETE' ? 403 : undefined));
    const { code, stderr } = await server.run('--', 'true');
    expect([code, server.counts['DELETE']]).toEqual([0, 1]);
    expect(stderr).toContain(`warning: silence ${ID} may still be active`);
  });

  it('extensions: warns once, retries, and the command continues', async () => {
    await using server = await flaky((kind, count) => (kind === 'POST' && count > 1 && count < 4 ? 503 : undefined));
    const file = marker();
    const running = server.run('--ttl', '10s', '--', 'sh', '-c', `${until(file)}; exit 4`);
    await vi.waitFor(() => expect(server.counts['POST']).toBeGreaterThanOrEqual(4), { timeout: 20_000 });
    writeFileSync(file, '');
    const { code, stderr } = await running;
    expect([code, server.states()]).toEqual([4, ['expired']]);
    expect(stderr.match(/could not be extended/g)).toHaveLength(1);
    expect(stderr).toContain(`silence ${ID} is extended again`);
  });

  it('extensions, for longer than the silence lasts: the command continues without it', async () => {
    const back = Date.now() + 900;
    await using server = await flaky((kind, count) =>
      kind === 'POST' && count > 1 && Date.now() < back ? 503 : undefined,
    );
    const { code, stderr } = await server.run('--ttl', '500ms', '--', 'sh', '-c', 'sleep 1.2; exit 4');
    expect([code, server.states()]).toEqual([4, ['expired']]);
    expect(stderr).toContain(`warning: silence ${ID} has expired; the command continues without it`);
  });
});

it('a silence that the server replaced during an extension is expired at the end', async () => {
  await using server = await flaky((kind, count) => (kind === 'POST' && count === 2 ? 'ended' : undefined));
  const file = marker();
  const run = server.run(...EXTENDED_OFTEN, '--', 'sh', '-c', until(file));
  await vi.waitFor(() => expect(server.states()).toEqual(['expired', 'active']), { timeout: 20_000 });
  writeFileSync(file, '');
  expect([(await run).code, server.states()]).toEqual([0, ['expired', 'expired']]);
});

/** A server that keeps the answer to one kind of request until the test gives it. */
async function slow(kind: 'POST' | 'DELETE') {
  const methods: string[] = [];
  let give = (): void => {};
  let arrived = (): void => {};
  const asked = new Promise<void>((resolve) => {
    arrived = resolve;
  });
  const server = await faultServer((socket, { method, path }) => {
    if (method !== 'GET') methods.push(method);
    const reply = () => socket.write(answer(200, path.includes('/alerts') ? '[]' : `{"silenceID":"${ID}"}`));
    if (method !== kind) {
      reply();
      return;
    }
    give = reply;
    arrived();
  });
  const process = start(['silences', 'run', 'a=b', '--', 'echo', 'ran'], server.url);
  return { process, asked, give: () => give(), methods, [Symbol.asyncDispose]: () => server.close() };
}

describe.concurrent('a signal while the silence', () => {
  it('is being created: expires it, and does not run the command', async () => {
    await using server = await slow('POST');
    await server.asked;
    server.process.kill('SIGINT');
    setTimeout(server.give, 100);
    const { code, stdout } = await server.process.ended;
    expect([code, stdout, server.methods]).toEqual([130, '', ['POST', 'DELETE']]);
  });

  it('is being created by a silent server: does not wait', async () => {
    await using server = await slow('POST');
    await server.asked;
    server.process.kill('SIGTERM');
    const { code, stdout, stderr } = await server.process.ended;
    expect([code, stdout]).toEqual([143, '']);
    expect(stderr).toContain('warning: a silence may have been created; it ends within 15m');
  });

  it('is being expired by a silent server: does not wait', async () => {
    await using server = await slow('DELETE');
    await server.asked;
    server.process.kill('SIGINT');
    const { code, stdout, stderr } = await server.process.ended;
    expect([code, stdout]).toEqual([130, 'ran\n']);
    expect(stderr).toContain(`warning: silence ${ID} may still be active (svc did not wait for the response)`);
  });
});
