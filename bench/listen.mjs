// Measures deliveries per CPU second of `svc webhooks listen`, and its memory: `npm run bench -- listen`, or
// `node bench/listen.mjs [100000|million]`. `node bench/listen.mjs <n> --json` prints only the case with half-open connections, as JSON.
import { spawn } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, watch, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cleanEnvironment } from './measure.mjs';

const SECRET = 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=';
const BODY_BYTES = 2048;
const CONNECTIONS = 16;
const HALF_OPEN = 500;
const TICKS_PER_SECOND = 100;

/** Each request has its own event id and signature, so none is a duplicate. */
function request(port, index) {
  const start = `{"id":"evt_${index}","type":"summary.completed","created_at":"2026-01-01T00:00:00Z","data":{"audio_id":"aud_1","transcript":{"text":"`;
  const end = '"}}}';
  const body = start + 'x'.repeat(BODY_BYTES - start.length - end.length) + end;
  const timestamp = Math.floor(Date.now() / 1000);
  const signature = createHmac('sha256', SECRET).update(`${timestamp}.${body}`).digest('hex');
  return `POST / HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nContent-Type: application/json\r\nX-Service-Event: summary.completed\r\nX-Service-Delivery: dlv_${index}\r\nX-Service-Timestamp: ${timestamp}\r\nX-Service-Signature: sha256=${signature}\r\nContent-Length: ${BODY_BYTES}\r\n\r\n${body}`;
}

/** Sends over persistent connections, one request at a time on each. Calls `at(n)` after the nth response. */
function deliver(port, first, count, at) {
  return new Promise((done, fail) => {
    let sent = 0;
    let answered = 0;
    const sockets = Array.from({ length: CONNECTIONS }, () => {
      const socket = connect(port, '127.0.0.1');
      const next = () => {
        if (sent < count) socket.write(request(port, first + sent++));
        else socket.end();
      };
      socket.once('connect', next);
      socket.on('error', fail);
      socket.on('data', (data) => {
        if (!data.toString('latin1').startsWith('HTTP/1.1 204')) fail(new Error(`answered: ${data}`));
        at(++answered);
        if (answered === count) {
          for (const other of sockets) other.destroy();
          done();
        } else next();
      });
      return socket;
    });
  });
}

/** Connections whose request head never ends. The receiver closes each after a while; this opens another at once. */
function halfOpen(port) {
  const sockets = new Set();
  let over = false;
  const open = () => {
    if (over) return;
    const socket = connect(port, '127.0.0.1', () => socket.write('POST / HTTP/1.1\r\nHost: a\r\nX-Slow: '));
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => {
      sockets.delete(socket);
      open();
    });
    socket.resume();
  };
  for (let index = 0; index < HALF_OPEN; index++) open();
  return () => {
    over = true;
    for (const socket of sockets) socket.destroy();
  };
}

function usage(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'latin1')
    .replace(/^.*\) /s, '')
    .split(' ');
  const mib = Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1]) / 1024;
  return { cpu: (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND, mib };
}

/** Measures one listener, whose output goes to /dev/null, after `warmUp` deliveries. */
async function measureListener(launcher, { name, args, count, warmUp = 5_000, slow = false }) {
  const folder = mkdtempSync(join(tmpdir(), 'svc-bench-listen-'));
  writeFileSync(join(folder, 'secret'), SECRET, { mode: 0o600 });
  const nothing = openSync('/dev/null', 'w');
  const ready = join(folder, 'ready.json');
  const argv = ['webhooks', 'listen', '--port', '0', '--secret-file', 'secret', '--ready-file', ready, ...args];
  const folderWatch = watch(folder);
  const child = spawn(process.execPath, [launcher, ...argv], {
    cwd: folder,
    env: cleanEnvironment(),
    stdio: ['ignore', nothing, 'ignore'],
  });
  closeSync(nothing);
  try {
    let port;
    while (port === undefined) {
      await Promise.race([once(folderWatch, 'change'), once(child, 'exit')]);
      if (child.exitCode !== null) throw new Error(`${name}: the listener ended with ${child.exitCode}`);
      try {
        ({ port } = JSON.parse(readFileSync(ready, 'utf8')));
      } catch {
        // not written yet
      }
    }
    const release = slow ? halfOpen(port) : () => {};
    await deliver(port, 0, warmUp, () => {});
    const before = usage(child.pid);
    const began = performance.now();
    const memory = [];
    await deliver(port, warmUp, count, (n) => {
      if (n % (count / 10) === 0) memory.push(usage(child.pid).mib);
    });
    const after = usage(child.pid);
    release();
    return {
      name,
      count,
      perCpuSecond: count / (after.cpu - before.cpu),
      perSecond: count / ((performance.now() - began) / 1000),
      mibAtTenth: memory[0],
      mib: Math.max(...memory),
    };
  } finally {
    folderWatch.close();
    child.kill('SIGINT');
    if (child.exitCode === null) await once(child, 'exit');
    rmSync(folder, { recursive: true, force: true });
  }
}

export const LISTEN_BUDGET = 8_000;

function casesOf(count) {
  return [
    { name: 'table', args: [], count },
    { name: 'ndjson', args: ['-o', 'ndjson'], count },
    { name: 'table, --record', args: ['--record', 'recording.ndjson'], count },
    { name: `ndjson, ${HALF_OPEN} half-open connections`, args: ['-o', 'ndjson'], count, slow: true },
  ];
}

const MILLION = { name: 'ndjson, a million', args: ['-o', 'ndjson'], count: 1_000_000 };

/** `million` adds a case that shows whether memory stays flat. */
export async function listenBench(root, { count = 100_000, million = false } = {}) {
  const launcher = join(root, 'bin/svc.cjs');
  const rows = [];
  for (const one of [...casesOf(count), ...(million ? [MILLION] : [])]) rows.push(await measureListener(launcher, one));
  return [
    `## webhooks listen, deliveries of 2 KiB on ${CONNECTIONS} connections`,
    '',
    '| lines to /dev/null | deliveries | per CPU second | per second | MiB after a tenth | MiB at most | budget |',
    '|---|---|---|---|---|---|---|',
    ...rows.map(
      ({ name, count, perCpuSecond, perSecond, mibAtTenth, mib }) =>
        `| ${name} | ${count} | ${perCpuSecond.toFixed(0)} | ${perSecond.toFixed(0)} | ${mibAtTenth.toFixed(0)} | ${mib.toFixed(0)} | ≥ ${LISTEN_BUDGET} ${perCpuSecond >= LISTEN_BUDGET ? 'met' : 'MISSED'} |`,
    ),
  ];
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const root = fileURLToPath(new URL('..', import.meta.url));
  const [wanted = '100000', as] = process.argv.slice(2);
  const million = wanted === 'million';
  if (as === '--json') {
    const soak = casesOf(Number(wanted)).at(-1);
    console.log(JSON.stringify(await measureListener(join(root, 'bin/svc.cjs'), soak)));
  } else console.log((await listenBench(root, { count: million ? 100_000 : Number(wanted), million })).join('\n'));
}
