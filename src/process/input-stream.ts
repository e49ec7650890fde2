import { readSync } from 'node:fs';
import { isPipe } from './pipe.ts';

/**
 * A file straight from its descriptor. Only what may have to wait for a writer goes to Node's stream: a direct read would block the
 * process, and no signal would end it.
 */
export async function* stdinChunks(signal: AbortSignal): AsyncGenerator<Uint8Array, void, void> {
  if (isPipe(0)) {
    yield* stdinUntil(signal);
    signal.throwIfAborted();
    return;
  }
  const buffer = Buffer.allocUnsafe(1 << 20);
  for (let count = readSync(0, buffer); count > 0; count = readSync(0, buffer)) yield buffer.subarray(0, count);
}

/** By Node's stream, which can be given up while it waits: a read of the descriptor cannot. */
export async function* stdinUntil(over: AbortSignal): AsyncGenerator<Uint8Array, void, void> {
  const { stdin } = process;
  const giveUp = (): void => void stdin.destroy();
  if (over.aborted) return;
  over.addEventListener('abort', giveUp, { once: true });
  try {
    for await (const chunk of stdin) yield chunk as Uint8Array;
  } catch (error) {
    if (!over.aborted) throw error;
  } finally {
    over.removeEventListener('abort', giveUp);
  }
}

export const CTRL_C = '\u0003';

export function takeKeys(handler: (key: string) => void): () => void {
  const { stdin } = process;
  if (!stdin.isTTY) return () => {};
  const read = (chunk: Buffer): void => {
    for (const key of chunk.toString()) handler(key);
  };
  stdin.setRawMode(true).on('data', read);
  return () => {
    stdin.off('data', read).setRawMode(false).pause();
  };
}
