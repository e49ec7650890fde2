/** The requests of one Engine.IO connection, as doc 3 §4 shows them: polls, packets, and the one for a websocket; and its cookies. */
import { SvcError } from '../../../errors.ts';
import { type FailedAnswer, serviceMessage } from '../../../http/answers.ts';
import { endpoint, type QueryValues } from '../../../http/endpoint.ts';
import type { Secret } from '../../../http/redact.ts';
import { Sender } from '../../../http/sender.ts';
import type { Target } from '../../../http/target.ts';
import { openWebSocket, type WebSocket, type WebSocketSink } from '../../../http/websocket.ts';
import { isObject, tryParseJson } from '../../../json-object.ts';
import { decodePayload, encodePayload, type Packet, PacketFault, PROTOCOL_VERSION } from './engine-packet.ts';
import { TOKEN_REFUSED_HINT } from './failed-answer.ts';

export interface EngineTarget {
  readonly target: Target;
  readonly token: Secret;
  readonly cookies: CookieJar;
}

/** The content type of every request, even without a body. */
export const FORM = 'application/x-www-form-urlencoded';

const poll = endpoint({ method: 'GET', path: '/socket.io/', effect: 'read', retry: false });
/** Packets of the connection itself. The gateway answers `ok` and calls it HTML. */
const post = endpoint({
  method: 'POST',
  path: '/socket.io/',
  effect: 'read',
  encoding: 'text',
  retry: false,
  mislabeled: true,
});

/** A poll brings many messages. One of more than 4 MiB, again and again, would need more memory than a stream may have. */
const LARGEST_PAYLOAD = 16 * 1024 * 1024;
const LARGEST_MESSAGE = 4 * 1024 * 1024;

export class EngineRequests {
  readonly host: string;
  /** Once the gateway has assigned one. */
  sid: string | undefined;
  readonly #token: Secret;
  readonly #now: () => number;
  readonly #sender: Sender;
  readonly #controller = new AbortController();
  #polled = 0;

  constructor({ target, token, cookies }: EngineTarget) {
    const { dryRun: _dryRun, authorizer: _authorizer, ...rest } = target;
    this.host = target.baseUrl.host;
    this.#token = token;
    this.#now = target.now;
    this.#sender = new Sender(
      // The session's other requests warn.
      { ...rest, signal: this.#controller.signal, log: { ...rest.log, warn: () => {} } },
      {
        basePath: '',
        contentType: FORM,
        cookies,
        hidesQuery: true,
        maxAnswerBytes: LARGEST_PAYLOAD,
        explain: (answer) => explainEngine(answer, this.host),
      },
    );
  }

