/** Many concurrent processes, repeatedly: one refresh for all, and nothing is lost. */
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { nameOwner } from '../../src/store/lock.ts';
import { SVC, start, startSvc, svc } from '../e2e/binary.ts';
import { childProgram } from '../store/child.ts';
import { FIRST, keep, login, rotatingServer } from '../support/rotating-server.ts';
import { freshFolder, namesIn } from './file-steps.ts';
import { counted, scaled } from './scale.ts';
import { credentialsIn } from './stored-files.ts';

const children = childProgram();
const lockers = childProgram(new URL('../store/lock-program.ts', import.meta.url));
const environment = (config: string, url: string) => ({ SVC_CONFIG_DIR: config, SVC_WEBHOOKS_URL: url });

/** The service is in this process: where it takes long to start a hundred others, it must answer the first ones meanwhile. */
async function together<T>(count: number, run: (index: number) => Promise<T>): Promise<T[]> {
  const running: Promise<T>[] = [];
  for (let index = 0; index < count; index++) {
    running.push(run(index));
    await new Promise((resolve) => setImmediate(resolve));
  }
  return Promise.all(running);
}

for (const [processes, rounds] of [
  [20, scaled(20)],
  [100, scaled(6)],
] as const) {
  it(`${processes} processes refresh one login, ${rounds} times`, async ({ task }) => {
    await using server = await rotatingServer({ latency: 150 });
    const config = freshFolder();
    for (let round = 1; round <= rounds; round++) {
      keep(config, login(server.url, -10, { refresh_token: server.current }));
      const env = environment(config, server.url);
      const runs = await together(processes, () => svc(['oauth', 'token'], { env }));
      const printed = `at-${round}-abcdefghijkl\n`;
      expect(runs.map(({ code, stdout, stderr }) => [code, stdout, stderr])).toEqual(runs.map(() => [0, printed, '']));
      expect({ round, calls: server.calls, alive: server.alive }).toEqual({ round, calls: round, alive: true });
      expect(namesIn(config)).toEqual(['credentials.json']);
      counted(task, processes);
    }
  });
}

it('some refreshing processes are killed: the others continue, and the login survives if it can', async ({ task }) => {
  let server = await rotatingServer({ latency: 30 });
  for (let round = 0; round < scaled(20); round++) {
    if (!server.alive) {
      await server[Symbol.asyncDispose]();
      server = await rotatingServer({ latency: 30 });
    }
    const config = freshFolder();
    keep(config, login(server.url, -10, { refresh_token: server.current }));
    const env = environment(config, server.url);
    const running = Array.from({ length: 8 }, () => startSvc(['oauth', 'token'], { env }));
    const [first] = await Promise.race(running.map((one) => Promise.all([one, one.ended])));
    for (const one of running.slice(0, 4)) if (one !== first) one.child.kill('SIGKILL');
    const ended = await Promise.all(running.map((one) => one.ended));
    const survivors = ended.filter(({ signal }) => signal === null);
    expect(new Set(survivors.map(({ code }) => code)).size).toBe(1);
    const next = await svc(['oauth', 'token'], { env });
    expect({ round, code: next.code, alive: server.alive }).toEqual({ round, code: 0, alive: true });
    counted(task, running.length);
  }
  await server[Symbol.asyncDispose]();
});

it('twenty sign in at once, each with its own profile, and all are stored', async ({ task }) => {
  await using server = await rotatingServer({ latency: 30 });
  const profiles = Array.from({ length: 20 }, (_, i) => `p${i}`);
  for (let round = 0; round < scaled(5); round++) {
    const config = freshFolder();
    const each = { profiles: Object.fromEntries(profiles.map((profile) => [profile, {}])) };
    keep(config, each, 'settings.json');
    const env = environment(config, server.url);
    const runs = await together(profiles.length, (i) =>
      svc(['oauth', 'login', '--token-stdin', '--profile', `p${i}`], { env, input: FIRST.access }),
    );
    expect(runs.map(({ code, stderr }) => (code === 0 ? '' : stderr))).toEqual(runs.map(() => ''));
    const { credentials } = credentialsIn(config);
    expect(credentials.map(({ profile }) => profile).sort()).toEqual([...profiles].sort());
    expect(namesIn(config)).toEqual(['credentials.json', 'settings.json']);
    counted(task, profiles.length);
  }
});

/** Where process ids mean something else: what a container is to the machine that shares a home with it. */
const APART = ['unshare', '--pid', '--fork', '--mount-proc', '--kill-child'] as const;
const canBeApart = spawnSync(APART[0], [...APART.slice(1), 'true']).status === 0;

