/** Peers that send without end or without sense, and the measure of a process that meets one. */
import { readdirSync, readFileSync } from 'node:fs';
import { type Ended, startSvc, type Variables } from '../e2e/binary.ts';
import { answer, endless, type Fault } from '../support/servers.ts';
import { IS_HARD } from '../support/turns.ts';

const MIB = 2 ** 20;
const chunk = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`;

/** A piece at a time, never too late for a deadline that each of them renews. */
function drip(head: string, piece: string): Fault {
  return (socket) => {
    socket.write(head);
    const timer = setInterval(() => socket.write(piece), 100);
    socket.on('close', () => clearInterval(timer)).on('error', () => {});
  };
}

/** What a response of this status is followed by, and is never the end of it. */
export function hostilePeers(status: number): Readonly<Record<string, Fault>> {
  const head = `HTTP/1.1 ${status} Some Reason\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n`;
  return {
    'one-byte chunks': endless(`${head}${chunk('["')}`, chunk('a').repeat(4096)),
    'white space': endless(`${head}${chunk('[')}`, chunk(' '.repeat(65_536))),
    'a string': endless(`${head}${chunk('["')}`, chunk('a'.repeat(65_536))),
    'empty lists': endless(`${head}${chunk('[[]')}`, chunk(',[]'.repeat(20_000))),
    'deep nesting': endless(head, chunk('['.repeat(65_536))),
    'a slow drip': drip(`${head}${chunk('[')}`, chunk(' ')),
    headers: endless(`HTTP/1.1 ${status} Some Reason\r\n`, 'x-a: b\r\n'.repeat(4096)),
    '1xx responses': endless('', 'HTTP/1.1 103 Early Hints\r\nlink: <a>\r\n\r\n'.repeat(512)),
    'a slow head': drip(`HTTP/1.1 ${status} Some Reason\r\nx-a: `, 'b'),
    // These end: what is read of them is the question.
    'a million values': (socket) => socket.end(answer(status, `[${'{},'.repeat(8 * MIB - 1)}{}]`)),
    'a million names': (socket) =>
      socket.end(
        answer(
          status,
          `[${Array(49)
            .fill(0)
            .map((_, n) => names(9_999, n))}]`,
        ),
      ),
    'an object of many names': (socket) => socket.end(answer(status, names(499_000))),
    'empty packets': (socket) => socket.end(answer(status, '1:6'.repeat(5 * MIB))),
    'one long text': (socket) => socket.end(answer(status, `"\u65e5${'a'.repeat(23 * MIB)}"`)),
  };
}

/** All different. */
const names = (count: number, object = 0): string =>
  `{${Array.from({ length: count }, (_, n) => `"name ${object} ${n}":0`).join()}}`;

export interface Measured extends Ended {
  /** The most memory that it took, in KiB. */
  readonly peak: number;
  /** How many milliseconds it was seen alive after this time, without those for which a thread of it was ready to run and had no processor. */
  overdue(since: number): number;
}

interface Sample {
  readonly at: number;
  /** How long each thread has been ready to run and has not run, in ms. */
  readonly waited: ReadonlyMap<string, number>;
}

/** Memory and waiting are the kernel's own figures, read until the process is gone: what else the machine does changes neither. */
export async function measure(argv: readonly string[], env: Variables): Promise<Measured> {
  const run = startSvc(argv, { env });
  const folder = `/proc/${run.child.pid}`;
  let peak = 0;
  const samples: Sample[] = [];
  const sample = (): void => {
    try {
      const most = /^VmHWM:\s+(\d+)/m.exec(readFileSync(`${folder}/status`, 'utf8'))?.[1];
      if (most === undefined) return; // it has ended, and this process was not told yet
      peak = Math.max(peak, Number(most));
      const threads = readdirSync(`${folder}/task`).map((thread) => {
        const [, waitedNs] = readFileSync(`${folder}/task/${thread}/schedstat`, 'utf8').split(' ');
        return [thread, Number(waitedNs) / 1e6] as const;
      });
      samples.push({ at: performance.now(), waited: new Map(threads) });
    } catch {
      // it has ended, or one of its threads
    }
  };
  const timer = setInterval(sample, 5);
  const ended = await run.ended.finally(() => clearInterval(timer));
  return { ...ended, peak, overdue: (since) => lateness(samples.filter(({ at }) => at > since)) };
}

/** Threads wait for each other: the one that had to wait longest for a processor says how much of the time was the machine's. */
function lateness(samples: readonly Sample[]): number {
  const [first, last] = [samples[0], samples.at(-1)];
  if (first === undefined || last === undefined) return 0;
  const waits = samples.flatMap(({ waited }) =>
    [...waited].map(([thread, ms]) => ms - (first.waited.get(thread) ?? 0)),
  );
  return last.at - first.at - waits.reduce((most, ms) => Math.max(most, ms), 0);
}

/** More than at the level at the start, in KiB. */
export const MOST_MORE = 150 * 1024;
export { IS_HARD };
/** After the deadline, which counts from when the peer is reached. */
export const MOST_LATE_MS = 1_000;
export const TIMEOUT_MS = 1_000;

/** All cases, or some of them in the quick suite. */
export function chosen<Case>(cases: readonly Case[]): readonly Case[] {
  return IS_HARD ? cases : cases.filter((_, index) => index % 17 === 3);
}
