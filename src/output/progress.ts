/** How far a command with many requests has come: one line at the foot of a terminal, gone when it ends. */
import type { OutStream } from '../context.ts';

export interface Progress {
  /** One more is done. */
  step(): void;
  /** Takes the line away again. */
  clear(): void;
}

/** What is over sooner needs no bar. */
const PATIENCE_MS = 300;
const REDRAW_MS = 100;
const BAR = 24;

export function progressBar(total: number, out: OutStream, now: () => number): Progress {
  if (!out.isTTY || total < 2) return { step() {}, clear() {} };
  const began = now();
  let done = 0;
  let drawn: number | undefined;
  const write = (text: string): void => {
    out.write(text).catch(() => {}); // nobody can be told that standard error is gone
  };
  return {
    step() {
      done++;
      const time = now();
      if (time - began < PATIENCE_MS || (drawn !== undefined && time - drawn < REDRAW_MS)) return;
      drawn = time;
      const full = Math.floor((done / total) * BAR);
      const count = `${done}/${total}`;
      const bar = (out.columns ?? 80) > BAR + count.length + 4 ? `[${'#'.repeat(full)}${'.'.repeat(BAR - full)}] ` : '';
      write(`\r${bar}${count}\u001b[K`);
    },
    clear() {
      if (drawn !== undefined) write('\r\u001b[K');
      drawn = undefined;
    },
  };
}