describe.runIf(canBeApart)('two separate namespaces (needs root)', () => {
  it('share one lock', async ({ task }) => {
    const folder = freshFolder();
    const each = scaled(20);
    writeFileSync(join(folder, 'counter'), '0');
    const places = Array.from({ length: 20 }, (_, i) => (i % 2 === 0 ? {} : { through: APART }));
    const runs = await Promise.all(places.map((place) => lockers.run(['increment', folder, String(each)], place)));
    expect(runs).toEqual(runs.map(() => ({ status: 0, stderr: '' })));
    expect(readFileSync(join(folder, 'counter'), 'utf8')).toBe(String(places.length * each));
    counted(task, places.length * each);
  });

  it('refresh one login once', async ({ task }) => {
    await using server = await rotatingServer({ latency: 150 });
    const config = freshFolder();
    const env = environment(config, server.url);
    for (let round = 1; round <= scaled(5); round++) {
      keep(config, login(server.url, -10, { refresh_token: server.current }));
      const [command, ...args] = [...APART, ...SVC, 'oauth', 'token'];
      const runs = await together(10, (i) =>
        i % 2 === 0 ? svc(['oauth', 'token'], { env }) : start(command, args, { env }).ended,
      );
      const printed = `at-${round}-abcdefghijkl\n`;
      expect(runs.map(({ code, stdout, stderr }) => [code, stdout, stderr])).toEqual(runs.map(() => [0, printed, '']));
      expect({ round, calls: server.calls, alive: server.alive }).toEqual({ round, calls: round, alive: true });
      expect(namesIn(config)).toEqual(['credentials.json']);
      counted(task, runs.length);
    }
  });
});

it('settings, secrets and clients of twenty writers are all stored', async ({ task }) => {
  const config = freshFolder();
  const each = scaled(25);
  const names = Array.from({ length: 20 }, (_, i) => `w${i}`);
  for (const mode of ['settings', 'secrets', 'add-clients']) {
    const runs = await Promise.all(names.map((name) => children.run([mode, config, String(each), name])));
    expect({ mode, runs }).toEqual({ mode, runs: names.map(() => ({ status: 0, stderr: '' })) });
    counted(task, names.length * each);
  }
  const read = (name: string) => JSON.parse(readFileSync(join(config, name), 'utf8'));
  expect(Object.keys(read('settings.json'))).toHaveLength(names.length * each);
  expect(Object.keys(read('webhook-secrets.json').secrets)).toHaveLength(names.length * each);
  expect(Object.keys(read('credentials.json').secrets)).toHaveLength(names.length * each);
  expect(namesIn(config)).toEqual(['credentials.json', 'settings.json', 'webhook-secrets.json']);
});

/** The lock of a process that has ended. */
function deadLock(): string {
  return JSON.stringify({ ...nameOwner(process), pid: spawnSync('true').pid, id: 'of-a-dead-process' });
}

for (const [processes, each] of [
  [20, scaled(200)],
  [50, scaled(20)],
] as const) {
  it(`a lock lets one of ${processes} processes in at a time, ${each} times each, even with a stale one`, async ({
    task,
  }) => {
    const folder = freshFolder();
    const count = processes * each;
    writeFileSync(join(folder, 'counter'), '0');
    writeFileSync(join(folder, 'counter.lock'), deadLock());
    const runs = await together(processes, () => lockers.run(['increment', folder, String(each)]));
    expect(runs).toEqual(runs.map(() => ({ status: 0, stderr: '' })));
    expect(readFileSync(join(folder, 'counter'), 'utf8')).toBe(String(count));
    expect(namesIn(folder)).toEqual(['counter']);
    counted(task, count);
  });
}

it('a stale lock goes to one of eight at a time', async ({ task }) => {
  const folder = freshFolder();
  const rounds = scaled(200);
  for (let round = 0; round < rounds; round++) writeFileSync(join(folder, `${round}.lock`), deadLock());
  const runs = await Promise.all(Array.from({ length: 8 }, () => lockers.run(['takeovers', folder, String(rounds)])));
  expect(runs).toEqual(runs.map(() => ({ status: 0, stderr: '' })));
  expect(namesIn(folder)).toEqual([]);
  counted(task, 8 * rounds);
});

it('waits for a stopped owner', async ({ task }) => {
  const folder = freshFolder();
  writeFileSync(join(folder, 'counter'), '0');
  const holder = lockers.start(['hold', join(folder, 'counter.lock')]);
  await once(holder.stdout ?? holder, 'data');
  holder.kill('SIGSTOP');
  const waiter = lockers.run(['increment', folder, '1']);
  const early = await Promise.race([
    waiter.then(() => 'overtaken'),
    new Promise((resolve) => setTimeout(resolve, scaled(20_000), 'waits')),
  ]);
  expect(early).toBe('waits');
  holder.kill('SIGKILL');
  expect(await waiter).toEqual({ status: 0, stderr: '' });
  counted(task, 1);
});
