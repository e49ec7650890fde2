// Measures pushes per CPU second of the built `svc trade stream`, and its memory: `node bench/trade.mjs [pushes]`; `session [pushes]`
// measures a session without the command, `<pushes> --json` prints one stream as JSON. The sender frames each push in advance and does
// nothing else, because the real gateway's library is too slow for this.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cleanEnvironment } from './measure.mjs';

const ORDER =
  '{"t":3,"ratePrecision":5,"orderId":"390285837","tradeId":"170162801","time":"04252018120716391","accountName":"00654061","accountId":"654061","timeInForce":"GTC","expireDate":"","currency":"EUR/USD","isBuy":true,"buy":1.21818,"sell":0,"type":"OM","status":2,"amountK":5,"currencyPoint":0.5,"stopMove":0,"stop":0,"stopRate":0,"limit":0,"limitRate":0,"isEntryOrder":false,"ocoBulkId":0,"isNetQuantity":false,"isLimitOrder":false,"isStopOrder":false,"isELSOrder":false,"stopPegBaseType":-1,"limitPegBaseType":-1,"range":0,"action":"I"}';
const PUSH = `42${JSON.stringify(['Order', ORDER])}`;
const PER_WRITE = 500;
const SID = 'AAAAAAAAAAAAAAAAAAAA';
const OPENING = `0${JSON.stringify({ sid: SID, upgrades: ['websocket'], pingInterval: 25000, pingTimeout: 20000 })}`;

function payload(packets) {
  return packets.map((packet) => `${packet.length}:${packet}`).join('');
}

function frame(text) {
  const body = Buffer.from(text);
  const head = Buffer.alloc(4);
  head[0] = 0x81;
  head[1] = 126;
  head.writeUInt16BE(body.length, 2);
  return Buffer.concat([head, body]);
}

