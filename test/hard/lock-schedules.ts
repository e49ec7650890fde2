/**
 * Several processes that use one lock, interleaved at each of their steps in the file system, in an order that a seed decides. Some die, some are suspended.
 * They are threads with a time of their own, so that a minute of waiting takes none.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { rolldown } from 'rolldown';
import { nameOwner, withLock } from '../../src/store/lock.ts';
import { lockContext } from '../support/folder.ts';
import { allocateCells, Cell, Command, cellsOf, State, type ThreadSetup } from './lock-schedule-cells.ts';
import { generator } from './xorshift.ts';

const THREADS = 3;
/** Of each thread. */
const ACQUISITIONS = 2;

const [A, B] = [randomUUID(), randomUUID()];
/** Lock files that a schedule begins with. */
const LEFT: readonly Readonly<Record<string, string>>[] = [
  {},
  { lock: deadOwner(A) },
  { lock: deadOwner(A), [`lock.${A}`]: deadOwner(B) },
  { lock: '' },
  { lock: 'not a lock', 'lock.next': '' },
];

function deadOwner(id: string): string {
  return JSON.stringify({ ...nameOwner(process), pid: spawnSync('true').pid, id });
}

export interface Outcome {
  /** What must never be. */
  readonly faults: string[];
  writes: number;
  deaths: number;
  /** Processes that another one took over from. */
  losses: number;
}

/** Runs a schedule for each seed. */
export async function runSchedules(seeds: Iterable<number>): Promise<Outcome> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-schedules-'));
  const file = join(folder, 'thread.mjs');
  const input = fileURLToPath(new URL('./lock-schedule-thread.ts', import.meta.url));
  const bundle = await rolldown({ input, platform: 'node' });
  await bundle.write({ file, format: 'esm' });
  await bundle.close();
  const home = join(folder, 'home');
  const setup = { memory: allocateCells(THREADS), lock: join(home, 'lock'), counter: join(folder, 'counter') };
  const threads = Array.from({ length: THREADS }, (_, index) => new Thread(file, { ...setup, index }));
  const total: Outcome = { faults: [], writes: 0, deaths: 0, losses: 0 };
  try {
    for (const seed of seeds) {
      const random = generator(seed);
      rmSync(home, { recursive: true, force: true });
      mkdirSync(home);
      writeFileSync(setup.counter, '0');
      for (const [name, text] of Object.entries(LEFT[random() % LEFT.length] ?? {})) {
        writeFileSync(join(home, name), text);
      }
      const outcome = runSchedule(threads, random);
      if (outcome.failures > 0) outcome.faults.push(readFileSync(`${setup.counter}.failure`, 'utf8'));
      const count = Number(readFileSync(setup.counter, 'utf8'));
      if (count !== outcome.writes) outcome.faults.push(`${count} of ${outcome.writes} writes were not lost`);
      await withLock(setup.lock, { ...lockContext, sleep: async () => {} }, () => {});
      // A killed process may leave other files, which mean nothing without the lock file.
      const left = readdirSync(home).filter((name) => name === 'lock' || outcome.deaths === 0);
      if (left.length > 0) outcome.faults.push(`these files are left: ${left}`);
      total.faults.push(...outcome.faults.map((fault) => `seed ${seed}: ${fault}`));
      for (const figure of ['writes', 'deaths', 'losses'] as const) total[figure] += outcome[figure];
    }
  } finally {
    await Promise.all(threads.map((thread) => thread.end()));
    rmSync(folder, { recursive: true, force: true });
  }
  return total;
}

