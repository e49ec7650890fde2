/** Results of checks, one line each. */
import type { ListOutput, Tone } from '../output/types.ts';

export interface Finding {
  /** What was checked: `sign-in`, `quota`. */
  readonly check: string;
  /** Which one of several. */
  readonly subject: string | null;
  /** `warn`: it works, but may be a mistake. `skipped`: not checked. */
  readonly status: 'ok' | 'warn' | 'fail' | 'skipped';
  /** The result and what it means. */
  readonly detail: string;
  /** The command that fixes it. */
  readonly fix: string | null;
}

/** The result of one check, without its name. */
export type Result = Pick<Finding, 'status' | 'detail' | 'fix'>;

export const ok = (detail: string): Result => ({ status: 'ok', detail, fix: null });
export const warn = (detail: string, fix?: string): Result => ({ status: 'warn', detail, fix: fix ?? null });
export const fail = (detail: string, fix?: string): Result => ({ status: 'fail', detail, fix: fix ?? null });

export const skipped = (detail: string, fix?: string): Result => ({ status: 'skipped', detail, fix: fix ?? null });

const TONES: Readonly<Record<Finding['status'], Tone>> = { ok: 'good', warn: 'warn', fail: 'bad', skipped: 'dim' };
const LONGEST_STATUS = 7;

export const FINDING_LIST: ListOutput<Finding> = {
  kind: 'list',
  columns: [
    { name: 'check', cell: ({ check }) => check },
    { name: 'subject', cell: ({ subject }) => subject },
    { name: 'status', cell: ({ status }) => ({ text: status, tone: TONES[status] }) },
    { name: 'detail', cell: ({ detail }) => detail, shrinks: true },
    { name: 'fix', cell: ({ fix }) => fix, shrinks: true },
  ],
  id: ({ check, subject, status }) => {
    if (status === 'ok' || status === 'skipped') return undefined;
    return subject === null ? check : `${check}:${subject}`;
  },
  // Lines wrap: a command that is cut at the end of a column cannot be pasted.
  live: ({ check, subject, status, detail, fix }) => [
    { text: status.padEnd(LONGEST_STATUS), tone: TONES[status] },
    subject === null ? check : `${check} ${subject}`,
    detail,
    fix === null ? undefined : { text: `→ ${fix}`, tone: 'strong' },
  ],
};

/** `2 errors, 1 warning, 9 ok, 3 skipped`. */
export function findingCounts(findings: readonly Finding[]): string {
  const count = (status: Finding['status']): number => findings.filter((one) => one.status === status).length;
  const counted = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? '' : 's'}`;
  const skipped = count('skipped') === 0 ? '' : `, ${count('skipped')} skipped`;
  return `${counted(count('fail'), 'error')}, ${counted(count('warn'), 'warning')}, ${count('ok')} ok${skipped}`;
}

/** The result of one cheap read of a service. */
export interface ServiceReply {
  /** The end of the sentence that begins with `responded in 3 ms`. */
  readonly detail: string;
  /** The service's clock minus ours. */
  readonly clockSkewMs: number | undefined;
}

const TOLERATED_SKEW_S = 60;

/** `effect`: what a wrong clock leads to. */
export function clockResult(skewMs: number, effect: string): Result {
  const seconds = Math.round(skewMs / 1000);
  if (Math.abs(seconds) <= TOLERATED_SKEW_S) return ok('agrees with that of the service');
  const way = seconds > 0 ? 'behind' : 'ahead of';
  const detail = `this machine is ${Math.abs(seconds)} s ${way} the service: ${effect}`;
  return warn(detail, 'synchronize the clock of this machine with NTP');
}
