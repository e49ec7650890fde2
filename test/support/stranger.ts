/** Another user of this machine. Only root can start a process of theirs. */
import { spawnSync } from 'node:child_process';

export const STRANGER = { uid: 54_321, gid: 54_321, cwd: '/' } as const;

const isRoot = process.getuid?.() === 0;

/** Whether a process of theirs can be started, and may run this Node.js and read the file, wherever the project was put. */
export function strangerMayRead(file: string): boolean {
  if (!isRoot) return false;
  const script = `require('fs').accessSync(${JSON.stringify(file)})`;
  return spawnSync(process.execPath, ['-e', script], STRANGER).status === 0;
}

/** Spawn options for a process that is not root's, since root may write anywhere; undefined if root cannot start one. */
export function ordinaryUser(file: string): Partial<typeof STRANGER> | undefined {
  if (!isRoot) return {};
  return strangerMayRead(file) ? STRANGER : undefined;
}
