import { existsSync, writeFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { startAlertmanagerEmulator } from '../../../../src/sandbox/alerts/server.ts';
import type { Ended } from '../../../e2e/binary.ts';
import { getJson, postAlerts, type StoredSilence, wire } from '../../../support/alertmanager.ts';
import { answer, faultServer, type Received } from '../../../support/servers.ts';
import { svc, temporaryHome } from '../../../support/svc.ts';
import { lines, sharedService, writes } from '../../alerts/commands/service.ts';
import { start } from './built.ts';

interface Silence extends StoredSilence {
  readonly createdBy: string;
}

let label = 0;
const marker = (): string => join(temporaryHome(), 'marker');
/** Extended every four seconds, and long enough not to end where the machine is busy. */
const EXTENDED_OFTEN = ['--ttl', '6s'] as const;
/** Ends when the file is there. */
const until = (file: string): string => `while [ ! -e '${file}' ]; do sleep 0.05; done`;
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

  describe.concurrent('in the built program', () => {
    it('silences while the command runs, and exits with its status', async () => {
      const file = marker();
      const { name, process } = run(`echo ready; ${until(file)}; exit 7`, '-c', 'deploy 214', '--author', 'ci');
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

    it('extends the silence while the command runs', async () => {
      const file = marker();
      const { name, process } = run(`echo ready; ${until(file)}`, ...EXTENDED_OFTEN);
      await process.says('stdout', /ready/);
      const [first] = await silences(name);
      await vi.waitFor(
        async () => {
          const [silence] = await silences(name);
          expect(Date.parse(silence?.endsAt ?? '')).toBeGreaterThan(Date.parse(first?.endsAt ?? '') + 500);
          expect(silence).toMatchObject({ id: first?.id, status: { state: 'active' } });
        },
        { timeout: 20_000, interval: 50 },
      );
      writeFileSync(file, '');
      expect((await process.ended).code).toBe(0);
      const after = await silences(name);
      expect(after.map(({ id, status }) => [id, status.state])).toEqual([[first?.id, 'expired']]);
    });

    it('leaves a silence that soon ends by itself after kill -9', async () => {
      const { name, process } = run('echo "pid $$"; exec sleep 20', ...EXTENDED_OFTEN);
      const [, pid] = await process.says('stdout', /pid (\d+)/);
      process.kill('SIGKILL');
      expect((await process.ended).signal).toBe('SIGKILL');
      globalThis.process.kill(Number(pid), 'SIGKILL');
      expect(await states(name)).toEqual(['active']);
      await vi.waitFor(async () => expect(await states(name)).toEqual(['expired']), { timeout: 20_000, interval: 100 });
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

    it('if the command line is incomplete', async () => {
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
  });

  it('exits 2 if the command cannot be started, and expires the silence', async () => {
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

  it('prints first what the silence mutes', async () => {
    await postAlerts(service.url(), [{ labels: { alertname: 'Run', run: 'counted' } }]);
    const ended = await service.svc(['silences', 'run', 'run=counted', '--', 'true']);
    expect(ended.stderr).toMatch(/run="counted" mutes 1 active alert now; it ends at .*\nsilence .* is active until/);
    const quiet = await service.svc(['silences', 'run', 'run=counted', '-q', '--', 'true']);
    expect([quiet.code, quiet.stdout, quiet.stderr]).toEqual([0, '', '']);
  });
});

type Wrong = 'lost' | 'unapplied' | 'ended' | number | undefined;

/** What is shorter is the pause before a request is repeated. */
const SHORTEST_LEASE_MS = 10_000;

/** A server whose answers a test can take away. The clock of both sides goes on when svc waits to extend the silence. */
async function flaky(fault: (kind: string, count: number, time: number) => Wrong) {
  const counts: Record<string, number> = {};
  let time = Date.now();
  const behind = await startAlertmanagerEmulator({ now: () => time, seed: 'empty' });
  const silences = () => getJson<StoredSilence[]>(behind.url, '/api/v2/silences');
  const serve = async (socket: Socket, { method, path, headers, body }: Received): Promise<unknown> => {
    const kind = method === 'GET' ? `GET /${path.split(/[/?]/)[3]}` : method;
    const count = (counts[kind] ?? 0) + 1;
    counts[kind] = count;
    const wrong = fault(kind, count, time);
    if (typeof wrong === 'number') return socket.write(answer(wrong, '"no"'));
    if (wrong === 'unapplied') return socket.resetAndDestroy();
    for (const { id } of wrong === 'ended' ? await silences() : []) {
      await wire(behind.url, `/api/v2/silence/${id}`, { method: 'DELETE' });
    }
    const answered = await wire(behind.url, path, { method, headers, body });
    return wrong === 'lost' ? socket.resetAndDestroy() : socket.write(answer(answered.status, answered.body));
  };
  const server = await faultServer((socket, request) => void serve(socket, request).catch(() => socket.destroy()));
  const run = (...argv: string[]) =>
    svc(['silences', 'run', 'a=b', '--base-url', server.url, ...argv], { now: () => time });
  /** The command ends when svc says so, or when the last of so many silences is sent. */
  const runUntil = async (end: RegExp | number) => {
    const file = marker();
    const isOver = () => typeof end === 'number' && (counts['POST'] ?? 0) >= end;
    return await svc(['silences', 'run', 'a=b', '--base-url', server.url, '--', 'sh', '-c', `${until(file)}; exit 4`], {
      now: () => time,
      onStderr: (text) => {
        if (typeof end !== 'number' && end.test(text)) writeFileSync(file, '');
      },
      sleepsUntil: (ms) => {
        if (ms < SHORTEST_LEASE_MS) return undefined;
        if (isOver()) {
          writeFileSync(file, '');
          return new Promise(() => {});
        }
        time += ms;
        return Promise.resolve();
      },
    });
  };
  return {
    run,
    runUntil,
    counts,
    states: async () => (await silences()).map(({ status }) => status.state),
    id: async () => (await silences())[0]?.id ?? '',
    async [Symbol.asyncDispose]() {
      await Promise.all([server.close(), behind.close()]);
    },
  };
}

describe('svc silences run on a network that loses responses', () => {
  it('does not run the command without the response to the creation', async () => {
    for (const [wrong, states] of [
      ['lost', ['active']],
      ['unapplied', []],
    ] as const) {
      await using server = await flaky((kind) => (kind === 'POST' ? wrong : undefined));
      const { code } = await server.run('--', 'sh', '-c', 'exit 4');
      expect([code, await server.states(), server.counts['POST']]).toEqual([8, states, 1]);
    }
  });

  it('reads the silence if the response to the deletion is lost', async () => {
    await using server = await flaky((kind) => (kind === 'DELETE' ? 'lost' : undefined));
    const { code, stderr } = await server.run('--', 'sh', '-c', 'exit 4');
    expect([code, await server.states(), server.counts['DELETE']]).toEqual([4, ['expired'], 1]);
    expect(stderr).not.toContain('warning');
  });

  it('repeats a deletion that was not applied', async () => {
    for (const wrong of ['unapplied', 503, 429] as const) {
      await using server = await flaky((kind, count) => (kind === 'DELETE' && count < 3 ? wrong : undefined));
      const { code, stderr } = await server.run('--', 'sh', '-c', 'exit 4');
      expect([wrong, code, await server.states(), server.counts['DELETE']]).toEqual([wrong, 4, ['expired'], 3]);
      expect(stderr).not.toContain('warning');
    }
  });

  it('warns with the id if no deletion succeeds, and exits with the status of the command', async () => {
    await using server = await flaky((kind) => (kind === 'DELETE' ? 500 : undefined));
    const { code, stderr } = await server.run('-q', '--', 'sh', '-c', 'exit 4');
    expect([code, await server.states(), server.counts['DELETE']]).toEqual([4, ['active'], 6]);
    const id = await server.id();
    expect(stderr).toMatch(new RegExp(`^warning: silence ${id} may still be active \\(.*\\); it ends at .*Z\\. `));
    expect(stderr).toContain(`svc silences expire ${id}`);
  });

  it('does not repeat a deletion that is not allowed', async () => {
    await using server = await flaky((kind) => (kind === 'DELETE' ? 403 : undefined));
    const { code, stderr } = await server.run('--', 'true');
    expect([code, server.counts['DELETE']]).toEqual([0, 1]);
    expect(stderr).toContain(`warning: silence ${await server.id()} may still be active`);
  });

  it('warns once of failed extensions, and tries again', async () => {
    await using server = await flaky((kind, count) => (kind === 'POST' && count > 1 && count < 4 ? 503 : undefined));
    const { code, stderr } = await server.runUntil(4);
    expect([code, server.counts['POST'], await server.states()]).toEqual([4, 4, ['expired']]);
    expect(stderr.match(/could not be extended/g)).toHaveLength(1);
    expect(stderr).toContain(`silence ${await server.id()} is extended again`);
  });

  it('continues without the silence if the extensions fail until it has ended', async () => {
    const back = Date.now() + 20 * 60_000;
    await using server = await flaky((kind, count, time) =>
      kind === 'POST' && count > 1 && time < back ? 503 : undefined,
    );
    const { code, stderr } = await server.runUntil(/has expired/);
    expect([code, await server.states()]).toEqual([4, ['expired']]);
    expect(stderr).toContain(`warning: silence ${await server.id()} has expired; the command continues without it`);
  });

  it('does not create a silence again that somebody else expired', async () => {
    await using server = await flaky((kind) => (kind === 'GET /silence' ? 'ended' : undefined));
    const { code, stderr } = await server.runUntil(/has expired/);
    expect([code, server.counts['POST'], await server.states()]).toEqual([4, 1, ['expired']]);
    expect(stderr).toContain(`warning: silence ${await server.id()} has expired; the command continues without it`);
  });

  it('expires at the end the silence that the server created instead of an extension', async () => {
    await using server = await flaky((kind, count) => (kind === 'POST' && count === 2 ? 'ended' : undefined));
    const { code } = await server.runUntil(2);
    expect([code, server.counts['POST'], await server.states()]).toEqual([4, 2, ['expired', 'expired']]);
  });
});

const ID = '2f1a4c0e-1111-4222-8333-444455556660';

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

describe.concurrent('svc silences run after a signal while the silence', () => {
  it('is being created expires it, and does not run the command', async () => {
    await using server = await slow('POST');
    await server.asked;
    server.process.kill('SIGINT');
    setTimeout(server.give, 1_000); // of the 3 s that svc waits: it has taken the signal by then
    const { code, stdout } = await server.process.ended;
    expect([code, stdout, server.methods]).toEqual([130, '', ['POST', 'DELETE']]);
  });

  it('is being created by a silent server does not wait', async () => {
    await using server = await slow('POST');
    await server.asked;
    server.process.kill('SIGTERM');
    const { code, stdout, stderr } = await server.process.ended;
    expect([code, stdout]).toEqual([143, '']);
    expect(stderr).toContain('warning: a silence may have been created; it ends within 15m');
  });

  it('is being expired by a silent server does not wait', async () => {
    await using server = await slow('DELETE');
    await server.asked;
    server.process.kill('SIGINT');
    const { code, stdout, stderr } = await server.process.ended;
    expect([code, stdout]).toEqual([130, 'ran\n']);
    expect(stderr).toContain(`warning: silence ${ID} may still be active (svc did not wait for the response)`);
  });
});
