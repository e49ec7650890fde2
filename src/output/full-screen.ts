/** The terminal's other screen: what a watch and a full-screen command draw on, and what every way out takes away again. */
import type { OutStream } from '../context.ts';
import { escapeText } from './escape.ts';
import { displayWidth, painter, shorten } from './terminal.ts';
import type { Frame, OutputOptions, ScreenLine } from './types.ts';

const HOME = '\u001b[H';
const CLEAR_LINE = '\u001b[2K';
const CLEAR_BELOW = '\u001b[J';
/** The other screen, so that the terminal looks as before at the end; no cursor. */
const ENTER = '\u001b[?1049h\u001b[?25l';
/** Emptied first: some terminals that were resized meanwhile would take lines of it along. */
const LEAVE = `${HOME}${CLEAR_BELOW}\u001b[?25h\u001b[?1049l`;

/** The size of a terminal that does not say how large it is. */
export const USUAL_ROWS = 24;
export const USUAL_COLUMNS = 80;

/** Does the work on the other screen. `drawn` settles once nothing is drawn any more. */
export async function onFullScreen(
  sink: OutStream,
  { redraw, drawn }: { readonly redraw: () => void; readonly drawn: () => Promise<void> },
  work: () => Promise<void>,
): Promise<void> {
  const forget = sink.onResize?.(redraw);
  const restored = sink.restoring?.(LEAVE);
  await sink.write(ENTER);
  try {
    await work();
  } finally {
    forget?.();
    await drawn();
    await sink.write(LEAVE);
    restored?.();
  }
}

/** The lines from the top; what was below them is cleared. */
export function drawLines(lines: readonly string[]): string {
  return `${HOME}${lines.map((line) => `${CLEAR_LINE}${line}\r\n`).join('')}${CLEAR_BELOW}`;
}

/** Draws each frame, and the latest again when the terminal's size changes. */
export async function renderScreen(
  frames: AsyncIterable<Frame>,
  options: OutputOptions,
  sink: OutStream,
): Promise<void> {
  const paint = await painter(options.color);
  let latest: Frame | undefined;
  let shown: string | undefined;
  let writing: Promise<void> = Promise.resolve();
  const redraw = (): void => {
    writing = writing.then(async () => {
      const columns = sink.columns ?? USUAL_COLUMNS;
      // The last row stays empty: a line feed there would scroll.
      const rows = Math.max(1, (sink.rows ?? USUAL_ROWS) - 1);
      const lines = (latest?.({ columns, rows }) ?? []).map((line) => paintLine(line, columns, paint));
      const text = drawLines(lines.slice(0, rows));
      const isSame = text === shown;
      shown = text;
      if (!isSame) await sink.write(text);
    });
    writing.catch(() => {}); // the next frame throws it
  };
  const resized = (): void => {
    shown = undefined;
    redraw();
  };
  await onFullScreen(sink, { redraw: resized, drawn: () => writing.catch(() => {}) }, async () => {
    for await (const frame of frames) {
      latest = frame;
      redraw();
      await writing;
      if (sink.closed) return;
    }
  });
}

/** Paints as much of the line as fits. */
function paintLine(line: ScreenLine, columns: number, paint: Awaited<ReturnType<typeof painter>>): string {
  let left = columns;
  return line
    .map(({ text, tone }) => {
      const part = left > 0 ? shorten(escapeText(text), left) : '';
      left -= displayWidth(part);
      return part === '' ? '' : paint(part, tone);
    })
    .join('');
}
