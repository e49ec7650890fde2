import { type ChildProcess, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { type LockContext, nameOwner, processLiveness, processName, withLock } from '../../src/store/lock.ts';
import { writeAtomic } from '../../src/store/own-file.ts';
import { lockContext, testFolder } from '../support/folder.ts';
import { ordinaryUser } from '../support/stranger.ts';
import { childProgram } from './child.ts';

const folder = testFolder();
const children = childProgram(new URL('./lock-program.ts', import.meta.url));
const ordinary = ordinaryUser(process.execPath);
let lock = '';
beforeEach(() => {
  lock = join(folder.path, 'a.lock');
});

const DAY_MS = 86_400_000;
const self = processName(process.pid);
/** A process that this machine cannot examine. */
const elsewhere: LockContext = { ...lockContext, processName: { ...self, host: 'elsewhere' } };

/** Waits without taking time: `waited` is how long it would have been. */
class Waiter implements LockContext {
  waited = 0;
  now: LockContext['now'] = Date.now;
  readonly signal = new AbortController().signal;
  readonly random = Math.random;
  readonly pid = process.pid;
  readonly #onPause: (waited: number, ms: number) => unknown;

  constructor(onPause: (waited: number, ms: number) => unknown = () => {}) {
    this.#onPause = onPause;
  }

  readonly sleep = async (ms: number): Promise<void> => {
    this.waited += ms;
    await this.#onPause(this.waited, ms);
  };
}

/** The lock of a process that has ended. */
function deadLock(id = 'of-a-dead-process'): string {
  return JSON.stringify({ ...nameOwner(process), pid: spawnSync('true').pid, id });
}

async function startHolder(argv: readonly string[]): Promise<ChildProcess> {
  const holder = children.start(argv);
  onTestFinished(() => void holder.kill('SIGKILL'));
  await once(holder.stdout ?? holder, 'data');
  return holder;
}

describe('a lock', () => {
  it('lets one of 8 processes in at a time: none of 80 increments is lost', async () => {
    writeFileSync(join(folder.path, 'counter'), '0');
    const all = await Promise.all(Array.from({ length: 8 }, () => children.run(['increment', folder.path, '10'])));
    expect(all).toEqual(all.map(() => ({ status: 0, stderr: '' })));
    expect(readFileSync(join(folder.path, 'counter'), 'utf8')).toBe('80');
    expect(readdirSync(folder.path)).toEqual(['counter']);
  });

  it('names its owner, and is removed at the end, also if the body fails', async () => {
    const seen: unknown[] = [];
    const fails = () => {
      seen.push(JSON.parse(readFileSync(lock, 'utf8')), statSync(lock).mode & 0o777);
      throw new Error('body');
    };
    await expect(withLock(lock, lockContext, fails)).rejects.toThrow('body');
    expect(seen).toEqual([{ ...self, id: expect.any(String) }, 0o600]);
    expect(readdirSync(folder.path)).toEqual([]);
  });

  it('appears completely or not at all: there is none on a full disk', async () => {
    writeFileSync(join(folder.path, 'counter'), '0');
    const { status, stderr } = await children.runWithFileLimit(0, ['increment', folder.path]);
    expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringContaining('cannot lock') });
    expect(readdirSync(folder.path)).toEqual(['counter']);
  });

  it.each([
    ['below a file', 'not a directory', () => writeFileSync(join(folder.path, 'file'), ''), 'file/a.lock'],
    ['where a pipe is', 'not a regular file', () => spawnSync('mkfifo', [join(folder.path, 'a.lock')]), 'a.lock'],
  ])('%s is an error that says why', async (_, why, prepare, name) => {
    prepare();
    const path = join(folder.path, name);
    await expect(withLock(path, lockContext, () => {})).rejects.toMatchObject({
      code: 'file_unusable',
      message: expect.stringMatching(new RegExp(`^cannot lock ${path}: .*${why}`)),
    });
  });
});

