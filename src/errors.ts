/** The errors of `svc`, and the only table from error codes to exit statuses. */

interface ErrorKind {
  readonly exit: number;
  /** Whether repeating the same command unchanged is safe and may succeed. */
  readonly retryable: boolean;
  readonly meaning: string;
}

export const ERROR_KINDS = {
  // 1: the answer is no
  condition_false: { exit: 1, retryable: false, meaning: 'the condition is false' },
  signature_invalid: { exit: 1, retryable: false, meaning: 'a delivery is not valid' },
  delivery_failed: { exit: 1, retryable: false, meaning: 'a receiver did not accept a delivery' },

  // 2: usage or local validation, nothing was sent
  usage: { exit: 2, retryable: false, meaning: 'the command line is wrong' },
  invalid_value: { exit: 2, retryable: false, meaning: 'a value is not valid' },
  missing_value: { exit: 2, retryable: false, meaning: 'a required value is missing, and svc cannot prompt' },
  confirmation_required: { exit: 2, retryable: false, meaning: 'a confirmation is required, and svc cannot prompt' },
  key_conflict: { exit: 2, retryable: false, meaning: 'the key was used for another order' },
  declined: { exit: 2, retryable: false, meaning: 'the confirmation was declined' },
  config_invalid: { exit: 2, retryable: false, meaning: 'the configuration cannot be used' },
  file_unusable: { exit: 2, retryable: false, meaning: 'a local file cannot be read or written' },
  empty_secret: { exit: 2, retryable: false, meaning: 'a signing secret is empty' },
  bad_secret: { exit: 2, retryable: false, meaning: 'a signing secret is not valid' },
  credential_unusable: { exit: 2, retryable: false, meaning: 'a credential must not be sent there, or is empty' },

  // 3: refused
  refused: { exit: 3, retryable: false, meaning: 'the service refused the request' },
  wrong_path: { exit: 3, retryable: false, meaning: 'the address responds, but not as this service' },
  wrong_shape: { exit: 3, retryable: false, meaning: 'the response has another shape than the interface' },
  redirected: { exit: 3, retryable: false, meaning: 'the service redirects, and redirects are not followed' },
  guarded: { exit: 3, retryable: false, meaning: 'svc refused because of the state of the service' },
  over_limit: { exit: 3, retryable: false, meaning: 'svc refused because of a limit of the profile' },

  // 4: not signed in, not allowed
  unauthorized: { exit: 4, retryable: false, meaning: 'not signed in, or the credential was refused' },
  forbidden: { exit: 4, retryable: false, meaning: 'signed in, but not allowed' },

  not_found: { exit: 5, retryable: false, meaning: 'not found' },
  limited: { exit: 6, retryable: true, meaning: 'a rate limit is used up' },
  quota_used: { exit: 6, retryable: false, meaning: 'a quota is used up: waiting does not help' },

  // 7: unavailable, nothing can have changed
  dns_failed: { exit: 7, retryable: true, meaning: 'the host name could not be resolved' },
  connect_failed: { exit: 7, retryable: true, meaning: 'no connection could be made' },
  tls_failed: { exit: 7, retryable: false, meaning: 'the TLS connection failed' },
  proxy_failed: { exit: 7, retryable: true, meaning: 'the proxy did not connect' },
  timeout: { exit: 7, retryable: true, meaning: 'no response in time' },
  connection_lost: { exit: 7, retryable: true, meaning: 'the connection broke' },
  server_error: { exit: 7, retryable: true, meaning: 'the service failed' },
  answer_too_large: { exit: 7, retryable: false, meaning: 'the response is larger than the limit' },
  bad_answer: { exit: 7, retryable: true, meaning: 'the response does not follow the interface' },

  outcome_unknown: { exit: 8, retryable: false, meaning: 'a write was sent, and no trustworthy response came' },
  not_as_asked: { exit: 8, retryable: false, meaning: 'the write was applied, but not as requested' },
  still_pending: { exit: 9, retryable: true, meaning: 'the wait ended before the outcome was known' },
  partly_done: {
    exit: 10,
    retryable: false,
    meaning: 'some items of a bulk command failed, or the data read is incomplete',
  },
  not_known: { exit: 11, retryable: false, meaning: 'there is no current value to check the condition with' },
  internal: { exit: 70, retryable: false, meaning: 'a bug in svc' },
  interrupted: { exit: 130, retryable: false, meaning: 'interrupted' },
  terminated: { exit: 143, retryable: false, meaning: 'terminated' },
} as const satisfies Record<string, ErrorKind>;

