/** Another user of this machine, for what only root can try: a file of somebody else, a home that nobody knows. */
import { spawnSync } from 'node:child_process';

export const STRANGER = { uid: 54_321, gid: 54_321, cwd: '/' } as const;

/** Whether a process of theirs can be started, and may read the file, wherever the project was put. */
export function strangerMayRead(file: string): boolean {
  if (process.getuid?.() !== 0) return false;
  const script = `require('fs').accessSync(${JSON.stringify(file)})`;
  return spawnSync(process.execPath, ['-e', script], STRANGER).status === 0;
}
