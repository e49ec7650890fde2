/** The recording service on loopback, emulated from its document: for trying `svc` out, and for its tests. */
import { findRoute, json, type LocalServer, Refusal, type Request, type Response, startServer } from '../http.ts';
import { hostile, type WebhooksTrap, withoutHostile } from '../traps.ts';
import { Account, seedDemo, syntheticEvent } from './account.ts';
import { RecordingsApi, refused } from './api.ts';
import { Dispatcher } from './dispatcher.ts';
import { OAuth } from './oauth.ts';
import { sameText } from './oauth-clients.ts';

export interface RecordingsEmulatorOptions {
  /** Any free port by default. */
  readonly port?: number;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Uniform in [0, 1): ids and secrets are made from it. */
  readonly random: () => number;
  readonly seed?: 'demo' | 'empty';
  /** Divides the times until dispatch and retry, and the lifetimes of tokens. */
  readonly fast?: number;
  /** False refuses receivers on this machine, as the real service does. */
  readonly loopbackReceivers?: boolean;
  readonly receiverMs?: number;
  /** Certificates (PEM) that receivers on this machine may have. */
  readonly receiverCa?: string;
  /** Approve every sign-in without a page. */
  readonly autoApprove?: boolean;
}

export interface RecordingsEmulator extends LocalServer {
  /** Valid for every call. */
  readonly token: string;
  /** May change at any time. */
  readonly traps: Set<WebhooksTrap>;
  /** Tests may read and change it at any time. */
  readonly account: Account;
  /** An event of a recording happens; returns its id. */
  emit(type?: string): string;
}

export async function startRecordingsEmulator(options: RecordingsEmulatorOptions): Promise<RecordingsEmulator> {
  const { port, now, random, seed, fast = 1, loopbackReceivers = true, autoApprove = false } = options;
  const traps = new Set<WebhooksTrap>();
  const account = new Account(random);
  const token = account.newId('pat_sandbox_', 24);
  if (seed === 'demo') seedDemo(account, now());
  const dispatcher = new Dispatcher(account, { ...options, fast });
  const api = new RecordingsApi(account, dispatcher, { now, traps, loopbackReceivers });
  const oauth = new OAuth({ now, fast, traps, autoApprove });

  const respond = (request: Request): Response => {
    try {
      const given = /^Bearer (.*)$/.exec(request.headers.authorization ?? '')?.[1] ?? '';
      if (request.path.startsWith('/v1/') && !sameText(given, token) && !oauth.accepts(given)) {
        throw refused(401, 'unauthorized', 'missing or invalid bearer token');
      }
      const [route, [part = ''] = []] = findRoute(api.routes, `${request.method} ${request.path}`) ?? [];
      if (route === undefined) throw refused(404, 'not_found', 'there is no such endpoint');
      const id = withoutHostile(decodeURIComponent(part));
      const query = new URLSearchParams(request.query);
      const [value, lostBy] = route({ id, query, body: request.body.toString('utf8') });
      return { ...shown(200, value), lost: lostBy !== undefined && traps.has(lostBy) };
    } catch (error) {
      if (error instanceof Refusal) return shown(error.status, error.value);
      throw error;
    }
  };
  const shown = (status: number, value: unknown): Response => {
    return json(status, traps.has('hostile-text') ? hostile(value, /^secret$/) : value);
  };

  const server: LocalServer = await startServer({
    port,
    now,
    respond: (request) => oauth.respond(request, server.url) ?? respond(request),
  });
  return {
    ...server,
    token,
    traps,
    account,
    emit(type = 'summary.completed') {
      const event = syntheticEvent(account.newId('evt_'), type, now());
      account.events.unshift(event);
      dispatcher.emit(event);
      return event.id;
    },
    async close() {
      dispatcher.close();
      await server.close();
    },
  };
}
