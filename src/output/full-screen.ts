/** The terminal's other screen, which every way out takes away again. */
import type { OutStream } from '../context.ts';
import { escapeText } from './escape.ts';
import { displayWidth, type Painter, painter, shorten } from './terminal.ts';
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

/** The lines of a picture, for a terminal of this size. */
export type Drawing = (size: Parameters<Frame>[0]) => readonly string[] | Promise<readonly string[]>;

/** Draws one picture at a time on the other screen, and the latest again on a new size. */
export async function drawOnScreen(drawings: AsyncIterable<Drawing>, sink: OutStream): Promise<void> {
  let latest: Drawing | undefined;
  let shown: string | undefined;
  let writing: Promise<void> = Promise.resolve();
  const redraw = (): void => {
    writing = writing.then(async () => {
      const columns = sink.columns ?? USUAL_COLUMNS;
      // The last row stays empty: a line feed there would scroll.
      const rows = Math.max(1, (sink.rows ?? USUAL_ROWS) - 1);
      const lines = (await latest?.({ columns, rows })) ?? [];
      const text = `${HOME}${lines.map((line) => `${CLEAR_LINE}${line}\r\n`).join('')}${CLEAR_BELOW}`;
      const isSame = text === shown;
      shown = text;
      if (!isSame) await sink.write(text);
    });
    writing.catch(() => {}); // the next drawing throws it
  };
  const forget = sink.onResize?.(() => {
    shown = undefined;
    redraw();
  });
  const restored = sink.restoring?.(LEAVE, () => {
    shown = undefined;
    writing = writing.then(() => sink.write(ENTER));
    redraw();
  });
  await sink.write(ENTER);
  try {
    for await (const drawing of drawings) {
      latest = drawing;
      redraw();
      await writing;
      if (sink.closed) return;
    }
  } finally {
    forget?.();
    await writing.catch(() => {});
    await sink.write(LEAVE);
    restored?.();
  }
}

export async function renderScreen(
  frames: AsyncIterable<Frame>,
  options: OutputOptions,
  sink: OutStream,
): Promise<void> {
  const paint = await painter(options.color);
  await drawOnScreen(drawingsOf(frames, paint), sink);
}

async function* drawingsOf(frames: AsyncIterable<Frame>, paint: Painter): AsyncGenerator<Drawing, void, void> {
  for await (const frame of frames) {
    yield (size) => {
      const lines = frame(size).slice(0, size.rows);
      return lines.map((line) => paintLine(line, size.columns, paint));
    };
  }
}

/** Paints as much of the line as fits. */
function paintLine(line: ScreenLine, columns: number, paint: Painter): string {
  let left = columns;
  return line
    .map(({ text, tone }) => {
      const part = left > 0 ? shorten(escapeText(text), left) : '';
      left -= displayWidth(part);
      return part === '' ? '' : paint(part, tone);
    })
    .join('');
}
