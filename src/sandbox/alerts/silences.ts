/** The silences of an emulated server, with the update rules of version 0.25. */
import type { PostedSilence } from './bodies.ts';
import { compareBytes, type LabelSet } from './fingerprint.ts';
import { compileMatchers, compileRegex, type Match, type Matcher } from './matcher.ts';
import { Refused } from './requests.ts';
import { formatServerTime, utc } from './times.ts';

export type SilenceState = 'active' | 'pending' | 'expired';

export interface Silence extends PostedSilence {
  readonly updatedAt: number;
}

/** How long an expired silence is kept. */
const RETENTION_MS = 120 * 3_600_000;
const NOT_FOUND = 'silence not found';
const YEAR_10000_MS = 253_402_300_800_000;
const STATES: readonly SilenceState[] = ['active', 'pending', 'expired'];

export function silenceState({ startsAt, endsAt }: Silence, now: number): SilenceState {
  if (now < startsAt.ms) return 'pending';
  return now < endsAt.ms ? 'active' : 'expired';
}

export class Silences {
  private readonly now: () => number;
  private readonly newId: () => string;
  private readonly stored = new Map<string, { readonly silence: Silence; readonly match: Match }>();

  constructor(now: () => number, newId: () => string) {
    this.now = now;
    this.newId = newId;
  }

  get(id: string): Silence | undefined {
    return this.stored.get(id)?.silence;
  }

  /** In the server's order: active by end, pending by start, expired ones newest first. */
  list(): Silence[] {
    const now = this.now();
    for (const [id, { silence }] of this.stored) if (silence.endsAt.ms + RETENTION_MS <= now) this.stored.delete(id);
    const rank = (silence: Silence): [number, number] => {
      const state = silenceState(silence, now);
      const time = { active: silence.endsAt.ms, pending: silence.startsAt.ms, expired: -silence.endsAt.ms }[state];
      return [STATES.indexOf(state), time];
    };
    return [...this.stored.values()]
      .map(({ silence }) => ({ silence, rank: rank(silence) }))
      .sort((a, b) => a.rank[0] - b.rank[0] || a.rank[1] - b.rank[1])
      .map(({ silence }) => silence);
  }

  /** The ids of the active silences that mute an alert, sorted. */
  muting(labels: LabelSet): string[] {
    const now = this.now();
    return [...this.stored.values()]
      .filter(({ silence, match }) => silenceState(silence, now) === 'active' && match(labels))
      .map(({ silence }) => silence.id)
      .sort(compareBytes);
  }

  /** Creates or updates, and returns the id: a new one where the change would rewrite history. */
  post(posted: PostedSilence): string {
    const now = this.now();
    const { startsAt, endsAt } = posted;
    if (startsAt.ms >= endsAt.ms) throw new Refused(400, 'start time must be before end time');
    if (endsAt.ms <= now) throw new Refused(400, "end time can't be in the past");
    const silence = { ...posted, updatedAt: now };
    const previous = this.get(posted.id);
    if (posted.id !== '' && previous === undefined) throw new Refused(404, NOT_FOUND);
    if (previous !== undefined) {
      if (canUpdate(previous, silence, now)) return this.store(silence);
      // Version 0.25 does this before it looks at the new matchers: where those are invalid, the old silence is gone.
      this.expire(previous.id);
    }
    return this.store({ ...silence, id: this.newId(), startsAt: startsAt.ms < now ? utc(now) : startsAt });
  }

  /** Ends a silence at once; one that has ended stays as it is. */
  expire(id: string): void {
    const silence = this.get(id);
    // Version 0.25 answers 500 here.
    if (silence === undefined) throw new Refused(500, NOT_FOUND);
    const now = this.now();
    const state = silenceState(silence, now);
    if (state === 'expired') return;
    const startsAt = state === 'pending' ? utc(now) : silence.startsAt;
    this.store({ ...silence, startsAt, endsAt: utc(now), updatedAt: now });
  }

  /** Validates and keeps a silence as it is, whatever its state. */
  store(silence: Silence): string {
    const match = validated(silence.matchers);
    if (silence.endsAt.ms + RETENTION_MS >= YEAR_10000_MS) throw new Refused(400, 'timestamp after 10000-01-01');
    this.stored.set(silence.id, { silence, match });
    return silence.id;
  }
}

function canUpdate(previous: Silence, next: Silence, now: number): boolean {
  const canonical = ({ matchers }: Silence): string =>
    JSON.stringify(matchers.map(({ name, value, isRegex, isEqual }) => [name, value, isRegex, isEqual]));
  if (canonical(previous) !== canonical(next)) return false;
  switch (silenceState(previous, now)) {
    case 'active':
      return Math.floor(previous.startsAt.ms / 1000) === Math.floor(next.startsAt.ms / 1000);
    case 'pending':
      return next.startsAt.ms >= now;
    default:
      return false;
  }
}

function validated(matchers: readonly Matcher[]): Match {
  for (const { name } of matchers) {
    if (!/^[a-zA-Z_][a-zA-Z0-9_]*$/.test(name)) throw new Refused(400, `invalid label name ${JSON.stringify(name)}`);
  }
  const match = compileMatchers(matchers);
  const matchesEmpty = ({ value, isRegex, isEqual }: Matcher): boolean =>
    isEqual && (isRegex ? compileRegex(value)('') : value === '');
  if (matchers.every(matchesEmpty)) throw new Refused(400, 'at least one matcher must not match the empty string');
  return match;
}

/** As the server answers it, its names in the server's order. */
export function silenceAnswer(silence: Silence, now: number): object {
  return {
    id: silence.id,
    status: { state: silenceState(silence, now) },
    updatedAt: formatServerTime(utc(silence.updatedAt)),
    comment: silence.comment,
    createdBy: silence.createdBy,
    endsAt: formatServerTime(silence.endsAt),
    matchers: silence.matchers.map(({ name, value, isRegex, isEqual }) => ({ isEqual, isRegex, name, value })),
    startsAt: formatServerTime(silence.startsAt),
  };
}

/** Whether a silence has each of these matchers among its own, compared as text. */
export function hasMatchers(silence: Silence, wanted: readonly Matcher[]): boolean {
  return wanted.every((matcher) =>
    silence.matchers.some(
      ({ name, value, isRegex, isEqual }) =>
        name === matcher.name && value === matcher.value && isRegex === matcher.isRegex && isEqual === matcher.isEqual,
    ),
  );
}
