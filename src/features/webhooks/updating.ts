/**
 * Updating a subscription: what an update leaves out is cleared (doc 2 §4 rule 4), nothing locks it, and `updated_at` moves with
 * every delivery. So the list is read right before the PATCH, the events always go along, and both answer and list are checked.
 */
import { SvcError } from '../../errors.ts';
import { shellWord } from '../../http/as-curl.ts';
import { Plan } from '../../http/endpoint.ts';
import type { Recordings, SubscriptionChange } from './api.ts';
import { messageOfService } from './failed-answer.ts';
import type { Subscription } from './schema.ts';
import { DISABLED, eventsOf, eventText, findSubscription, sameEvents } from './subscription.ts';
import { sameAddress } from './subscription-url.ts';

export interface Edit {
  readonly url?: string | undefined;
  /** In place of all that are listed; an empty list stops all deliveries. */
  readonly set?: readonly string[] | undefined;
  readonly add: readonly string[];
  readonly remove: readonly string[];
}

export interface Guard {
  confirm(question: string): Promise<unknown>;
  notice(text: string): void;
}

export interface Updated {
  readonly before: Subscription;
  readonly after: Subscription;
  /** Nothing was sent: it is so already. */
  readonly unchanged: boolean;
}

export async function updateSubscription(
  typed: string,
  edit: Edit,
  recordings: Recordings,
  guard: Guard,
): Promise<Updated | Plan> {
  let before = findSubscription(await recordings.subscriptions(), typed);
  const events = editedEvents(eventsOf(before), edit);
  if (events.length === 0 && eventsOf(before).length > 0) {
    await guard.confirm(`Clear the events of ${before.id} (${before.url})? Nothing is delivered to it then.`);
    // Somebody may have thought for minutes.
    before = await unmoved(before, recordings);
  }
  for (const type of edit.remove) {
    if (!eventsOf(before).includes(type)) guard.notice(`note: ${before.id} does not list ${type}`);
  }
  const newUrl = edit.url !== undefined && edit.url !== before.url;
  if (before.status === DISABLED && !newUrl) {
    guard.notice(
      `warning: ${before.id} is disabled, and stays so: nothing is delivered until its url changes (svc webhooks enable ${shellWord(before.id)} --url <url>)`,
    );
  }
  if (!newUrl && sameEvents(events, eventsOf(before))) return { before, after: before, unchanged: true };
  const after = await patchSubscription(before, { ...(newUrl ? { url: edit.url } : {}), events }, recordings, guard);
  return after instanceof Plan ? after : { before, after, unchanged: false };
}

/** The change as it is sent, once, and what the service has made of it. */
export async function patchSubscription(
  before: Subscription,
  change: SubscriptionChange,
  recordings: Recordings,
  { notice }: Pick<Guard, 'notice'>,
): Promise<Subscription | Plan> {
  const expected = { url: change.url ?? before.url, events: change.events };
  const { id } = before;
  let answered: Subscription | Plan;
  try {
    answered = await recordings.update(id, change);
  } catch (error) {
    if (!(error instanceof SvcError) || error.code !== 'outcome_unknown') throw error;
    return settled(error, before, expected, recordings, notice);
  }
  if (answered instanceof Plan) return answered;
  check(answered, expected, ({ events }) => `events are ${eventText(events)} after the update`);
  const listed = await recordings.subscriptions().catch((error: unknown) => {
    if (!(error instanceof SvcError) || error.code === 'interrupted' || error.code === 'terminated') throw error;
    notice(`warning: the list could not be read to verify it: ${error.message}`);
    return undefined;
  });
  if (listed === undefined) return answered;
  const found = listed.find((one) => one.id === id);
  if (found === undefined) {
    throw new SvcError('not_as_asked', `${id} was updated, and deleted by someone else right after`, {
      hint: 'svc webhooks list',
    });
  }
  check(
    found,
    expected,
    ({ events }) => `events changed by someone else between read and write: they are ${eventText(events)}`,
  );
  return found;
}

