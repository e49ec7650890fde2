/** Checks, confirms and sends silences, for every command that writes them. */
import { bulk, bulkAnswer } from '../../cli/bulk.ts';
import type { RunContext } from '../../cli/command.ts';
import type { Flags } from '../../cli/flags.ts';
import { parseDuration } from '../../duration.ts';
import { type ErrorCode, SvcError } from '../../errors.ts';
import { Plan } from '../../http/endpoint.ts';
import { shellWord } from '../../output/escape.ts';
import type { Alertmanager } from '../alerts/api.ts';
import type { FoundSilence } from '../alerts/ids.ts';
import { matcherFrom } from '../alerts/matcher.ts';
import { isWide, needsLabel } from '../alerts/matching.ts';
import type { Alert, PostableSilence, Silence } from '../alerts/schema.ts';
import { alertQuery, collect, isActive } from '../alerts/selection.ts';
import { matcherTexts, type SilenceOutcome } from './columns.ts';
import { applyChanges, type PostedSilence } from './draft.ts';

/** The author that new silences get, and that `--author me` finds. */
export function author(ctx: Pick<RunContext, 'settings' | 'identity'>): string {
  return ctx.settings.get('alerts.author') ?? ctx.identity();
}

export const ALL_ALERTS = {
  'all-alerts': { type: 'boolean', help: 'Allow silences that could mute everything' },
} as const satisfies Flags;

export const AUTHOR = {
  author: { type: 'string', short: 'a', value: 'name', help: 'The author (default: alerts.author)' },
} as const satisfies Flags;

/** A comment of blanks says nothing. */
export function refuseBlank(text: string): void {
  if (text.trim() === '') throw new SvcError('invalid_value', 'is empty');
}

/** How many requests the commands send in parallel that change many silences. */
export const SILENCES_AT_ONCE = 32;

/** A silence to send after `ask`. */
export interface CheckedSilence {
  readonly draft: PostableSilence;
  /** The alerts that match now, in every state. Undefined if they were not read. */
  readonly alerts?: readonly Alert[] | undefined;
  /** An update that mutes no more and no longer than before. It needs no confirmation. */
  readonly mutesNoMore?: boolean;
}

export interface WriterOptions {
  /** Allows silences that require no definite value, and answers the question about many alerts. */
  readonly allAlerts: boolean;
  /** More alerts than this are refused. */
  readonly maxAlerts?: number | undefined;
}

export class SilenceWriter {
  readonly #alertmanager: Alertmanager;
  readonly #ctx: RunContext;
  readonly #options: WriterOptions;

  constructor(alertmanager: Alertmanager, ctx: RunContext, options: WriterOptions) {
    this.#alertmanager = alertmanager;
    this.#ctx = ctx;
    this.#options = options;
  }

