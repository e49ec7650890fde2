/** Texts, numbers and sizes of an SVG file. */
import { escapeText } from '../escape.ts';
import { displayWidth } from '../width.ts';

/** Characters that XML cannot hold, however they are written, are shown as everywhere or replaced. */
export function xmlText(text: string): string {
  return escapeText(text)
    .replace(/[\ufffe\uffff]/g, '\ufffd')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

/** Two decimals at most. */
export function coordinate(value: number): string {
  return String(Math.round(value * 100) / 100);
}

/** Roughly: nobody knows the reader's font. */
export function textWidth(text: string, fontSize: number): number {
  return displayWidth(escapeText(text)) * fontSize * 0.6;
}
