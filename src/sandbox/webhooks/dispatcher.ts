/** Delivers events, and disables an endpoint that fails too often (doc 2 §3, §6). */
import { createHmac } from 'node:crypto';
import http from 'node:http';
import https from 'node:https';
import { setTimeout } from 'node:timers/promises';
import { isLoopbackHost } from '../http.ts';
import {
  ACTIVE,
  type Account,
  DELIVERED,
  DISABLED,
  type Envelope,
  FAILED,
  instant,
  type LogItem,
  MAX_FAILURES,
  type Subscription,
} from './account.ts';

interface DispatcherOptions {
  readonly now: () => number;
  readonly fast: number;
  readonly receiverMs?: number | undefined;
  /** Certificates (PEM) that receivers on this machine may have. */
  readonly receiverCa?: string | undefined;
}

const MINUTE_MS = 60_000;
const RETRY_DELAYS_MS = [1, 5, 15, 15, 15].map((minutes) => minutes * MINUTE_MS);
/** From the acceptance of an event to its dispatch. */
const DISPATCH_MS = 500;
const RECEIVER_MS = 5_000;

export class Dispatcher {
  readonly #account: Account;
  readonly #options: DispatcherOptions;
  readonly #closing = new AbortController();

  constructor(account: Account, options: DispatcherOptions) {
    this.#account = account;
    this.#options = options;
  }

  /** A log item appears with the dispatch, if the endpoint is active then (doc 2 §4 rule 6). */
  queue({ id }: Subscription, event: Envelope): void {
    this.#later(DISPATCH_MS, () => {
      if (this.#account.subscriptions.get(id)?.status !== ACTIVE) return;
      void this.#attempt(this.#account.addLogItem(id, event, this.#options.now()), event);
    });
  }

  emit(event: Envelope): void {
    for (const subscription of this.#account.subscriptions.values()) {
      if (subscription.events.includes(event.type)) this.queue(subscription, event);
    }
  }

  close(): void {
    this.#closing.abort();
  }

  #later(ms: number, work: () => void): void {
    setTimeout(ms / this.#options.fast, undefined, { signal: this.#closing.signal }).then(work, () => undefined);
  }

  async #attempt(item: LogItem, event: Envelope): Promise<void> {
    const subscription = this.#account.subscriptions.get(item.endpoint_id);
    if (subscription?.status !== ACTIVE) {
      item.status = FAILED;
      item.last_error = 'endpoint_disabled';
      return;
    }
    item.attempts++;
    const failure = await this.#post(subscription, item, event);
    const now = instant(this.#options.now());
    subscription.updated_at = now;
    if (failure === undefined) {
      subscription.consecutive_failures = 0;
      item.status = DELIVERED;
      item.delivered_at = now;
      return;
    }
    item.last_error = failure;
    if (++subscription.consecutive_failures >= MAX_FAILURES) subscription.status = DISABLED;
    const delay = RETRY_DELAYS_MS[item.attempts - 1];
    if (delay === undefined) item.status = FAILED;
    else this.#later(delay, () => void this.#attempt(item, event));
  }

  /** Undefined for a success, else the reason for the failure. */
  #post({ url, secret }: Subscription, { id }: LogItem, event: Envelope): Promise<string | undefined> {
    const address = new URL(url);
    // The sandbox reaches only this machine.
    if (!isLoopbackHost(address.host)) return Promise.resolve('sandbox_delivers_to_loopback_only');
    const body = JSON.stringify(event);
    const timestamp = String(Math.floor(this.#options.now() / 1000));
    const signature = createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex');
    const { receiverCa: ca } = this.#options;
    const { signal } = this.#closing;
    const headers = {
      'Content-Type': 'application/json',
      'Content-Length': Buffer.byteLength(body),
      'X-Service-Event': event.type,
      'X-Service-Delivery': id,
      'X-Service-Timestamp': timestamp,
      'X-Service-Signature': `sha256=${signature}`,
    };
    return new Promise((settle) => {
      const { request: open } = address.protocol === 'https:' ? https : http;
      const request = open(address, {
        method: 'POST',
        headers,
        agent: false,
        signal,
        ...(ca === undefined ? {} : { ca }),
      });
      request.setTimeout(this.#options.receiverMs ?? RECEIVER_MS, () => {
        settle('timeout');
        request.destroy();
      });
      request.on('response', (answer) => {
        const { statusCode = 0 } = answer;
        answer.resume();
        settle(statusCode >= 200 && statusCode <= 299 ? undefined : `http_${statusCode}`);
      });
      request.on('error', ({ code }: NodeJS.ErrnoException) =>
        settle(code === 'ECONNREFUSED' ? 'connection_refused' : 'connection_failed'),
      );
      request.end(body);
    });
  }
}
