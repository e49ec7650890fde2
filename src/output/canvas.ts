/** What a drawing is made on: how many cells, and whether their characters may be others than ASCII. */
import type { OutStream } from '../context.ts';

export interface Canvas {
  readonly canvas: number;
  readonly ascii: boolean;
}

interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stream: Pick<OutStream, 'isTTY' | 'columns'>;
}

const USUAL_WIDTH = 80;

/**
 * `COLUMNS` > the terminal > 80. A locale that is set and is not UTF-8 gets ASCII, and so does the console of Linux, whose font has no
 * braille. Where no locale is set, as in most containers, whoever reads the output takes UTF-8 all the same.
 */
export function canvasOf({ env, stream }: Surroundings): Canvas {
  const columns = /^[1-9]\d{0,3}$/.test(env['COLUMNS'] ?? '') ? Number(env['COLUMNS']) : undefined;
  const locale = env['LC_ALL'] || env['LC_CTYPE'] || env['LANG'] || '';
  const foreign = locale !== '' && !/utf-?8/i.test(locale);
  return {
    canvas: columns ?? stream.columns ?? USUAL_WIDTH,
    ascii: foreign || (stream.isTTY && env['TERM'] === 'linux'),
  };
}
