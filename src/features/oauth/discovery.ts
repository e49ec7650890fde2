/** What the service says of its own sign-in: authoritative for every address of it (RFC 8414, doc 2 §5). */
import { SvcError } from '../../errors.ts';
import { isLoopback } from '../../http/address.ts';
import type { Target } from '../../http/target.ts';
import { checkEncrypted, type ProtocolAnswer, protocolRequest } from './protocol-request.ts';

/** As the service wrote it, the endpoints checked. */
export interface ServerMetadata {
  readonly issuer: string;
  readonly authorization_endpoint: string;
  readonly token_endpoint: string;
  readonly registration_endpoint?: string;
  readonly revocation_endpoint?: string;
  readonly token_endpoint_auth_methods_supported?: readonly string[];
  readonly code_challenge_methods_supported: readonly string[];
  readonly authorization_response_iss_parameter_supported?: boolean;
  readonly [unknown: string]: unknown;
}

const WELL_KNOWN = '/.well-known/oauth-authorization-server';

const REQUIRED = ['authorization_endpoint', 'token_endpoint'];
const OPTIONAL = ['registration_endpoint', 'revocation_endpoint'];

/** Throws where the metadata cannot be had, or must not be used. */
export async function discover(target: Target): Promise<ServerMetadata> {
  checkEncrypted(target.baseUrl, target);
  const { url, metadata } = await read(target);
  return checked(metadata, target.baseUrl, `GET ${url.href}`);
}

interface Found {
  readonly url: URL;
  readonly metadata: ProtocolAnswer;
}

/** Between host and path, where RFC 8414 §3.1 has it, and then below the base address, where doc 2 has it. */
async function read(target: Target): Promise<Found> {
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

/** What says that there is nothing of the kind at an address. */
const ABSENT: readonly SvcError['code'][] = ['wrong_path', 'bad_answer', 'redirected', 'forbidden', 'unauthorized'];

async function readAt(url: URL, target: Target): Promise<Found> {
  const metadata = await protocolRequest(target, {
    method: 'GET',
    effect: 'read',
    url,
    explain: ({ status }, line) =>
      [404, 405, 410].includes(status)
        ? new SvcError('wrong_path', `${line} answered ${status}: there is no sign-in at this address`, {
            hint: 'check the address of the service: --base-url, SVC_WEBHOOKS_URL, or svc config set webhooks.url <url>',
            httpStatus: status,
          })
        : undefined,
  });
  return { url, metadata };
}

function checked(metadata: ProtocolAnswer, baseUrl: URL, line: string): ServerMetadata {
  const refuse = (why: string, hint = 'nothing else was sent to it'): SvcError =>
    new SvcError('guarded', `${line}: ${why}`, { hint });
  const { issuer, code_challenge_methods_supported: methods } = metadata;
  // RFC 8414 §3.3: metadata of another server would send the person, and then the code, there.
  if (typeof issuer !== 'string' || !sameAddress(issuer, baseUrl)) {
    const named = typeof issuer === 'string' ? `it is for the issuer ${issuer}` : 'it names no issuer';
    throw refuse(
      `${named}, and ${shown(baseUrl)} was asked`,
      'use the address that the service itself goes by, or have it corrected',
    );
  }
  for (const name of [...REQUIRED, ...OPTIONAL]) {
    const value = metadata[name];
    if (value === undefined && OPTIONAL.includes(name)) continue;
    const url = typeof value === 'string' && URL.canParse(value) ? new URL(value) : undefined;
    if (url === undefined) {
      const said = value === undefined || value === null ? 'it has no' : 'it has no usable';
      throw new SvcError('bad_answer', `${line}: ${said} ${name}`);
    }
    const problem = endpointProblem(url, baseUrl);
    if (problem !== undefined) throw refuse(`its ${name} ${problem}`);
  }
  // Never `plain`, and no sign-in without: whoever sees the code could use it.
  if (!Array.isArray(methods) || !methods.includes('S256')) throw refuse('it does not offer PKCE with S256');
  return metadata as unknown as ServerMetadata;
}

/** An address that a browser or a secret is sent to (RFC 6749 §3.1, §3.2). */
function endpointProblem(url: URL, baseUrl: URL): string | undefined {
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return `is ${url.protocol.slice(0, -1)}, not https`;
  if (url.protocol === 'http:' && (baseUrl.protocol === 'https:' || (isLoopback(baseUrl) && !isLoopback(url)))) {
    return 'is http, not https';
  }
  if (url.username !== '' || url.password !== '') return 'holds a user or a password';
  return url.hash === '' ? undefined : 'holds a fragment';
}

function sameAddress(issuer: string, baseUrl: URL): boolean {
  return issuer === baseUrl.href || issuer === shown(baseUrl);
}

function shown(baseUrl: URL): string {
  return baseUrl.origin + baseUrl.pathname.replace(/\/$/, '');
}
