import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { nameOwner, parseOwner, withLock } from '../../src/store/lock.ts';
import { processLiveness, processName } from '../../src/store/process-identity.ts';
import { childProgram } from './child.ts';
import { lockContext, testFolder } from './folder.ts';

const folder = testFolder();
const children = childProgram();

/** The lock of a process that has ended. */
function deadLock(): string {
  const pid = spawnSync('true').pid;
  return JSON.stringify({ ...nameOwner(process), pid, id: 'of-a-dead-process' });
}

describe('withLock', () => {
  it('serializes 8 processes: none of 200 increments is lost, even with a stale lock', async () => {
    writeFileSync(join(folder.path, 'counter'), '0');
    writeFileSync(join(folder.path, 'counter.lock'), deadLock());
    const all = await Promise.all(Array.from({ length: 8 }, () => children.run(['increment', folder.path, '25'])));
    expect(all.map(({ status, stderr }) => `${status}${stderr}`)).toEqual(Array(8).fill('0'));
    expect(readFileSync(join(folder.path, 'counter'), 'utf8')).toBe('200');
    expect(readdirSync(folder.path)).toEqual(['counter']);
  });

  it('goes to one waiter at a time after its owner died', async () => {
    // All stale locks carry the same nonce: each round is a race for one takeover.
    for (let round = 0; round < 40; round++) writeFileSync(join(folder.path, `${round}.lock`), deadLock());
    const all = await Promise.all(Array.from({ length: 4 }, () => children.run(['takeovers', folder.path, '40'])));
    expect(all.map(({ status, stderr }) => `${status}${stderr}`)).toEqual(Array(4).fill('0'));
    expect(readdirSync(folder.path)).toEqual([]);
  });

  it('is free after its holder was killed', async () => {
    const lock = join(folder.path, 'held.lock');
    const holder = children.start(['hold', lock]);
    await once(holder.stdout ?? holder, 'data');
    const waits: number[] = [];
    const taken = withLock(
      lock,
      {
        ...lockContext,
        sleep: (ms) => {
          waits.push(ms);
          return lockContext.sleep(ms);
        },
      },
      () => 'mine',
    );
    holder.kill('SIGKILL');
    expect(await taken).toBe('mine');
    expect(existsSync(lock)).toBe(false);
    expect(waits.length).toBeGreaterThan(0);
  });

  it('removes a lock whose breaker also died', async () => {
    const lock = join(folder.path, 'a.lock');
    writeFileSync(lock, deadLock());
    const marker = { ...JSON.parse(deadLock()), nonce: 'of-a-dead-breaker' };
    writeFileSync(`${lock}.of-a-dead-process.break`, JSON.stringify(marker));
    expect(await withLock(lock, lockContext, () => 'mine')).toBe('mine');
    expect(readdirSync(folder.path)).toEqual([]);
  });

  it('does not remove a lock that another process acquired', async () => {
    const lock = join(folder.path, 'a.lock');
    await withLock(lock, lockContext, () => writeFileSync(lock, JSON.stringify(nameOwner(process))));
    expect(existsSync(lock)).toBe(true);
  });

  it('reports a lock that it cannot remove, unless the body failed', async () => {
    const lock = join(folder.path, 'a.lock');
    const spoil = () => {
      rmSync(lock);
      mkdirSync(lock);
    };
    await expect(withLock(lock, lockContext, spoil)).rejects.toMatchObject({
      code: 'file_unusable',
      message: expect.stringContaining(`cannot remove the lock ${lock}`),
    });
    rmSync(lock, { recursive: true });
    const fails = () => {
      spoil();
      throw new Error('body');
    };
    await expect(withLock(lock, lockContext, fails)).rejects.toThrow('body');
  });

  it('is released when the body fails, and passes on the failure', async () => {
    const lock = join(folder.path, 'a.lock');
    await expect(withLock(lock, lockContext, () => Promise.reject(new Error('body')))).rejects.toThrow('body');
    expect(existsSync(lock)).toBe(false);
  });

  it('gives up after 30 s, naming the process', async () => {
    const lock = join(folder.path, 'a.lock');
    writeFileSync(lock, JSON.stringify(nameOwner(process)));
    let now = Date.now();
    const began = now;
    const sleep = async (ms: number) => {
      now += ms;
    };
    const waiting = withLock(lock, { ...lockContext, now: () => now, sleep }, () => 'mine');
    await expect(waiting).rejects.toMatchObject({
      code: 'timeout',
      message: expect.stringContaining(`process ${process.pid} on `),
    });
    expect(now - began).toBeGreaterThanOrEqual(30_000);
    expect(now - began).toBeLessThan(31_000);
    expect(existsSync(lock)).toBe(true);
  });

  it('waits as long as the caller says', async () => {
    const lock = join(folder.path, 'a.lock');
    const holder = JSON.stringify(nameOwner(process));
    writeFileSync(lock, holder);
    let now = Date.now();
    const began = now;
    const sleep = async (ms: number) => {
      now += ms;
      if (now - began > 55_000) rmSync(lock, { force: true });
    };
    expect(await withLock(lock, { ...lockContext, now: () => now, sleep }, () => 'mine', 60_000)).toBe('mine');
    expect(now - began).toBeGreaterThan(55_000);
  });

  it('stops waiting when it is interrupted', async () => {
    const lock = join(folder.path, 'a.lock');
    writeFileSync(lock, JSON.stringify(nameOwner(process)));
    const stop = new AbortController();
    const sleep = async () => stop.abort(new Error('interrupted'));
    await expect(withLock(lock, { ...lockContext, signal: stop.signal, sleep }, () => 'mine')).rejects.toThrow(
      'interrupted',
    );
  });

  it.each([
    ['of another host', JSON.stringify({ ...nameOwner(process), host: 'elsewhere' }), 'timeout', 30_000],
    ['that is empty', '', 'file_unusable', 2_000],
    ['of another program', '4711\n', 'file_unusable', 2_000],
    [
      'whose id would leave the folder',
      JSON.stringify({ ...nameOwner(process), id: '../../x' }),
      'file_unusable',
      2_000,
    ],
  ])('breaks a lock %s only after a minute', async (_, text, code, waited) => {
    const lock = join(folder.path, 'a.lock');
    writeFileSync(lock, text);
    let now = Date.now();
    const sleep = async (ms: number) => {
      now += ms;
    };
    const context = { ...lockContext, now: () => now, sleep };
    const began = now;
    await expect(withLock(lock, context, () => 'mine')).rejects.toMatchObject({
      code,
      message: expect.stringContaining(lock),
      hint: expect.stringContaining('remove'),
    });
    expect(now - began).toBeGreaterThanOrEqual(waited);
    expect(now - began).toBeLessThan(waited + 500);
    const old = (now - 61_000) / 1000;
    utimesSync(lock, old, old);
    expect(await withLock(lock, context, () => 'mine')).toBe('mine');
  });

  it('says why a lock cannot be created', async () => {
    writeFileSync(join(folder.path, 'file'), '');
    await expect(withLock(join(folder.path, 'file', 'a.lock'), lockContext, () => 1)).rejects.toMatchObject({
      code: 'file_unusable',
      message: expect.stringContaining('not a directory'),
    });
    mkdirSync(join(folder.path, 'dir.lock'));
    await expect(withLock(join(folder.path, 'dir.lock'), lockContext, () => 1)).rejects.toMatchObject({
      code: 'file_unusable',
    });
  });
});

describe('processLiveness', () => {
  it('recognizes this process, an ended one, and a reused process id', () => {
    const self = processName(process.pid);
    expect(processLiveness(self)).toBe('alive');
    expect(processLiveness({ ...self, pid: spawnSync('true').pid })).toBe('dead');
    expect(processLiveness({ ...self, start: '1' })).toBe('dead');
    expect(processLiveness({ ...self, start: '' })).toBe('unknown');
    expect(processLiveness({ ...self, place: 'another boot' })).toBe('unknown');
  });

  it.each(['', '{', '[]', 'null', '{"pid":1}', '{"pid":-1,"host":"h","place":"p","start":"s","id":"n"}'])(
    'reads %j as no owner',
    (text) => expect(parseOwner(text)).toBeUndefined(),
  );
});
