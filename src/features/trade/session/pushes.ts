/** `subscribe` and `unsubscribe` in a session: the pushes that its caller asked for, and what may be missing of them. */
import { SvcError } from '../../../errors.ts';
import type { Push } from '../gateway/push.ts';
import type { SessionEvent } from '../gateway/session-types.ts';
import { Subscription } from '../gateway/subscription.ts';
import type { TradingSession } from '../gateway/trading-session.ts';
import { isModelName, type ModelName } from '../models.ts';
import { SEEN_MODELS } from '../tables/seen-tables.ts';
import { wantedOf } from '../tables/trading-tables.ts';
import { tokensOf } from './command-lines.ts';
import type { SessionOutput } from './output.ts';
import type { Result } from './reads.ts';
import type { EventFields } from './trade-event.ts';

/** By the name of the command. */
export const SUBSCRIBE_ARGS = {
  what: { help: 'Symbols such as EUR/USD, and tables such as Order', required: true, repeat: true },
} as const;

const SHAPE = { args: SUBSCRIBE_ARGS, flags: {} };

type SubscribeCommand = 'subscribe' | 'unsubscribe';

const PUSH_BYTES = 256;

/** The session itself follows these. */
const isShared = (name: string): boolean => (SEEN_MODELS as readonly string[]).includes(name);

export class SessionPushes {
  readonly #open: TradingSession;
  readonly #output: SessionOutput;
  readonly #subscription: Subscription;
  /** By model or symbol: the id of the command that subscribed to it. */
  readonly #ids = new Map<string, string | null>();
  /** One command after the other: the gateway must see them in order. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(open: TradingSession, output: SessionOutput) {
    this.#open = open;
    this.#output = output;
    const refused = (name: string, error: SvcError): void => this.#refused(name, error);
    this.#subscription = new Subscription(open.session, open.trading, { refused });
  }

  /** Undefined if it is another command. Throws if its fields are wrong. */
  commandOf(
    { command, ...fields }: Readonly<Record<string, unknown>>,
    id: string | null,
  ): (() => Promise<Result>) | undefined {
    if (command !== 'subscribe' && command !== 'unsubscribe') return undefined;
    const names = tokensOf(fields, SHAPE).slice(1);
    if (names.length === 0) throw new SvcError('missing_value', '"what" is missing');
    return () => {
      const done = this.#last.then(() => this.#change(command, names, id));
      this.#last = done.catch(() => {});
      return done;
    };
  }

  async #change(command: SubscribeCommand, names: readonly string[], id: string | null): Promise<Result> {
    const { models, symbols } = await wantedOf(names, this.#open);
    const wanted = [...models, ...symbols];
    if (command === 'subscribe') await this.#subscribe(wanted, id);
    else await this.#unsubscribe(wanted);
    return { command, value: [...this.#ids.keys()], code: null };
  }

  async #subscribe(wanted: readonly string[], id: string | null): Promise<void> {
    const added = wanted.filter((name) => !this.#ids.has(name));
    // A push may come before the response.
    for (const name of wanted) this.#ids.set(name, id);
    const own = added.filter((name) => !isShared(name));
    try {
      await this.#subscription.add({
        models: own.filter((name): name is ModelName => isModelName(name)),
        symbols: own.filter((name) => !isModelName(name)),
      });
    } catch (error) {
      await this.#unsubscribe(added);
      throw error;
    }
  }

  async #unsubscribe(names: readonly string[]): Promise<void> {
    for (const name of names) this.#ids.delete(name);
    await this.#subscription.remove(names);
  }

  /** After a reconnect. */
  #refused(name: string, error: SvcError): void {
    const id = this.#ids.get(name) ?? null;
    this.#ids.delete(name);
    const message = `the subscription to ${name} was not restored: ${this.#open.session.hide(error.message)}`;
    const server_code = error.more?.['server_code'] ?? null;
    this.#output.say('refused', id, { code: error.code, server_code, message });
  }

  /** Every push of a subscription becomes one event. The next push waits for a caller who does not read. */
  seen(event: SessionEvent, push: Push | undefined): Promise<void> | undefined {
    if (event.kind === 'gap' && this.#ids.size > 0) {
      const [from, to] = [new Date(event.from).toISOString(), new Date(event.to).toISOString()];
      this.#output.say('gap', null, { from, to, reason: event.reason, subscriptions: [...this.#ids.keys()] });
    }
    if (event.kind === 'push') this.#pushed(event, push);
    return this.#output.caughtUp();
  }

  #pushed({ name, payload, at }: SessionEvent & { kind: 'push' }, push: Push | undefined): void {
    const source = push?.kind === 'row' ? push.model : push?.kind === 'price' ? push.symbol : name;
    const id = this.#ids.get(source);
    if (id === undefined) return;
    const row = push?.kind === 'row' ? push : undefined;
    const fields: EventFields<'push'> = {
      kind: row?.action ?? (push?.kind === 'price' ? 'price' : 'other'),
      table: row?.model ?? null,
      key: row === undefined ? source : (row.key ?? null),
      // Not JSON: as it came.
      data: push === undefined ? payload : push.record,
    };
    this.#output.say('push', id, fields, { at, bytes: PUSH_BYTES + payload.length });
  }
}
