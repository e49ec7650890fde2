/** One request of the sign-in protocol. Only reads are retried, and no secret is shown. */
import { SvcError } from '../../errors.ts';
import { isLoopback } from '../../http/address.ts';
import { type FailedAnswer, statusFailure } from '../../http/answers.ts';
import { Client } from '../../http/client.ts';
import { type Effect, endpoint, type Parser, type Plan } from '../../http/endpoint.ts';
import type { Target } from '../../http/target.ts';
import { isObject } from '../../json-object.ts';

interface ProtocolRequest<E extends Effect = Effect> {
  readonly method: 'GET' | 'POST';
  /** Absolute, as in the service's metadata. */
  readonly url: URL;
  readonly effect: E;
  /** A JSON value, or for a form an object of field → string. */
  readonly body?: unknown;
  readonly encoding?: 'json' | 'form';
  /** Client authentication; empty if the body contains it, absent if there is nothing to prove. */
  readonly credentials?: Readonly<Record<string, string>>;
  /** Secrets in the body that must not be shown: codes, verifiers, tokens. */
  readonly secrets?: readonly string[];
  /** Whether the body of a success is ignored. */
  readonly bodiless?: boolean;
}

export type ProtocolAnswer = Readonly<Record<string, unknown>>;

/** A redirect, or a status of 400 and above. The protocol's own error may be in the response. */
export class ProtocolRefusal extends SvcError {
  readonly answer: FailedAnswer;

  constructor(answer: FailedAnswer, line: string, effect: Effect) {
    const failure = statusFailure(answer, line, effect);
    super(failure.code, failure.message, failure);
    this.answer = answer;
  }
}

/** More than any of these responses needs. */
const LARGEST_ANSWER = 1024 * 1024;

/** Throws a `ProtocolRefusal` for any other response, or another `SvcError` if none came. */
export async function protocolRequest(target: Target, request: ProtocolRequest<'read'>): Promise<ProtocolAnswer>;
export async function protocolRequest(
  target: Target,
  request: ProtocolRequest<'read' | 'write'>,
): Promise<ProtocolAnswer | Plan>;
export async function protocolRequest(
  target: Target,
  request: ProtocolRequest<'read' | 'write'>,
): Promise<ProtocolAnswer | Plan> {
  const { url, method, effect, encoding = 'json', body, bodiless = false } = request;
  for (const secret of request.secrets ?? []) target.secrets.add(secret);
  const line = `${method} ${url.origin}${url.pathname}`;
  checkEncrypted(url, target);
  const client = new Client(addressed(target, request), {
    basePath: '',
    maxAnswerBytes: LARGEST_ANSWER,
    explainsRedirects: true,
    explain: (answer) => new ProtocolRefusal(answer, line, effect),
  });
  // The request builder reads braces as parameters.
  const path = `${url.pathname}${url.search}`.replace(/[{}]/g, encodeURIComponent);
  const answer = bodiless ? {} : { answer: async () => OBJECT };
  const shape = { method, path, encoding, ...answer };
  try {
    const received =
      effect === 'read'
        ? await client.call(endpoint<ProtocolAnswer>({ ...shape, effect }), { body })
        : await client.send(endpoint<ProtocolAnswer>({ ...shape, effect }), { body });
    return received ?? {};
  } finally {
    await client.close();
  }
}

const OBJECT: Parser<ProtocolAnswer> = {
  safeParse: (value) =>
    isObject(value)
      ? { success: true, data: value as ProtocolAnswer }
      : { success: false, error: { issues: [{ path: [], message: 'it is not a JSON object' }] } },
};

/** Target with another address: its headers go to its own origin only, its credential nowhere. */
function addressed({ authorizer: _, ...target }: Target, { url: { origin }, credentials }: ProtocolRequest): Target {
  const own = origin === target.baseUrl.origin;
  // Client authentication is what the protocol says, not what a header file holds for the service.
  const { authorization: __, ...headers } = own ? target.headers : {};
  return {
    ...target,
    baseUrl: new URL(origin),
    headers,
    secretHeaders: own ? target.secretHeaders : new Set(),
    ...(credentials && { authorizer: { origin, header: async () => credentials } }),
  };
}

/** Bodies carry codes and tokens, so every protocol address counts as one given a credential. */
export function checkEncrypted(url: URL, { tls }: Pick<Target, 'tls'>): void {
  if (url.protocol === 'https:' || isLoopback(url) || tls.insecure) return;
  throw new SvcError('credential_unusable', `signing in at ${url.origin} would send secrets unencrypted`, {
    hint: 'nothing was sent; use https://, or --insecure to accept that others on the network can read it',
  });
}
