import { fstatSync } from 'node:fs';

/** Whether what is read or written there may have to wait for whoever holds the other end. */
export function isPipe(fd: number): boolean {
  const kind = fstatSync(fd);
  return kind.isFIFO() || kind.isSocket();
}
