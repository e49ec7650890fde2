/** Putting a silence safely: what is checked before it is sent, what is asked, and what is read after a refusal. */
import { SvcError } from '../../errors.ts';
import type { Alertmanager } from './client.ts';
import { formatMatcher, type Matcher, matcherFrom } from './matcher.ts';
import { matcherWarnings } from './matcher-warnings.ts';
import { judgeMatchers, judgeReach, measureReach, type Reach } from './reach.ts';
import type { PostableSilence, Silence } from './schema.ts';
import { applyChanges, changesMatchers, checkNamesOfUpdate, checkReachOfUpdate, checkWindow } from './silence-draft.ts';

/** Who is asked and told, and what has been allowed beforehand. */
export interface Guard {
  readonly dryRun: boolean;
  readonly allAlerts: boolean;
  /** A silence that lasts longer is asked about: milliseconds, and as it was written. */
  readonly longest: { readonly ms: number; readonly text: string } | undefined;
  /** More alerts than this are refused. */
  readonly maxAlerts?: number | undefined;
  /** How many alerts the person has named: many others beside them are asked about. */
  readonly named?: number | undefined;
  now(): number;
  confirm(question: string): Promise<void>;
  notice(text: string): void;
}

/** What was made of a silence. `matched` is null where nothing was counted. */
export interface PostedSilence extends PostableSilence {
  readonly silenceID: string;
  /** The silence that was updated; the same as `silenceID` unless the server had to make a new one. */
  readonly previousID?: string;
  readonly matched: { readonly alerts: number; readonly active: number } | null;
  /** Only where a silence was to be there, one way or another: nothing was sent, for it was there. */
  readonly unchanged?: boolean;
}

/**
 * Counts what a silence would mute, and lets only a narrow one pass unasked. In a dry run nothing is counted: the request
 * follows from the arguments alone.
 */
export async function approve(
  draft: PostableSilence,
  alertmanager: Alertmanager,
  guard: Guard,
): Promise<Reach | undefined> {
  checkWindow(draft, guard.now());
  const matchers: Matcher[] = draft.matchers.map(matcherFrom);
  for (const warning of matcherWarnings(matchers)) guard.notice(`warning: ${warning}`);
  const spelled = matchers.map(formatMatcher).join(' ');
  const byText = judgeMatchers(matchers);
  const tooWide =
    byText.verdict === 'everything' && !guard.allAlerts
      ? new SvcError('invalid_value', `${spelled} could mute everything: ${byText.why}`, {
          hint: 'add a matcher that names what is meant, such as team=db, or pass --all-alerts',
        })
      : undefined;
  // A regular expression may be wide only because it is wrong: the server, which alone can tell, is asked first.
  if (tooWide !== undefined && (guard.dryRun || !matchers.some(({ isRegex }) => isRegex))) throw tooWide;
  if (guard.dryRun) return undefined;
  const reach = await measureReach(alertmanager, matchers);
  if (tooWide !== undefined) throw tooWide;
  if (guard.maxAlerts !== undefined && reach.alerts > guard.maxAlerts) {
    throw new SvcError(
      'guarded',
      `${spelled} mutes ${reach.alerts} alerts, more than ${guard.maxAlerts}; nothing was sent`,
      {
        hint: 'narrow it, or allow more with --max-alerts',
      },
    );
  }
  const byCount = judgeReach(reach, matchers);
  if (byCount.verdict === 'everything' && !guard.allAlerts) {
    throw new SvcError('guarded', `${spelled} is too wide: ${byCount.why}; nothing was sent`, {
      hint: 'narrow it, or pass --all-alerts',
    });
  }
  const reasons = [
    ...(byCount.verdict === 'narrow' ? [] : [byCount.why]),
    ...manyOthers(reach, guard),
    ...tooLong(draft, guard),
  ];
  const mutes = `mutes ${reach.alerts} ${reach.alerts === 1 ? 'alert' : 'alerts'} now (${reach.active} active), until ${draft.endsAt}`;
  if (reasons.length > 0) await guard.confirm(`Silence ${spelled}? It ${mutes}; ${reasons.join(', and ')}.`);
  else guard.notice(`${spelled} ${mutes}`);
  return reach;
}

/** What several alerts have in common may be what a whole fleet has in common. */
function manyOthers({ alerts }: Reach, { named }: Guard): string[] {
  return named !== undefined && alerts - named > named
    ? [`only ${named} of them ${named === 1 ? 'was' : 'were'} named`]
    : [];
}

