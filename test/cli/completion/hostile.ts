/** Names that a profile may have, and a shell may take for something else. */
import { readdirSync } from 'node:fs';
import { expect } from 'vitest';
import { inTurn } from '../../support/turns.ts';
import type { Shell } from './shell.ts';
import type { Workshop } from './workshop.ts';

/** Each of them can be typed, and has to arrive as it is. `MARKER` is the file that must never be. */
const HOSTILE = [
  '$(touch MARKER)',
  '`touch MARKER`',
  'a;touch MARKER',
  'a|touch MARKER',
  '<(touch MARKER)',
  '>MARKER',
  "it's",
  'two  words ',
  'back\\slash\\',
  '$HOME',
  '~root',
  '#comment',
  'wow!!x"y\'z',
  '*[b]?',
  '{a,b}',
  '%F{red}%n',
  'team:db=1@x/y',
  '=ls',
  'naïve-ü-日本',
  '(a or b)&c^x^y',
];

/** Names with control characters, which are never offered. */
const UNTYPABLE = ['x\ny', 'x\x1b[31m', 'x\ty', 'x\u202ey', 'x\u0085', ''];

/** Nothing that cannot be typed, and a dash only to those who typed one. */
export async function expectTypableOffers(shop: Workshop, terminal: Shell): Promise<void> {
  shop.know(...UNTYPABLE, '-rf');
  expect(await terminal.complete('svc config use ')).toBe('svc config use default ');
  expect(await terminal.complete('svc alerts list --profile -')).toBe('svc alerts list --profile -rf ');
  expect(await terminal.complete('svc config use -- -r')).toBe('svc config use -- -rf ');
  expect(shop.connections()).toBe(0);
}

/** Whatever was typed before it, a name is inserted as one word, and nothing of it is run. */
export async function expectOneWord(
  shop: Workshop,
  shell: Shell,
  waysFor: (name: string) => readonly string[],
): Promise<void> {
  for (const [index, name] of HOSTILE.entries()) {
    shop.know(`x${name}`);
    for (const typed of inTurn(waysFor(name), index, 1)) {
      const expected = typed.includes('=') ? [`--profile=x${name}`] : ['--profile', `x${name}`];
      expect(await shell.run(`svc alerts list ${typed}`)).toEqual(['alerts', 'list', ...expected]);
    }
  }
  expect(readdirSync(shop.folder)).not.toContain('MARKER');
}
