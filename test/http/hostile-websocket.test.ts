/** A gateway that upgrades to a WebSocket in good order, and then writes what no gateway should: to the built `svc trade stream`. */
import type { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { feedGateway, lines } from '../features/trade/commands/feed.ts';
import { until } from '../features/trade/gateway.ts';
import {
  chosen,
  drip,
  endless,
  type Hostile,
  IS_HARD,
  type Measured,
  MOST_LATE_MS,
  MOST_MORE,
  measure,
} from './hostile-peers.ts';

const MIB = 2 ** 20;
const UNTIL_MS = 2_000;
/** For so long svc waits for the close frame of the gateway, which never comes from these. */
const CLOSING_MS = 1_000;

const [FIN, CONTINUATION, TEXT, BINARY, PONG] = [0x80, 0x00, 0x01, 0x02, 0x0a] as const;
const PING = 0x09;

/** Of a frame of a server: without a mask. `length` may be a lie. */
function frame(first: number, payload: string | Buffer, length?: number): Buffer {
  const bytes = Buffer.from(payload as string);
  const size = length ?? bytes.length;
  const head = Buffer.alloc(size < 126 ? 2 : size < 65_536 ? 4 : 10);
  head[0] = first;
  if (size < 126) head[1] = size;
  else if (size < 65_536) {
    head[1] = 126;
    head.writeUInt16BE(size, 2);
  } else {
    head[1] = 127;
    head.writeBigUInt64BE(BigInt(size), 2);
  }
  return Buffer.concat([head, bytes]);
}

/** A push for somebody who streams EUR/USD. */
const push = (payload: string): Buffer => frame(FIN | TEXT, `42["EUR/USD",${payload}]`);
const repeated = (bytes: Buffer, size: number): Buffer =>
  Buffer.alloc(Math.floor(size / bytes.length) * bytes.length, bytes);
const once =
  (...frames: Buffer[]): Hostile =>
  (socket) => {
    for (const one of frames) socket.write(one);
  };
/** Never reads what comes back. */
const unread =
  (hostile: Hostile): Hostile =>
  (socket) => {
    socket.pause();
    hostile(socket);
  };

/** `message`: the stream must end with this reason; without one it may go on, until its time is over. */
const FRAMES: Readonly<Record<string, { readonly hostile: Hostile; readonly message?: RegExp }>> = {
  'deep JSON in a text': { hostile: once(push(JSON.stringify('['.repeat(200_000) + ']'.repeat(200_000)))) },
  'a million values': { hostile: once(push(`[${'0,'.repeat(MIB)}0]`)), message: /more than 1000000 names and values/ },
  'fragments without bytes': {
    hostile: endless(frame(TEXT, ''), repeated(frame(CONTINUATION, ''), 65_536)),
    message: /fragments/,
  },
  'deep JSON': { hostile: once(push('['.repeat(200_000) + ']'.repeat(200_000))), message: /more than 256 levels deep/ },
  'fragments without end': {
    hostile: endless(frame(TEXT, '42["EUR/USD","'), frame(CONTINUATION, 'a'.repeat(65_000))),
    message: /larger than 4194304 bytes/,
  },
  'pings whose pongs it does not read': {
    hostile: unread(endless('', repeated(frame(FIN | PING, 'p'.repeat(125)), 65_536))),
  },
  'pongs without end': { hostile: endless('', repeated(frame(FIN | PONG, 'p'.repeat(125)), 65_536)) },
  'a frame of a terabyte': {
    hostile: endless(frame(FIN | TEXT, '', 2 ** 40), 'a'.repeat(65_536)),
    message: /larger than/,
  },
  'a message of 15 MiB': {
    hostile: endless('', push(`"${'a'.repeat(15 * MIB)}"`)),
    message: /larger than 4194304 bytes/,
  },
  'a message of just under 4 MiB, again and again': {
    hostile: endless('', push(`"${'a'.repeat(4 * MIB - 100)}"`)),
  },
  'a frame a byte at a time': { hostile: drip('', 'a'), message: /cannot be used/ },
  'binary frames': { hostile: endless('', repeated(frame(FIN | BINARY, 'b'.repeat(120)), 65_536)) },
  'text that is not UTF-8': { hostile: once(frame(FIN | TEXT, Buffer.from([0xff, 0xfe]))), message: /UTF-8/ },
  'packets of no protocol': { hostile: endless('', repeated(frame(FIN | TEXT, '9x'), 65_536)) },
};

const STREAM = ['trade', 'stream', 'EUR/USD', '--no-reconnect', '--until', `${UNTIL_MS}ms`, '-o', 'ndjson'];

async function stream(hostile?: Hostile): Promise<Measured & { readonly reachedAt: number | undefined }> {
  await using feed = await feedGateway();
  const run = measure(STREAM, feed.env);
  let reachedAt: number | undefined;
  void upgraded(feed).then((socket) => {
    reachedAt = performance.now();
    hostile?.(socket);
  });
  return { ...(await run), reachedAt };
}

/** The connection behind the WebSocket, once events come over it. */
async function upgraded({ gateway }: Awaited<ReturnType<typeof feedGateway>>): Promise<Socket> {
  type Transport = { readonly name: string; readonly socket: { readonly _socket: Socket } };
  const transport = (): Transport | undefined =>
    (gateway.live[0] as unknown as { readonly conn: { readonly transport: Transport } } | undefined)?.conn.transport;
  await until(() => transport()?.name === 'websocket');
  const socket = (transport() as Transport).socket._socket;
  // Nothing of the real server comes between.
  socket.removeAllListeners('data');
  return socket;
}

let level: Promise<Measured> | undefined;

describe.skipIf(process.platform !== 'linux')('a WebSocket with', () => {
  it.each(chosen(Object.entries(FRAMES)))('%s', { timeout: 60_000 }, async (_name, { hostile, message }) => {
    level ??= stream();
    const { peak: start } = await level;
    const { code, stdout, stderr, peak, overdue, reachedAt = Number.NaN } = await stream(hostile);
    expect(reachedAt, stderr).not.toBeNaN();
    expect(stderr).not.toMatch(/\n +at |RangeError|a bug in svc/);
    expect(peak - start, 'KiB more than against a good gateway').toBeLessThan(MOST_MORE);
    expect(overdue(reachedAt + UNTIL_MS + CLOSING_MS)).toBeLessThan(MOST_LATE_MS);
    if (message === undefined) return;
    expect(code, stderr).toBe(7);
    expect(JSON.parse(stderr).error).toMatchObject({ code: 'bad_answer', message: expect.stringMatching(message) });
    expect(lines(stdout)).toContainEqual(expect.objectContaining({ event: 'unreachable' }));
  });
});

if (IS_HARD) {
  it('a WebSocket that is never opened delays no end', { timeout: 60_000 }, async () => {
    await using feed = await feedGateway();
    let askedAt = Number.NaN;
    feed.gateway.hangUpgrades(() => {
      askedAt = performance.now();
    });
    const { overdue, stderr } = await measure(STREAM, feed.env);
    expect(askedAt).not.toBeNaN();
    expect(stderr).not.toMatch(/\n +at |a bug in svc/);
    expect(overdue(askedAt + UNTIL_MS)).toBeLessThan(MOST_LATE_MS);
  });
}
