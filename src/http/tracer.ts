/** What `-v` and `--debug` are told of the requests, redacted. */
import type { RequestValue } from './endpoint.ts';
import type { AnswerHeaders, Tap } from './exchange.ts';
import { redactHeaders, redactText } from './redact.ts';
import { bodyText } from './request.ts';
import type { Target } from './target.ts';

const LONGEST_BODY = 16 * 1024;
const LONGEST_FRAME = 200;
/** So much of a frame is redacted before it is cut: nobody waits for the rest. */
const READ_FRAME = 4096;

type Listener = Pick<Target, 'log' | 'secretHeaders' | 'secrets'>;

export class Tracer {
  readonly #target: Listener;

  constructor(target: Listener) {
    this.#target = target;
  }

  request(request: RequestValue): void {
    if (this.#target.log.level < 2) return;
    this.#target.log.trace({
      kind: 'request-detail',
      method: request.method,
      url: this.#hidden(request.url),
      headers: this.#shownHeaders(request.headers),
      body: this.#shown(Buffer.from(bodyText(request) ?? '')),
    });
  }

  answer(request: RequestValue, attempt: number, ms: number, status: number): void {
    const { method, url } = request;
    this.#target.log.trace({ kind: 'answer', method, url: this.#hidden(url), status, ms: Math.round(ms), attempt });
  }

  /** A message of a websocket. */
  frame(direction: 'sent' | 'received', message: string): void {
    const text = this.#hidden(message.slice(0, READ_FRAME));
    const isWhole = message.length <= READ_FRAME && text.length <= LONGEST_FRAME;
    this.#target.log.trace({
      kind: 'frame',
      direction,
      bytes: Buffer.byteLength(message),
      text: isWhole ? text : `${text.slice(0, LONGEST_FRAME)}…`,
    });
  }

  failure(request: RequestValue, attempt: number, ms: number, reason: string): void {
    const { method, url } = request;
    this.#target.log.trace({
      kind: 'failure',
      method,
      url: this.#hidden(url),
      reason: this.#hidden(reason),
      ms: Math.round(ms),
      attempt,
    });
  }

  /** Keeps the beginning of an answer's body, and shows it with the headers once the answer is over. */
  tap(): Tap | undefined {
    if (this.#target.log.level < 2) return undefined;
    const kept: Buffer[] = [];
    let size = 0;
    return {
      chunk: (chunk) => {
        if (size <= LONGEST_BODY) kept.push(chunk);
        size += chunk.length;
      },
      end: (status: number, headers: AnswerHeaders) => {
        const shownHeaders = this.#shownHeaders(headers);
        this.#target.log.trace({
          kind: 'answer-detail',
          status,
          headers: shownHeaders,
          body: this.#shown(Buffer.concat(kept)),
        });
      },
    };
  }

  #shownHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
    return shownHeaders(headers, this.#target);
  }

  #hidden(text: string): string {
    return redactText(this.#target.secrets.hide(text));
  }

  #shown(body: Buffer): string {
    // Redacted before it is cut: a secret across the cut would be half of one, and unknown to every pattern.
    const text = this.#hidden(body.toString());
    return text.length > LONGEST_BODY ? `${text.slice(0, LONGEST_BODY)}…` : text;
  }
}

/** The headers of a request or a response, without secrets. */
export function shownHeaders(
  headers: Readonly<Record<string, string>>,
  { secretHeaders, secrets }: Pick<Target, 'secretHeaders' | 'secrets'>,
): Record<string, string> {
  const shown = redactHeaders(headers, secretHeaders);
  return Object.fromEntries(Object.entries(shown).map(([name, value]) => [name, secrets.hide(value)]));
}
