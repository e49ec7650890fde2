import { readSync } from 'node:fs';
import type { NetConnectOpts, Socket, SocketConstructorOpts } from 'node:net';
import { StringDecoder } from 'node:string_decoder';
import { setImmediate } from 'node:timers/promises';
import { atExit, isPipe } from './output-stream.ts';

/**
 * Reads a file from its descriptor. Sources that may wait for a writer use Node's stream: a direct read would block the process, and no signal would end it.
 */
export async function* stdinChunks(signal: AbortSignal): AsyncGenerator<Uint8Array, void, void> {
  if (isPipe(0)) {
    yield* stdinUntil(signal);
    signal.throwIfAborted();
    return;
  }
  const buffer = Buffer.allocUnsafe(1 << 20);
  for (let piece = 1, count = readSync(0, buffer); count > 0; piece += 1, count = readSync(0, buffer)) {
    // A device may never end, and a signal arrives only between two turns of the event loop.
    if (piece % 64 === 0) await setImmediate();
    signal.throwIfAborted();
    yield buffer.subarray(0, count);
  }
}

/** Can be cancelled while it waits, unlike a read of the descriptor. */
export async function* stdinUntil(over: AbortSignal): AsyncGenerator<Uint8Array, void, void> {
  if (over.aborted) return;
  // bun, which runs the executables, does not read into a buffer of the caller.
  const buffered = isPipe(0) && process.versions['bun'] === undefined;
  const stream = buffered ? await pipedInput() : { source: process.stdin, chunks: process.stdin };
  const giveUp = (): void => void stream.source.destroy();
  over.addEventListener('abort', giveUp, { once: true });
  if (over.aborted) giveUp(); // while the pipe was opened
  try {
    for await (const chunk of stream.chunks) yield chunk as Uint8Array;
  } catch (error) {
    if (!over.aborted) throw error;
  } finally {
    over.removeEventListener('abort', giveUp);
    giveUp();
  }
}

/** The capacity of a Linux pipe. */
const PIPE = 65_536;

/**
 * Reads a pipe through one buffer, which the next chunk overwrites. Node's stream allocates one per chunk: for a gigabyte that costs a quarter more time and
 * nearly twice the memory.
 */
async function pipedInput(): Promise<{ readonly source: Socket; readonly chunks: AsyncIterable<Uint8Array> }> {
  const { Socket } = await import('node:net');
  const buffer = Buffer.allocUnsafeSlow(PIPE);
  let count = 0;
  let over = false;
  let failure: Error | undefined;
  let wake = (): void => {};
  const callback = (read: number): false => {
    count = read;
    wake();
    return false; // no more until it is asked for
  };
  const end = (): void => {
    over = true;
    wake();
  };
  const options: SocketConstructorOpts & Pick<NetConnectOpts, 'onread'> = {
    fd: 0,
    readable: true,
    writable: false,
    onread: { buffer, callback },
  };
  const source = new Socket(options);
  source.on('end', end).on('close', end);
  source.on('error', (error) => {
    failure = error;
  });
  async function* chunks(): AsyncGenerator<Uint8Array, void, void> {
    for (;;) {
      if (count === 0 && !over) {
        await new Promise<void>((come) => {
          wake = come;
        });
      }
      if (count === 0) break;
      yield buffer.subarray(0, count);
      count = 0;
      source.resume();
    }
    if (failure !== undefined) throw failure;
  }
  return { source, chunks: chunks() };
}

export const CTRL_C = '\u0003';

/** A character, or the sequence of an arrow or a function key. */
const KEYS = /\u001b(?:[[O][0-9;?]*[ -/]*[@-~]|[^\u001b[O])|[\s\S]/gu;
/** The beginning of a sequence, whose rest may still be on its way. */
const CUT_SHORT = /\u001b(?:[[O][0-9;?]*)?$/;
/** A key that begins as sequences do, Escape, is one if nothing follows in this time. */
const REST_MS = 50;

export function takeKeys(handler: (key: string) => void): () => void {
  const { stdin } = process;
  if (!stdin.isTTY) return () => {};
  const decoder = new StringDecoder('utf8');
  let pending = '';
  let timer: NodeJS.Timeout | undefined;
  const give = (text: string): void => {
    for (const [key] of text.matchAll(KEYS)) handler(key);
  };
  const flush = (): void => {
    const text = pending;
    pending = '';
    give(text);
  };
  const read = (chunk: Buffer): void => {
    clearTimeout(timer);
    const text = pending + decoder.write(chunk);
    pending = CUT_SHORT.exec(text)?.[0] ?? '';
    give(text.slice(0, text.length - pending.length));
    if (pending !== '') timer = setTimeout(flush, REST_MS);
  };
  const ignore = (): void => {}; // a closed terminal: its hangup ends the process
  const restore = (): void => void stdin.setRawMode(false);
  const forget = atExit(restore);
  stdin.setRawMode(true).on('data', read).on('error', ignore);
  return () => {
    clearTimeout(timer);
    forget();
    restore();
    stdin.off('data', read).off('error', ignore).pause();
  };
}
