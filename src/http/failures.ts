/** What a broken exchange means, and whether the service may have acted on the request. */
import { type ErrorCode, interruptionOf, SvcError } from '../errors.ts';
import { JsonFault, ShapeFault } from './json.ts';

/** Why no response came. */
export interface Reason {
  readonly code: ErrorCode;
  readonly text: string;
  readonly hint?: string | undefined;
  /** A read may be retried at once. */
  readonly again?: boolean;
  /** The service has certainly not acted, although bytes were sent. */
  readonly refused?: boolean;
}

/** No connection could be made: nothing of the request was sent. */
export class ConnectFailure extends Error {
  declare readonly cause: Error;

  constructor(cause: Error) {
    super(cause.message, { cause });
  }
}

export class ProxyFailure extends Error {
  readonly host: string;
  readonly status: number | undefined;

  constructor(proxy: URL, what: string, { status, cause }: { status?: number; cause?: Error } = {}) {
    super(what, cause === undefined ? undefined : { cause });
    this.host = proxy.host;
    this.status = status;
  }
}

export const PROXY_CREDENTIAL = 'the proxy requires a user and a password: http://USER:PASSWORD@HOST:PORT';
export const CHECK_FIRST = 'check the state of the service before you repeat it';

/** How far the exchange had come. */
interface Progress {
  readonly baseUrl: URL;
  readonly status: number | undefined;
  readonly received: number;
  readonly expected: number | undefined;
}

export function reasonOf(error: unknown, progress: Progress): Reason {
  if (error instanceof SvcError) return { code: error.code, text: error.message, hint: error.hint };
  if (error instanceof JsonFault) {
    const text = `the service answered ${progress.status}, but the response cannot be used: ${error.message}`;
    return { code: error instanceof ShapeFault ? 'wrong_shape' : 'bad_answer', text, hint: error.hint };
  }
  if (error instanceof ConnectFailure) return connectReason(error.cause, progress.baseUrl);
  if (codeOf(error) === '') throw error; // not a failure of the network: a bug
  return brokenReason(error, progress);
}

/** The reason that a signal was aborted with. */
export function interruption(signal: AbortSignal): SvcError {
  return signal.reason instanceof SvcError ? signal.reason : interruptionOf('SIGINT');
}

export function tooLarge(limit: number): SvcError {
  return new SvcError('answer_too_large', `the response is larger than ${limit} bytes`, {
    hint: 'request less, for example with a filter',
  });
}

/** `unsure`: the service may have acted on the request, a write. `line` names the request. */
export function toError({ code, text, hint }: Reason, line: string, unsure: boolean, status?: number): SvcError {
  if (code === 'interrupted' || code === 'terminated') {
    if (!unsure) return new SvcError(code, text, { isInterruption: true });
    const message = `${text}; the request was sent and may have been applied (${line})`;
    return new SvcError(code, message, { hint: CHECK_FIRST, sent: 'maybe' });
  }
  const cause = new SvcError(code, `${text} (${line})`, { hint, httpStatus: status });
  if (!unsure) return cause;
  const message = `${text}; it may have been applied (${line})`;
  const sent = status === undefined ? 'maybe' : 'yes';
  return new SvcError('outcome_unknown', message, { hint: CHECK_FIRST, sent, cause, httpStatus: status });
}

function connectReason(error: Error, baseUrl: URL): Reason {
  if (error instanceof ProxyFailure) return proxyReason(error);
  const { hostname, host, protocol } = baseUrl;
  const code = codeOf(error);
  const network = NETWORK[code];
  if (network !== undefined)
    return { ...network, text: `${network.text} ${network.code === 'dns_failed' ? hostname : host}` };
  if (code === 'ECONNRESET' || code === 'EPIPE' || code === 'UND_ERR_SOCKET') {
    const during = protocol === 'https:' ? ' during the TLS handshake' : '';
    return { code: 'connect_failed', text: `${host} closed the connection${during}`, again: true };
  }
  const text = `no connection to ${host}: ${code || error.message}`;
  return tlsReason(error, code, host) ?? { code: 'connect_failed', text, again: true };
}

