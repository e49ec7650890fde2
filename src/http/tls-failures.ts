/** The codes of Node and OpenSSL for a failed TLS handshake, in words. */
import type { ErrorCode } from '../errors.ts';

/** Why no response came. */
export interface Reason {
  readonly code: ErrorCode;
  readonly text: string;
  readonly hint?: string | undefined;
  /** A read may be repeated at once. */
  readonly again?: boolean;
  /** The service has certainly not acted, although bytes were sent. */
  readonly refused?: boolean;
}

const ADD_CA = 'name the authority that signed it: --cacert FILE';
const CLIENT_CERTIFICATE = 'give a client certificate: --cert FILE --key FILE';

/** `%` stands for the host. */
const REASONS: Readonly<Record<string, readonly [text: string, hint: string]>> = {
  CERT_HAS_EXPIRED: ['the certificate of % has expired', 'have it renewed; --insecure goes on without checking'],
  CERT_NOT_YET_VALID: ['the certificate of % is not valid yet', 'check the clock of this machine'],
  CERT_REVOKED: ['the certificate of % was revoked', 'have it replaced'],
  DEPTH_ZERO_SELF_SIGNED_CERT: [
    'the certificate of % is self-signed',
    'trust it: --cacert FILE, with the certificate itself',
  ],
  SELF_SIGNED_CERT_IN_CHAIN: ['the certificate of % comes from an authority that is not trusted here', ADD_CA],
  UNABLE_TO_GET_ISSUER_CERT: ['the certificate of % comes from an authority that is not trusted here', ADD_CA],
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: ['the certificate of % comes from an authority that is not trusted here', ADD_CA],
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: ['the certificate of % comes from an authority that is not trusted here', ADD_CA],
  CERT_UNTRUSTED: ['the certificate of % is not trusted here', ADD_CA],
  ERR_TLS_CERT_ALTNAME_INVALID: [
    'the certificate of % is for another host',
    'use the name that stands in the certificate',
  ],
  ERR_SSL_WRONG_VERSION_NUMBER: [
    '% does not speak TLS',
    'write the address with http://, if the port is the right one',
  ],
  ERR_SSL_PACKET_LENGTH_TOO_LONG: [
    '% does not speak TLS',
    'write the address with http://, if the port is the right one',
  ],
  ERR_SSL_HTTP_REQUEST: ['% does not speak TLS', 'write the address with http://, if the port is the right one'],
  ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION: [
    '% speaks no version of TLS that is still safe',
    'have the server offer TLS 1.2 or newer',
  ],
  ERR_SSL_UNSUPPORTED_PROTOCOL: [
    '% speaks no version of TLS that is still safe',
    'have the server offer TLS 1.2 or newer',
  ],
  ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED: ['% wants a client certificate', CLIENT_CERTIFICATE],
  ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE: [
    '% broke off the TLS handshake',
    `it may want a client certificate: --cert FILE --key FILE`,
  ],
  ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE: ['% refused the client certificate', 'check --cert and --key'],
  ERR_SSL_SSLV3_ALERT_CERTIFICATE_UNKNOWN: ['% refused the client certificate', 'check --cert and --key'],
  ERR_SSL_SSLV3_ALERT_CERTIFICATE_EXPIRED: ['% refused the client certificate: it has expired', 'have it renewed'],
  ERR_SSL_TLSV1_ALERT_UNKNOWN_CA: [
    '% does not trust the authority of the client certificate',
    'check --cert and --key',
  ],
  ERR_SSL_TLSV1_ALERT_ACCESS_DENIED: ['% does not accept the client certificate', 'check --cert and --key'],
  ERR_SSL_TLSV1_UNRECOGNIZED_NAME: [
    '% has no certificate for this name',
    'use the name that stands in the certificate',
  ],
};

export function tlsReason(error: Error, code: string, host: string): Reason | undefined {
  // OpenSSL 3.5 (Node 24) writes SSL/TLS where older versions write SSLV3.
  const known = REASONS[code.replace('SSL/TLS', 'SSLV3')];
  if (known !== undefined) return { code: 'tls_failed', text: known[0].replace('%', host), hint: known[1] };
  if (!/^(ERR_SSL|ERR_TLS|CERT_|EPROTO|UNABLE_TO|HOSTNAME_MISMATCH|INVALID_|PATH_LENGTH)/.test(code)) return undefined;
  const detail = 'reason' in error && typeof error.reason === 'string' ? error.reason : code;
  return { code: 'tls_failed', text: `no TLS connection to ${host}: ${detail}` };
}
