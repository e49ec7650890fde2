/** What a command made of silences that were there before. */
import type { SvcError } from '../../errors.ts';
import { Plan } from '../../http/endpoint.ts';
import type { PostableSilence, Silence } from '../alerts/schema.ts';
import { applyChanges } from './draft.ts';

export interface SilenceOutcome {
  /** The silence that was named, or what was typed where there is none. */
  readonly id: string;
  readonly result: 'extended' | 'at-max' | 'skipped' | 'recreated' | 'not-found' | 'error';
  /** The silence that is in force now: the same, or the one that the server made instead; null where there is none. */
  readonly silenceID: string | null;
  readonly matchers: PostableSilence['matchers'];
  readonly endsAt: string | null;
  readonly comment: string | null;
  readonly message: string | null;
}

/** The outcome of what was posted; of a dry run the plan as it is. */
export function postedOutcome(
  result: SilenceOutcome['result'],
  silence: Pick<Silence, 'id'>,
  posted: (PostableSilence & { readonly silenceID: string }) | Plan,
): SilenceOutcome | Plan {
  return posted instanceof Plan ? posted : doneOutcome(result, silence, posted);
}

function doneOutcome(
  result: SilenceOutcome['result'],
  { id }: Pick<Silence, 'id'>,
  { silenceID, matchers, endsAt, comment }: PostableSilence & { readonly silenceID: string },
): SilenceOutcome {
  return { id, result, silenceID, matchers, endsAt, comment, message: null };
}

export function failedOutcome(id: string, { code, message }: SvcError): SilenceOutcome {
  const result = code === 'not_found' ? 'not-found' : 'error';
  return { id, result, silenceID: null, matchers: [], endsAt: null, comment: null, message };
}

/** Of a silence that stays as it is. */
export function unsentOutcome(result: 'at-max' | 'skipped', silence: Silence, message: string): SilenceOutcome {
  return { ...doneOutcome(result, silence, { ...silence, silenceID: silence.id }), message };
}

export interface Extension {
  /** How much later it is to end. */
  readonly by: number;
  /** How long it may last in all. */
  readonly max?: number | undefined;
}

/** The silence with its later end; undefined where it lasts as long as it may. Twice the same silence gives the same end. */
export function extended(silence: Silence, { by, max }: Extension): PostableSilence | undefined {
  const end = Date.parse(silence.endsAt);
  const latest = max === undefined ? Number.POSITIVE_INFINITY : Date.parse(silence.startsAt) + max;
  const wanted = Math.min(end + by, latest);
  return wanted > end ? applyChanges(silence, { endsAt: new Date(wanted).toISOString() }) : undefined;
}