interface Expected {
  readonly url: string;
  readonly events: readonly string[];
}

function check(found: Subscription, { url, events }: Expected, tell: (found: Expected) => string): void {
  const { id } = found;
  const actual = { url: found.url, events: eventsOf(found) };
  if (!sameEvents(actual.events, events)) {
    throw new SvcError('not_as_asked', `${tell(actual)}, expected ${eventText(events)}`, {
      hint: repair(id, events),
    });
  }
  if (sameAddress(found.url, url)) return;
  throw new SvcError('not_as_asked', `the url is ${found.url} after the update, expected ${url}`, {
    hint: `svc webhooks update ${shellWord(id)} --url ${shellWord(url)}`,
  });
}

function repair(id: string, events: readonly string[]): string {
  const option = events.length === 0 ? '--clear-events' : `--set-event ${shellWord(events.join(','))}`;
  return `svc webhooks update ${shellWord(id)} ${option}`;
}

/** Its answer is lost, or says nothing: the list tells whether it was carried out. */
async function settled(
  error: SvcError,
  before: Subscription,
  expected: Expected,
  recordings: Recordings,
  notice: (text: string) => void,
): Promise<Subscription> {
  const listed = await recordings.subscriptions().catch(() => undefined);
  const found = listed?.find((one) => one.id === before.id);
  if (found !== undefined && sameAddress(found.url, expected.url) && sameEvents(eventsOf(found), expected.events)) {
    notice(`${error.message}: the list shows that it was`);
    return found;
  }
  const details = error.httpStatus === undefined ? { cause: error } : { cause: error, httpStatus: error.httpStatus };
  const untouched = found !== undefined && found.url === before.url && sameEvents(eventsOf(found), eventsOf(before));
  const words = untouched ? messageOfService(error) : undefined;
  if (words !== undefined) throw new SvcError('server_error', `${words}; not updated (list checked)`, details);
  const looked =
    listed === undefined
      ? 'the list could not be read either'
      : untouched
        ? 'the list does not show it so far'
        : 'the list shows something else';
  throw new SvcError('outcome_unknown', `${error.message}; ${looked}`, {
    ...details,
    hint: `look before you repeat it: svc webhooks get ${shellWord(before.id)}`,
  });
}

async function unmoved(before: Subscription, recordings: Recordings): Promise<Subscription> {
  const now = findSubscription(await recordings.subscriptions(), before.id);
  if (now.url === before.url && sameEvents(eventsOf(now), eventsOf(before))) return now;
  throw new SvcError('guarded', `${before.id} was changed by someone else meanwhile; nothing was sent`, {
    hint: `look again: svc webhooks get ${shellWord(before.id)}`,
  });
}

/** Where they stand: what is kept keeps its place, what is added comes last. */
function editedEvents(current: readonly string[], { set, add, remove }: Edit): readonly string[] {
  if (set !== undefined) return set;
  return [...new Set([...current, ...add])].filter((type) => !remove.includes(type));
}

/** Only another url brings a disabled endpoint back (doc 2 §3). */
export async function enableSubscription(
  typed: string,
  url: string,
  recordings: Recordings,
  guard: Guard,
): Promise<Updated | Plan> {
  const before = findSubscription(await recordings.subscriptions(), typed);
  if (before.status !== DISABLED) {
    throw new SvcError('guarded', `${before.id} is not disabled`, {
      hint: `to change its url: svc webhooks update ${shellWord(before.id)} --url ${shellWord(url)}`,
    });
  }
  if (before.url === url) {
    throw new SvcError('guarded', 'a disabled endpoint comes back only when its url changes; append e.g. ?v=2');
  }
  const after = await patchSubscription(before, { url, events: eventsOf(before) }, recordings, guard);
  if (after instanceof Plan) return after;
  if (after.status === DISABLED) {
    throw new SvcError('not_as_asked', `${after.id} has another url now, and is disabled all the same`, {
      hint: `svc webhooks get ${shellWord(after.id)}`,
    });
  }
  return { before, after, unchanged: false };
}
