/** What the entries of the order journal have in common, however they are listed. */
import type { Cell } from '../../output/types.ts';

interface Entry {
  readonly outcome: string;
  readonly form: Readonly<Record<string, unknown>>;
}

const GOOD: ReadonlySet<string> = new Set(['accepted', 'filled', 'done']);

export function outcomeCell({ outcome }: Pick<Entry, 'outcome'>): Cell {
  return { text: outcome, tone: outcome === 'unknown' ? 'bad' : GOOD.has(outcome) ? 'good' : 'warn' };
}

export function formCell({ form }: Pick<Entry, 'form'>): string {
  return Object.entries(form)
    .map(([name, value]) => `${name}=${String(value)}`)
    .join(' ');
}
