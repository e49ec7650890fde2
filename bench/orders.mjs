// Measures the time of an order in a warm session, until its sender knows that it is accepted: `node bench/orders.mjs [orders]`. Three
// senders take turns at one sandbox: `svc trade session`, a program like the vendor's sample for Node.js, and a bare HTTP request. svc
// writes each order to its journal and waits until the line is on disk before it sends the order. The same rounds measure that write.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, fsyncSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { Agent, request } from 'node:http';
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
const WARM_UP = 50;
const COLD_ROUNDS = 31;
/** Milliseconds that svc may add to an order. */
const BUDGET = 5;

function form(isBuy) {
  const fields = { account_id: ACCOUNT, symbol: 'EUR/USD', is_buy: isBuy, rate: 0, amount: 10 };
  return String(new URLSearchParams({ ...fields, order_type: 'AtMarket', time_in_force: 'GTC' }));
}

/** Like the vendor's sample: socket.io-client, one HTTP request for each line of input, one line of output for its response. */
function sendBySocketIo(url, token, agent) {
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
    const sent = request(`${url}/trading/open_trade`, { method: 'POST', headers, agent }, (response) => {
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

/** `order(isBuy)` resolves when its sender knows that the order is accepted, and `settled` when it can take the next. */
async function senders(launcher, { url, token }, env, file) {
  const session = program([launcher, 'trade', 'session', '--yes', '--account', ACCOUNT, '-o', 'ndjson'], env);
  await session.until((line) => line.includes('"ready"'));
  const sample = program([SELF, '--sample', url, token], {});
  const sid = await sample.until(() => true);
  const agent = new Agent({ keepAlive: true });
  const headers = {
    'user-agent': 'bench',
    accept: 'application/json',
    'content-type': 'application/x-www-form-urlencoded',
    authorization: `Bearer ${sid}${token}`,
  };
  const accepted = (text) => {
    if (!text.includes('"executed":true')) throw new Error(`refused: ${text}`);
  };
  return {
    close: () =>
      Promise.all(
        [session, sample].map(({ child }) => {
          child.kill();
          return once(child, 'exit');
        }),
      ),
    ways: {
      'the request alone': {
        async order(isBuy) {
          const sent = request(`${url}/trading/open_trade`, { method: 'POST', headers, agent });
          sent.end(form(isBuy));
          const [response] = await once(sent, 'response');
          let text = '';
          for await (const chunk of response) text += chunk;
          accepted(text);
        },
      },
      [`the sample's way, socket.io-client ${SOCKET_IO_CLIENT}`]: {
        async order(isBuy) {
          sample.write(form(isBuy));
          accepted(await sample.until(() => true));
        },
      },
      'no order: a line of 400 bytes, written and synced': {
        async order() {
          writeSync(file, `${'x'.repeat(399)}\n`);
          fsyncSync(file);
        },
      },
      'svc trade session': {
        async order(isBuy) {
          session.write(JSON.stringify({ command: isBuy ? 'buy' : 'sell', symbol: 'EUR/USD', amount: 10 }));
          const line = await session.until((text) => /"(?:accepted|refused|unknown|error)"/.test(text));
          if (!line.includes('"accepted"')) throw new Error(line);
        },
        settled: () => session.until((text) => text.includes('"filled"')),
      },
    },
  };
}

/** Milliseconds of each order, with the senders in turn. */
async function measure(ways, count) {
  const times = Object.fromEntries(Object.keys(ways).map((name) => [name, []]));
  for (let round = -WARM_UP; round < count; round++) {
    for (const [name, { order, settled }] of Object.entries(ways)) {
      const began = performance.now();
      await order(round % 2 === 0);
      if (round >= 0) times[name].push(performance.now() - began);
      await settled?.();
    }
  }
  return times;
}

/** Milliseconds from the start of a program until its only order is accepted. */
async function measureCold(launcher, { url, token }, env) {
  const ways = {
    'node -e 0': async () => {
      await once(spawn(process.execPath, ['-e', '0'], { env: cleanEnvironment({}) }), 'close');
    },
    [`the sample's way, socket.io-client ${SOCKET_IO_CLIENT}`]: async (isBuy) => {
      const sample = program([SELF, '--sample', url, token], {});
      await sample.until(() => true);
      sample.write(form(isBuy));
      const line = await sample.until(() => true);
      if (!line.includes('"executed":true')) throw new Error(line);
      sample.child.kill();
    },
    'svc trade buy --yes': async (isBuy) => {
      const argv = [launcher, 'trade', isBuy ? 'buy' : 'sell', 'EUR/USD', '10', '--account', ACCOUNT, '--yes', '-q'];
      const options = { stdio: 'ignore', env: cleanEnvironment(env) };
      const [status] = await once(spawn(process.execPath, argv, options), 'close');
      if (status !== 0) throw new Error(`svc trade buy ended with ${status}`);
    },
  };
  const times = Object.fromEntries(Object.keys(ways).map((name) => [name, []]));
  for (let round = -2; round < COLD_ROUNDS; round++) {
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

export async function orderBench(root, count = 1000) {
  const launcher = join(root, 'bin/svc.cjs');
  const folder = mkdtempSync(join(tmpdir(), 'svc-bench-orders-'));
  const env = { SVC_CONFIG_DIR: folder, XDG_STATE_HOME: folder };
  const sandbox = program([launcher, 'sandbox', 'start', '--empty', '-q'], env);
  const file = openSync(join(folder, 'synced'), 'a');
  let close;
  try {
    const variable = async (name) => (await sandbox.until((line) => line.includes(name))).split('=')[1];
    const url = await variable('SVC_TRADE_URL');
    const token = await variable('SVC_TRADE_TOKEN');
    const connected = { ...env, SVC_TRADE_URL: url, SVC_TRADE_TOKEN: token };
    const made = await senders(launcher, { url, token }, connected, file);
    close = made.close;
    const rows = Object.entries(await measure(made.ways, count));
    const [, alone] = rows[0];
    const cold = Object.entries(await measureCold(launcher, { url, token }, connected));
    return [
      `## one order in a warm session (${count} rounds)`,
      '',
      '| sender | ms at p50 | ms at p99 | over the request alone: p50 | p99 | budget |',
      '|---|---|---|---|---|---|',
      ...rows.map(([name, times]) => {
        const [p50, p99] = [0.5, 0.99].map((part) => quantile(times, part));
        const [over, most] = [p50 - quantile(alone, 0.5), p99 - quantile(alone, 0.99)];
        const verdict = most <= BUDGET ? 'met' : 'MISSED';
        if (name.startsWith('no order')) return `| ${name} | ${p50.toFixed(2)} | ${p99.toFixed(2)} | | | |`;
        const budget = name.startsWith('svc') ? `p99 ≤ ${BUDGET} ms over it ${verdict}` : '';
        return `| ${name} | ${p50.toFixed(2)} | ${p99.toFixed(2)} | ${over.toFixed(2)} | ${most.toFixed(2)} | ${budget} |`;
      }),
      '',
      `## one order of a new process (${COLD_ROUNDS} rounds)`,
      '',
      'From its start until its order is accepted.',
      '',
      '| sender | ms at p50 | ms at p99 |',
      '|---|---|---|',
      ...cold.map(
        ([name, times]) => `| ${name} | ${[0.5, 0.99].map((part) => quantile(times, part).toFixed(0)).join(' | ')} |`,
      ),
    ];
  } finally {
    await close?.();
    sandbox.child.kill();
    await once(sandbox.child, 'exit');
    closeSync(file);
    rmSync(folder, { recursive: true, force: true });
  }
}

if (process.argv[1] === SELF) {
  const [step, ...given] = process.argv.slice(2);
  if (step === '--sample') sendBySocketIo(given[0], given[1]);
  else console.log((await orderBench(fileURLToPath(new URL('..', import.meta.url)), Number(step ?? 1000))).join('\n'));
}
