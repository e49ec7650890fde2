/** How many terminal cells a text takes, and texts cut or filled to a number of cells. */

const PLAIN_ASCII = /^[\x20-\x7e]*$/;

/**
 * One character as a person sees it: a base with its marks, a pair of regional indicators, a syllable of conjoining
 * jamo. `Intl.Segmenter` knows more, but loading its data takes longer than Node needs for half its start; what it adds are
 * sequences held together by invisible joiners, and those never get here unescaped.
 */
const CLUSTER = /\p{Regional_Indicator}{2}|\P{M}[\p{M}\p{Emoji_Modifier}\u1160-\u11ff]*|\p{M}+/gsu;

/** East Asian Width W and F; the pictographs among them are those shown as emoji. */
const WIDE =
  /[\u1100-\u115f\u2329\u232a\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{16fe0}-\u{18dff}\u{1aff0}-\u{1b2ff}\u{1f200}-\u{1f2ff}\u{20000}-\u{3fffd}\p{Emoji_Presentation}]/u;
/** Takes no cell of its own: marks above, below and around, and the later parts of a jamo syllable. */
const ZERO = /[\p{Mn}\p{Me}\u1160-\u11ff]/u;

/** The cells taken by `text`, which is escaped already. */
export function displayWidth(text: string): number {
  if (PLAIN_ASCII.test(text)) return text.length;
  let width = simpleWidth(text);
  if (width !== undefined) return width;
  width = 0;
  for (const cluster of clusters(text)) width += clusterWidth(cluster);
  return width;
}

/** `text`, or as much of its beginning as fits before `…`. */
export function shorten(text: string, width: number): string {
  if (displayWidth(text) <= width) return text;
  if (PLAIN_ASCII.test(text)) return `${text.slice(0, width - 1)}…`;
  let taken = 0;
  let end = 0;
  for (const cluster of clusters(text)) {
    taken += clusterWidth(cluster);
    if (taken > width - 1) break;
    end += cluster.length;
  }
  return `${text.slice(0, end)}…`;
}

/** Lines of at most `width` cells, 2 at least, broken behind a blank where there is one. Only the blanks at a break are left out. */
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

/** Other spaces than the blank, such as the no-break one, are part of the text. */
function withoutTrailingBlanks(text: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === ' ') end--;
  return text.slice(0, end);
}

/** The width where every unit is a character by itself, of Latin, general punctuation, Han, kana or Hangul: most text. */
function simpleWidth(text: string): number | undefined {
  let width = 0;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit < 0x300 || (unit >= 0x2010 && unit <= 0x205e)) width += 1;
    else if (
      (unit >= 0x4e00 && unit <= 0x9fff) ||
      (unit >= 0x3041 && unit <= 0x3096) ||
      (unit >= 0x309b && unit <= 0x30ff) ||
      (unit >= 0xac00 && unit <= 0xd7a3)
    ) {
      width += 2;
    } else return undefined;
  }
  return width;
}

function clusters(text: string): Iterable<string> {
  return text.match(CLUSTER) ?? [];
}

/** One that is wider than a whole line, by marks that take a cell each, in its parts. */
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
  return ZERO.test(character) ? 0 : WIDE.test(character) ? 2 : 1;
}
