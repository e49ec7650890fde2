/** What the tests of `silences create` share: running it, what svc printed, and what it sent. */
import { expect } from 'vitest';
import { getJson } from '../../../support/alertmanager.ts';
import type { RunOptions } from '../../../support/svc.ts';
import { type Sent, type Service, writes } from '../../alerts/commands/service.ts';

export const HOUR = 3_600_000;
export const iso = (ms: number): string => new Date(ms).toISOString();

export interface Posted {
  readonly id: string;
  readonly matched: { readonly alerts: number; readonly active: number } | null;
}

export function posted(sent: readonly Sent[]): Record<string, unknown>[] {
  return writes(sent).map(({ method, path, body }) => {
    expect(`${method} ${path}`).toBe('POST /api/v2/silences');
    return JSON.parse(body) as Record<string, unknown>;
  });
}

export function creating(service: Service) {
  const create = (argv: readonly string[], options?: RunOptions) =>
    service.svc(['silences', 'create', ...argv], options);
  const stored = async (): Promise<string[]> =>
    (await getJson<{ id: string }[]>(service.url(), '/api/v2/silences')).map(({ id }) => id).sort();
  /** Runs, and fails the test where a silence was made all the same. */
  const refused = async (argv: readonly string[], options?: RunOptions) => {
    const before = await stored();
    const run = await create(argv, options);
    expect([run.stdout, writes(run.sent)]).toEqual(['', []]);
    expect(await stored()).toEqual(before);
    return run;
  };
  return { create, stored, refused };
}
