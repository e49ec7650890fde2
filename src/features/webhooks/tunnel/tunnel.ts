/** `listen --tunnel`: a public address and a subscription, taken back however the run ends. */
import type { RunContext } from '../../../cli/command.ts';
import { interruptionOf, SvcError } from '../../../errors.ts';
import { isLoopback } from '../../../http/address.ts';
import { Plan } from '../../../http/endpoint.ts';
import { openPoster } from '../../../http/poster.ts';
import { shellWord } from '../../../output/escape.ts';
import { openRecordings, type Recordings } from '../api.ts';
import { KNOWN_EVENTS } from '../event-types.ts';
import type { TunnelFacts } from '../receiver/rows.ts';
import { READY } from '../receiver/server.ts';
import { WEBHOOK_PING } from '../sending/sample-event.ts';
import { type SigningSecret, signingSecret } from '../signature.ts';
import { createSubscription, UNKNOWN_ID } from '../subscriptions/creating.ts';
import { checkReceiverUrl, receiverWarnings, sameAddress } from '../subscriptions/subscription.ts';
import { queueTest, waitForTest } from '../subscriptions/test-delivery.ts';
import { deleteSubscription } from '../subscriptions/updating.ts';
import { TunnelProgram, tunnelCommand } from './program.ts';

/** How long to wait until the address leads to the listener. */
const ROUTE_MS = 10_000;
const ROUTE_ATTEMPTS = 20;
const ROUTE_ATTEMPT_MS = 3_000;
const ROUTE_PAUSE_MS = 500;
/** How long the test event may take before svc says what the service reports of it. */
const TEST_MS = 15_000;

export interface TunnelInput {
  readonly tunnel: string;
  readonly tunnelUrl: string | undefined;
  readonly port: number;
  /** The event types of --event; empty for all. */
  readonly events: readonly string[];
}

export class Tunnel {
  /** Empty until the subscription exists. */
  readonly secrets: SigningSecret[] = [];
  /** Ends the session: Ctrl-C, SIGTERM, a closed terminal. */
  readonly signal: AbortSignal;
  readonly #input: TunnelInput;
  readonly #ctx: RunContext;
  readonly #recordings: Recordings;
  /** The second signal: nothing is waited for any more. */
  readonly #hurry = new AbortController();
  /** Ends the watch for the test event. */
  readonly #closed = new AbortController();
  readonly #release: () => void;
  #program: TunnelProgram | undefined;
  #address: string | undefined;
  #id: string | undefined;
  /** Settles with the creation, whatever becomes of it. */
  #creation: Promise<unknown> | undefined;
  #watch: Promise<void> | undefined;
  /** Why something was not taken back. */
  failure: SvcError | undefined;

