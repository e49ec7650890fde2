/** Names of series where there is little room for them. */
import { displayWidth, shorten } from '../width.ts';

/** In `width` cells each. Names that would look the same lose their beginning, which they share, and not their end. */
export function fittingNames(names: readonly string[], width: number): readonly string[] {
  const cut = names.map((name) => shorten(name, width));
  return names.map((name, index) => {
    const taken = names.some((other, at) => other !== name && cut[at] === cut[index]);
    return taken ? shortenStart(name, width) : (cut[index] ?? name);
  });
}

function shortenStart(name: string, width: number): string {
  const characters = [...name];
  let taken = 1;
  let start = characters.length;
  while (start > 0 && taken + displayWidth(characters[start - 1] ?? '') <= width) {
    start--;
    taken += displayWidth(characters[start] ?? '');
  }
  return `…${characters.slice(start).join('')}`;
}
