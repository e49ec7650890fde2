/** The escaper of everything that is shown, on more texts than a library of generated ones can make. */
import { randomInt } from 'node:crypto';
import { expect, it } from 'vitest';
import { escapeJson, escapeText } from '../../src/output/escape.ts';
import { FORBIDDEN } from '../output/rendering.ts';
import { counted, scaled } from './scale.ts';
import { generator } from './xorshift.ts';

const TEXTS = scaled(20_000_000);
/** Whole code points and halves of them, with what is dangerous in most of the places. */
const HOSTILE = [
  ...Array.from({ length: 0xa0 }, (_, code) => code),
  ...[
    0xad, 0x34f, 0x61c, 0x115f, 0x180b, 0x180e, 0x200b, 0x200d, 0x200e, 0x2028, 0x2029, 0x202a, 0x202e, 0x2060, 0x2066,
    0x2069,
  ],
  ...[0x3164, 0xd800, 0xdbff, 0xdc00, 0xdfff, 0xfe0e, 0xfe0f, 0xfeff, 0xffa0, 0xfff9, 0xfffb, 0xfffd, 0xffff],
  ...[0xe0001, 0xe0041, 0xe007f, 0xe0100, 0x1f600, 0x1f468, 0x2764, 0x26a0, 0x10ffff, 0x65e5, 0xe9],
].map((code) => String.fromCodePoint(code));

it('removes everything forbidden, and is idempotent', ({ task }) => {
  const { SVC_SEED: wanted = 'random' } = process.env;
  const seed = wanted === 'random' ? randomInt(1, 0x7fff_ffff) : Number(wanted);
  const next = generator(seed);
  for (let n = 0; n < TEXTS; n++) {
    let text = '';
    const head = next();
    for (let left = head % 9; left >= 0; left--) {
      const roll = next();
      text += roll % 8 === 0 ? String.fromCharCode((roll >>> 3) & 0xffff) : HOSTILE[(roll >>> 3) % HOSTILE.length];
    }
    const shown = escapeText(text);
    const json = head >>> 29 === 0 ? escapeJson(JSON.stringify(text)) : undefined;
    const isRight =
      !FORBIDDEN.test(shown) &&
      escapeText(shown) === shown &&
      (json === undefined || (!FORBIDDEN.test(json) && JSON.parse(json) === text));
    if (!isRight) expect({ seed, n, text, shown, json }).toBe('harmless');
  }
  counted(task, TEXTS);
});
