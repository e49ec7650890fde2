/** What goes to standard error: failures and notices, with remote text escaped, and a progress bar. */

import type { OutStream } from '../context.ts';
import { errorReport, type SvcError } from '../errors.ts';
import { escapeJson, escapeText } from './escape.ts';
import { type ColorLevel, painter } from './terminal.ts';

/** `svc: …` and `hint: …`, or the one line of JSON that `-o json` and `-o ndjson` promise. */
export async function formatError(
  error: SvcError,
  { json, color }: { readonly json: boolean; readonly color: ColorLevel },
): Promise<string> {
  if (json) return `${escapeJson(JSON.stringify(errorReport(error)))}\n`;
  const paint = await painter(color);
  const hint = error.hint === undefined ? '' : `${paint('hint:', 'dim')} ${escapeText(error.hint)}\n`;
  return `${paint('svc:', 'bad')} ${escapeText(error.message)}\n${hint}`;
}

/** One line, whatever `text` holds. */
export function formatNotice(text: string): string {
  return `${escapeText(text)}\n`;
}

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

/** A bar on one line of a terminal; nothing elsewhere. */
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
