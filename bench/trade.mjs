// Measures `svc trade stream` and one order beside the vendor's samples. `node bench/trade.mjs <pushes>` prints the figures of one stream.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { roundPushes, startGateway } from './gateway.mjs';
import { cleanEnvironment, medianOf, medianRatio, readUsage, takeTurns } from './measure.mjs';
import { compareLines, loadOf, roundsOf } from './programs.mjs';
import { figure, mebibytes, renderFigures, timeRow } from './table.mjs';

const LAUNCHER = fileURLToPath(new URL('../bin/svc.cjs', import.meta.url));
const SAMPLE = fileURLToPath(new URL('sample.mjs', import.meta.url));
const TOKEN = '0'.repeat(40);
const SAMPLE_MS = 25;

export async function measureStream(bench) {
  const count = roundPushes(loadOf(bench, 1_000_000));
  const { svc, sample } = await takeTurns(['svc', 'sample'], roundsOf(bench, 3), (name) => stream(name, count));
  const figuresOf = (runs) => [
    figure(medianOf(runs, 'perCpuSecond'), { unit: 'per CPU second' }),
    mebibytes(medianOf(runs, 'mib')),
  ];
  return [
    {
      work: '`trade stream` of 1,000,000 pushes, none dropped',
      against: 'socket.io-client, by polling, too',
      cells: {
        node: [
          figure(medianOf(svc, 'perCpuSecond'), { unit: 'per CPU second' }),
          figure(medianRatio(svc, sample, 'perCpuSecond'), { digits: 2, atLeast: 0.9 }),
          figure(medianOf(svc, 'mibAtTenth'), { unit: 'MiB after a tenth' }),
          figure(medianOf(svc, 'mib'), { unit: 'MiB at most' }),
        ],
      },
      peers: `socket.io-client ${renderFigures(figuresOf(sample))}`,
      reason:
        'svc parses every push without losing digits of its ids and searches it for secrets; socket.io-client does neither.',
    },
  ];
}

/** The figures of a whole command that reads a number of pushes, including its start and end. Its output goes to /dev/null. */
async function stream(reader, count) {
  const seen = { cpu: 0, mibAtTenth: undefined, mib: 0 };
  let child;
  const sample = () => {
    const usage = child === undefined ? undefined : readUsage(child.pid);
    if (usage === undefined) return;
    seen.cpu = usage.cpu;
    seen.mib = Math.max(seen.mib, usage.mib);
  };
  const gateway = await startGateway(count, () => {
    sample();
    seen.mibAtTenth ??= seen.mib;
  });
  child = startReader(reader, gateway.url, count);
  const sampling = setInterval(sample, SAMPLE_MS);
  // If a push was dropped, it never ends.
  const [code] = await once(child, 'exit');
  clearInterval(sampling);
  gateway.close();
  if (code !== 0) throw new Error(`${reader}: the stream ended with ${code}`);
  return {
    count,
    perCpuSecond: count / seen.cpu,
    mibAtTenth: seen.mibAtTenth,
    mib: seen.mib,
  };
}

function startReader(reader, url, count) {
  const line = {
    svc: [LAUNCHER, 'trade', 'stream', 'Order', '-o', 'ndjson', '--until', String(count), '--base-url', url],
    sample: [SAMPLE, 'stream', url, TOKEN, String(count)],
  }[reader];
  return spawn(process.execPath, line, {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: cleanEnvironment({ SVC_TRADE_TOKEN: TOKEN }),
  });
}

/** On a netting account: in each round, the sample sells what the programs have bought. */
export async function measureOrders(bench) {
  const sandbox = await startSandbox();
  try {
    const { SVC_TRADE_URL: url, SVC_TRADE_TOKEN: token } = sandbox.env;
    const amount = 10 * Object.keys(bench.programs).length;
    const samples = await compareLines(
      bench,
      { svc: 'trade buy EUR/USD 10 --account 654062 --yes -q' },
      { peers: { sample: `sell ${amount} ${url} ${token}` }, env: sandbox.env },
    );
    return [
      timeRow(bench, samples, {
        work: '`trade buy`',
        base: 'sample',
        against: "the vendor's sample",
        goals: { node: 2.2, executable: 1.2 },
        reason: 'svc reads the account and the offer, and waits until the order is on disk before it sends it.',
      }),
    ];
  } finally {
    sandbox.child.kill();
    await once(sandbox.child, 'exit');
  }
}

/** The sandbox prints a line `export NAME=value` for each variable. */
async function startSandbox() {
  const line = [LAUNCHER, 'sandbox', 'start', '--empty', '-q'];
  const child = spawn(process.execPath, line, { stdio: ['ignore', 'pipe', 'inherit'], env: cleanEnvironment() });
  const env = {};
  for await (const text of createInterface({ input: child.stdout })) {
    const [, name, value] = /^export (\w+)=(.*)$/.exec(text) ?? [];
    if (name !== undefined) env[name] = value;
    if (name === 'SVC_TRADE_TOKEN') {
      child.stdout.resume();
      return { child, env };
    }
  }
  throw new Error('the sandbox ended before it listened');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  console.log(JSON.stringify(await stream('svc', roundPushes(Number(process.argv[2])))));
}
