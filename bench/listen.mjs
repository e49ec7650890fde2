// Measures `svc webhooks listen`: verified deliveries per CPU second, and memory. `node bench/listen.mjs <deliveries>` prints the figures
// of a listener that also has 500 half-open connections.
import { spawn } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { cleanEnvironment, makeFolder, readUsage } from './measure.mjs';
import { loadOf } from './programs.mjs';
import { figure } from './table.mjs';

const SECRET = 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=';
const BODY_BYTES = 2048;
const CONNECTIONS = 16;
const HALF_OPEN = 500;
const WARM_UP = 5_000;
/** More than this is not flat. */
const MOST_GROWTH_MIB = 40;
const LAUNCHER = fileURLToPath(new URL('../bin/svc.cjs', import.meta.url));

export async function measureListener(bench) {
  const { perCpuSecond, mibAtTenth, mib } = await floodListener(loadOf(bench, 1_000_000), 0);
  return [
    {
      work: '`webhooks listen`, 1,000,000 verified deliveries of 2 KiB',
      against: '',
      cells: {
        node: [
          figure(perCpuSecond, { unit: 'per CPU second', atLeast: 8_000 }),
          figure(mibAtTenth, { unit: 'MiB after a tenth' }),
          figure(mib, { unit: 'MiB at most', atMost: Math.round(mibAtTenth) + MOST_GROWTH_MIB }),
        ],
      },
    },
  ];
}

/** The figures of a number of deliveries to a listener whose output goes to /dev/null, after some to warm up. */
async function floodListener(count, halfOpen) {
  const listener = await startListener();
  const { child, port } = listener;
  keepHalfOpen(listener, halfOpen);
  try {
    await deliver(port, 0, WARM_UP, () => {});
    const before = readUsage(child.pid);
    const memory = [];
    await deliver(port, WARM_UP, count, (answered) => {
      if (answered % (count / 10) === 0) memory.push(readUsage(child.pid).mib);
    });
    const after = readUsage(child.pid);
    return {
      count,
      perCpuSecond: count / (after.cpu - before.cpu),
      mibAtTenth: memory[0],
      mib: Math.max(...memory),
    };
  } finally {
    child.kill('SIGINT');
    if (child.exitCode === null) await once(child, 'exit');
  }
}

async function startListener() {
  const folder = makeFolder('listen');
  const ready = join(folder, 'ready.json');
  writeFileSync(join(folder, 'secret'), SECRET, { mode: 0o600 });
  const options = ['--port', '0', '--secret-file', 'secret', '--ready-file', ready, '-o', 'ndjson'];
  const child = spawn(process.execPath, [LAUNCHER, 'webhooks', 'listen', ...options], {
    cwd: folder,
    env: cleanEnvironment(),
    stdio: 'ignore',
  });
  let port;
  while (port === undefined) {
    await setTimeout(20);
    if (child.exitCode !== null) throw new Error(`the listener ended with ${child.exitCode}`);
    port = readPort(ready);
  }
  return { child, port };
}

/** Undefined as long as the file is not complete. */
function readPort(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8')).port;
  } catch {
    return undefined;
  }
}

/** Sends over persistent connections, one request at a time on each. Calls `onAnswer` with the number of responses so far. */
async function deliver(port, first, count, onAnswer) {
  let sent = 0;
  let answered = 0;
  const send = async () => {
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    while (sent < count) {
      socket.write(request(port, first + sent++));
      const [data] = await once(socket, 'data');
      if (!data.toString('latin1').startsWith('HTTP/1.1 204')) throw new Error(`answered: ${data}`);
      onAnswer(++answered);
    }
    socket.destroy();
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, send));
}

/** Each request has its own event id and signature, so none is a duplicate. */
function request(port, index) {
  const start = `{"id":"evt_${index}","type":"summary.completed","created_at":"2026-01-01T00:00:00Z","data":{"audio_id":"aud_1","transcript":{"text":"`;
  const end = '"}}}';
  const body = start + 'x'.repeat(BODY_BYTES - start.length - end.length) + end;
  const timestamp = Math.floor(Date.now() / 1000);
  const signature = createHmac('sha256', SECRET).update(`${timestamp}.${body}`).digest('hex');
  return `POST / HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nContent-Type: application/json\r\nX-Service-Event: summary.completed\r\nX-Service-Delivery: dlv_${index}\r\nX-Service-Timestamp: ${timestamp}\r\nX-Service-Signature: sha256=${signature}\r\nContent-Length: ${BODY_BYTES}\r\n\r\n${body}`;
}

/** Keeps connections open whose request head never ends. The listener closes each after a while; this opens another at once. */
function keepHalfOpen(listener, count) {
  const open = () => {
    if (listener.child.killed) return;
    const socket = connect(listener.port, '127.0.0.1');
    socket.write('POST / HTTP/1.1\r\nHost: a\r\nX-Slow: ');
    socket.on('error', () => {});
    socket.on('close', open);
    socket.resume();
  };
  for (let index = 0; index < count; index++) open();
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  console.log(JSON.stringify(await floodListener(Number(process.argv[2]), HALF_OPEN)));
}
