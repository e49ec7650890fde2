// Times whole commands. Each round runs every command once, so that a machine that slows down affects all of them.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const scratch = mkdtempSync(join(tmpdir(), 'svc-bench-'));
const GNU_TIME = '/usr/bin/time';

/** @typedef {{ wall: number, cpu: number, mib: number | undefined, status: number }} Sample seconds, seconds, MiB */

/** The environment of a measured command. It is clean because NODE_EXTRA_CA_CERTS alone doubles the start time of Node.js 20. */
export function cleanEnvironment(env = {}) {
  return { PATH: process.env.PATH, HOME: scratch, LANG: 'C.UTF-8', ...env };
}

/** Runs one command line in bash, whose `time` measures the process and its children in milliseconds. */
export async function time(commandLine, env = {}) {
  const figures = join(scratch, 'figures');
  const memory = join(scratch, 'memory');
  const counted = existsSync(GNU_TIME) ? `${GNU_TIME} -f %M -o ${memory} ${commandLine}` : commandLine;
  const script = `TIMEFORMAT='%3R %3U %3S'; { time ${counted} >/dev/null 2>/dev/null ; } 2> ${figures}; `;
  const status = await new Promise((done) => {
    const child = spawn('bash', ['-c', `${script} exit $?`], { env: cleanEnvironment(env), stdio: 'ignore' });
    child.on('close', (code) => done(code ?? 1));
  });
  const [wall = 0, user = 0, system = 0] = readFileSync(figures, 'utf8').trim().split(/\s+/).map(Number);
  const mib = existsSync(memory) ? Number(readFileSync(memory, 'utf8').trim().split('\n').at(-1)) / 1024 : undefined;
  return { wall, cpu: user + system, mib, status };
}

export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/**
 * Runs interleaved rounds after one warm-up. Ratios are medians of the ratios within a round.
 * @param {Record<string, string>} commands name → bash command line; the first is the base of the ratios
 */
export async function compare(commands, { rounds, env = {} }) {
  const names = Object.keys(commands);
  /** @type {Record<string, Sample[]>} */
  const samples = Object.fromEntries(names.map((name) => [name, []]));
  for (let round = -1; round < rounds; round++) {
    for (const name of names) {
      const sample = await time(commands[name], env);
      if (sample.status > 1) throw new Error(`${name} ended with ${sample.status}: ${commands[name]}`);
      if (round >= 0) samples[name].push(sample);
    }
  }
  const base = samples[names[0]];
  return names.map((name) => ({
    name,
    wall: median(samples[name].map(({ wall }) => wall)),
    cpu: median(samples[name].map(({ cpu }) => cpu)),
    mib: samples[name][0].mib === undefined ? undefined : Math.max(...samples[name].map(({ mib }) => mib)),
    wallRatio: median(samples[name].map(({ wall }, i) => wall / base[i].wall)),
    cpuRatio: median(samples[name].map(({ cpu }, i) => cpu / base[i].cpu)),
    leastRatio: Math.min(...samples[name].map(({ wall }) => wall)) / Math.min(...base.map(({ wall }) => wall)),
  }));
}
