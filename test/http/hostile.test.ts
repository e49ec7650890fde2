/** Peers that send without end or without sense: the built binary stays small, and ends by its deadline. */
import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { startSvc } from '../e2e/binary.ts';
import { answer, faultServer } from './servers.ts';

const TIMEOUT_MS = 2_000;
const MIB = 1024;
const MOST_MORE = 150 * MIB;

const HEAD = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n';
const chunk = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`;

/** Writes as fast as the reader takes it, until the connection is gone. */
function endless(head: string, piece: string) {
  return (socket: Socket): void => {
    const more = (): void => {
      while (!socket.destroyed && socket.write(piece));
    };
    socket.on('drain', more).on('error', () => {});
    socket.write(head);
    more();
  };
}

const PEERS: Readonly<Record<string, (socket: Socket) => void>> = {
  'one-byte chunks': endless(`${HEAD}${chunk('["')}`, chunk('a').repeat(4096)),
  'white space': endless(`${HEAD}${chunk('[')}`, chunk(' '.repeat(65_536))),
  'a string': endless(`${HEAD}${chunk('["')}`, chunk('a'.repeat(65_536))),
  'many values': endless(`${HEAD}${chunk('[[]')}`, chunk(',[]'.repeat(20_000))),
  'deep nesting': endless(HEAD, chunk('['.repeat(65_536))),
  'a slow drip': (socket) => {
    socket.write(`${HEAD}${chunk('[')}`);
    const timer = setInterval(() => socket.write(chunk(' ')), 100);
    socket.on('close', () => clearInterval(timer)).on('error', () => {});
  },
  headers: endless('HTTP/1.1 200 OK\r\n', 'x-a: b\r\n'.repeat(4096)),
  '1xx responses': endless('', 'HTTP/1.1 103 Early Hints\r\nlink: <a>\r\n\r\n'.repeat(512)),
};

const REQUESTS: Readonly<Record<string, { readonly argv: readonly string[]; readonly url: string }>> = {
  'a list': { argv: ['alerts', 'list', '-o', 'id'], url: 'SVC_ALERTS_URL' },
  'a whole value': { argv: ['alerts', 'status', '-o', 'json'], url: 'SVC_ALERTS_URL' },
  'a raw response': { argv: ['api', 'alerts', '/alerts'], url: 'SVC_ALERTS_URL' },
  polling: { argv: ['trade', 'accounts'], url: 'SVC_TRADE_URL' },
};

interface Measured {
  readonly code: number | null;
  readonly stderr: string;
  readonly peak: number;
}

/** The peak is the kernel's own, read until the process is gone. */
async function measure({ argv, url }: (typeof REQUESTS)[string], peer: (socket: Socket) => void): Promise<Measured> {
  await using server = await faultServer(peer);
  const env = { [url]: server.url, SVC_TRADE_TOKEN: 'token-0123456789' };
  const run = startSvc([...argv, '--timeout', `${TIMEOUT_MS}ms`], { env });
  let peak = 0;
  const sample = (): void => {
    try {
      const status = readFileSync(`/proc/${run.child.pid}/status`, 'utf8');
      peak = Math.max(peak, Number(/^VmHWM:\s+(\d+)/m.exec(status)?.[1] ?? 0));
    } catch {
      // It has ended.
    }
  };
  const timer = setInterval(sample, 20);
  const { code, stderr } = await run.ended.finally(() => clearInterval(timer));
  return { code, stderr, peak };
}

const CASES = Object.entries(REQUESTS).flatMap(([request, made]) =>
  Object.entries(PEERS).map(([peer, behaves], at) => ({ request, peer, made, behaves, at })),
);
const IS_HARD = process.env['SVC_HARD'] !== undefined;
/** A tenth of the cases in the quick suite. */
const CHOSEN = IS_HARD ? CASES : CASES.filter((_, index) => index % 9 === 0);

describe.skipIf(process.platform !== 'linux')('a hostile peer', () => {
  it.each(CHOSEN)('$request: $peer', { timeout: 60_000 }, async ({ made, behaves }) => {
    const good = await measure(made, (socket) => socket.end(answer(400, '{}')));
    const { code, stderr, peak } = await measure(made, behaves);
    expect(code, stderr).not.toBe(0);
    expect(code, stderr).not.toBe(70);
    expect(good.peak).toBeGreaterThan(0);
    expect(peak - good.peak, 'KiB more than against a good peer').toBeLessThan(MOST_MORE);
  });
});
