/** Pipes and devices that the user names: reading and writing may block, and a signal ends the wait. */

import { statSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';

/** A pipe, a socket or a device: written to directly, and never replaced. */
export function isPipeOrDevice(path: string): boolean {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats !== undefined && !stats.isFile() && !stats.isDirectory();
}

/** In chunks; the next chunk overwrites the buffer. */
export async function* pipeChunks(path: string, signal: AbortSignal): AsyncGenerator<Uint8Array, void, void> {
  const file = await untilAborted(open(path, 'r'), signal, closeLater);
  try {
    const buffer = Buffer.allocUnsafe(65_536);
    for (;;) {
      const { bytesRead } = await untilAborted(file.read(buffer, 0, buffer.length, null), signal);
      if (bytesRead === 0) return;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    closeLater(file);
  }
}

export async function writeToPipe(path: string, content: string, signal: AbortSignal): Promise<void> {
  const file = await untilAborted(open(path, 'w'), signal, closeLater);
  try {
    await untilAborted(file.writeFile(content), signal);
  } finally {
    closeLater(file);
  }
}

/** Nothing waits for it: a blocked read keeps the file open. */
function closeLater(file: FileHandle): void {
  file.close().catch(() => {});
}

/** Rejects with the signal's reason at once. A later result goes to `late`. */
function untilAborted<T>(work: Promise<T>, signal: AbortSignal, late: (result: T) => void = () => {}): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => {
      work.then(late, () => {});
      reject(signal.reason);
    };
    if (signal.aborted) return abort();
    signal.addEventListener('abort', abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
