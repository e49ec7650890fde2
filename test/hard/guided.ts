/**
 * A coverage-guided search: inputs that reach a new branch are stored and mutated further. vitest.hard.config.ts instruments src/ for it
 * (instrument.ts). Each parser has a corpus in the repository, test/hard/corpus/<parser>.ndjson: one input a line, as JSON with one
 * character per byte. A run adds inputs that reach what none before reached, and those that fail. jazzer.js would do the same, but the
 * binary in its package asks for glibc 2.38, which Debian 12 does not have.
 */
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { counters } from './counters.ts';
import { PIECES } from './mutations.ts';
import { generator } from './xorshift.ts';

/** Throws where the parser does what it must not. */
export type Check = (input: Buffer) => unknown;

export interface Search {
  readonly corpus: string;
  readonly seeds: readonly (string | Buffer)[];
  readonly check: Check;
  readonly seed: number;
  readonly ms: number;
}

export interface Searched {
  readonly runs: number;
  /** Branches that were reached. */
  readonly branches: number;
  /** Inputs that the repository has, with those that were added now. */
  readonly corpusSize: number;
  readonly added: number;
}

const { counts, texts } = counters;

/** The longest stored input; longer ones are only timed. */
const LONGEST = 4_096;
const LONGEST_TRIED = 65_536;
/** Of the processor's time, for the longest input. */
const LONGEST_MS = 1_000;

export async function search({ corpus, seeds, check, seed, ms }: Search): Promise<Searched> {
  const path = corpusPath(corpus);
  const stored = corpusOf(corpus);
  const random = generator(seed);
  const queue: Buffer[] = [];
  const branches = new Set<number>();
  /** Branches with how often they were reached, roughly: loops that run longer count as new. */
  const edges = new Set<number>();
  let [runs, added] = [0, 0];
  /** Branches that the last input reached, and none before it. */
  let news: number[] = [];
  const keep = (input: Buffer): void => {
    appendFileSync(path, `${JSON.stringify(input.toString('latin1'))}\n`);
    added += 1;
  };
  const run = async (input: Buffer): Promise<'branch' | 'edge' | undefined> => {
    runs += 1;
    try {
      await timed(check, input);
    } catch (error) {
      if (!stored.some((one) => one.equals(input))) keep(input);
      throw new Error(`${corpus}: ${JSON.stringify(input.toString('latin1').slice(0, 500))} (seed ${seed})`, {
        cause: error,
      });
    }
    let found: 'branch' | 'edge' | undefined;
    news = [];
    for (const branch of counters.reached) {
      const edge = branch * 32 + Math.clz32(counts[branch] as number);
      counts[branch] = 0;
      if (!branches.has(branch)) {
        branches.add(branch);
        news.push(branch);
        found = 'branch';
      }
      if (edges.has(edge)) continue;
      edges.add(edge);
      found ??= 'edge';
    }
    counters.reached = [];
    return found;
  };

  for (const input of [...stored, ...seeds.map((one) => Buffer.from(one as string))]) {
    await run(input);
    queue.push(input);
  }
  // Seeds are in the tests, so they are not stored.
  const end = performance.now() + ms;
  while (performance.now() < end) {
    const input = changed(queue[random() % queue.length] as Buffer, queue, random);
    const found = await run(input);
    if (found === undefined || input.length > LONGEST) continue;
    queue.push(input);
    if (found === 'branch') keep(await shortened(input, check, news));
  }
  return { runs, branches: branches.size, corpusSize: stored.length + added, added };
}

/** Without what it does not need to reach these branches. */
async function shortened(input: Buffer, check: Check, branches: readonly number[]): Promise<Buffer> {
  let short = input;
  let tries = 400;
  for (let size = short.length >> 1; size > 0; size >>= 1) {
    for (let at = 0; at < short.length && tries > 0; tries--) {
      const candidate = Buffer.concat([short.subarray(0, at), short.subarray(at + size)]);
      // What fails is for another run to find.
      await Promise.resolve(candidate)
        .then(check)
        .catch(() => {});
      const isEnough = branches.every((branch) => (counts[branch] as number) > 0);
      for (const branch of counters.reached) counts[branch] = 0;
      counters.reached = [];
      if (isEnough) short = candidate;
      else at += size;
    }
  }
  return short;
}

function corpusPath(name: string): string {
  return fileURLToPath(new URL(`corpus/${name}.ndjson`, import.meta.url));
}

export function corpusOf(name: string): readonly Buffer[] {
  const path = corpusPath(name);
  if (!existsSync(path)) return [];
  return readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => Buffer.from(JSON.parse(line) as string, 'latin1'));
}

/** Twice more where it took long: the machine does other things. */
async function timed(check: Check, input: Buffer): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const began = process.cpuUsage();
    await check(input);
    const { user, system } = process.cpuUsage(began);
    const took = (user + system) / 1000;
    if (took < LONGEST_MS) return;
    if (attempt === 3) throw new Error(`${input.length} bytes took ${Math.round(took)} ms`);
  }
}

type Random = () => number;

function changed(input: Buffer, queue: readonly Buffer[], random: Random): Buffer {
  let bytes = input;
  for (let left = random() % 4; left >= 0; left--) bytes = changedOnce(bytes, queue, random);
  return bytes.subarray(0, LONGEST_TRIED);
}

const INTERESTING = ['0', '-1', '1', '9', '255', '65536', '2147483648', '9007199254740993', '1e309', '-0', '00', '.5'];

function changedOnce(bytes: Buffer, queue: readonly Buffer[], random: Random): Buffer {
  const at = random() % (bytes.length + 1);
  const length = random() % (random() % 4 === 0 ? 64 : 4);
  const [before, after] = [bytes.subarray(0, at), bytes.subarray(at)];
  const one = <T>(all: readonly T[]): T => all[random() % all.length] as T;
  const put = (piece: Buffer): Buffer =>
    Buffer.concat([before, piece, random() % 2 === 0 ? after : after.subarray(piece.length)]);
  switch (random() % 10) {
    case 0: {
      const copy = Buffer.from(bytes);
      if (at < copy.length) copy[at] = (copy[at] as number) ^ (1 << (random() % 8));
      return copy;
    }
    case 1:
      return put(Buffer.from([random() % 256]));
    case 2:
      return Buffer.concat([before, after.subarray(length)]);
    case 3:
      return Buffer.concat([before, after.subarray(0, length), after]);
    case 4:
    case 5:
      return texts.length === 0 ? bytes : put(one(texts));
    case 6:
      return put(one(PIECES));
    case 7:
      return put(Buffer.from(one(INTERESTING)));
    case 8: {
      const other = one(queue);
      const from = random() % (other.length + 1);
      return Buffer.concat([
        before,
        other.subarray(from, from + (random() % 128)),
        random() % 2 ? after : Buffer.alloc(0),
      ]);
    }
    default: {
      // Seldom: the same thing over and over takes the time of many others.
      if (random() % 50 > 0) return Buffer.concat([after, before]);
      const piece = after.subarray(0, 1 + length);
      return piece.length === 0 ? bytes : Buffer.concat([before, Buffer.alloc(LONGEST_TRIED / 2, piece), after]);
    }
  }
}