/** Imitates the gateway as far as a session needs, and sends `count` pushes. */
async function serve(count) {
  const frames = Buffer.concat(Array(PER_WRITE).fill(frame(PUSH)));
  const polled = payload(Array(PER_WRITE).fill(PUSH));
  const server = createServer((socket) => {
    let bytes = '';
    let polls = 0;
    const answer = (body, more = '') =>
      socket.write(
        `HTTP/1.1 200 OK\r\ncontent-type: text/plain; charset=UTF-8\r\n${more}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
      );
    const blast = () => {
      let sent = 0;
      const next = () => {
        while (sent < count) {
          sent += PER_WRITE;
          if (sent % (count / 10) === 0) console.log(`sent ${sent}`);
          if (!socket.write(frames)) return void socket.once('drain', next);
        }
      };
      next();
    };
    const read = (chunk) => {
      bytes += chunk.toString('latin1');
      const end = bytes.indexOf('\r\n\r\n');
      if (end < 0) return;
      const length = Number(/content-length: (\d+)/i.exec(bytes.slice(0, end))?.[1] ?? 0);
      if (bytes.length < end + 4 + length) return;
      const head = bytes.slice(0, end);
      bytes = bytes.slice(end + 4 + length);
      if (head.includes('transport=websocket')) {
        const key = /sec-websocket-key: (\S+)/i.exec(head)[1];
        const accept = createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64');
        socket.off('data', read);
        socket.write(
          `HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\nsec-websocket-accept: ${accept}\r\n\r\n`,
        );
        socket.once('data', () => {
          socket.write(Buffer.concat([Buffer.from([0x81, 6]), Buffer.from('3probe')]));
          socket.once('data', blast); // `5`: the upgrade is done
        });
      } else if (head.startsWith('POST /trading/')) answer('{"response":{"executed":true}}');
      else if (head.startsWith('POST')) answer('ok');
      else if (!head.includes('sid=')) answer(payload([OPENING, '40']), `set-cookie: io=${SID}; Path=/\r\n`);
      else if (process.argv[4] === 'websocket') setTimeout(() => answer('1:6'), 200);
      else if (polls * PER_WRITE < count) {
        polls++;
        if ((polls * PER_WRITE) % (count / 10) === 0) console.log(`sent ${polls * PER_WRITE}`);
        answer(polled);
      }
    };
    socket.on('data', read).on('error', () => {});
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  console.log(server.address().port);
}

/** Bundles the sources of the session for Node.js. */
async function bundleSession(dir) {
  const { rolldown } = await import('rolldown');
  const root = fileURLToPath(new URL('..', import.meta.url));
  const bundle = await rolldown({
    input: {
      session: `${root}src/features/trade/gateway/session.ts`,
      redact: `${root}src/http/redact.ts`,
      secrets: `${root}src/http/known-secrets.ts`,
    },
    platform: 'node',
    checks: { ineffectiveDynamicImport: false },
  });
  await bundle.write({ dir, format: 'cjs', entryFileNames: '[name].cjs' });
  await bundle.close();
}

/** Runs in its own process, so that its memory is that of the session. */
async function measure(count, dir) {
  const require = createRequire(import.meta.url);
  const { Session } = require(`${dir}/session.cjs`);
  const { Secret } = require(`${dir}/redact.cjs`);
  const { KnownSecrets } = require(`${dir}/secrets.cjs`);
  const self = fileURLToPath(import.meta.url);
  const sender = spawn(process.execPath, [self, '--serve', String(count), 'polling'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = await once(sender.stdout, 'data');
  const session = new Session(
    {
      service: 'trade',
      baseUrl: new URL(`http://127.0.0.1:${Number(line)}`),
      timeoutMs: 30_000,
      userAgent: 'svc/bench',
      headers: {},
      secretHeaders: new Set(),
      tls: { insecure: false },
      proxy: {},
      secrets: new KnownSecrets(),
      log: { level: 0, trace: () => {}, warn: () => {} },
      signal: new AbortController().signal,
      now: Date.now,
      random: Math.random,
      sleep: (ms) => new Promise((done) => setTimeout(done, ms)),
    },
    { token: () => new Secret('0'.repeat(40)), onNotice: console.error },
  );
  await session.connect();
  let received = 0;
  let parsed = 0;
  let early = 0;
  let most = 0;
  const cpu = process.cpuUsage();
  const began = performance.now();
  for await (const event of session.events()) {
    if (event.kind === 'connected') continue;
    if (event.kind !== 'push') throw new Error(event.reason);
    if (JSON.parse(event.payload).t === 3) parsed++;
    if (++received % 10_000 === 0) most = Math.max(most, process.memoryUsage.rss());
    if (received === count / 10) early = most;
    if (received === count) break;
  }
  const { user, system } = process.cpuUsage(cpu);
  const wall = (performance.now() - began) / 1000;
  await session.close();
  sender.kill();
  if (parsed !== count) throw new Error(`${parsed} of ${count} pushes were orders`);
  const cpuSeconds = (user + system) / 1e6;
  const mib = (bytes) => `${Math.round(bytes / 2 ** 20)} MiB`;
  console.log(
    `${Math.round(count / cpuSeconds)} pushes per CPU second, ${Math.round(count / wall)} per second, at most ${mib(early)} in the first tenth and ${mib(most)} in all`,
  );
}

const { version: SOCKET_IO_CLIENT } = createRequire(import.meta.url)('socket.io-client/package.json');

const TICKS_PER_SECOND = 100;
const SAMPLE_MS = 25;

/** Undefined if the process has ended. */
function usage(pid) {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'latin1')
      .replace(/^.*\) /s, '')
      .split(' ');
    const mib = Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1]) / 1024;
    return { cpu: (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND, mib };
  } catch {
    return undefined;
  }
}

/**
 * A client like the vendor's example for Node.js: socket.io-client, a listener for the table, and a line for each push, parsed and printed.
 * It does not subscribe, because this sender does not require it.
 */
function readBySocketIo(url, count) {
  const io = createRequire(import.meta.url)('socket.io-client');
  const socket = io(url, { query: `access_token=${'0'.repeat(40)}`, transports: ['polling', 'websocket'] });
  let received = 0;
  socket.on('Order', (update) => {
    process.stdout.write(`${JSON.stringify(JSON.parse(update))}\n`);
    if (++received === count) process.stdout.write('', () => process.exit(0));
  });
}

