/** The lock in any order of steps, with reused process ids, and with lock files that svc did not write. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { nameOwner } from '../../src/store/lock.ts';
import { svc as built, SVC, start } from '../e2e/binary.ts';
import { FIRST, type RotatingServer, rotatingServer } from '../support/rotating-server.ts';
import { svc, temporaryHome } from '../support/svc.ts';
import { freshFolder, killedAt, stepsOf } from './file-steps.ts';
import { runSchedules } from './lock-schedules.ts';
import { counted, scaled } from './scale.ts';

const STEP = Math.max(1, Math.round(100 / scaled(100)));
const APART = ['--pid', '--fork', '--mount-proc', '--kill-child'] as const;
const canBeApart = spawnSync('unshare', [...APART, 'true']).status === 0;

/** Kills svc, gives its process id to a sleeper, and runs svc again. */
const REUSE = `
"$@" before >/dev/null 2>&1 & dead=$!; wait $dead
unset FILE_STEPS_KILL
for try in $(seq 50); do
  echo $((dead - 1)) >/proc/sys/kernel/ns_last_pid; sleep 600 & alive=$!
  [ $alive = $dead ] && break; kill $alive; wait $alive 2>/dev/null
done
echo "reused: $([ $alive = $dead ] && echo yes)"; [ -e "$LOCK" ] && echo "locked: yes"
"$@" after; status=$?; kill $alive; exit $status`;

it.runIf(canBeApart)('a reused process id (needs root)', async ({ task }) => {
  const place = (root: string) => ({ SVC_CONFIG_DIR: root, LOCK: join(root, 'settings.json.lock') });
  const set = [...SVC, 'config', 'set', 'alerts.author'];
  const first = freshFolder();
  const { points } = await stepsOf(first, undefined, (more) =>
    built(['config', 'set', 'alerts.author', 'before'], { env: { ...place(first), ...more } }),
  );
  let locked = 0;
  for (let at = 1; at <= points.length; at += STEP) {
    const root = freshFolder();
    const argv = [...APART, 'bash', '-c', REUSE, 'bash', ...set];
    const { code, stdout, stderr } = await start('unshare', argv, { env: { ...place(root), ...killedAt(root, at) } })
      .ended;
    const point = `${at} of ${points.length}: ${points[at - 1]}`;
    expect({ point, code, stderr: code === 0 ? '' : stderr }).toEqual({ point, code: 0, stderr: '' });
    expect(stdout, point).toContain('reused: yes');
    if (!stdout.includes('locked: yes')) continue;
    locked += 1;
    counted(task, 1);
  }
  // If it died with the lock, no process mistook the sleeper for its owner.
  expect(locked).toBeGreaterThan(0);
});

it('processes that take their steps in any order, die and are suspended: one owner at a time', async ({ task }) => {
  const count = scaled(1500);
  const first = 1 + Math.floor(Math.random() * 2 ** 30);
  const { faults, writes, deaths, losses } = await runSchedules(Array.from({ length: count }, (_, i) => first + i));
  expect(faults).toEqual([]);
  counted(task, count);
  task.meta.figures = `${count} schedules: ${writes} writes, ${deaths} deaths, ${losses} owners that lost their lock`;
});

const self = nameOwner(process);
/** `isDead`: svc knows that its owner has ended, and does not wait for a heartbeat. */
const FOREIGN: Readonly<Record<string, { readonly text: string; readonly isDead?: true }>> = {
  'an empty file': { text: '' },
  'a process id of another program': { text: '4711\n' },
  'other JSON': { text: '{"pid":1}' },
  'a list': { text: '[]' },
  'a text of a MiB': { text: 'x'.repeat(2 ** 20) },
  NULs: { text: '\0'.repeat(4096) },
  'an owner on another host': { text: JSON.stringify({ ...self, host: 'elsewhere' }) },
  'an owner of another boot': { text: JSON.stringify({ ...self, place: 'another boot' }) },
  'an owner whose id leaves the folder': { text: JSON.stringify({ ...self, id: '../../x' }) },
  'the first process, which started at another time': { text: JSON.stringify({ ...self, pid: 1 }), isDead: true },
  'a process id that nobody has': { text: JSON.stringify({ ...self, pid: 2 ** 22 + 1 }), isDead: true },
};

const COMMANDS: Readonly<
  Record<string, { readonly argv: readonly string[]; readonly stdin?: string; readonly file: string }>
> = {
  settings: { argv: ['config', 'set', 'alerts.author', 'ann'], file: 'settings.json' },
  secrets: {
    argv: ['webhooks', 'secrets', 'import', 'ep_1'],
    stdin: 'whsec_0123456789abcdef',
    file: 'webhook-secrets.json',
  },
  logins: { argv: ['oauth', 'login', '--token-stdin'], stdin: FIRST.access, file: 'credentials.json' },
};
let service: RotatingServer;
beforeAll(async () => {
  service = await rotatingServer();
});
afterAll(() => service[Symbol.asyncDispose]());

describe.each(Object.entries(COMMANDS))('the lock of %s', (_name, { argv, stdin, file }) => {
  /** Its lock is there before it runs. Its pauses take no time: `waited` is how long they would have been. */
  async function runWithLock(make: (path: string) => void) {
    const home = temporaryHome();
    const config = join(home, 'config');
    mkdirSync(config, { recursive: true, mode: 0o700 });
    const path = join(config, `${file}.lock`);
    make(path);
    let waited = 0;
    const sleepsUntil = async (ms: number): Promise<void> => {
      waited += ms;
    };
    const input = stdin === undefined ? {} : { stdin };
    const { code, stderr } = await svc(argv, { home, sleepsUntil, env: { SVC_WEBHOOKS_URL: service.url }, ...input });
    return { code, stderr, waited, path, names: readdirSync(config) };
  }

  it.for(Object.entries(FOREIGN))('%s is taken over', async ([, { text, isDead }], { task }) => {
    for (const age of [-600, 0, 120]) {
      const { code, stderr, waited, names } = await runWithLock((path) => {
        writeFileSync(path, text);
        utimesSync(path, Date.now() / 1000 - age, Date.now() / 1000 - age);
      });
      expect({ age, code, names }, stderr).toEqual({ age, code: 0, names: [file] });
      if (isDead) expect(waited).toBe(0);
      else expect(waited).toBeGreaterThanOrEqual(15_000);
      counted(task, 1);
    }
  });

  it('a link to a file of the user is taken over, and the file stays', async ({ task }) => {
    const notes = join(temporaryHome(), 'notes');
    writeFileSync(notes, 'mine');
    const { code, stderr, names } = await runWithLock((path) => symlinkSync(notes, path));
    expect({ code, names }, stderr).toEqual({ code: 0, names: [file] });
    expect(readFileSync(notes, 'utf8')).toBe('mine');
    counted(task, 1);
  });

  it.for<readonly [string, number, (path: string) => unknown]>([
    ['a folder', 2, (path) => mkdirSync(path)],
    ['a named pipe', 2, (path) => spawnSync('mkfifo', [path])],
    ['a link to nowhere', 7, (path) => symlinkSync('nowhere', path)],
  ])('%s is an error that names it', async ([, expected, make], { task }) => {
    const { code, stderr, path, names } = await runWithLock(make);
    expect({ code, stderr, names }).toEqual({
      code: expected,
      stderr: expect.stringContaining(path),
      names: [`${file}.lock`],
    });
    expect(stderr).not.toMatch(/\n {4}at |a bug in svc/);
    counted(task, 1);
  });
});