const NETWORK: Readonly<Record<string, Reason>> = {
  ENOTFOUND: { code: 'dns_failed', text: 'cannot resolve', hint: 'check the address for a typo' },
  EAI_AGAIN: { code: 'dns_failed', text: 'the name server does not respond for', again: true },
  EAI_FAIL: { code: 'dns_failed', text: 'the name server failed for' },
  ECONNREFUSED: {
    code: 'connect_failed',
    text: 'nothing listens at',
    hint: 'check that the service runs, and the port of the address',
    again: true,
  },
  UND_ERR_CONNECT_TIMEOUT: { code: 'connect_failed', text: 'no connection within 10 seconds to' },
  ETIMEDOUT: { code: 'connect_failed', text: 'no response to the connection attempt from' },
  EHOSTUNREACH: { code: 'connect_failed', text: 'no route to', again: true },
  ENETUNREACH: { code: 'connect_failed', text: 'the network is down: no route to', again: true },
};

const REFUSED_CERTIFICATE = 'check --cert and --key';
/** Codes of Node and OpenSSL for a failed TLS handshake. `%` is the host. */
const TLS_REASONS: readonly (readonly [code: RegExp, text: string, hint: string])[] = [
  [/^CERT_HAS_EXPIRED$/, 'the certificate of % has expired', 'have it renewed; --insecure continues without checking'],
  [/^CERT_NOT_YET_VALID$/, 'the certificate of % is not valid yet', 'check the clock of this machine'],
  [/^CERT_REVOKED$/, 'the certificate of % was revoked', 'have it replaced'],
  [
    /^DEPTH_ZERO_SELF_SIGNED_CERT$/,
    'the certificate of % is self-signed',
    'trust it: --cacert FILE or SVC_CACERT=FILE, with the certificate itself',
  ],
  [
    /^(SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_GET_ISSUER_CERT(_LOCALLY)?|UNABLE_TO_VERIFY_LEAF_SIGNATURE|CERT_UNTRUSTED)$/,
    'the certificate of % comes from an authority that is not trusted here',
    'name the authority that signed it: --cacert FILE or SVC_CACERT=FILE',
  ],
  [
    /^ERR_TLS_CERT_ALTNAME_INVALID$/,
    'the certificate of % is for another host',
    'use the name that is in the certificate',
  ],
  [
    /^ERR_SSL_(WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|HTTP_REQUEST)$/,
    '% does not speak TLS',
    'write the address with http://, if the port is the right one',
  ],
  [
    /^ERR_SSL_(TLSV1_ALERT_PROTOCOL_VERSION|UNSUPPORTED_PROTOCOL)$/,
    '% supports no safe version of TLS',
    'configure the server for TLS 1.2 or newer',
  ],
  [/_ALERT_CERTIFICATE_REQUIRED$/, '% requires a client certificate', 'pass one: --cert FILE --key FILE'],
  [
    /_ALERT_HANDSHAKE_FAILURE$/,
    '% aborted the TLS handshake',
    'it may require a client certificate: --cert FILE --key FILE',
  ],
  [/_ALERT_CERTIFICATE_EXPIRED$/, '% refused the client certificate: it has expired', 'have it renewed'],
  [
    /_ALERT_(BAD_CERTIFICATE|CERTIFICATE_UNKNOWN|ACCESS_DENIED)$/,
    '% refused the client certificate',
    REFUSED_CERTIFICATE,
  ],
  [/_ALERT_UNKNOWN_CA$/, '% does not trust the authority of the client certificate', REFUSED_CERTIFICATE],
  [/_UNRECOGNIZED_NAME$/, '% has no certificate for this name', 'use the name that is in the certificate'],
];