/** Until all threads are done. */
function runSchedule(threads: readonly Thread[], random: () => number): Outcome & { readonly failures: number } {
  const faults: string[] = [];
  let deaths = 0;
  let now = 0;
  // None, some or all are on other hosts.
  const elsewhere = random() % 3;
  const hasLinks = random() % 8 > 0;
  for (const thread of threads) thread.reset(hasLinks);
  for (;;) {
    const active = threads.filter((thread) => !thread.isDone || thread.left > 0);
    if (active.length === 0) break;
    now = Math.max(now, Math.min(...active.map(({ wakesAt }) => wakesAt)));
    const ready = active.filter(({ wakesAt }) => wakesAt <= now);
    const thread = ready[random() % ready.length] as Thread;
    thread.cells[Cell.now] = now;
    if (thread.isDone) {
      thread.begin(random, elsewhere > random() % 2);
    } else if (thread.steps === thread.diesAt) {
      deaths += 1;
      thread.die();
    } else {
      thread.advance();
    }
    // An owner that cannot be examined, and is suspended between its check and its write, writes without a lock. So it is only slow.
    const delay = random() % 30 === 0 ? random() % (thread.isElsewhere ? 300 : 30_000) : 0;
    thread.wakesAt = now + thread.pause + delay;
    const inside = threads.filter(({ isInside, isElsewhere }) => isInside && !isElsewhere);
    if (inside.length > 1) faults.push(`${inside.length} processes of this machine run the body`);
  }
  const sum = (cell: number) => threads.reduce((total, { cells }) => total + (cells[cell] ?? 0), 0);
  return { faults, deaths, writes: sum(Cell.writes), losses: sum(Cell.losses), failures: sum(Cell.failures) };
}

class Thread {
  readonly cells: Int32Array;
  /** When it may go on. */
  wakesAt = 0;
  /** Acquisitions that it has not begun. */
  left = 0;
  /** Of this acquisition. */
  steps = 0;
  diesAt: number | undefined;
  #process: ChildProcess;
  readonly #worker: Worker;

  constructor(file: string, setup: ThreadSetup) {
    this.cells = cellsOf(setup.memory, setup.index);
    this.#process = startSleeper();
    this.#worker = new Worker(file, { workerData: setup });
  }

  get isDone(): boolean {
    return this.cells[Cell.state] === State.done;
  }

  get isInside(): boolean {
    return this.cells[Cell.isInside] === 1;
  }

  get isElsewhere(): boolean {
    return this.cells[Cell.isElsewhere] === 1;
  }

  /** How long it waits before its next step. */
  get pause(): number {
    return this.cells[Cell.state] === State.pause ? (this.cells[Cell.ms] ?? 0) : 0;
  }

  reset(hasLinks: boolean): void {
    this.#waitForStep();
    this.wakesAt = 0;
    this.left = ACQUISITIONS;
    this.cells[Cell.hasLinks] = Number(hasLinks);
    for (const cell of [Cell.writes, Cell.losses, Cell.failures]) this.cells[cell] = 0;
  }

  begin(random: () => number, isElsewhere: boolean): void {
    this.left -= 1;
    this.steps = 0;
    this.diesAt = random() % 3 === 0 ? random() % 60 : undefined;
    this.cells[Cell.seed] = random();
    this.cells[Cell.isElsewhere] = Number(isElsewhere);
    this.cells[Cell.pid] = this.#process.pid ?? 0;
    this.advance();
  }

  /** Lets it go on to its next step. */
  advance(command: number = Command.go): void {
    this.steps += 1;
    Atomics.store(this.cells, Cell.state, State.runs);
    Atomics.store(this.cells, Cell.command, command);
    Atomics.notify(this.cells, Cell.command);
    this.#waitForStep();
  }

  #waitForStep(): void {
    if (Atomics.wait(this.cells, Cell.state, State.runs, 60_000) === 'timed-out') throw new Error('a thread hangs');
  }

  die(): void {
    this.#process.kill('SIGKILL');
    this.#process = startSleeper();
    this.advance(Command.die);
  }

  async end(): Promise<void> {
    this.#process.kill('SIGKILL');
    await this.#worker.terminate();
  }
}

/** A process that can be killed. */
function startSleeper(): ChildProcess {
  return spawn('sleep', ['1000'], { stdio: 'ignore' });
}
