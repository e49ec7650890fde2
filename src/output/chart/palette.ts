/** How series are told apart: by a glyph everywhere, by a colour where there are colours. */
import type { ColorLevel } from '../color.ts';

const GLYPHS = [...'●▲■◆○△□◇★☆ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
/** Without those that axes are made of. */
const ASCII_GLYPHS = [...'*ox#@%&$=~ABCDEFGHIJKLMNOPQRSTUVWXYZ'];

export function glyphOf(index: number, ascii: boolean): string {
  const glyphs = ascii ? ASCII_GLYPHS : GLYPHS;
  return glyphs[index % glyphs.length] ?? '';
}

/** Okabe and Ito's colours, which nearly everybody can tell apart, without those that a white or a black screen swallows. */
const COLORS = ['#56b4e9', '#e69f00', '#009e73', '#cc79a7', '#d55e00', '#0072b2'] as const;
const FEW_COLORS = ['cyan', 'yellow', 'green', 'magenta', 'red', 'blueBright'] as const;

export type SeriesPainter = (text: string, series: number) => string;

export async function seriesPainter(level: ColorLevel): Promise<SeriesPainter> {
  if (level === 0) return (text) => text;
  const { Chalk } = await import('chalk');
  const chalk = new Chalk({ level });
  const styles = level === 1 ? FEW_COLORS.map((name) => chalk[name]) : COLORS.map((color) => chalk.hex(color));
  return (text, series) => styles[series % styles.length]?.(text) ?? text;
}