/** Measures the whole command, including its start and end. Its output goes to /dev/null. */
async function measureStream(launcher, { transport, format = 'ndjson', count, peer = false }) {
  const folder = mkdtempSync(join(tmpdir(), 'svc-bench-trade-'));
  const self = fileURLToPath(import.meta.url);
  const sender = spawn(process.execPath, [self, '--serve', String(count), transport], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let child;
  const seen = { cpu: 0, atTenth: undefined, most: 0 };
  const sample = () => {
    const now = child === undefined ? undefined : usage(child.pid);
    if (now === undefined || Number.isNaN(now.mib)) return;
    seen.cpu = now.cpu;
    seen.most = Math.max(seen.most, now.mib);
  };
  try {
    const [line] = await once(sender.stdout, 'data');
    sender.stdout.on('data', () => {
      sample();
      seen.atTenth ??= seen.most;
    });
    const nothing = openSync('/dev/null', 'w');
    const url = `http://127.0.0.1:${Number(line)}`;
    const stream = ['trade', 'stream', 'Order', '-o', format, '--until', String(count)];
    const argv = peer ? [self, '--peer', url, String(count)] : [launcher, ...stream, '--base-url', url];
    child = spawn(process.execPath, argv, {
      stdio: ['ignore', nothing, 'inherit'],
      env: cleanEnvironment({
        SVC_TRADE_TOKEN: '0'.repeat(40),
        SVC_CONFIG_DIR: folder,
        XDG_STATE_HOME: folder,
      }),
    });
    closeSync(nothing);
    const began = performance.now();
    const sampling = setInterval(sample, SAMPLE_MS);
    const [code] = await once(child, 'exit');
    clearInterval(sampling);
    if (code !== 0) throw new Error(`${transport}: the stream ended with ${code}`);
    const seconds = (performance.now() - began) / 1000;
    return {
      name: peer ? `socket.io-client ${SOCKET_IO_CLIENT}, ${transport}` : `${transport}, ${format}`,
      count,
      perCpuSecond: count / seen.cpu,
      perSecond: count / seconds,
      mibAtTenth: seen.atTenth,
      mib: seen.most,
    };
  } finally {
    child?.kill();
    sender.kill();
    rmSync(folder, { recursive: true, force: true });
  }
}

export const TRADE_BUDGET = 60_000;

/** A million pushes show whether memory stays flat. */
export async function tradeBench(root, { count = 1_000_000 } = {}) {
  const launcher = join(root, 'bin/svc.cjs');
  const cases = [
    { transport: 'polling', count },
    { transport: 'polling', format: 'csv', count: count / 5 },
    { transport: 'polling', format: 'table', count: count / 5 },
    { transport: 'websocket', count: count / 5, peer: true },
  ];
  const rows = [];
  for (const one of cases) rows.push(await measureStream(launcher, one));
  return [
    `## trade stream, pushes of ${ORDER.length} bytes framed in advance`,
    '',
    '| lines to /dev/null | pushes | per CPU second | per second | MiB after a tenth | MiB at most | budget |',
    '|---|---|---|---|---|---|---|',
    ...rows.map(({ name, count, perCpuSecond, perSecond, mibAtTenth, mib }, index) => {
      const budget = index === 0 ? `≥ ${TRADE_BUDGET} ${perCpuSecond >= TRADE_BUDGET ? 'met' : 'MISSED'}` : '';
      return `| ${name} | ${count} | ${perCpuSecond.toFixed(0)} | ${perSecond.toFixed(0)} | ${mibAtTenth?.toFixed(0)} | ${mib.toFixed(0)} | ${budget} |`;
    }),
  ];
}

/** Rounds up, so that a tenth and a fiftieth consist of whole writes. */
function rounded(count) {
  return Math.ceil(Number(count) / (PER_WRITE * 50)) * PER_WRITE * 50;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [step, ...given] = process.argv.slice(2);
  if (step === '--serve') await serve(Number(given[0]));
  else if (step === '--peer') readBySocketIo(given[0], Number(given[1]));
  else if (step === '--measure') await measure(Number(given[0]), given[1]);
  else if (step === 'session') {
    const dir = mkdtempSync(join(tmpdir(), 'svc-bench-trade-'));
    await bundleSession(dir);
    for (let round = 0; round < 2; round++) {
      const words = [fileURLToPath(import.meta.url), '--measure', String(rounded(given[0] ?? 500_000)), dir];
      await once(spawn(process.execPath, words, { stdio: 'inherit' }), 'exit');
    }
    rmSync(dir, { recursive: true, force: true });
  } else {
    const root = fileURLToPath(new URL('..', import.meta.url));
    const count = rounded(step ?? 1_000_000);
    if (given[0] === '--json') {
      console.log(JSON.stringify(await measureStream(join(root, 'bin/svc.cjs'), { transport: 'websocket', count })));
    } else console.log((await tradeBench(root, { count })).join('\n'));
  }
}
