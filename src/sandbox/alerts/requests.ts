/** What the server checks of a request before an endpoint sees it, and how it refuses. */
import { posix } from 'node:path';

/** An error response: `{code, message}` where there is a code of the server's framework, else the message alone. */
export class Refused extends Error {
  readonly status: number;
  readonly code: number | undefined;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, message: string, code?: number, headers = {}) {
    super(message);
    this.status = status;
    this.code = code;
    this.headers = headers;
  }
}

const JSON_TYPE = 'application/json';

/** A web page must not get in under a name that resolves to loopback (DNS rebinding). */
export function isLoopbackHost(host: string | undefined): boolean {
  return /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])(?::\d+)?$/i.test(host ?? '');
}

/** Without `//` and dots: the server redirects to this path. */
export function cleanPath(path: string): string {
  return posix.normalize(path).replace(/^\/\/+/, '/');
}

/** Whether an `Accept` header allows JSON; one that is missing or empty does. */
export function acceptsJson(accept: string | undefined): boolean {
  if (accept === undefined || accept === '') return true;
  return accept.split(',').some((part) => {
    const [type = '', ...parameters] = part.split(';').map((piece) => piece.trim().toLowerCase());
    const quality = parameters.find((parameter) => parameter.startsWith('q='));
    return [JSON_TYPE, 'application/*', '*/*'].includes(type) && Number(quality?.slice(2) ?? 1) !== 0;
  });
}

/** Refuses a body that is not JSON by its type. A body without a type counts as bytes. */
export function checkBodyType(type = 'application/octet-stream'): void {
  const [name = '', ...parameters] = type.replace(/;\s*$/, '').split(';');
  if (!parameters.every((parameter) => /^[^=]+=.+$/.test(parameter))) {
    throw new Refused(400, `the Content-Type ${JSON.stringify(type)} cannot be parsed`, 400);
  }
  if (name.trim().toLowerCase() !== JSON_TYPE) {
    throw new Refused(415, `unsupported media type ${JSON.stringify(name)}, only [${JSON_TYPE}] are allowed`, 415);
  }
}

/** Go drops a pair with a semicolon or a broken escape. */
export function parseQuery(text: string): URLSearchParams {
  return new URLSearchParams(
    text
      .split('&')
      .filter((pair) => !/;|%(?![\dA-F]{2})/i.test(pair))
      .join('&'),
  );
}