describe('an owner', () => {
  it('that was killed is followed at once', async () => {
    const holder = await startHolder(['hold', lock]);
    let pauses = 0;
    const taken = withLock(
      lock,
      {
        ...lockContext,
        sleep: (ms) => {
          if (++pauses === 3) holder.kill('SIGKILL');
          return lockContext.sleep(ms);
        },
      },
      () => 'mine',
    );
    expect(await taken).toBe('mine');
    expect(pauses).toBeGreaterThanOrEqual(3);
    expect(readdirSync(folder.path)).toEqual([]);
  });

  it('that died is followed by one process at a time', async () => {
    for (let round = 0; round < 20; round++) writeFileSync(join(folder.path, `${round}.lock`), deadLock());
    const all = await Promise.all(Array.from({ length: 4 }, () => children.run(['takeovers', folder.path, '20'])));
    expect(all).toEqual(all.map(() => ({ status: 0, stderr: '' })));
    expect(readdirSync(folder.path)).toEqual([]);
  });

  it('that died after it had taken over from a dead one is followed at once, and all their files are removed', async () => {
    writeFileSync(lock, deadLock('first'));
    writeFileSync(`${lock}.first`, deadLock('second'));
    const waiter = new Waiter();
    const names = await withLock(lock, waiter, () => readdirSync(folder.path));
    expect([waiter.waited, names]).toEqual([0, ['a.lock', 'a.lock.first', 'a.lock.second']]);
    expect(readdirSync(folder.path)).toEqual([]);
  });

  it('that is suspended on this machine does not lose its lock, and the waiter names it', async () => {
    const holder = await startHolder(['hold', lock]);
    holder.kill('SIGSTOP');
    const waiter = new Waiter();
    await expect(withLock(lock, waiter, () => {})).rejects.toMatchObject({
      code: 'timeout',
      message: `process ${holder.pid} on ${self.host} did not release the lock ${lock} within 30 s`,
      hint: expect.stringContaining('if it is suspended, resume it'),
    });
    expect(waiter.waited).toBeGreaterThanOrEqual(30_000);
    expect(JSON.parse(readFileSync(lock, 'utf8'))).toMatchObject({ pid: holder.pid });
  });

  it.each([
    ['on another host', { ...nameOwner(elsewhere) }],
    ['of another boot or container', { ...nameOwner(lockContext), place: 'another boot' }],
    ['whose id would leave the folder', { ...nameOwner(lockContext), id: '../../x' }],
    ['that wrote NULs', '\0'.repeat(200)],
    ['that wrote a list', []],
  ])('%s is followed after 15 s without a heartbeat, whatever time the file shows', async (_, content) => {
    for (const days of [-1, 0, 1]) {
      writeFileSync(lock, typeof content === 'string' ? content : JSON.stringify(content));
      const seconds = (Date.now() + days * DAY_MS) / 1000;
      utimesSync(lock, seconds, seconds);
      const waiter = new Waiter();
      expect(await withLock(lock, waiter, () => 'mine')).toBe('mine');
      expect(waiter.waited).toBeGreaterThanOrEqual(15_000);
      expect(waiter.waited).toBeLessThan(17_000);
      expect(readdirSync(folder.path)).toEqual([]);
    }
  });

  it('that sends heartbeats does not lose its lock, even if its clock and that of the waiter jump by days', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const jumping = () => Date.now() + Math.round((Math.random() - 0.5) * 10) * DAY_MS + Math.random() * 1000;
    const waiter = new Waiter(async (_, ms) => {
      vi.advanceTimersByTime(ms);
      await stat(lock); // the heartbeat is written meanwhile
    });
    waiter.now = jumping;
    await withLock(lock, { ...elsewhere, now: jumping }, async (own) => {
      await expect(withLock(lock, waiter, () => {})).rejects.toMatchObject({ code: 'timeout' });
      own.check();
    });
    expect(waiter.waited).toBeGreaterThanOrEqual(30_000);
  });

  it.each(['before', 'after'])(
    'on another host that was suspended writes nothing if it is resumed %s the next one writes',
    async (order) => {
      const path = join(folder.path, 'file');
      const owner = await startHolder(['write-from-elsewhere', path]);
      const ended = once(owner, 'close');
      owner.kill('SIGSTOP');
      await withLock(`${path}.lock`, new Waiter(), async (own) => {
        if (order === 'after') writeAtomic(path, 'mine', { lock: own });
        owner.kill('SIGCONT');
        expect(await ended).toEqual([2, null]);
        expect(readdirSync(folder.path).includes('file')).toBe(order === 'after');
        if (order === 'before') writeAtomic(path, 'mine', { lock: own });
      });
      expect(readFileSync(path, 'utf8')).toBe('mine');
      expect(readdirSync(folder.path)).toEqual(['file']);
    },
  );

  it('that lost its lock does not remove the file that the next one has begun to write', async () => {
    const path = join(folder.path, 'file');
    await withLock(lock, elsewhere, async (lost) => {
      await withLock(lock, new Waiter(), (own) => {
        writeFileSync(`${path}.new`, 'begun');
        expect(() => writeAtomic(path, 'late', { lock: lost })).toThrow('another process took over the lock');
        own.check();
      });
    });
    expect(readFileSync(`${path}.new`, 'utf8')).toBe('begun');
  });

  it('notices that its lock file was removed, and does not remove that of the next one', async () => {
    await withLock(lock, lockContext, (own) => {
      own.check();
      rmSync(lock);
      expect(() => own.check()).toThrow('another process took over the lock');
      writeFileSync(lock, JSON.stringify(nameOwner(process)));
    });
    expect(existsSync(lock)).toBe(true);
  });

  it.skipIf(ordinary === undefined)('that cannot remove its lock ends well, and is then followed at once', async () => {
    chownSync(folder.path, ordinary?.uid ?? -1, ordinary?.gid ?? -1);
    const { status, stderr } = await children.run(['close-folder', lock], ordinary);
    chmodSync(folder.path, 0o700);
    expect({ status, stderr, names: readdirSync(folder.path) }).toEqual({ status: 0, stderr: '', names: ['a.lock'] });
    const waiter = new Waiter();
    expect(await withLock(lock, waiter, () => waiter.waited)).toBe(0);
  });
});