function tlsReason(error: Error, code: string, host: string): Reason | undefined {
  const known = TLS_REASONS.find(([pattern]) => pattern.test(code));
  if (known !== undefined) return { code: 'tls_failed', text: known[1].replace('%', host), hint: known[2] };
  if (!/^(ERR_SSL|ERR_TLS|CERT_|EPROTO|UNABLE_TO|HOSTNAME_MISMATCH|INVALID_|PATH_LENGTH)/.test(code)) return undefined;
  const detail = 'reason' in error && typeof error.reason === 'string' ? error.reason : code;
  return { code: 'tls_failed', text: `no TLS connection to ${host}: ${detail}` };
}

function proxyReason(failure: ProxyFailure): Reason {
  const { host, status, cause, message } = failure;
  const detail = cause instanceof Error ? ` (${codeOf(cause) || cause.message})` : '';
  const text = `the proxy ${host} ${message}${detail}`;
  if (status === 407) return { code: 'proxy_failed', text, hint: PROXY_CREDENTIAL };
  const again = status === undefined || status >= 500;
  return { code: 'proxy_failed', text, hint: 'check https_proxy, http_proxy, all_proxy and no_proxy', again };
}

function brokenReason(error: unknown, { baseUrl, status, received, expected }: Progress): Reason {
  const code = codeOf(error);
  const came = status === undefined ? 'before a response' : `after ${bytes(received)} of the response`;
  switch (code) {
    case 'UND_ERR_BODY_TIMEOUT':
      return { code: 'timeout', text: `the response stopped after ${bytes(received)}` };
    case 'UND_ERR_HEADERS_OVERFLOW':
      return { code: 'bad_answer', text: 'the headers of the response are too large' };
    case 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH':
      return expected !== undefined && received < expected
        ? { code: 'connection_lost', text: `the connection broke ${came}, of ${expected}`, again: true }
        : { code: 'bad_answer', text: 'the length of the response is not what its headers say' };
    case 'UND_ERR_INVALID_ARG':
      return { code: 'internal', text: `the request cannot be written: ${(error as Error).message}` };
    case 'UND_ERR_SOCKET':
      if (/^bad (response|upgrade)$/.test((error as Error).message)) {
        return { code: 'bad_answer', text: 'a response to no request arrived' };
      }
      break;
    case 'UND_ERR_DESTROYED':
    case 'UND_ERR_CLOSED':
      return { code: 'connection_lost', text: 'the connection was abandoned' };
  }
  if (code === 'HPE') return garbageReason(error as Error, baseUrl);
  // With TLS 1.3 a client certificate may be refused after the request, which is then discarded.
  const tls =
    code.startsWith('ERR_SSL_') && status === undefined ? tlsReason(error as Error, code, baseUrl.host) : undefined;
  if (tls !== undefined) return { ...tls, refused: HANDSHAKE_ALERT.test(code) };
  return { code: 'connection_lost', text: `the connection broke ${came}`, again: true };
}

export const bytes = (count: number): string => `${count} ${count === 1 ? 'byte' : 'bytes'}`;

const HANDSHAKE_ALERT = /_ALERT_(.*CERTIFICATE.*|UNKNOWN_CA|ACCESS_DENIED|HANDSHAKE_FAILURE)$/;

function garbageReason(error: Error & { readonly data?: string | null }, { host, protocol }: URL): Reason {
  // An alert in the place of a response: what spoke TLS has read no request.
  if (protocol === 'http:' && /expected HTTP\//i.test(error.message) && error.data?.startsWith('\x15\x03')) {
    return { code: 'tls_failed', text: `${host} speaks TLS`, hint: 'write the address with https://', refused: true };
  }
  return { code: 'bad_answer', text: `${host} sent something that is not HTTP` };
}

/** The code of an error, or of its last cause. Parser errors have none in undici 7. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return '';
  if ('code' in error && typeof error.code === 'string') return error.code;
  if (error.name === 'HTTPParserError') return /invalid eof/i.test(error.message) ? 'HPE_EOF' : 'HPE';
  return error instanceof AggregateError ? codeOf(error.errors.at(-1)) : '';
}
