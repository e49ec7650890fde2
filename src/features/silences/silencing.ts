/** Writing a silence safely: what is checked before it is sent, what is asked, and what is read after a refusal. */
import { SvcError } from '../../errors.ts';
import { shellWord } from '../../http/as-curl.ts';
import { Plan } from '../../http/endpoint.ts';
import type { Alertmanager } from '../alerts/api.ts';
import { ifPossible, readKnownNames, suggestionText, suggestNames } from '../alerts/known-names.ts';
import { formatMatcher, type Matcher, matcherFrom } from '../alerts/matcher.ts';
import { isDefinite, matcherWarnings } from '../alerts/matcher-warnings.ts';
import type { Alert, PostableSilence, Silence } from '../alerts/schema.ts';
import { alertQuery, keepsAlert } from '../alerts/selection.ts';
import { applyChanges, changesMatchers, checkMatchersOfUpdate, checkNamesOfUpdate, checkWindow } from './draft.ts';

/** What has been allowed beforehand, and how the rest is reported and asked. */
export interface Guard {
  readonly dryRun: boolean;
  /** Whether a question would reach a person: only then does the number of muted alerts matter. */
  readonly asks: boolean;
  /** Allows silences that require no definite value, and covers the question about many alerts. */
  readonly allAlerts: boolean;
  /** A silence that lasts longer needs a confirmation: milliseconds, and as it was written. */
  readonly longest: { readonly ms: number; readonly text: string };
  /** More alerts than this are refused. */
  readonly maxAlerts?: number | undefined;
  /** The matchers were typed, so that names which nothing matches may be mistyped. */
  readonly typed?: boolean | undefined;
  now(): number;
  confirm(question: string): Promise<unknown>;
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

/** A silence that may be sent once `askAbout` has passed. */
export interface CheckedSilence {
  readonly draft: PostableSilence;
  /** Undefined where nothing was counted. */
  readonly impact: SilenceImpact | undefined;
  /** An update that mutes no more and no longer than before, and is not asked about. */
  readonly mutesNoMore?: boolean;
}

/** Checks a new silence, reports what it would mute, and asks where that is needed. */
export async function approve(
  draft: PostableSilence,
  alertmanager: Alertmanager,
  guard: Guard,
): Promise<CheckedSilence> {
  const checked = await checkSilence(draft, alertmanager, guard);
  await askAbout([checked], alertmanager, guard);
  return checked;
}

/** In a dry run nothing is counted: the request follows from the arguments alone. */
export async function checkSilence(
  draft: PostableSilence,
  alertmanager: Alertmanager,
  guard: Guard,
): Promise<CheckedSilence> {
  checkWindow(draft, guard.now());
  const matchers = draft.matchers.map(matcherFrom);
  for (const warning of matcherWarnings(matchers)) guard.notice(`warning: ${warning}`);
  const wide = isWide(draft) && !guard.allAlerts;
  // A regular expression may be wide only because it is wrong: the server, which alone can tell, is asked first.
  if (wide && (guard.dryRun || !matchers.some(({ isRegex }) => isRegex))) throw tooWide(matchers);
  if (guard.dryRun) return { draft, impact: undefined };
  const impact = await measureImpact(alertmanager, matchers);
  if (wide) throw tooWide(matchers);
  if (guard.maxAlerts !== undefined && impact.alerts > guard.maxAlerts) {
    throw new SvcError(
      'guarded',
      `${spell(matchers)} matches ${impact.alerts} alerts, more than ${guard.maxAlerts}; nothing was sent`,
      { hint: 'narrow it, or allow more with --max-alerts' },
    );
  }
  if (guard.typed && impact.alerts === 0) {
    // The silence does not depend on the warning.
    await ifPossible(async () => {
      for (const one of suggestNames(matchers, await readKnownNames(alertmanager)))
        guard.notice(`warning: no alert matches; ${suggestionText(one)}`);
    });
  }
  return { draft, impact };
}

/** Whether no matcher requires a definite value. It depends on the matchers alone, not on what fires now. */
export function isWide({ matchers }: Pick<PostableSilence, 'matchers'>): boolean {
  return !matchers.some((wire) => isDefinite(matcherFrom(wire)));
}

function tooWide(matchers: readonly Matcher[]): SvcError {
  return new SvcError(
    'invalid_value',
    `${spell(matchers)} could mute everything: no matcher requires a definite value`,
    {
      hint: 'add a matcher for a value, such as team=db, or pass --all-alerts',
    },
  );
}

function spell(matchers: readonly Matcher[]): string {
  return matchers.map(formatMatcher).join(' ');
}

function spellDraft({ matchers }: PostableSilence): string {
  return spell(matchers.map(matcherFrom));
}

/** Reports what each silence would mute, and asks one question about all of them where that is needed. */
export async function askAbout(
  checked: readonly CheckedSilence[],
  alertmanager: Pick<Alertmanager, 'alerts'>,
  guard: Guard,
): Promise<void> {
  for (const { draft, impact } of checked) if (impact !== undefined) guard.notice(report(draft, impact, guard.now()));
  const reasons = [await manyAlerts(checked, alertmanager, guard), longTime(checked, guard)].filter(
    (reason) => reason !== undefined,
  );
  const [first, ...others] = checked;
  if (first === undefined || reasons.length === 0) return;
  const subject = others.length === 0 ? `Silence ${spellDraft(first.draft)}` : `Send these ${checked.length} silences`;
  await guard.confirm(`${subject}? ${reasons.join(' ')}`);
}

function report(draft: PostableSilence, { alerts, active }: SilenceImpact, now: number): string {
  const { startsAt, endsAt } = draft;
  const matched = `${alerts} ${alerts === 1 ? 'alert' : 'alerts'}`;
  if (Date.parse(startsAt) > now) {
    return `${spellDraft(draft)} will mute alerts from ${startsAt} until ${endsAt}; ${matched} would match now (${active.size} active)`;
  }
  return `${spellDraft(draft)} mutes ${matched} now (${active.size} active), until ${endsAt}`;
}

/** In a script the number decides nothing: a cron line ends the same way at any hour. */
async function manyAlerts(
  checked: readonly CheckedSilence[],
  alertmanager: Pick<Alertmanager, 'alerts'>,
  { asks, allAlerts }: Guard,
): Promise<string | undefined> {
  const muted = new Set(checked.flatMap(({ impact }) => [...(impact?.active ?? [])]));
  if (!asks || allAlerts || muted.size === 0) return undefined;
  const all = await countActive(alertmanager);
  return muted.size > all / 2 ? `This mutes ${muted.size} of the ${all} active alerts.` : undefined;
}

function longTime(checked: readonly CheckedSilence[], { longest, now }: Guard): string | undefined {
  const long = checked.filter(({ draft: { startsAt, endsAt }, mutesNoMore }) => {
    return !mutesNoMore && Date.parse(endsAt) - Math.max(Date.parse(startsAt), now()) > longest.ms;
  });
  const limit = `longer than ${longest.text} (alerts.maxSilence)`;
  if (long.length === 0) return undefined;
  return checked.length === 1 ? `It lasts ${limit}.` : `${long.length} of them last ${limit}.`;
}

/**
 * An update's own checks. From 0.25 to 0.27 a refused update of the matchers leaves the old silence expired, so what would be
 * refused has to be found out by reading: `GET /silences?filter=` runs the same parser.
 */
export async function checkUpdate(
  silence: Silence,
  draft: PostableSilence,
  alertmanager: Alertmanager,
  guard: Guard,
): Promise<CheckedSilence> {
  if (silence.status.state === 'expired') {
    throw new SvcError(
      'guarded',
      `silence ${silence.id} is expired: an update would make a new one and leave it as it is`,
      { hint: `make a new one: svc silences recreate ${shellWord(silence.id)}` },
    );
  }
  const changed = changesMatchers(silence, draft);
  if (!changed && !mutesLonger(silence, draft)) {
    checkWindow(draft, guard.now());
    return { draft, impact: undefined, mutesNoMore: true };
  }
  const matchers = draft.matchers.map(matcherFrom);
  if (changed) checkNamesOfUpdate(matchers);
  // Counting the alerts is the check: the server parses `filter=` as it will parse the silence.
  const checked = await checkSilence(draft, alertmanager, guard);
  if (changed) checkMatchersOfUpdate(matchers);
  return checked;
}

function mutesLonger(before: Silence, after: PostableSilence): boolean {
  return (
    Date.parse(after.endsAt) > Date.parse(before.endsAt) || Date.parse(after.startsAt) < Date.parse(before.startsAt)
  );
}

/** More than this between the clocks makes a silence start or end noticeably wrong. */
const TOLERATED_SKEW = 5_000;

/** What the server's clock says, as far as its latest answer told: it is known to a second. */
export function serverTime({ clockSkewMs = 0 }: Pick<Alertmanager, 'clockSkewMs'>, now: number): number {
  return Math.abs(clockSkewMs) > TOLERATED_SKEW ? now + clockSkewMs : now;
}

export async function postSilence(
  { draft, impact }: CheckedSilence,
  alertmanager: Alertmanager,
  guard: Pick<Guard, 'notice'>,
): Promise<PostedSilence | Plan> {
  const answer = await alertmanager
    .postSilence(draft)
    .catch((error: unknown) => explainRefusal(error, draft, alertmanager));
  if (answer instanceof Plan) return answer;
  const { silenceID } = answer;
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
    matched: impact === undefined ? null : { alerts: impact.alerts, active: impact.active.size },
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
      hint: `look: svc silences get ${shellWord(id)}`,
      cause: error,
    },
  );
}

interface SilenceImpact {
  /** Alerts that match now, in every state. */
  readonly alerts: number;
  /** The fingerprints of those that are active. */
  readonly active: ReadonlySet<string>;
}

export function impactOf(alerts: readonly Alert[]): SilenceImpact {
  return { alerts: alerts.length, active: new Set(alerts.filter(isActive).map(({ fingerprint }) => fingerprint)) };
}

/** Counts by `GET /alerts?filter=`: the server matches exactly as it will match the silence, and refuses what is not RE2. */
async function measureImpact(
  alertmanager: Pick<Alertmanager, 'alerts'>,
  matchers: readonly Matcher[],
): Promise<SilenceImpact> {
  let alerts = 0;
  const active = new Set<string>();
  for await (const alert of alertmanager.alerts({ filter: matchers.map(formatMatcher) })) {
    alerts++;
    if (isActive(alert)) active.add(alert.fingerprint);
  }
  return { alerts, active };
}

async function countActive(alertmanager: Pick<Alertmanager, 'alerts'>): Promise<number> {
  let count = 0;
  for await (const alert of alertmanager.alerts(alertQuery([]))) if (isActive(alert)) count++;
  return count;
}

function isActive(alert: Alert): boolean {
  return keepsAlert(alert, []);
}