describe('a waiter', () => {
  it('waits as long as its caller says', async () => {
    writeFileSync(lock, JSON.stringify(nameOwner(process)));
    const waiter = new Waiter((waited) => waited > 55_000 && rmSync(lock, { force: true }));
    expect(await withLock(lock, waiter, () => 'mine', 60_000)).toBe('mine');
    expect(waiter.waited).toBeGreaterThan(55_000);
    writeFileSync(lock, JSON.stringify(nameOwner(process)));
    const other = new Waiter();
    await expect(withLock(lock, other, () => {}, 0)).rejects.toMatchObject({ code: 'timeout' });
    expect(other.waited).toBe(0);
  });

  it('begins to count again with every heartbeat', async () => {
    writeFileSync(lock, JSON.stringify(nameOwner(elsewhere)));
    let beats = 0;
    const waiter = new Waiter((waited) => {
      if (waited < beats * 14_000) return;
      beats += 1;
      if (beats < 4) utimesSync(lock, beats, beats);
    });
    expect(await withLock(lock, waiter, () => waiter.waited, 120_000)).toBeGreaterThanOrEqual(28_000 + 15_000);
  });

  it('stops when it is interrupted', async () => {
    writeFileSync(lock, JSON.stringify(nameOwner(process)));
    const stop = new AbortController();
    const sleep = async () => stop.abort(new Error('interrupted'));
    const waiting = withLock(lock, { ...lockContext, signal: stop.signal, sleep }, () => 'mine');
    await expect(waiting).rejects.toThrow('interrupted');
    expect(readdirSync(folder.path)).toEqual(['a.lock']);
  });

  it('that is interrupted while it takes over leaves no lock of its own', async () => {
    writeFileSync(lock, JSON.stringify(nameOwner(elsewhere)));
    const waiter = new Waiter(() => {
      if (readdirSync(folder.path).length > 1) throw new Error('interrupted');
    });
    await expect(withLock(lock, waiter, () => 'mine')).rejects.toThrow('interrupted');
    expect(waiter.waited).toBeGreaterThanOrEqual(15_000);
    const next = new Waiter();
    expect(await withLock(lock, next, () => next.waited)).toBe(0);
  });
});

describe('the owner of a lock', () => {
  it('is alive, dead, or another process with its number', () => {
    expect(processLiveness(self)).toBe('alive');
    expect(processLiveness({ ...self, pid: spawnSync('true').pid })).toBe('dead');
    expect(processLiveness({ ...self, start: '1' })).toBe('dead');
    expect(processLiveness({ ...self, start: '' })).toBe('unknown');
    expect(processLiveness({ ...self, place: 'another boot' })).toBe('unknown');
  });
});
