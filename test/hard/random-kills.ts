/** kill -9 of a command at random moments of the time that it takes, and what must be true after each. */
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { expect, type TestContext } from 'vitest';
import type { Ended, Running } from '../e2e/binary.ts';
import { freshFolder } from './file-steps.ts';
import { counted, scaled } from './scale.ts';
import { expectOwnAlone } from './stored-files.ts';

/** Of each operation. */
const KILLS = scaled(60);
/** A command that waits for the lock of a dead process takes longer. */
const SOON_MS = 10_000;
/** Each way: most moments of a command are then between a request and what svc does with the response. */
const LATENCY_MS = 10;

interface Kill {
  /** For the message of a failure. */
  readonly at: string;
  readonly round: number;
  /** What the command takes that is not killed. */
  readonly ms: number;
  /** Its signal is null if it ended before the kill: it is checked, too, and not counted. */
  readonly ended: Ended;
  /** svc had printed its result. */
  readonly isAcknowledged: boolean;
}

/** Other work on the machine changes how long a command takes: every so many rounds, one that is not killed is timed. */
const TIMED_EVERY = 10;
/** Some take longer than the one that was timed, and their last steps are to be killed, too. */
const LONGER = 1.2;

/**
 * Calls `begin` again and again and kills each command that it starts at a random moment of the time that one takes. Ends after all
 * kills. What the command has started lives on. No other user can read a file in `root`.
 */
export async function* killedAtRandom(
  task: TestContext['task'],
  root: string,
  begin: (round: number) => Running | Promise<Running>,
): AsyncGenerator<Kill> {
  let ms = 0;
  for (let [round, kills] = [0, 0]; kills < KILLS; round++) {
    if (round % TIMED_EVERY === 0) {
      ms = await durationOf(await begin(round));
      continue;
    }
    const running = await begin(round);
    const moment = Math.random() * ms * LONGER;
    const timer = setTimeout(() => running.child.kill('SIGKILL'), moment);
    const ended = await running.ended;
    clearTimeout(timer);
    const at = `round ${round}, killed after ${Math.round(moment)} of ${Math.round(ms)} ms`;
    expectOwnAlone(root, at);
    yield { at, round, ms, ended, isAcknowledged: ended.stdout !== '' };
    if (ended.signal === null) continue;
    kills += 1;
    counted(task, 1);
  }
}

/** Of a command that succeeds. */
async function durationOf(running: Running): Promise<number> {
  const began = performance.now();
  expect(await running.ended).toMatchObject({ code: 0 });
  return performance.now() - began;
}

/** What the next command does: nothing that the dead one left makes it wait. */
export async function soon<T>(work: Promise<T>): Promise<T> {
  const began = performance.now();
  const result = await work;
  expect(performance.now() - began, 'the next command waited').toBeLessThan(SOON_MS);
  return result;
}

/** An environment whose files are all in `root`. */
export function freshHome(): { readonly root: string; readonly env: Readonly<Record<string, string>> } {
  const root = freshFolder();
  const state = join(root, 'state');
  mkdirSync(state, { mode: 0o700 });
  return { root, env: { SVC_CONFIG_DIR: join(root, 'config'), XDG_STATE_HOME: state } };
}

interface SlowNetwork extends AsyncDisposable {
  /** The address of the server behind it. */
  readonly url: string;
  /** Resolves when all that was sent before has arrived, also from a process that is dead. */
  arrived(): Promise<void>;
}

/** A network between svc and a server, in which all that is sent takes a while. */
export async function slowNetwork(server: string): Promise<SlowNetwork> {
  const { port } = new URL(server);
  const network = createServer((from) => {
    const to = connect(Number(port), '127.0.0.1');
    passOn(from, to);
    passOn(to, from);
  }).listen(0, '127.0.0.1');
  await once(network, 'listening');
  const url = `http://127.0.0.1:${(network.address() as AddressInfo).port}`;
  return {
    url,
    async arrived() {
      // Everything takes the same time.
      await fetch(url, { headers: { connection: 'close' } });
    },
    async [Symbol.asyncDispose]() {
      network.close();
    },
  };
}

function passOn(from: Socket, to: Socket): void {
  from.on('data', (chunk) => setTimeout(() => to.write(chunk), LATENCY_MS));
  from.on('end', () => setTimeout(() => to.end(), LATENCY_MS));
  from.on('error', () => setTimeout(() => to.destroy(), LATENCY_MS));
}
