/** What the tests of `silences create` read: what svc printed, and what it sent. */
import { expect } from 'vitest';
import { type Sent, writes } from '../../alerts/commands/service.ts';

export const HOUR = 3_600_000;
export const iso = (ms: number): string => new Date(ms).toISOString();

export interface Posted {
  readonly silenceID: string;
  readonly matched: { readonly alerts: number; readonly active: number } | null;
}

export function posted(sent: readonly Sent[]): Record<string, unknown>[] {
  return writes(sent).map(({ method, path, body }) => {
    expect(`${method} ${path}`).toBe('POST /api/v2/silences');
    return JSON.parse(body) as Record<string, unknown>;
  });
}
