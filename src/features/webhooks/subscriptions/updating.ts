/**
 * Updates and deletes. An update clears what it omits (doc 2 §4 rule 4), and there is no lock: svc
 * lists right before the PATCH, always sends the events, and checks the response and the list.
 */
import type { RunContext } from '../../../cli/command.ts';
import { SvcError } from '../../../errors.ts';
import { Plan } from '../../../http/endpoint.ts';
import { shellWord } from '../../../output/escape.ts';
import type { Recordings, SubscriptionChange } from '../api.ts';
import { stillUnknown, unresolved } from '../api.ts';
import type { Subscription } from '../schema.ts';
import {
  changeUrlCommand,
  DISABLED,
  eventsOf,
  eventText,
  findSubscription,
  requireEvents,
  sameAddress,
  sameEvents,
} from './subscription.ts';

export interface Edit {
  readonly url?: string | undefined;
  /** Replaces all; an empty list stops all deliveries. */
  readonly set?: readonly string[] | undefined;
  readonly add: readonly string[];
  readonly remove: readonly string[];
}

interface Guard {
  confirm(question: string): Promise<unknown>;
  notice(text: string): void;
}

export interface Updated {
  readonly before: Subscription;
  readonly after: Subscription;
  /** Nothing was sent. */
  readonly unchanged: boolean;
}

export async function updateSubscription(
  typed: string,
  { url, set, add, remove }: Edit,
  recordings: Recordings,
  guard: Guard,
): Promise<Updated | Plan> {
  const before = findSubscription(await recordings.subscriptions(), typed);
  const isDisabled = before.status === DISABLED;
  // Only another url enables a disabled endpoint (doc 2 §3).
  if (isDisabled && url === before.url) {
    throw new SvcError('guarded', `${before.id} is disabled, and has this url already: only another url enables it`, {
      hint: 'append ?v=2, for example',
    });
  }
  const events = set ?? [...new Set([...requireEvents(before), ...add])].filter((type) => !remove.includes(type));
  const current = before.events;
  if (events.length === 0 && current?.length !== 0) {
    await guard.confirm(`Clear the events of ${before.id}? It then receives nothing.`);
    await checkUnmoved(before, recordings);
  }
  for (const type of remove) if (!current?.includes(type)) guard.notice(`note: ${before.id} does not list ${type}`);
  const newUrl = url === before.url ? undefined : url;
  if (isDisabled && newUrl === undefined) {
    guard.notice(`warning: ${before.id} stays disabled until its url changes: ${changeUrlCommand(before.id)}`);
  }
  if (newUrl === undefined && current !== undefined && sameEvents(events, current)) {
    return { before, after: before, unchanged: true };
  }
  const updated = await sendChange(before, { url: newUrl, events }, recordings, guard);
  if (updated instanceof Plan || newUrl === undefined || updated.after.status !== DISABLED) return updated;
  throw new SvcError('not_as_asked', `${before.id} has the new url but is still disabled`, {
    hint: `svc webhooks get ${shellWord(before.id)}`,
  });
}

/** The confirmation may have taken minutes. */
async function checkUnmoved(before: Subscription, recordings: Recordings): Promise<void> {
  const now = findSubscription(await recordings.subscriptions(), before.id);
  if (now.url === before.url && sameEvents(eventsOf(now), eventsOf(before))) return;
  throw new SvcError('guarded', `${before.id} was changed by someone else in the meantime; nothing was sent`, {
    hint: `svc webhooks get ${shellWord(before.id)}`,
  });
}

