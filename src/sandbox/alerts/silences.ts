/** The silences of an emulated server, with the update rules of version 0.25. */
import { randomUUID } from 'node:crypto';
import { Refusal } from '../http.ts';
import type { PostedSilence } from './bodies.ts';
import { compileMatchers, type LabelSet, type Match, type Matcher } from './labels.ts';

type SilenceState = 'active' | 'pending' | 'expired';

interface Silence extends PostedSilence {
  readonly updatedAt: number;
}

const RETENTION_MS = 120 * 3_600_000;
const NOT_FOUND = 'silence not found';

function silenceState({ startsAt, endsAt }: Silence, now: number): SilenceState {
  if (now < startsAt) return 'pending';
  return now < endsAt ? 'active' : 'expired';
}

export class Silences {
  private readonly now: () => number;
  private readonly stored = new Map<string, { readonly silence: Silence; readonly match: Match }>();

  constructor(now: () => number) {
    this.now = now;
  }

  get(id: string): Silence | undefined {
    return this.stored.get(id)?.silence;
  }

  /** In the server's order: active by end, pending by start, expired ones newest first. */
  list(): Silence[] {
    const now = this.now();
    for (const [id, { silence }] of this.stored) if (silence.endsAt + RETENTION_MS <= now) this.stored.delete(id);
    const groups = { active: [] as Silence[], pending: [] as Silence[], expired: [] as Silence[] };
    for (const { silence } of this.stored.values()) groups[silenceState(silence, now)].push(silence);
    return [
      ...groups.active.sort((a, b) => a.endsAt - b.endsAt),
      ...groups.pending.sort((a, b) => a.startsAt - b.startsAt),
      ...groups.expired.sort((a, b) => b.endsAt - a.endsAt),
    ];
  }

  /** The ids of the active silences that mute an alert, sorted. */
  muting(labels: LabelSet): string[] {
    const now = this.now();
    return [...this.stored.values()]
      .filter(({ silence, match }) => silenceState(silence, now) === 'active' && match(labels))
      .map(({ silence }) => silence.id)
      .sort();
  }

  /** Creates or updates, and returns the id: a new one if the change would rewrite history. */
  post(posted: PostedSilence): string {
    const now = this.now();
    const { startsAt, endsAt } = posted;
    if (startsAt >= endsAt) throw new Refusal(400, 'start time must be before end time');
    if (endsAt <= now) throw new Refusal(400, "end time can't be in the past");
    const silence = { ...posted, updatedAt: now };
    const previous = this.get(posted.id);
    if (posted.id !== '' && previous === undefined) throw new Refusal(404, NOT_FOUND);
    if (previous !== undefined) {
      if (canUpdate(previous, silence, now)) return this.store(silence);
      // Like 0.25, before the new matchers are checked: if invalid, the old silence is gone.
      this.expire(previous.id);
    }
    return this.store({ ...silence, id: randomUUID(), startsAt: Math.max(startsAt, now) });
  }

  /** Ends a silence at once; an expired one is unchanged. */
  expire(id: string): void {
    const silence = this.get(id);
    // Version 0.25 answers 500 here.
    if (silence === undefined) throw new Refusal(500, NOT_FOUND);
    const now = this.now();
    const state = silenceState(silence, now);
    if (state === 'expired') return;
    const startsAt = state === 'pending' ? now : silence.startsAt;
    this.store({ ...silence, startsAt, endsAt: now, updatedAt: now });
  }

  /** Validates and stores a silence unchanged, whatever its state. */
  store(silence: Silence): string {
    const match = validated(silence.matchers);
    this.stored.set(silence.id, { silence, match });
    return silence.id;
  }
}

function canUpdate(previous: Silence, next: Silence, now: number): boolean {
  if (previous.matchers.map(spell).join() !== next.matchers.map(spell).join()) return false;
  switch (silenceState(previous, now)) {
    case 'active':
      return Math.floor(previous.startsAt / 1000) === Math.floor(next.startsAt / 1000);
    case 'pending':
      return next.startsAt >= now;
    default:
      return false;
  }
}

function validated(matchers: readonly Matcher[]): Match {
  for (const { name } of matchers) {
    if (!/^[a-zA-Z_][a-zA-Z0-9_]*$/.test(name)) throw new Refusal(400, `invalid label name ${JSON.stringify(name)}`);
  }
  const match = compileMatchers(matchers);
  if (matchers.every((one) => one.isEqual && compileMatchers([one])({})))
    throw new Refusal(400, 'at least one matcher must not match the empty string');
  return match;
}

function spell({ name, value, isRegex, isEqual }: Matcher): string {
  return JSON.stringify([name, value, isRegex, isEqual]);
}

export function iso(ms: number): string {
  return new Date(ms).toISOString();
}

export function silenceAnswer(silence: Silence, now: number): object {
  const { startsAt, endsAt, updatedAt } = silence;
  const times = { startsAt: iso(startsAt), endsAt: iso(endsAt), updatedAt: iso(updatedAt) };
  return { ...silence, ...times, status: { state: silenceState(silence, now) } };
}

/** Whether a silence has each of these matchers among its own, compared as text. */
export function hasMatchers({ matchers }: Silence, wanted: readonly Matcher[]): boolean {
  const own = new Set(matchers.map(spell));
  return wanted.every((matcher) => own.has(spell(matcher)));
}
