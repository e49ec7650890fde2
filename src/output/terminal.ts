/** What a terminal can show: colours (the one place where a tone becomes a style), width and characters. */
import type { OutStream } from '../context.ts';
import type { Tone } from './types.ts';

export type ColorLevel = 0 | 1 | 2 | 3;

/** Text in, the same text with the tone's style out. */
export type Painter = (text: string, tone: Tone | undefined) => string;

export interface ColorChoice {
  readonly flag: 'auto' | 'always' | 'never';
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stream: Pick<OutStream, 'isTTY' | 'colorDepth'>;
}

/** `--color` > NO_COLOR > FORCE_COLOR, CLICOLOR_FORCE > CLICOLOR=0, TERM=dumb > whether it is a terminal. Empty is unset. */
export function colorLevel({ flag, env, stream }: ColorChoice): ColorLevel {
  const forced: ColorLevel = stream.colorDepth === 0 ? 1 : stream.colorDepth;
  if (flag !== 'auto') return flag === 'always' ? forced : 0;
  if (env['NO_COLOR']) return 0;
  const force = env['FORCE_COLOR'];
  if (force === '0' || force === 'false') return 0;
  if (force === '1' || force === '2' || force === '3') return Number(force) as ColorLevel;
  if (force) return forced;
  const cliForce = env['CLICOLOR_FORCE'];
  if (cliForce && cliForce !== '0') return forced;
  if (env['CLICOLOR'] === '0' || env['TERM'] === 'dumb' || !stream.isTTY) return 0;
  return stream.colorDepth;
}

/** chalk is loaded only where there is colour, and never decides about it: its own detection ignores NO_COLOR. */
export async function painter(level: ColorLevel): Promise<Painter> {
  if (level === 0) return (text) => text;
  const { Chalk } = await import('chalk');
  const chalk = new Chalk({ level });
  const styles: Readonly<Record<Tone, (text: string) => string>> = {
    bad: chalk.red,
    warn: chalk.yellow,
    good: chalk.green,
    dim: chalk.dim,
    strong: chalk.bold,
  };
  return (text, tone) => (tone === undefined ? text : styles[tone](text));
}

interface Canvas {
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
