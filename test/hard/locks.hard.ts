/** Reused process ids, and lock files that svc did not write: svc does not wait for a dead owner, and does not touch foreign files. */
import { spawnSync } from 'node:child_process';
import { lstatSync, mkdirSync, readFileSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { nameOwner } from '../../src/store/lock.ts';
import { svc as built, SVC, start } from '../e2e/binary.ts';
import { FIRST, type RotatingServer, rotatingServer } from '../features/oauth/commands/rotating-server.ts';
import { svc, temporaryHome } from '../support/svc.ts';
import { freshFolder, killedAt, stepsOf } from './file-steps.ts';
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

const self = nameOwner(process);
/** `taken`: whether svc may take it over at once. */
const FOREIGN: Readonly<Record<string, { readonly text: string; readonly taken?: true }>> = {
  'an empty file': { text: '' },
  'a process id of another program': { text: '4711\n' },
  'other JSON': { text: '{"pid":1}' },
  'a list': { text: '[]' },
  'a text of a MiB': { text: 'x'.repeat(2 ** 20) },
  NULs: { text: '\0'.repeat(4096) },
  'an owner on another host': { text: JSON.stringify({ ...self, host: 'elsewhere' }) },
  'an owner of another boot': { text: JSON.stringify({ ...self, place: 'another boot' }) },
  'an owner whose id leaves the folder': { text: JSON.stringify({ ...self, id: '../../x' }) },
  'the first process, which started at another time': { text: JSON.stringify({ ...self, pid: 1 }), taken: true },
  'a process id that nobody has': { text: JSON.stringify({ ...self, pid: 2 ** 22 + 1 }), taken: true },
};

const COMMANDS: Readonly<
  Record<string, { readonly argv: readonly string[]; readonly stdin?: string; readonly lock: string }>
> = {
  settings: { argv: ['config', 'set', 'alerts.author', 'ann'], lock: 'settings.json.lock' },
  secrets: {
    argv: ['webhooks', 'secrets', 'import', 'ep_1'],
    stdin: 'whsec_0123456789abcdef',
    lock: 'webhook-secrets.json.lock',
  },
  logins: { argv: ['oauth', 'login', '--token-stdin'], stdin: FIRST.access, lock: 'credentials.json.lock' },
};
let service: RotatingServer;
beforeAll(async () => {
  service = await rotatingServer();
});
afterAll(() => service[Symbol.asyncDispose]());
const env = () => ({ SVC_WEBHOOKS_URL: service.url });

/** Its lock is there before it runs. */
function homeWith(lock: string, make: (path: string) => void): { readonly home: string; readonly path: string } {
  const home = temporaryHome();
  mkdirSync(join(home, 'config'), { recursive: true, mode: 0o700 });
  const path = join(home, 'config', lock);
  make(path);
  return { home, path };
}

// Two at a time: some wait for a minute.
describe.concurrent.each(Object.entries(COMMANDS))('the lock of %s', (_name, { argv, stdin, lock }) => {
  it.for(Object.entries(FOREIGN))('%s', async ([, { text, taken }], { task }) => {
    for (const isOld of [false, true]) {
      const { home, path } = homeWith(lock, (at) => {
        writeFileSync(at, text);
        const seconds = Date.now() / 1000 + (isOld ? -120 : 600);
        utimesSync(at, seconds, seconds);
      });
      const began = Date.now();
      // Its seconds are short: it waits for half a minute.
      const now = (): number => began + (Date.now() - began) * 50;
      const { code, stderr } = await svc(argv, { home, now, env: env(), ...(stdin === undefined ? {} : { stdin }) });
      if (taken || isOld)
        expect({ isOld, code, stderr: code === 0 ? '' : stderr }).toEqual({ isOld, code: 0, stderr: '' });
      else {
        expect([2, 7], stderr).toContain(code);
        expect(stderr).toContain(path);
        expect(readFileSync(path, 'utf8')).toBe(text);
      }
      counted(task, 1);
    }
  });

  const PLACES: Readonly<Record<string, (path: string) => void>> = {
    'a folder': (path) => mkdirSync(path),
    'a link to nowhere': (path) => symlinkSync('nowhere', path),
    'a link to a file of the user': (path) => {
      writeFileSync(`${path}.notes`, 'mine');
      symlinkSync(`${path}.notes`, path);
    },
    'a named pipe': (path) => {
      expect(spawnSync('mkfifo', [path]).status).toBe(0);
    },
  };
  it.for(Object.entries(PLACES))('%s in its place', async ([, make], { task }) => {
    const { home, path } = homeWith(lock, make);
    const config = { SVC_CONFIG_DIR: join(home, 'config') };
    const { code, signal, stderr } = await built(argv, {
      ...{ env: { ...env(), ...config }, timeout: 120_000 },
      ...(stdin === undefined ? {} : { input: stdin }),
    });
    expect({ code, signal }, stderr).toMatchObject({ signal: null });
    expect(stderr).not.toMatch(/\n {4}at |a bug in svc/);
    expect([2, 7], stderr).toContain(code);
    expect(stderr).toContain(path);
    lstatSync(path);
    if (lstatSync(`${path}.notes`, { throwIfNoEntry: false }) !== undefined) {
      expect(readFileSync(`${path}.notes`, 'utf8')).toBe('mine');
    }
    counted(task, 1);
  });
});
