/** What a terminal shows: colors, and the width of text in cells. */
import type { OutStream } from '../context.ts';
import { escapeText } from './escape.ts';
import type { Tone } from './types.ts';

export type ColorLevel = 0 | 1 | 2 | 3;

/** Text in, the same text with the tone's style out. */
export type Painter = (text: string, tone: Tone | undefined) => string;

export interface ColorChoice {
  readonly flag: 'auto' | 'always' | 'never';
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stream: Pick<OutStream, 'isTTY' | 'colorDepth'>;
}

/** `--color` > NO_COLOR > FORCE_COLOR, CLICOLOR_FORCE > CLICOLOR=0, TERM=dumb > the stream. Empty counts as unset. */
export function colorLevel({ flag, env, stream }: ColorChoice): ColorLevel {
  if (flag !== 'auto') return flag === 'always' ? stream.colorDepth || 1 : 0;
  if (env['NO_COLOR']) return 0;
  const force = env['FORCE_COLOR'] ?? '';
  if (['0', '1', '2', '3', 'false'].includes(force)) return (Number(force) || 0) as ColorLevel;
  if (force !== '' || !['', '0'].includes(env['CLICOLOR_FORCE'] ?? '')) return stream.colorDepth || 1;
  return env['CLICOLOR'] === '0' || isDumb(env) || !stream.isTTY ? 0 : stream.colorDepth;
}

/** chalk is loaded only for color and never decides about it: it ignores NO_COLOR. */
export async function painter(level: ColorLevel): Promise<Painter> {
  if (level === 0) return (text) => text;
  const { Chalk } = await import('chalk');
  const chalk = new Chalk({ level });
  const styles: Readonly<Record<Tone, (text: string) => string>> = {
    bad: chalk.red,
    // Yellow cannot be read on white.
    warn: chalk.magenta,
    good: chalk.green,
    dim: chalk.dim,
    strong: chalk.bold,
  };
  return (text, tone) => (tone === undefined ? text : styles[tone](text));
}

/** A terminal that only shows text, as an editor's: it gets no color and no cursor movement. */
export function isDumb(env: Surroundings['env']): boolean {
  return env['TERM'] === 'dumb';
}

interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stream: Pick<OutStream, 'isTTY' | 'columns'>;
}

const USUAL_WIDTH = 80;

/**
 * `COLUMNS` > the terminal > 80. ASCII for a locale that is not UTF-8, and for the Linux console,
 * whose font has no braille. Most containers have no locale: they get UTF-8.
 */
export function canvasOf({ env, stream }: Surroundings): { readonly canvas: number; readonly ascii: boolean } {
  const columns = /^[1-9]\d{0,3}$/.test(env['COLUMNS'] ?? '') ? Number(env['COLUMNS']) : undefined;
  const locale = env['LC_ALL'] || env['LC_CTYPE'] || env['LANG'] || '';
  const foreign = locale !== '' && !/utf-?8/i.test(locale);
  return {
    canvas: columns ?? stream.columns ?? USUAL_WIDTH,
    ascii: foreign || (stream.isTTY && env['TERM'] === 'linux'),
  };
}

/** One line, whatever `text` contains. */
export function formatNotice(text: string): string {
  return `${escapeText(text)}\n`;
}

/** Latin, Greek, Cyrillic and general punctuation: each code unit is a character of one cell. */
export const NARROW = /^[\x20-\x7e\xa0-\u02ff\u0370-\u0482\u048a-\u052f\u2010-\u2027\u2030-\u205e]*$/;

/** Each code unit is a character of two cells. */
const HAN_KANA_HANGUL = /[\u3041-\u3096\u309b-\u30ff\u4e00-\u9fff\uac00-\ud7a3]+/g;

/**
 * One character as a person sees it. `Intl.Segmenter` knows more, but takes half as long to load as
 * Node. It adds only sequences with invisible joiners, which are escaped before they get here.
 */
