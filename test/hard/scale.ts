/** How much of the whole is run: SVC_HARD_SCALE, 1 by default. */
import type { TaskMeta } from 'vitest';

const SCALE = Number(process.env['SVC_HARD_SCALE'] ?? 1);

/** This many times the scale, at least one. */
export function scaled(count: number): number {
  return Math.max(1, Math.round(count * SCALE));
}

declare module 'vitest' {
  interface TaskMeta {
    /** What the report counts: runs of a property, kills, faults, processes. */
    cases?: number;
    /** What else the report shows. */
    figures?: string;
  }
}

export function counted(task: { readonly meta: TaskMeta }, cases: number): void {
  task.meta.cases = (task.meta.cases ?? 0) + cases;
}
