/** Processes in groups of their own, so that what they started ends with them, and with this script. */
import { spawn } from 'node:child_process';

const running = new Set();

/** Starts Node.js with these arguments. */
export function startGroup(args, options) {
  const child = spawn(process.execPath, args, { ...options, detached: true });
  running.add(child);
  child.on('close', () => running.delete(child));
  return child;
}

export function endGroup({ pid }) {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // it has ended
  }
}

for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, () => {
    for (const child of running) endGroup(child);
    process.exit(130);
  });
}
