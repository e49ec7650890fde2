/** Names that a profile may have, and a shell may take for something else. */
import { expect } from 'vitest';
import type { Terminal } from './terminal.ts';
import type { Workshop } from './workshop.ts';

/** Each of them can be typed, and has to arrive as it is. `MARKER` is the file that must never be. */
export const HOSTILE = [
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
export const UNTYPABLE = ['x\ny', 'x\x1b[31m', 'x\ty', 'x\u202ey', 'x\u0085', ''];

/** Nothing that cannot be typed, and a dash only to those who typed one. */
export async function expectTypableOffers(shop: Workshop, terminal: Terminal): Promise<void> {
  shop.know(...UNTYPABLE, '-rf');
  expect(await terminal.complete('svc config use ')).toBe('svc config use default ');
  expect(await terminal.complete('svc alerts list --profile -')).toBe('svc alerts list --profile -rf ');
  expect(await terminal.complete('svc config use -- -r')).toBe('svc config use -- -rf ');
  expect(shop.connections()).toBe(0);
}
