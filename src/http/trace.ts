/** What `-v` and `--debug` show of requests: a line each, then also headers, bodies and frames. Without secrets. */
import { bodyText, type Headers, type RequestValue } from './endpoint.ts';
import { redactHeaders, redactText } from './redact.ts';
import type { Outbound } from './target.ts';

const LONGEST_BODY = 16 * 1024;
const LONGEST_FRAME = 200;
/** How much of a frame is redacted before it is cut. */
const READ_FRAME = 4096;

export type Trace = ReturnType<Tracer['begin']>;

export class Tracer {
  readonly #outbound: Pick<Outbound, 'log' | 'secrets'>;
  readonly #secretHeaders: ReadonlySet<string>;

  constructor(outbound: Pick<Outbound, 'log' | 'secrets'>, secretHeaders: ReadonlySet<string>) {
    this.#outbound = outbound;
    this.#secretHeaders = secretHeaders;
  }

  begin(request: RequestValue, attempt: number) {
    const { log } = this.#outbound;
    const began = performance.now();
    const line = () => ({
      method: request.method,
      url: this.#hidden(request.url),
      ms: Math.round(performance.now() - began),
      attempt,
    });
    const inDetail = log.level === 2;
    if (inDetail) {
      const { method, url } = line();
      const headers = shownHeaders(request.headers, this.#secretHeaders, this.#outbound);
      const body = this.#shown(Buffer.from(bodyText(request) ?? ''));
      log.trace({ kind: 'request-detail', method, url, headers, body });
    }
    const chunks: Buffer[] = [];
    let size = 0;
    return {
      answered: (status: number) => log.trace({ kind: 'answer', ...line(), status }),
      failed: (reason: string) => log.trace({ kind: 'failure', ...line(), reason: this.#hidden(reason) }),
      /** A chunk of the response's body. */
      chunk: (chunk: Buffer) => {
        if (inDetail && size <= LONGEST_BODY) chunks.push(chunk);
        size += chunk.length;
      },
      ended: (status: number, headers: Headers) => {
        if (!inDetail) return;
        const shown = shownHeaders(headers, this.#secretHeaders, this.#outbound);
        log.trace({ kind: 'answer-detail', status, headers: shown, body: this.#shown(Buffer.concat(chunks)) });
      },
    };
  }

  frame(direction: 'sent' | 'received', message: string): void {
    if (this.#outbound.log.level < 2) return;
    const text = this.#hidden(message.slice(0, READ_FRAME));
    const isWhole = message.length <= READ_FRAME && text.length <= LONGEST_FRAME;
    this.#outbound.log.trace({
      kind: 'frame',
      direction,
      bytes: Buffer.byteLength(message),
      text: isWhole ? text : `${text.slice(0, LONGEST_FRAME)}…`,
    });
  }

  #hidden(text: string): string {
    return redactText(this.#outbound.secrets.hide(text));
  }

  #shown(body: Buffer): string {
    // Redacted before it is cut: half a secret at the cut would match no pattern.
    const text = this.#hidden(body.toString());
    return text.length > LONGEST_BODY ? `${text.slice(0, LONGEST_BODY)}…` : text;
  }
}

/** The headers of a request or a response, without secrets. */
export function shownHeaders(
  headers: Readonly<Record<string, string>>,
  secretHeaders: ReadonlySet<string>,
  { secrets }: Pick<Outbound, 'secrets'>,
): Record<string, string> {
  const shown = redactHeaders(headers, secretHeaders);
  return Object.fromEntries(Object.entries(shown).map(([name, value]) => [name, secrets.hide(value)]));
}
