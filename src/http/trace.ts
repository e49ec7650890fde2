/** What `-v` and `--debug` show of a request: a line, then also headers and bodies. No secrets. */
import { bodyText, type Headers, type RequestValue } from './endpoint.ts';
import { redactHeaders, redactText } from './redact.ts';
import type { Outbound } from './target.ts';

const LONGEST_BODY = 16 * 1024;

export class Trace {
  readonly #request: RequestValue;
  readonly #attempt: number;
  readonly #outbound: Outbound;
  readonly #secretHeaders: ReadonlySet<string>;
  readonly #inDetail: boolean;
  readonly #began = performance.now();
  readonly #chunks: Buffer[] = [];
  #size = 0;

  /** `secretHeaders`, in lower case, are not shown. */
  constructor(request: RequestValue, attempt: number, outbound: Outbound, secretHeaders: ReadonlySet<string>) {
    this.#request = request;
    this.#attempt = attempt;
    this.#outbound = outbound;
    this.#secretHeaders = secretHeaders;
    this.#inDetail = outbound.log.level === 2;
    if (!this.#inDetail) return;
    const { method, url } = this.#line();
    const headers = shownHeaders(request.headers, secretHeaders, outbound);
    const body = this.#shownBody(Buffer.from(bodyText(request) ?? ''));
    outbound.log.trace({ kind: 'request-detail', method, url, headers, body });
  }

  answered(status: number): void {
    this.#outbound.log.trace({ kind: 'answer', ...this.#line(), status });
  }

  failed(reason: string): void {
    this.#outbound.log.trace({ kind: 'failure', ...this.#line(), reason: this.#hide(reason) });
  }

  /** Takes a part of the response's body. */
  addChunk(chunk: Buffer): void {
    if (this.#inDetail && this.#size <= LONGEST_BODY) this.#chunks.push(chunk);
    this.#size += chunk.length;
  }

  ended(status: number, headers: Headers): void {
    if (!this.#inDetail) return;
    const shown = shownHeaders(headers, this.#secretHeaders, this.#outbound);
    const body = this.#shownBody(Buffer.concat(this.#chunks));
    this.#outbound.log.trace({ kind: 'answer-detail', status, headers: shown, body });
  }

  #line() {
    const { method, url } = this.#request;
    return {
      method,
      url: this.#hide(url),
      ms: Math.round(performance.now() - this.#began),
      attempt: this.#attempt,
    };
  }

  #hide(text: string): string {
    return redactText(this.#outbound.secrets.hide(text));
  }

  #shownBody(body: Buffer): string {
    // Redacted before it is cut: half a secret at the cut would match no pattern.
    const text = this.#hide(body.toString());
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
