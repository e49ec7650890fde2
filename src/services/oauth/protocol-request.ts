/** One request of the sign-in protocol: one connection, no redirects, nothing repeated but reads, and no secret in what is told. */
import { SvcError } from '../../errors.ts';
import { isLoopback } from '../../http/address.ts';
import { contentType, type FailedAnswer, statusFailure } from '../../http/answers.ts';
import { checkCredential } from '../../http/credential.ts';
import type { EndpointShape } from '../../http/endpoint.ts';
import { JsonFault, parseJson } from '../../http/json.ts';
import { Sender } from '../../http/sender.ts';
import type { Target, TraceEvent } from '../../http/target.ts';
import { withoutSecrets } from '../../http/tracer.ts';

export interface ProtocolRequest {
  readonly method: 'GET' | 'POST';
  /** Absolute, as the service's metadata name it. */
  readonly url: URL;
  /** A JSON value, or for a form an object of field → string. */
  readonly body?: unknown;
  readonly encoding?: 'json' | 'form';
  /** Of client authentication: `Basic …`. */
  readonly authorization?: string | undefined;
  /** What must not be told although it is in the body: codes, verifiers, tokens. */
  readonly secrets?: readonly string[];
  /** The protocol's own reading of an answer of 400 and above. */
  explain?(answer: FailedAnswer, line: string): SvcError | undefined;
}

export interface ProtocolAnswer {
  readonly status: number;
  /** Without parameters, in lower case; '' where there is none. */
  readonly contentType: string;
  readonly bytes: Buffer;
}

/** More than any of these answers needs. */
const LARGEST_ANSWER = 1024 * 1024;
/** What is shorter stands in other words by chance. */
const SHORTEST_SECRET = 4;

/** The answer where it is a success; everything else is thrown as a `SvcError`. In a dry run a POST ends in `DryRunStop`. */
export async function protocolRequest(target: Target, request: ProtocolRequest): Promise<ProtocolAnswer> {
  const { method, url, body, encoding, authorization } = request;
  const secrets = (request.secrets ?? []).filter(({ length }) => length >= SHORTEST_SECRET);
  const endpoint: EndpointShape = {
    method,
    // The request builder takes braces for parameters.
    path: `${url.pathname}${url.search}`.replaceAll('{', '%7B').replaceAll('}', '%7D'),
    effect: method === 'GET' ? 'read' : 'write',
    ...(encoding === undefined ? {} : { encoding }),
  };
  const line = `${method} ${url.origin}${url.pathname}`;
  const to = addressed(target, url, authorization, secrets);
  const sender = new Sender(to, {
    basePath: '',
    maxAnswerBytes: LARGEST_ANSWER,
    explain: (answer) => {
      const told = { ...answer, text: withoutSecrets(answer.text, secrets) };
      return request.explain?.(told, line) ?? statusFailure(told, line, endpoint.effect);
    },
  });
  try {
    const { answer, result } = await sender.send(endpoint, { body }, ({ body: bytes }) => bytes.whole());
    return { status: answer.status, contentType: contentType(answer.headers), bytes: result };
  } finally {
    await sender.close();
  }
}

/** The JSON object that an answer is; `line` names the request. */
export function jsonObject(answer: ProtocolAnswer, line: string): Readonly<Record<string, unknown>> {
  let fault = `it is ${answer.contentType || 'of no content type'}, not JSON`;
  if (answer.contentType === '' || /[/+]json$/.test(answer.contentType)) {
    try {
      const value = parseJson(answer.bytes);
      if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
      fault = 'it is not a JSON object';
    } catch (error) {
      if (!(error instanceof JsonFault)) throw error;
      fault = error.message;
    }
  }
  throw new SvcError('bad_answer', `${line} answered ${answer.status}, but the answer cannot be used: ${fault}`, {
    httpStatus: answer.status,
  });
}

/** The target with another address: its own headers go to its own origin only, and its credential nowhere. */
function addressed(target: Target, url: URL, authorization: string | undefined, secrets: readonly string[]): Target {
  const { authorizer: _, headers, ...rest } = target;
  const own = url.origin === target.baseUrl.origin ? Object.entries(headers) : [];
  const baseUrl = new URL(url.origin);
  const to: Target = {
    ...rest,
    baseUrl,
    // Client authentication is what the protocol says, not what a header file holds for the service.
    headers: Object.fromEntries(own.filter(([name]) => name !== 'authorization')),
    trace: (event) => target.trace(scrubbed(event, secrets)),
    ...(authorization === undefined
      ? {}
      : { authorizer: { origin: baseUrl.origin, header: async () => ({ authorization }) } }),
  };
  checkEncrypted(url, target);
  checkCredential(to);
  return to;
}

/** Codes and tokens travel in bodies, so every address of the protocol counts as one that is given a credential. */
export function checkEncrypted(url: URL, { tls }: Pick<Target, 'tls'>): void {
  if (url.protocol === 'https:' || isLoopback(url) || tls.insecure) return;
  throw new SvcError('credential_unusable', `signing in at ${url.origin} would send secrets unencrypted`, {
    hint: 'nothing was sent; use https://, or --insecure to accept that anybody on the way can read it',
  });
}

/** A service that says again what it was told must not bring it to the screen. */
function scrubbed(event: TraceEvent, secrets: readonly string[]): TraceEvent {
  if (secrets.length === 0) return event;
  const entries = Object.entries(event).map(([key, value]) => [
    key,
    typeof value === 'string' ? withoutSecrets(value, secrets) : value,
  ]);
  return Object.fromEntries(entries) as TraceEvent;
}