function tooLong({ startsAt, endsAt }: PostableSilence, { longest, now }: Guard): string[] {
  if (longest === undefined) return [];
  const length = Date.parse(endsAt) - Math.max(Date.parse(startsAt), now());
  return length > longest.ms ? [`it lasts longer than ${longest.text}`] : [];
}

/**
 * An update's own checks. From 0.25 to 0.27 a refused update of the matchers leaves the old silence expired, so what would be
 * refused has to be found out by reading: `GET /silences?filter=` runs the same parser.
 */
export async function approveUpdate(
  silence: Silence,
  draft: PostableSilence,
  alertmanager: Alertmanager,
  guard: Guard,
): Promise<Reach | undefined> {
  if (silence.status.state === 'expired') {
    throw new SvcError(
      'guarded',
      `silence ${silence.id} is expired: an update would make a new one and leave it as it is`,
      {
        hint: `make a new one: svc silences recreate ${silence.id}`,
      },
    );
  }
  if (!changesMatchers(silence, draft)) {
    checkWindow(draft, guard.now());
    const [reason] = Date.parse(draft.endsAt) > Date.parse(silence.endsAt) ? tooLong(draft, guard) : [];
    if (reason !== undefined) await guard.confirm(`Let silence ${silence.id} end at ${draft.endsAt}? Then ${reason}.`);
    return undefined;
  }
  const matchers = draft.matchers.map(matcherFrom);
  checkNamesOfUpdate(matchers);
  // Counting the alerts is the check: the server parses `filter=` as it will parse the silence.
  const reach = await approve(draft, alertmanager, guard);
  checkReachOfUpdate(matchers);
  return reach;
}

/** More than this between the clocks makes a silence start or end noticeably wrong. */
const TOLERATED_SKEW = 5_000;

/** What the server's clock says, as far as its latest answer told: it is known to a second. */
export function serverTime({ clockSkewMs = 0 }: Pick<Alertmanager, 'clockSkewMs'>, now: number): number {
  return Math.abs(clockSkewMs) > TOLERATED_SKEW ? now + clockSkewMs : now;
}

export async function postSilence(
  draft: PostableSilence,
  reach: Reach | undefined,
  alertmanager: Alertmanager,
  guard: Pick<Guard, 'notice'>,
): Promise<PostedSilence> {
  const { silenceID } = await alertmanager
    .postSilence(draft)
    .catch((error: unknown) => explainRefusal(error, draft, alertmanager));
  const skew = alertmanager.clockSkewMs;
  if (skew !== undefined && Math.abs(skew) > TOLERATED_SKEW) {
    const seconds = Math.round(Math.abs(skew) / 1000);
    guard.notice(
      `warning: the server's clock is ${seconds} s ${skew > 0 ? 'ahead' : 'behind'}, and its silences start and end by it`,
    );
  }
  const stored = draft.id === undefined || draft.id === silenceID ? undefined : await readBack(silenceID, alertmanager);
  const { id: _, ...fields } = stored ?? draft;
  return {
    silenceID,
    ...(draft.id === undefined ? {} : { previousID: draft.id }),
    ...fields,
    matched: reach === undefined ? null : { alerts: reach.alerts, active: reach.active },
  };
}

/** The server starts a silence that replaces another one now, whatever was sent. What was written stays true without this. */
async function readBack(id: string, alertmanager: Alertmanager): Promise<PostableSilence | undefined> {
  const stored = await alertmanager.silence(id).catch(() => undefined);
  return stored === undefined ? undefined : applyChanges(stored, {});
}

/** A refused update may have ended the old silence all the same: reading it tells, and then the outcome is not "nothing". */
async function explainRefusal(error: unknown, { id }: PostableSilence, alertmanager: Alertmanager): Promise<never> {
  if (!(error instanceof SvcError) || error.code !== 'refused' || id === undefined) throw error;
  const after = await alertmanager.silence(id).catch(() => undefined);
  if (after !== undefined && after.status.state !== 'expired') throw error;
  throw new SvcError(
    'not_as_asked',
    `${error.message}, and ${after === undefined ? 'whether the old silence still stands is unknown' : 'the server expired the old silence all the same'}`,
    {
      hint: `look: svc silences get ${id}`,
      cause: error,
    },
  );
}