  async poll(timeoutMs: number): Promise<Packet[]> {
    const values = { query: this.#query('polling'), timeoutMs };
    const { result } = await this.#sender.send(poll, values, (answer) => answer.body.whole());
    return decodePayload(result.toString());
  }

  async send(packet: string, timeoutMs: number): Promise<void> {
    const values = { query: this.#query('polling'), body: encodePayload([packet]), timeoutMs };
    const { result } = await this.#sender.send(post, values, (answer) => answer.body.whole());
    if (result.toString() !== 'ok') throw new PacketFault('it did not accept a packet');
  }

  openSocket(sink: WebSocketSink, timeoutMs: number): Promise<WebSocket> {
    return openWebSocket(this.#sender, poll, { query: this.#query('websocket'), timeoutMs }, sink, LARGEST_MESSAGE);
  }

  /** Aborts the requests under way and closes all connections. */
  async end(reason: SvcError): Promise<void> {
    this.#controller.abort(reason);
    await this.#sender.close();
  }

  /** The failure of a request, as a message for the user. */
  explained(error: unknown): SvcError {
    if (error instanceof SvcError) return error;
    if (!(error instanceof PacketFault)) return new SvcError('internal', 'the session failed', { cause: error });
    return new SvcError('bad_answer', `${this.host} does not respond like a trading gateway: ${error.message}`);
  }

  #query(transport: 'polling' | 'websocket'): QueryValues {
    const shared = { access_token: this.#token.reveal(), EIO: PROTOCOL_VERSION, transport };
    if (transport === 'websocket') return { ...shared, sid: this.sid };
    // Different each time, so that no cache answers.
    return { ...shared, t: `${this.#now().toString(36)}.${this.#polled++}`, b64: 1, sid: this.sid };
  }
}

export function tokenRefused(host: string, text: string): SvcError {
  const said = text === '' ? '' : `: ${text}`;
  return new SvcError('unauthorized', `${host} refused the token${said}`, { hint: TOKEN_REFUSED_HINT });
}

/** Explains a status of 400 and above; the codes are as seen on the public implementation. */
export function explainEngine(answer: FailedAnswer, host: string): SvcError | undefined {
  const { status } = answer;
  const details = { httpStatus: status };
  if (status === 401 || status === 403) {
    return new SvcError('unauthorized', `${host} refused the token with status ${status}`, {
      hint: TOKEN_REFUSED_HINT,
      ...details,
    });
  }
  if (status === 404 || status === 405) {
    return new SvcError(
      'wrong_path',
      `${host} has no /socket.io/: the address responds, but not as a trading gateway`,
      {
        hint: 'check the address and the path in it',
        ...details,
      },
    );
  }
  if (status !== 400) return undefined;
  const code = engineCode(answer.text);
  const known = code === undefined ? undefined : CODES[code];
  if (known !== undefined) return new SvcError(known[0], `${host} ${known[1]}`, details);
  const text = serviceMessage(answer);
  return new SvcError('bad_answer', `${host} refused the connection${text === '' ? '' : `: ${text}`}`, details);
}

const CODES: Readonly<Record<number, readonly [code: 'connection_lost' | 'bad_answer', text: string]>> = {
  0: ['bad_answer', 'does not have this transport'],
  1: ['connection_lost', 'no longer knows the connection id'],
  2: ['bad_answer', 'rejected the connection request as malformed'],
  3: ['bad_answer', 'rejected a request as malformed'],
  4: ['bad_answer', 'does not let this program connect'],
  5: ['bad_answer', 'only speaks a later version of Engine.IO'],
};

function engineCode(text: string): number | undefined {
  const value = tryParseJson(text);
  return isObject(value) && typeof value['code'] === 'number' ? value['code'] : undefined;
}

/** A balancer and a session need only a few. */
const MOST = 50;
const LONGEST = 4096;

export class CookieJar {
  readonly #cookies = new Map<string, string>();

  /** Reads the lines of `set-cookie`. All requests of a session go to one origin, so domain and path are ignored. */
  take(lines: string | undefined, now: number): void {
    for (const line of lines?.split('\n') ?? []) {
      const [pair = '', ...attributes] = line.split(';');
      const equals = pair.indexOf('=');
      const name = pair.slice(0, equals).trim();
      const value = pair.slice(equals + 1).trim();
      if (equals < 1 || line.length > LONGEST || /[^\x21-\x7e]/.test(name + value)) continue;
      this.#cookies.delete(name);
      if (!hasEnded(attributes, now) && this.#cookies.size < MOST) this.#cookies.set(name, value);
    }
  }

  header(): { readonly cookie?: string } {
    if (this.#cookies.size === 0) return {};
    return { cookie: [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ') };
  }

  clear(): void {
    this.#cookies.clear();
  }
}

/** A service removes a cookie with an expiry in the past. */
function hasEnded(attributes: readonly string[], now: number): boolean {
  const end = (name: string): string | undefined =>
    attributes
      .map((attribute) => attribute.trim())
      .find((attribute) => attribute.toLowerCase().startsWith(`${name}=`))
      ?.slice(name.length + 1);
  const age = end('max-age');
  if (age !== undefined && /^-?\d+$/.test(age)) return Number(age) <= 0;
  return Date.parse(end('expires') ?? '') <= now;
}
