/** A small, believable state: one endpoint that works, one that fails, one that is disabled, and what was sent to them. */
import {
  ACTIVE,
  type Account,
  DELIVERED,
  DISABLED,
  type Envelope,
  FAILED,
  identifier,
  instant,
  PENDING,
  type Subscription,
  syntheticEvent,
} from './account.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** Enough for two pages of the log. */
const MEETINGS = 34;

const TITLES = ['Weekly sync', 'Customer interview', 'Release planning', 'Retrospective', 'Stand-up'];

export function seedDemo(account: Account, now: number, random: () => number): void {
  const subscribe = (
    fields: Partial<Subscription> & Pick<Subscription, 'url' | 'events'>,
    days: number,
  ): Subscription => {
    const subscription: Subscription = {
      id: identifier('ep_', random),
      secret: identifier('whsec_', random, 32),
      status: ACTIVE,
      consecutive_failures: 0,
      created_at: instant(now - days * DAY_MS),
      updated_at: instant(now - 25 * MINUTE_MS),
      ...fields,
    };
    account.subscriptions.set(subscription.id, subscription);
    return subscription;
  };
  const events = ['summary.completed', 'webhook.ping'];
  const archive = subscribe({ url: 'https://archive.example/hooks/recordings', events }, 60);
  const crm = subscribe(
    { url: 'https://crm.example/inbound/summaries', events: ['summary.completed'], consecutive_failures: 14 },
    21,
  );
  subscribe(
    {
      url: 'https://staging.example/hook',
      events: ['summary.completed'],
      status: DISABLED,
      consecutive_failures: 20,
      updated_at: instant(now - 9 * DAY_MS),
    },
    35,
  );
  for (let index = MEETINGS; index >= 1; index--) {
    const at = now - index * 25 * MINUTE_MS;
    const event = syntheticEvent(identifier('evt_', random), 'summary.completed', at, TITLES[index % TITLES.length]);
    account.events.unshift(event);
    log(archive, event, at, index % 11 === 0 ? 2 : 1);
    if (index <= 4) log(crm, event, at, index === 1 ? 3 : 6, index === 1 ? PENDING : FAILED);
  }

  function log(
    { id }: Subscription,
    event: Envelope,
    at: number,
    attempts: number,
    status: typeof PENDING | typeof DELIVERED | typeof FAILED = DELIVERED,
  ): void {
    account.log.push({
      id: identifier('dlv_', random),
      endpoint_id: id,
      event_id: event.id,
      event_type: event.type,
      status,
      attempts,
      last_error: attempts > 1 ? 'http_502' : '',
      delivered_at: status === DELIVERED ? instant(at + 900 + (attempts - 1) * MINUTE_MS) : '',
      created_at: instant(at),
    });
  }
}