/** Sends the change once, and checks the result. */
async function sendChange(
  before: Subscription,
  change: SubscriptionChange,
  recordings: Recordings,
  { notice }: Guard,
): Promise<Updated | Plan> {
  const { id } = before;
  const expected: Expected = { url: change.url ?? before.url, events: change.events };
  const answered = await recordings.update(id, change).catch((error: unknown) => {
    if (!(error instanceof SvcError) || error.code !== 'outcome_unknown') throw error;
    return settleLostUpdate(error, before, expected, recordings, notice);
  });
  if (answered instanceof Plan) return answered;
  checkResult(answered, expected, (events) => `events are ${events} after the update`);
  const listed = await recordings.subscriptions().catch((error: unknown) => {
    if (!(error instanceof SvcError) || error.endedBySignal) throw error;
    notice(`warning: the list could not be read to verify it: ${error.message}`);
  });
  const after = listed === undefined ? answered : listed.find((one) => one.id === id);
  if (after === undefined) {
    const message = `${id} was updated, and then deleted by someone else`;
    throw new SvcError('not_as_asked', message, { hint: 'svc webhooks list' });
  }
  checkResult(after, expected, (events) => `events changed by someone else between read and write: they are ${events}`);
  return { before, after, unchanged: false };
}

interface Expected {
  /** Undefined where the service did not show it before, and it is not changed. */
  readonly url: string | undefined;
  readonly events: readonly string[];
}

function checkResult(found: Subscription, { url, events }: Expected, describe: (events: string) => string): void {
  const command = `svc webhooks update ${shellWord(found.id)}`;
  if (found.events !== undefined && !sameEvents(found.events, events)) {
    const option = events.length === 0 ? '--clear-events' : `--set-event ${shellWord(events.join(','))}`;
    const message = `${describe(eventText(found.events))}, expected ${eventText(events)}`;
    throw new SvcError('not_as_asked', message, { hint: `${command} ${option}` });
  }
  if (url === undefined || sameAddress(found.url, url)) return;
  throw new SvcError('not_as_asked', `the url is ${found.url} after the update, expected ${url}`, {
    hint: `${command} --url ${shellWord(url)}`,
  });
}

/** After a lost response, the list shows whether the update was applied. */
async function settleLostUpdate(
  error: SvcError,
  before: Subscription,
  expected: Expected,
  recordings: Recordings,
  notice: (text: string) => void,
): Promise<Subscription> {
  const listed = await recordings.subscriptions().catch(() => undefined);
  const found = listed?.find((one) => one.id === before.id);
  const is = ({ url, events }: Expected): boolean =>
    found?.events !== undefined && sameAddress(found.url, url) && sameEvents(found.events, events);
  if (found !== undefined && is(expected)) {
    notice(`${error.message}: the list shows that it was applied`);
    return found;
  }
  const hint = `check before you repeat it: svc webhooks get ${shellWord(before.id)}`;
  if (listed !== undefined && !is({ url: before.url, events: eventsOf(before) })) {
    throw stillUnknown(error, 'the list shows other values', hint);
  }
  throw unresolved(error, 'updated', listed !== undefined, hint);
}

/** Not certain if only the list lacks it, and a row of the list could not be read. */
export function isGone(result: 'deleted' | 'already-gone' | Plan, ctx: Pick<RunContext, 'omitted'>): boolean {
  return result === 'deleted' || ctx.omitted.rows === 0;
}

/** `already-gone`: deleted, by this request or by another. */
export async function deleteSubscription(
  id: string,
  recordings: Recordings,
  send: () => ReturnType<Recordings['delete']>,
): Promise<'deleted' | 'already-gone' | Plan> {
  try {
    const answer = await send();
    if (answer instanceof Plan) return answer;
    if (answer.ok) return 'deleted';
    throw new SvcError('refused', 'server answered ok:false', { hint: `svc webhooks get ${shellWord(id)}` });
  } catch (error) {
    if (!(error instanceof SvcError) || (error.code !== 'outcome_unknown' && error.code !== 'not_found')) throw error;
    const after = await recordings.subscriptions().catch(() => undefined);
    if (after?.every((one) => one.id !== id)) return 'already-gone';
    if (error.code === 'not_found') throw error;
    const hint = 'check before you repeat it: svc webhooks list';
    throw unresolved(error, 'deleted', after !== undefined, hint);
  }
}
