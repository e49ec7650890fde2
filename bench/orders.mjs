// Measures one order of a new process, from its start until its order is accepted: `node bench/orders.mjs [rounds]`. The built svc and a
// program like the vendor's sample for Node.js take turns at one sandbox. svc also reads the account and the offer, writes the order to
// its journal and waits until the line is on disk before it sends it.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { cleanEnvironment } from './measure.mjs';

const SELF = fileURLToPath(import.meta.url);
const load = createRequire(import.meta.url);
const { version: SOCKET_IO_CLIENT } = load('socket.io-client/package.json');

/** A netting account: every second order closes the position that the previous one opened. */
const ACCOUNT = '654062';
/** svc's time divided by that of the sample. */
const BUDGET = 2.2;

const SAMPLE = `the sample's way, socket.io-client ${SOCKET_IO_CLIENT}`;
const OURS = 'svc trade buy --yes';

function form(isBuy) {
  const fields = { account_id: ACCOUNT, symbol: 'EUR/USD', is_buy: isBuy, rate: 0, amount: 10 };
  return String(new URLSearchParams({ ...fields, order_type: 'AtMarket', time_in_force: 'GTC' }));
}

/** Like the vendor's sample: socket.io-client, one HTTP request for each line of input, one line of output for its response. */
function sendBySocketIo(url, token) {
  const headers = {
    'User-Agent': 'request',
    Accept: 'application/json',
    'Content-Type': 'application/x-www-form-urlencoded',
  };
  const socket = load('socket.io-client')(url, { query: `access_token=${token}` });
  socket.on('connect', () => {
    headers.Authorization = `Bearer ${socket.id}${token}`;
    console.log(socket.id);
  });
  createInterface({ input: process.stdin }).on('line', (body) => {
    const sent = request(`${url}/trading/open_trade`, { method: 'POST', headers }, (response) => {
      let data = '';
      response.on('data', (chunk) => {
        data += chunk;
      });
      response.on('end', () => console.log(JSON.stringify(JSON.parse(data))));
    });
    sent.end(body);
  });
  process.stdin.on('end', () => process.exit());
}

/** Starts a program that reads and prints lines. */
function program(argv, env) {
  const child = spawn(process.execPath, argv, { stdio: ['pipe', 'pipe', 'ignore'], env: cleanEnvironment(env) });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const until = async (fits) => {
    for (;;) {
      const { value, done } = await lines.next();
      if (done) throw new Error(`${argv.join(' ')} ended`);
      if (fits(value)) return value;
    }
  };
  return { child, until, write: (line) => child.stdin.write(`${line}\n`) };
}

/** Milliseconds from the start of a program until its only order is accepted. */
async function measure(launcher, { url, token }, env, rounds) {
  const ways = {
    'node -e 0': async () => {
      await once(spawn(process.execPath, ['-e', '0'], { env: cleanEnvironment({}) }), 'close');
    },
    [SAMPLE]: async (isBuy) => {
      const sample = program([SELF, '--sample', url, token], {});
      await sample.until(() => true);
      sample.write(form(isBuy));
      const line = await sample.until(() => true);
      if (!line.includes('"executed":true')) throw new Error(line);
      sample.child.kill();
    },
    [OURS]: async (isBuy) => {
      const argv = [launcher, 'trade', isBuy ? 'buy' : 'sell', 'EUR/USD', '10', '--account', ACCOUNT, '--yes', '-q'];
      const options = { stdio: 'ignore', env: cleanEnvironment(env) };
      const [status] = await once(spawn(process.execPath, argv, options), 'close');
      if (status !== 0) throw new Error(`svc trade buy ended with ${status}`);
    },
  };
  const times = Object.fromEntries(Object.keys(ways).map((name) => [name, []]));
  for (let round = -2; round < rounds; round++) {
    for (const [name, order] of Object.entries(ways)) {
      const began = performance.now();
      await order(round % 2 === 0);
      if (round >= 0) times[name].push(performance.now() - began);
    }
  }
  return times;
}

function quantile(values, part) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))];
}

export async function orderBench(root, rounds = 31) {
  const launcher = join(root, 'bin/svc.cjs');
  const folder = mkdtempSync(join(tmpdir(), 'svc-bench-orders-'));
  const env = { SVC_CONFIG_DIR: folder, XDG_STATE_HOME: folder };
  const sandbox = program([launcher, 'sandbox', 'start', '--empty', '-q'], env);
  try {
    const variable = async (name) => (await sandbox.until((line) => line.includes(name))).split('=')[1];
    const url = await variable('SVC_TRADE_URL');
    const token = await variable('SVC_TRADE_TOKEN');
    const connected = { ...env, SVC_TRADE_URL: url, SVC_TRADE_TOKEN: token };
    const times = await measure(launcher, { url, token }, connected, rounds);
    const ratio = quantile(
      times[OURS].map((ms, round) => ms / times[SAMPLE][round]),
      0.5,
    );
    const verdict = `${ratio.toFixed(2)} × the sample, ≤ ${BUDGET} ${ratio <= BUDGET ? 'met' : 'MISSED'}`;
    return [
      `## one order of a new process (${rounds} rounds)`,
      '',
      '| sender | ms at p50 | ms at p99 | budget |',
      '|---|---|---|---|',
      ...Object.entries(times).map(([name, all]) => {
        const [p50, p99] = [0.5, 0.99].map((part) => quantile(all, part).toFixed(0));
        return `| ${name} | ${p50} | ${p99} | ${name === OURS ? verdict : ''} |`;
      }),
    ];
  } finally {
    sandbox.child.kill();
    await once(sandbox.child, 'exit');
    rmSync(folder, { recursive: true, force: true });
  }
}

if (process.argv[1] === SELF) {
  const [step, ...given] = process.argv.slice(2);
  if (step === '--sample') sendBySocketIo(given[0], given[1]);
  else console.log((await orderBench(fileURLToPath(new URL('..', import.meta.url)), Number(step ?? 31))).join('\n'));
}