  /** In a dry run no alerts are counted. */
  async check(draft: PostableSilence): Promise<CheckedSilence> {
    const { allAlerts, maxAlerts } = this.#options;
    checkWindow(draft, this.#ctx.startedAt);
    const matchers = draft.matchers.map(matcherFrom);
    const wide = !allAlerts && (await isWide(matchers));
    // A regular expression that only the server can judge may be invalid, which it says first.
    if (wide && (this.#ctx.dryRun || !matchers.some(({ isRegex }) => isRegex))) throw tooWide(draft);
    if (this.#ctx.dryRun) return { draft };
    // The server matches a filter as it will match the silence, and refuses what is not RE2.
    const before = this.#ctx.omitted.rows;
    const alerts = await collect(this.#alertmanager.alerts({ filter: matcherTexts(draft) }));
    const most = alerts.length + this.#ctx.omitted.rows - before;
    if (wide) throw tooWide(draft);
    if (maxAlerts !== undefined && most > maxAlerts) {
      throw new SvcError(
        'guarded',
        `${spell(draft)} matches ${most} alerts, more than ${maxAlerts}; nothing was sent`,
        { hint: 'add matchers, or raise --max-alerts' },
      );
    }
    return { draft, alerts };
  }

  /** From 0.25 to 0.27 a refused update expires the old silence, so svc checks first. */
  async checkUpdate(silence: Silence, draft: PostableSilence): Promise<CheckedSilence> {
    const over = expiredError(silence);
    if (over !== undefined) throw over;
    // The server creates a new silence even if only the order changes.
    const changed = spell(silence) !== spell(draft);
    const [before, after] = [windowOf(silence), windowOf(draft)];
    if (!changed && after.end <= before.end && after.start >= before.start) {
      checkWindow(draft, this.#ctx.startedAt);
      return { draft, mutesNoMore: true };
    }
    if (changed) checkNames(draft);
    const checked = await this.check(draft);
    if (changed) await checkNeeds(draft);
    return checked;
  }

  /** Reports what each silence mutes, and asks one question about all of them if one needs it. */
  async ask(checked: readonly CheckedSilence[]): Promise<void> {
    const now = serverTime(this.#alertmanager, this.#ctx.now());
    for (const { draft, alerts } of checked) {
      if (alerts !== undefined) this.#ctx.notice(report(draft, alerts, now));
    }
    const reasons = [await this.#manyAlerts(checked), this.#longTime(checked, now)].filter(
      (reason) => reason !== undefined,
    );
    const [first, ...others] = checked;
    if (first === undefined || reasons.length === 0) return;
    const subject = others.length === 0 ? `Silence ${spell(first.draft)}` : `Send these ${checked.length} silences`;
    await this.#ctx.confirm(`${subject}? ${reasons.join(' ')}`);
  }

  /** Only at a terminal: a cron job must not depend on how many alerts are active. */
  async #manyAlerts(checked: readonly CheckedSilence[]): Promise<string | undefined> {
    const { interactive, yes, dryRun } = this.#ctx;
    const muted = new Set(
      checked.flatMap(({ alerts = [] }) => alerts.filter(isActive)).map(({ fingerprint }) => fingerprint),
    );
    if (!interactive || yes || dryRun || this.#options.allAlerts || muted.size === 0) return undefined;
    const active = (await collect(this.#alertmanager.alerts(alertQuery(['active'])))).filter(isActive);
    return muted.size > active.length / 2
      ? `This mutes ${muted.size} of the ${active.length} active alerts.`
      : undefined;
  }

  #longTime(checked: readonly CheckedSilence[], now: number): string | undefined {
    const longest = this.#ctx.settings.get('alerts.maxSilence') ?? '24h';
    const long = checked.filter(({ draft, mutesNoMore }) => {
      const { start, end } = windowOf(draft);
      return !mutesNoMore && end - Math.max(start, now) > parseDuration(longest);
    });
    const limit = `longer than ${longest} (alerts.maxSilence)`;
    if (long.length === 0) return undefined;
    return checked.length === 1 ? `It lasts ${limit}.` : `${long.length} of them last ${limit}.`;
  }

  async post({ draft, alerts }: CheckedSilence): Promise<PostedSilence | Plan> {
    const alertmanager = this.#alertmanager;
    const answer = await alertmanager
      .postSilence(draft)
      .catch((error: unknown) => explainRefusal(error, draft, alertmanager));
    if (answer instanceof Plan) return answer;
    const { silenceID: id } = answer;
    const { clockSkewMs: skew = 0 } = alertmanager;
    if (Math.abs(skew) > TOLERATED_SKEW) {
      const seconds = Math.round(Math.abs(skew) / 1000);
      this.#ctx.notice(
        `warning: the server's clock is ${seconds} s ${skew > 0 ? 'ahead' : 'behind'}, and silences start and end by it`,
      );
    }
    const { id: previous_id, ...sent } = draft;
    const matched = alerts === undefined ? null : { alerts: alerts.length, active: alerts.filter(isActive).length };
    if (previous_id === undefined) return { id, ...sent, matched };
    if (previous_id === id) return { id, previous_id, ...sent, matched };
    // The server starts a replacement now, whatever was sent.
    const stored = await alertmanager.silence(id).catch(() => undefined);
    const { id: _, ...fields } = stored === undefined ? draft : applyChanges(stored, {});
    return { id, previous_id, ...fields, matched };
  }

  /** One that fails is reported and does not stop the others. */
  async postAll(
    checked: readonly CheckedSilence[],
  ): Promise<{ readonly value: readonly PostedSilence[]; readonly code: ErrorCode | undefined } | Plan> {
    await this.ask(checked);
    const posted = await bulk(checked, 4, (one) => this.post(one));
    if (posted instanceof Plan) return posted;
    const { outcomes, code } = posted;
    const [only, ...others] = outcomes;
    if (only?.error !== undefined && others.length === 0) throw only.error;
    for (const { item, error } of outcomes) {
      if (error !== undefined) this.#ctx.notice(`${spell(item.draft)}: ${error.message}`);
    }
    return { value: outcomes.flatMap((outcome) => (outcome.error === undefined ? [outcome.result] : [])), code };
  }
}

/** For one silence: send it and report the result, or report this outcome or this error. */
export type SilenceStep = (CheckedSilence & { readonly result: SilenceOutcome['result'] }) | SilenceOutcome | SvcError;

/** Plans and confirms all changes before sending the first. A failed one does not stop the rest. */
export async function changeEach(
  found: readonly FoundSilence[],
  plan: (silence: Silence) => Promise<SilenceStep>,
  writer: SilenceWriter,
) {
  const items: { readonly typed: string; readonly id: string; readonly step: SilenceStep }[] = [];
  for (const { typed, silence, error } of found) {
    items.push({ typed, id: silence?.id ?? typed, step: silence === undefined ? error : await plan(silence) });
  }
  await writer.ask(items.flatMap(({ step }) => ('draft' in step ? [step] : [])));
  const done = await bulk(items, 4, async ({ id, step }): Promise<SilenceOutcome | Plan> => {
    if (step instanceof Error) throw step;
    if (!('draft' in step)) return step;
    const posted = await writer.post(step);
    if (posted instanceof Plan) return posted;
    const { matchers, endsAt, comment } = posted;
    const previous_id = posted.id === id ? null : id;
    return { id: posted.id, previous_id, result: step.result, matchers, endsAt, comment, message: null };
  });
  return bulkAnswer(done, ({ typed }, { code, message }): SilenceOutcome => {
    const failed = code === 'not_found' ? 'not-found' : 'error';
    return { id: typed, previous_id: null, result: failed, matchers: [], endsAt: null, comment: null, message };
  });
}

export function expiredError({ id, status }: Silence): SvcError | undefined {
  if (status.state !== 'expired') return undefined;
  return new SvcError('guarded', `silence ${id} has expired and cannot be changed`, {
    hint: `create it again: svc silences extend ${shellWord(id)} --for 1h`,
  });
}

function spell(silence: Pick<PostableSilence, 'matchers'>): string {
  return matcherTexts(silence).join(' ');
}

function windowOf({ startsAt, endsAt }: Pick<PostableSilence, 'startsAt' | 'endsAt'>) {
  return { start: Date.parse(startsAt), end: Date.parse(endsAt) };
}

function report(draft: PostableSilence, alerts: readonly Alert[], now: number): string {
  const { startsAt, endsAt } = draft;
  const muted = mutedText(alerts.length, alerts.filter(isActive).length);
  return Date.parse(startsAt) > now
    ? `${spell(draft)} will mute alerts from ${startsAt} until ${endsAt}; it would mute ${muted}`
    : `${spell(draft)} mutes ${muted}; it ends at ${endsAt}`;
}

function mutedText(count: number, active: number): string {
  const noun = count === 1 ? 'alert' : 'alerts';
  if (count > 0 && count === active) return `${count} active ${noun} now`;
  return `${count} ${noun} now${count === 0 ? '' : `, ${active || 'none'} of them active`}`;
}

export function tooWide(draft: Pick<PostableSilence, 'matchers'>): SvcError {
  return new SvcError('invalid_value', `${spell(draft)} could mute everything`, {
    hint: 'add a matcher that requires a value, such as team=db, or pass --all-alerts',
  });
}

/** The server adds its retention to the end, and cannot write years of five digits. */
const TOO_LATE = Date.parse('9999-01-01T00:00:00Z');

function checkWindow(draft: PostableSilence, now: number): void {
  const { start, end } = windowOf(draft);
  const refused = (why: string, hint?: string) =>
    new SvcError('invalid_value', `the silence would end ${why}`, { hint });
  const { startsAt, endsAt } = draft;
  if (end <= now) throw refused(`in the past (${endsAt})`, 'to expire one now: svc silences expire <id>');
  if (end <= start) throw refused(`(${endsAt}) before it starts (${startsAt})`);
  if (end >= TOO_LATE) throw refused(`later than the server can store (${endsAt})`);
}

/** Older servers accept these label names in a filter, but not in a silence. */
function checkNames({ matchers }: PostableSilence): void {
  const wrong = matchers.find(({ name }) => name.includes(':'));
  if (wrong === undefined) return;
  throw new SvcError(
    'invalid_value',
    `the label name "${wrong.name}" has a colon, which older servers refuse in a silence`,
    { hint: 'create a new silence instead: svc silences create' },
  );
}

/** The server refuses a silence if all of its matchers match an alert without labels. */
async function checkNeeds(draft: PostableSilence): Promise<void> {
  for (const of of draft.matchers.map(matcherFrom)) {
    // The server accepts any negative matcher.
    if (!of.isEqual || (await needsLabel(of))) return;
  }
  throw new SvcError('invalid_value', `${spell(draft)} may match an alert without any label`, {
    hint: 'the server refuses this: add a matcher that requires a value, such as team=db',
  });
}

/** A refused update may have expired the old silence all the same. */
async function explainRefusal(error: unknown, { id }: PostableSilence, alertmanager: Alertmanager): Promise<never> {
  if (!(error instanceof SvcError) || error.code !== 'refused' || id === undefined) throw error;
  const after = await alertmanager.silence(id).catch(() => undefined);
  if (after !== undefined && after.status.state !== 'expired') throw error;
  const outcome =
    after === undefined ? 'the state of the old silence is unknown' : 'the server expired the old silence';
  throw new SvcError('not_as_asked', `${error.message}, and ${outcome}`, {
    hint: `check: svc silences get ${shellWord(id)}`,
    cause: error,
  });
}

/** Milliseconds between the clocks. The skew is known to a second. */
const TOLERATED_SKEW = 5_000;

/** The server's time, by its latest response. */
export function serverTime({ clockSkewMs = 0 }: Pick<Alertmanager, 'clockSkewMs'>, now: number): number {
  return Math.abs(clockSkewMs) > TOLERATED_SKEW ? now + clockSkewMs : now;
}
