/** What an examination finds: a line for each thing it looked at. */
import type { ListOutput, Tone } from '../output/types.ts';

export interface Finding {
  /** What was looked at: `sign-in`, `quota`. */
  readonly check: string;
  /** Which one of several. */
  readonly about: string | null;
  /** `warn`: it works, and may be meant so. `skipped`: not looked at. */
  readonly verdict: 'ok' | 'warn' | 'bad' | 'skipped';
  /** What was found, and what it means. */
  readonly detail: string;
  /** The command that mends it. */
  readonly mend: string | null;
}

/** What one check found, without its name. */
export type Verdict = Pick<Finding, 'verdict' | 'detail' | 'mend'>;

export const ok = (detail: string): Verdict => ({ verdict: 'ok', detail, mend: null });
export const warn = (detail: string, mend?: string): Verdict => ({ verdict: 'warn', detail, mend: mend ?? null });
export const bad = (detail: string, mend?: string): Verdict => ({ verdict: 'bad', detail, mend: mend ?? null });

export const skipped = (detail: string, mend?: string): Verdict => ({ verdict: 'skipped', detail, mend: mend ?? null });

const TONES: Readonly<Record<Finding['verdict'], Tone>> = { ok: 'good', warn: 'warn', bad: 'bad', skipped: 'dim' };
const LONGEST_VERDICT = 7;

export const FINDING_LIST: ListOutput<Finding> = {
  kind: 'list',
  columns: [
    { name: 'check', cell: ({ check }) => check },
    { name: 'about', cell: ({ about }) => about },
    { name: 'verdict', cell: ({ verdict }) => ({ text: verdict, tone: TONES[verdict] }) },
    { name: 'detail', cell: ({ detail }) => detail, flex: true },
    { name: 'mend', cell: ({ mend }) => mend, flex: true },
  ],
  id: ({ check, about, verdict }) => {
    if (verdict === 'ok' || verdict === 'skipped') return undefined;
    return about === null ? check : `${check}:${about}`;
  },
  // Lines, which wrap: a command that is cut at the end of a column cannot be typed.
  live: ({ check, about, verdict, detail, mend }) => [
    { text: verdict.padEnd(LONGEST_VERDICT), tone: TONES[verdict] },
    about === null ? check : `${check} ${about}`,
    detail,
    mend === null ? undefined : { text: `→ ${mend}`, tone: 'strong' },
  ],
};

/** `2 bad, 1 to look at, 9 ok`, and how many were skipped where there are some. */
export function findingCounts(findings: readonly Finding[]): string {
  const count = (verdict: Finding['verdict']): number => findings.filter((one) => one.verdict === verdict).length;
  const skipped = count('skipped') === 0 ? '' : `, ${count('skipped')} skipped`;
  return `${count('bad')} bad, ${count('warn')} to look at, ${count('ok')} ok${skipped}`;
}

/** What one cheap read of a service says. */
export interface ServiceReply {
  /** The end of the sentence that begins `answered in 3 ms`. */
  readonly detail: string;
  /** The service's clock minus ours. */
  readonly clockSkewMs: number | undefined;
}

/** How much a service has. */
export interface ServiceContents {
  readonly version?: string;
  readonly holds: Readonly<Record<string, number>>;
}

const TOLERATED_SKEW_S = 60;

/** `effect`: what a wrong clock leads to. */
export function clockVerdict(skewMs: number, effect: string): Verdict {
  const seconds = Math.round(skewMs / 1000);
  if (Math.abs(seconds) <= TOLERATED_SKEW_S) return ok('agrees with that of the service');
  const way = seconds > 0 ? 'behind' : 'ahead of';
  const detail = `this machine is ${Math.abs(seconds)} s ${way} the service: ${effect}`;
  return warn(detail, 'set the clock of this machine, and keep it set by NTP');
}
