// Times whole programs in a clean environment, in turns.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The home folder of every measured program, and the place for every file of the benchmark. */
const home = mkdtempSync(join(tmpdir(), 'svc-bench-'));
process.on('exit', () => rmSync(home, { recursive: true, force: true }));

/** Measures memory. */
export const GNU_TIME = '/usr/bin/time';
const TICKS_PER_SECOND = 100;

/** @typedef {{ wall: number, cpu: number, mib: number }} Sample seconds, seconds, and MiB or NaN */

export function makeFolder(name) {
  return mkdtempSync(join(home, `${name}-`));
}

/** Only these variables: NODE_EXTRA_CA_CERTS alone doubles the start time of Node.js 20. */
export function cleanEnvironment(env = {}) {
  return { PATH: process.env.PATH, HOME: home, LANG: 'C.UTF-8', ...env };
}

/**
 * Runs a command line in bash, whose `time` measures the process and its children in milliseconds.
 * @returns {Promise<Sample>}
 */
export async function time(commandLine, env = {}) {
  const figures = join(home, 'figures');
  const memory = join(home, 'memory');
  const counted = existsSync(GNU_TIME) ? `${GNU_TIME} -f %M -o ${memory} ${commandLine}` : commandLine;
  const script = `TIMEFORMAT='%3R %3U %3S'; { time ${counted} >${join(home, 'output')} 2>&1 ; } 2> ${figures}; exit $?`;
  const child = spawn('bash', ['-c', script], { env: cleanEnvironment(env), stdio: 'ignore' });
  const [status] = await once(child, 'close');
  if (status !== 0) throw new Error(`ended with ${status}: ${commandLine.slice(0, 200)}`);
  const [wall, user, system] = readFileSync(figures, 'utf8').trim().split(/\s+/).map(Number);
  const mib = existsSync(memory) ? Number(readFileSync(memory, 'utf8')) / 1024 : Number.NaN;
  return { wall, cpu: user + system, mib };
}

/**
 * One round to warm up, then the given number of rounds in which every name has its turn, so that a machine that slows down affects all of them.
 * Returns the results by name, in the order of the rounds.
 */
export async function takeTurns(names, rounds, measureOne) {
  const results = Object.fromEntries(names.map((name) => [name, []]));
  for (let round = -1; round < rounds; round++) {
    for (const name of names) {
      const result = await measureOne(name);
      if (round >= 0) results[name].push(result);
    }
  }
  return results;
}

export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** The median of one measure: `wall`, `cpu` or `mib`. */
export function medianOf(samples, measure) {
  return median(samples.map((sample) => sample[measure]));
}

/** The median of the ratios, each within a round. */
export function medianRatio(samples, base, measure) {
  return median(samples.map((sample, round) => sample[measure] / base[round][measure]));
}

/** CPU seconds and MiB of a running process, or undefined if it has ended. */
export function readUsage(pid) {
  try {
    // The name of the program is in parentheses, and may contain spaces.
    const fields = readFileSync(`/proc/${pid}/stat`, 'latin1')
      .replace(/^.*\) /s, '')
      .split(' ');
    const [, kib] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'latin1'));
    return { cpu: (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND, mib: Number(kib) / 1024 };
  } catch {
    return undefined;
  }
}

/** A service on this machine. `answer` gets each request and its response. */
export async function startService(answer) {
  const server = createServer((request, response) => {
    response.setHeader('content-type', 'application/json');
    answer(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${server.address().port}`;
  return { url, close: () => server.close().closeAllConnections() };
}
