/** What `-v` and `--debug` are told of the requests, redacted. */
import type { RequestValue } from './endpoint.ts';
import type { AnswerHeaders, Tap } from './exchange.ts';
import { isSecretHeader, redactHeaders, redactText } from './redact.ts';
import { bodyText } from './request.ts';
import type { Target } from './target.ts';

const LONGEST_BODY = 16 * 1024;
const SHORTEST_SECRET = 6;
const LONGEST_FRAME = 200;
/** So much of a frame is redacted before it is cut: nobody waits for the rest. */
const READ_FRAME = 4096;

type Listener = Pick<Target, 'verbosity' | 'trace' | 'secretHeaders'>;

/** Secrets known by their value, wherever they stand. */
export type KnownSecrets = () => readonly string[];

export class Tracer {
  readonly #target: Listener;

  readonly #known: KnownSecrets;

  constructor(target: Listener, known: KnownSecrets = () => []) {
    this.#target = target;
    this.#known = known;
  }

  request(request: RequestValue): void {
    if (this.#target.verbosity < 2) return;
    this.#target.trace({
      kind: 'request-detail',
      method: request.method,
      url: this.#hidden(request.url),
      headers: this.#shownHeaders(request.headers),
      body: shown(Buffer.from(bodyText(request) ?? ''), this.#known()),
    });
  }

  answer(request: RequestValue, attempt: number, ms: number, status: number): void {
    const { method, url } = request;
    this.#target.trace({ kind: 'answer', method, url: this.#hidden(url), status, ms: Math.round(ms), attempt });
  }

  /** A message of a websocket. */
  frame(direction: 'sent' | 'received', message: string): void {
    const text = this.#hidden(message.slice(0, READ_FRAME));
    const isWhole = message.length <= READ_FRAME && text.length <= LONGEST_FRAME;
    this.#target.trace({
      kind: 'frame',
      direction,
      bytes: Buffer.byteLength(message),
      text: isWhole ? text : `${text.slice(0, LONGEST_FRAME)}…`,
    });
  }

  failure(request: RequestValue, attempt: number, ms: number, reason: string): void {
    const { method, url } = request;
    this.#target.trace({
      kind: 'failure',
      method,
      url: this.#hidden(url),
      reason: this.#hidden(reason),
      ms: Math.round(ms),
      attempt,
    });
  }

  /** Keeps the beginning of an answer's body, and shows it with the headers once the answer is over. */
  tap(request: RequestValue): Tap | undefined {
    if (this.#target.verbosity < 2) return undefined;
    const secrets = secretsOf(request, this.#target.secretHeaders);
    const kept: Buffer[] = [];
    let size = 0;
    return {
      chunk: (chunk) => {
        if (size <= LONGEST_BODY) kept.push(chunk);
        size += chunk.length;
      },
      end: (status: number, headers: AnswerHeaders) => {
        const shownHeaders = this.#shownHeaders(headers);
        this.#target.trace({
          kind: 'answer-detail',
          status,
          headers: shownHeaders,
          body: shown(Buffer.concat(kept), [...secrets, ...this.#known()]),
        });
      },
    };
  }

  #shownHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
    const shown = redactHeaders(headers, this.#target.secretHeaders);
    const known = this.#known();
    if (known.length === 0) return shown;
    return Object.fromEntries(Object.entries(shown).map(([name, value]) => [name, withoutSecrets(value, known)]));
  }

  #hidden(text: string): string {
    return redactText(withoutSecrets(text, this.#known()));
  }
}

/** The credentials that a request carries: a service that echoes one must not bring it to the screen. */
export function secretsOf(request: RequestValue, secretNames: ReadonlySet<string>): string[] {
  const secrets: string[] = [];
  for (const [name, value] of Object.entries(request.headers)) {
    if (!secretNames.has(name) && !isSecretHeader(name)) continue;
    secrets.push(value, value.replace(/^\w+ /, ''), ...password(value));
  }
  return secrets.filter((secret) => secret.length >= SHORTEST_SECRET);
}

/** A service knows the password of basic authentication in the clear, and may say it so. */
function password(authorization: string): string[] {
  const encoded = /^Basic (.*)$/i.exec(authorization)?.[1];
  if (encoded === undefined) return [];
  const pair = Buffer.from(encoded, 'base64').toString();
  return [pair, pair.slice(pair.indexOf(':') + 1)];
}

export function withoutSecrets(text: string, secrets: readonly string[]): string {
  return secrets.reduce((left, secret) => left.replaceAll(secret, '***'), text);
}

function shown(body: Buffer, secrets: readonly string[]): string {
  // Redacted before it is cut: a secret across the cut would be half of one, and unknown to every pattern.
  const text = redactText(withoutSecrets(body.toString(), secrets));
  return text.length > LONGEST_BODY ? `${text.slice(0, LONGEST_BODY)}…` : text;
}