  constructor(input: TunnelInput, ctx: RunContext) {
    this.#input = input;
    const ended = new AbortController();
    this.#ctx = ctx;
    this.signal = AbortSignal.any([ctx.signal, ended.signal]);
    // Requests that take something back are sent after the signal, too.
    this.#recordings = openRecordings({ ...ctx.target, signal: this.#hurry.signal });
    this.#release = ctx.takeSignals((name) => {
      if (ended.signal.aborted) this.#hurry.abort(interruptionOf(name));
      ended.abort(interruptionOf(name));
    });
  }

  /** Starts the program, and subscribes its address. `fail` is called if the program ends later. */
  async open(port: number, fail: (error: unknown) => void): Promise<TunnelFacts> {
    const { tunnel, tunnelUrl } = this.#input;
    const ctx = this.#ctx;
    this.signal.throwIfAborted();
    const program = new TunnelProgram(tunnel, port, ctx);
    this.#program = program;
    const local = isLoopback(ctx.target.baseUrl);
    if (tunnelUrl === undefined) await program.printed(this.signal);
    else checkReceiverUrl(tunnelUrl, '--tunnel-url', { local });
    const addresses = tunnelUrl === undefined ? program.addresses : [tunnelUrl];
    const { url, why } = await Promise.race([this.#findRoute(addresses), program.failed()]);
    const obstacle = `${new URL(url).host} does not lead to this listener as seen from here (${why}): svc subscribes it anyway`;
    const warnings = why === undefined ? await receiverWarnings(url, { local }) : [obstacle];
    for (const warning of warnings) ctx.notice(`warning: ${warning}`);
    const { id, events } = await this.#subscribe(url);
    program.failed().catch(fail);
    if (ctx.wants.table) ctx.notice(`tunnel: ${url}  subscription: ${id}, deleted when svc ends`);
    if (events.includes(WEBHOOK_PING)) {
      this.#watch = this.#test(id).catch((error: unknown) => {
        if (!this.signal.aborted && !this.#closed.signal.aborted)
          ctx.notice(`warning: no test event: ${(error as Error).message}`);
      });
    }
    return { url, endpoint_id: id };
  }

  /** Deletes the subscription while the tunnel still works, and stops the program. */
  async close(): Promise<void> {
    this.#closed.abort(interruptionOf('SIGTERM'));
    try {
      await Promise.allSettled([this.#watch, this.#creation]);
      await this.#unsubscribe();
      await this.#program?.stop(this.#hurry.signal);
    } finally {
      this.#release();
    }
  }

  /**
   * Waits until an address leads to this listener: programs print it early, and other links, too. If
   * none does, the address may still work for the service, which resolves it for itself. But one where
   * another service responds is only used if the user named it: it would get the recordings.
   */
  async #findRoute(addresses: Iterable<string>): Promise<Route> {
    const { outbound, now, sleep } = this.#ctx;
    const poster = openPoster({ ...outbound({ insecure: false }), signal: this.signal });
    const began = now();
    for (let attempt = 1; ; attempt++) {
      let unreached: Route | undefined;
      for (const url of addresses) {
        const probe = { method: 'GET', url: new URL('/', url), headers: [], body: new Uint8Array() } as const;
        const { status, text, failure } = await poster.post({ ...probe, timeoutMs: ROUTE_ATTEMPT_MS });
        if (Buffer.from(text).toString() === `${READY}\n`) return { url };
        if (failure !== undefined || url === this.#input.tunnelUrl)
          unreached ??= { url, why: failure?.message ?? `status ${status}` };
      }
      if (attempt === ROUTE_ATTEMPTS || now() - began >= ROUTE_MS) return unreached ?? refuseForeign();
      await sleep(ROUTE_PAUSE_MS, this.signal);
    }
  }

  async #subscribe(url: string): Promise<{ readonly id: string; readonly events: readonly string[] }> {
    const events = this.#input.events.length > 0 ? this.#input.events : KNOWN_EVENTS;
    const program = this.#program as TunnelProgram;
    // Before the POST, a signal ends the wait for the service; after it, the response is needed.
    const early = new AbortController();
    const stop = (): void => {
      if (this.#address === undefined) early.abort(this.signal.reason);
    };
    this.signal.addEventListener('abort', stop, { once: true });
    const signal = AbortSignal.any([this.#hurry.signal, early.signal]);
    const creation = createSubscription({ url, events }, openRecordings({ ...this.#ctx.target, signal }), {
      dryRun: false,
      allowDuplicate: false,
      notice: this.#ctx.notice,
      runToEnd: (work) => {
        this.signal.throwIfAborted();
        // From here on there may be a subscription with this address, and before there was none.
        this.#address = url;
        return work();
      },
      keep: async (secret, id) => {
        this.#id = id === UNKNOWN_ID ? undefined : id;
        this.#ctx.secrets.add(secret.reveal());
        this.secrets.push(signingSecret(secret.reveal(), `the subscription ${id}`));
      },
    });
    this.#creation = creation;
    const created = creation.catch((error: unknown) => {
      if (!(error instanceof SvcError) || error.code !== 'guarded') throw error;
      throw new SvcError('guarded', error.message, {
        hint: 'a run that was killed may have left it: svc webhooks delete <id>',
      });
    });
    const result = await Promise.race([created, program.failed()]);
    if (result instanceof Plan) throw new SvcError('internal', 'a dry run started a tunnel');
    this.signal.throwIfAborted();
    return { id: result.id, events };
  }

  /** Sends the service's test event; if it does not arrive, says what the service reports. */
  async #test(id: string): Promise<void> {
    const { notice } = this.#ctx;
    const ctx = { ...this.#ctx, signal: AbortSignal.any([this.signal, this.#closed.signal]) };
    const recordings = openRecordings({ ...ctx.target, signal: ctx.signal });
    const event = await queueTest(id, recordings);
    if (event instanceof Plan) return;
    const result = await waitForTest(id, event, TEST_MS, recordings, ctx);
    if (result.outcome !== 'delivered') notice(`warning: the test event ${event} has not arrived: ${result.text}`);
  }

  async #unsubscribe(): Promise<void> {
    const { notice, warn, wants } = this.#ctx;
    if (this.#address === undefined) return;
    try {
      const id = await this.#ownId(this.#address);
      if (id === undefined) return;
      await deleteSubscription(id, this.#recordings, () => this.#recordings.takeBack(id));
      if (wants.table) notice(`deleted ${id}`);
    } catch (error) {
      if (!(error instanceof SvcError)) throw error;
      if (error.code === 'not_found') return;
      this.failure = error;
      const id = this.#id === undefined ? '<id>' : shellWord(this.#id);
      warn(`warning: the subscription for ${this.#address} may remain: ${error.message}: svc webhooks delete ${id}`);
    }
  }

  /** Undefined if gone. After a lost response, found by the address, which had none before. */
  async #ownId(address: string): Promise<string | undefined> {
    const all = await this.#recordings.subscriptions();
    return all.find(({ id, url }) => (this.#id === undefined ? sameAddress(url, address) : id === this.#id))?.id;
  }
}

interface Route {
  readonly url: string;
  /** Why it does not lead here, as seen from this machine. */
  readonly why?: string;
}

function refuseForeign(): never {
  throw new SvcError('guarded', 'another service responds at the address that the tunnel program printed', {
    hint: 'if that is a link to its own pages, pass the address of the tunnel with --tunnel-url',
  });
}

export async function planTunnel({ tunnel, tunnelUrl, port, events }: TunnelInput, ctx: RunContext): Promise<Plan> {
  ctx.notice(`would run: ${tunnelCommand(tunnel, port).command}`);
  const url = tunnelUrl ?? 'https://<address of the tunnel>/';
  const plan = await openRecordings(ctx.target).create({ url, events: events.length > 0 ? events : KNOWN_EVENTS });
  if (plan instanceof Plan) return plan;
  throw new SvcError('internal', 'a dry run created a subscription');
}
