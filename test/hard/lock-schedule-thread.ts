/**
 * A process that uses the lock, as a thread: `lock-schedules.ts` says when it goes on. It asks before each step in the file system and in each pause, and may be
 * told to die: then it does nothing more, not even what a `finally` would do.
 */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { workerData } from 'node:worker_threads';
import { SvcError } from '../../src/errors.ts';
import { type Lock, processName, withLock } from '../../src/store/lock.ts';
import { Cell, Command, cellsOf, State, type ThreadSetup } from './lock-schedule-cells.ts';
import { generator } from './xorshift.ts';

const { memory, index, lock: path, counter } = workerData as ThreadSetup;
const cells = cellsOf(memory, index);
let isDead = false;
/** While it runs the body. */
let isSuspended = false;
let beat: (() => void) | undefined;

/** Returns when the schedule says so. */
function ask(state: State, ms = 0): void {
  if (!isDead) {
    cells[Cell.ms] = ms;
    Atomics.store(cells, Cell.command, Command.none);
    Atomics.store(cells, Cell.state, state);
    Atomics.notify(cells, Cell.state);
    Atomics.wait(cells, Cell.command, Command.none);
    isDead = cells[Cell.command] === Command.die;
  }
  if (isDead) throw new Error('it is dead');
}

function add(cell: number): void {
  cells[cell] = (cells[cell] ?? 0) + 1;
}

const real = { ...fs };
for (const name of ['openSync', 'statSync', 'writeFileSync', 'linkSync', 'unlinkSync'] as const) {
  const step = real[name] as (...args: readonly unknown[]) => unknown;
  Object.assign(fs, {
    [name]: (...args: readonly unknown[]) => {
      if (String(args[0]).startsWith(path)) ask(State.step);
      if (name === 'linkSync' && cells[Cell.hasLinks] === 0) throw Object.assign(new Error(), { code: 'EPERM' });
      return step(...args);
    },
  });
}
Object.assign(fs, {
  utimes: (file: string, atime: number, mtime: number) => {
    ask(State.step);
    if (real.existsSync(file)) real.utimesSync(file, atime, mtime);
  },
});
syncBuiltinESMExports();
Object.assign(globalThis, {
  setInterval: (call: () => void) => {
    beat = call;
  },
  clearInterval: () => {},
});

/** A suspended process sends no heartbeats. */
function pauseInBody(ms: number): void {
  const most = isSuspended ? ms : 2_000;
  for (let left = ms; left > 0; left -= most) {
    ask(State.pause, Math.min(left, most));
    if (!isSuspended) beat?.();
  }
}

/** Adds one to the counter, which is correct only without concurrent writers. */
function increment(lock: Lock, random: () => number): void {
  const value = Number(real.readFileSync(counter, 'utf8'));
  // Others take over after 15 s without a heartbeat.
  isSuspended = random() % 2 === 0;
  pauseInBody(isSuspended ? 14_500 + (random() % 4_000) : random() % 20_000);
  lock.check();
  ask(State.step);
  real.writeFileSync(counter, String(value + 1));
  add(Cell.writes);
}

async function runOnce(): Promise<void> {
  const random = generator(cells[Cell.seed] ?? 0);
  const name = processName(cells[Cell.pid] ?? 0);
  const isElsewhere = cells[Cell.isElsewhere] === 1;
  const context = {
    signal: new AbortController().signal,
    sleep: async (ms: number) => ask(State.pause, Math.ceil(ms)),
    now: () => cells[Cell.now] ?? 0,
    random: () => (random() % 1000) / 1000,
    pid: name.pid,
    processName: isElsewhere ? { ...name, host: 'elsewhere' } : name,
  };
  try {
    await withLock(
      path,
      context,
      (lock) => {
        cells[Cell.isInside] = 1;
        try {
          increment(lock, random);
        } finally {
          cells[Cell.isInside] = 0;
        }
      },
      600_000,
    );
  } catch (error) {
    const hasLost = error instanceof SvcError && error.message.includes('took over');
    if (hasLost && isElsewhere && isSuspended) add(Cell.losses);
    else if (!isDead) {
      add(Cell.failures);
      real.writeFileSync(`${counter}.failure`, `${(error as Error).stack}`);
    }
  }
}

for (;;) {
  isDead = false;
  ask(State.done);
  await runOnce();
}