export type ErrorCode = keyof typeof ERROR_KINDS;

/** Whether the request left this machine. */
export type Sent = 'no' | 'maybe' | 'yes';

export interface ErrorDetails {
  /** What to do now: one sentence, or a command to type. Never remote text. */
  readonly hint?: string | undefined;
  /** The status of the response, if there was one. */
  readonly httpStatus?: number | undefined;
  /** `maybe` if it was interrupted. Undefined if nothing was to be sent, or if it is unknown. */
  readonly sent?: Sent | undefined;
  /** A signal ended it, and nothing else has to be said. */
  readonly isInterruption?: boolean;
  /** Further JSON fields of the failure, for programs: an order's id, the next free slot. */
  readonly more?: Readonly<Record<string, string | number | undefined>> | undefined;
  /** Mistyped words and their corrections, from which the error report makes lines to paste. */
  readonly meant?:
    | { readonly typed: string; readonly meant: string | readonly string[] }
    | { readonly append: string }
    | undefined;
  readonly cause?: unknown;
}

/** A failure that a user can act on. `message` is escaped when printed. */
export class SvcError extends Error {
  override readonly name = 'SvcError';
  readonly code: ErrorCode;
  readonly hint: string | undefined;
  readonly httpStatus: number | undefined;
  readonly sent: Sent | undefined;
  readonly isInterruption: boolean;
  readonly more: ErrorDetails['more'];
  readonly meant: ErrorDetails['meant'];

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = code;
    this.hint = details.hint;
    this.httpStatus = details.httpStatus;
    this.sent = details.sent;
    this.isInterruption = details.isInterruption ?? false;
    this.more = details.more;
    this.meant = details.meant;
  }

  get exit(): number {
    return ERROR_KINDS[this.code].exit;
  }

  get retryable(): boolean {
    return ERROR_KINDS[this.code].retryable;
  }

  /** A signal ended the command, whatever the error says beyond that. */
  get endedBySignal(): boolean {
    return this.code === 'interrupted' || this.code === 'terminated';
  }

  /** The service cannot be reached, or fails. */
  get isUnavailable(): boolean {
    return this.exit === ERROR_KINDS.server_error.exit;
  }
}

/** The failure of a command that a signal ended. A closed terminal counts as termination. */
export function interruptionOf(signal: 'SIGINT' | 'SIGTERM' | 'SIGHUP'): SvcError {
  const code = signal === 'SIGINT' ? 'interrupted' : 'terminated';
  return new SvcError(code, code, { isInterruption: true });
}

/** The JSON of a failure on stderr in `-o json` and `-o ndjson`. */
export interface ErrorReport {
  readonly error: {
    readonly code: ErrorCode;
    readonly message: string;
    readonly hint: string | null;
    readonly http_status: number | null;
    readonly exit: number;
    readonly retryable: boolean;
    /** Omitted if `SvcError` has none. */
    readonly sent?: Sent | undefined;
    readonly [more: string]: unknown;
  };
}

export function toErrorReport(error: SvcError): ErrorReport {
  return {
    error: {
      code: error.code,
      message: error.message,
      hint: error.hint ?? null,
      http_status: error.httpStatus ?? null,
      exit: error.exit,
      retryable: error.retryable,
      sent: error.sent,
      ...error.more,
    },
  };
}

/** The meaning of each exit status, in the order of the documents. */
export const EXIT_STATUSES: readonly (readonly [status: number, meaning: string])[] = [
  [0, 'success (an empty list is a success)'],
  [1, 'the answer is no: signature invalid, delivery failed, a check found something'],
  [2, 'usage or local validation error, confirmation missing or declined: nothing was sent'],
  [3, 'refused by the service, or by svc because of the state of the service'],
  [4, 'not signed in, or not allowed'],
  [5, 'not found'],
  [6, 'a limit: quota or rate limit'],
  [7, 'unavailable, and nothing can have changed: safe to repeat'],
  [8, 'outcome unknown or not as requested: check before repeating'],
  [9, 'the wait ended: accepted, still pending'],
  [10, 'partial success: some items failed, or the data is known to be incomplete'],
  [11, 'unknown: a condition could not be evaluated (no data, or only old data)'],
  [70, 'a bug in svc'],
  [130, 'interrupted'],
  [143, 'terminated'],
];
