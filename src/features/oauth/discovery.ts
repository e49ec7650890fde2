/** The service's sign-in metadata, authoritative for all its addresses (RFC 8414, doc 2 §5). */
import { SvcError } from '../../errors.ts';
import { addressOf, isLoopback } from '../../http/address.ts';
import type { Target } from '../../http/target.ts';
import { checkEncrypted, type ProtocolAnswer, ProtocolRefusal, protocolRequest } from './protocol-request.ts';
import { type ServerMetadata, serverMetadata } from './schema.ts';

export type { ServerMetadata };

const WELL_KNOWN = '/.well-known/oauth-authorization-server';

const ENDPOINTS = [
  'authorization_endpoint',
  'token_endpoint',
  'registration_endpoint',
  'revocation_endpoint',
] as const satisfies readonly (keyof ServerMetadata)[];

/** Throws if the metadata is unavailable or must not be used. */
export async function discover(target: Target): Promise<ServerMetadata> {
  checkEncrypted(target.baseUrl, target);
  const { url, metadata } = await readMetadata(target);
  const line = `GET ${url.href}`;
  const outcome = serverMetadata.safeParse(metadata);
  if (outcome.success) return requireUsable(outcome.data, target.baseUrl, line);
  const field = String(outcome.error.issues[0]?.path[0]);
  const isMissing = metadata[field] === undefined || metadata[field] === null;
  throw new SvcError('wrong_shape', `${line}: it has ${isMissing ? 'no' : 'no usable'} ${field}`);
}

interface Found {
  readonly url: URL;
  readonly metadata: ProtocolAnswer;
}

/** Between host and path, as in RFC 8414 §3.1, and then below the base address, as in doc 2. */
async function readMetadata(target: Target): Promise<Found> {
  const { origin, pathname } = target.baseUrl;
  const path = pathname.replace(/\/$/, '');
  const [first, second] = [new URL(`${WELL_KNOWN}${path}`, origin), new URL(`${path}${WELL_KNOWN}`, origin)];
  if (path === '') return readAt(first, target);
  try {
    return await readAt(first, target);
  } catch (error) {
    if (!(error instanceof SvcError) || !ABSENT.includes(error.code)) throw error;
    return readAt(second, target);
  }
}

/** Statuses that say that there is no metadata at an address. */
const ABSENT: readonly SvcError['code'][] = [
  'wrong_path',
  'wrong_shape',
  'bad_answer',
  'redirected',
  'forbidden',
  'unauthorized',
];

async function readAt(url: URL, target: Target): Promise<Found> {
  try {
    return { url, metadata: await protocolRequest(target, { method: 'GET', effect: 'read', url }) };
  } catch (error) {
    if (!(error instanceof ProtocolRefusal)) throw error;
    const { status } = error.answer;
    if (![404, 405, 410].includes(status)) throw error;
    throw new SvcError('wrong_path', `this address has no authorization server: GET ${url.href} answered ${status}`, {
      hint: 'check the address: --base-url, SVC_WEBHOOKS_URL, or svc config set webhooks.url <url>',
      httpStatus: status,
    });
  }
}

function requireUsable(metadata: ServerMetadata, baseUrl: URL, line: string): ServerMetadata {
  const refuse = (why: string, hint = 'svc sent nothing else to it'): SvcError =>
    new SvcError('guarded', `${line}: ${why}`, { hint });
  const { issuer, code_challenge_methods_supported: methods } = metadata;
  // RFC 8414 §3.3: metadata of another server would send the person, and then the code, there.
  if (issuer === '') throw refuse('it names no issuer', 'ask the operator of the service: RFC 8414 requires an issuer');
  if (issuer.replace(/\/$/, '') !== addressOf(baseUrl)) {
    throw refuse(
      `it is for the issuer ${issuer}, and ${addressOf(baseUrl)} was asked`,
      'use the address that the metadata names, or ask the operator of the service to correct it',
    );
  }
  for (const name of ENDPOINTS) {
    const address = metadata[name];
    const problem = address ? endpointProblem(new URL(address), baseUrl) : undefined;
    if (problem !== undefined) throw refuse(`its ${name} ${problem}`);
  }
  // Never `plain`, and never without PKCE: anyone who sees the code could use it.
  if (!methods.includes('S256'))
    throw refuse('it does not offer PKCE with S256: see its code_challenge_methods_supported');
  return metadata;
}

/** An address that a browser or a secret is sent to (RFC 6749 §3.1, §3.2). */
function endpointProblem(url: URL, baseUrl: URL): string | undefined {
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return `is ${url.protocol.slice(0, -1)}, not https`;
  if (url.protocol === 'http:' && (baseUrl.protocol === 'https:' || (isLoopback(baseUrl) && !isLoopback(url)))) {
    return 'is http, not https';
  }
  if (url.username !== '' || url.password !== '') return 'contains a user or a password';
  return url.hash === '' ? undefined : 'contains a fragment';
}