const CLUSTER = /\p{Regional_Indicator}{2}|\P{M}[\p{M}\p{Emoji_Modifier}\u1160-\u11ff]*|\p{M}+/gsu;

/** East Asian Width W and F, and pictographs shown as emoji. */
const WIDE =
  /[\u1100-\u115f\u2329\u232a\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{16fe0}-\u{18dff}\u{1aff0}-\u{1b2ff}\u{1f200}-\u{1f2ff}\u{20000}-\u{3fffd}\p{Emoji_Presentation}]/u;
/** Takes no cell: combining marks and the later parts of a jamo syllable. */
const ZERO = /[\p{Mn}\p{Me}\u1160-\u11ff]/u;

/** The width of `text` in cells; it is already escaped. */
export function displayWidth(text: string): number {
  if (NARROW.test(text)) return text.length;
  const rest = text.replace(HAN_KANA_HANGUL, '');
  if (NARROW.test(rest)) return 2 * text.length - rest.length;
  let width = 0;
  for (const cluster of clusters(text)) width += clusterWidth(cluster);
  return width;
}

/** `text`, or as much of its beginning as fits before `…`. */
export function shorten(text: string, width: number): string {
  if (displayWidth(text) <= width) return text;
  if (NARROW.test(text)) return `${text.slice(0, width - 1)}…`;
  let taken = 0;
  let end = 0;
  for (const cluster of clusters(text)) {
    taken += clusterWidth(cluster);
    if (taken > width - 1) break;
    end += cluster.length;
  }
  return `${text.slice(0, end)}…`;
}

/** Its beginning and its end, where it does not fit. */
export function shortenMiddle(text: string, width: number): string {
  if (displayWidth(text) <= width) return text;
  let free = Math.floor((width - 1) / 2);
  let end = text.length;
  for (const cluster of [...clusters(text)].reverse()) {
    free -= clusterWidth(cluster);
    if (free < 0) break;
    end -= cluster.length;
  }
  const tail = text.slice(end);
  return shorten(text, width - displayWidth(tail)) + tail;
}

/** Breaks after a space if possible, which it drops. `width` is 2 at least. */
export function wrap(text: string, width: number): readonly string[] {
  if (displayWidth(text) <= width) return [text];
  const lines: string[] = [];
  let start = 0;
  let end = 0;
  let taken = 0;
  let blank = { end: 0, taken: 0 };
  for (const cluster of narrowClusters(text, width)) {
    const needed = clusterWidth(cluster);
    while (cluster !== ' ' && taken + needed > width && end > start) {
      const cut = blank.end > start ? blank : { end, taken };
      lines.push(withoutTrailingBlanks(text.slice(start, cut.end)));
      start = cut.end;
      taken -= cut.taken;
    }
    end += cluster.length;
    taken += needed;
    if (cluster === ' ') blank = { end, taken };
  }
  return [...lines, withoutTrailingBlanks(text.slice(start))];
}

/** Other white space, such as the no-break space, is part of the text. */
export function withoutTrailingBlanks(text: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === ' ') end--;
  return text.slice(0, end);
}

function clusters(text: string): Iterable<string> {
  return text.match(CLUSTER) ?? [];
}

/** A character wider than a line, with marks that take a cell each, is split. */
function narrowClusters(text: string, width: number): readonly string[] {
  return [...clusters(text)].flatMap((one) => (clusterWidth(one) > width ? [...one] : [one]));
}

function clusterWidth(cluster: string): number {
  if (cluster.length === 1) return characterWidth(cluster);
  if (
    cluster.endsWith('\ufe0f') ||
    /^\p{Regional_Indicator}{2}|^\p{Emoji_Modifier_Base}\p{Emoji_Modifier}/u.test(cluster)
  ) {
    return 2;
  }
  let width = 0;
  for (const character of cluster) width += characterWidth(character);
  return width;
}

function characterWidth(character: string): number {
  if (ZERO.test(character)) return 0;
  return WIDE.test(character) ? 2 : 1;
}
