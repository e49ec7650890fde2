import type { ProbeDelivery, ProbeKit } from './probe-deliveries.ts';
import type { ProbeName } from './probe-names.ts';

/** The sentences of document 2 that a receiver must follow, and those that no request can test. */
const quote = (section: string, sentence: string): string => `document 2 §${section}: "${sentence}"`;

export const RULES = {
  respond: quote('6', 'Return 2xx within 5 seconds. Non-2xx responses and timeouts are failures.'),
  redirects: quote('6', 'Redirects are not followed.'),
  optional: quote('2', 'Only audio_id is guaranteed; every other field is optional.'),
  truncated: quote('2', 'Then transcript text is truncated on a UTF-8 boundary and truncated is set to true.'),
  formats: quote('2', 'Summary format is markdown or html. Consumers must tolerate other values.'),
  times: quote('2', 'created_at: string, ISO 8601'),
  size: quote('2', 'The payload size target is about 1 MiB.'),
  excess: quote('2', 'Summaries are never truncated, so a payload can exceed the target.'),
  duplicates: quote('1', 'Delivery is at least once, so duplicates are possible.'),
  headers: quote('6', 'signature = "sha256=" + hex(HMAC_SHA256(secret, timestamp + "." + raw_request_body))'),
  signature: quote('6', 'X-Service-Signature: sha256=<hex HMAC>'),
  timestamp: quote('6, Signature 1', 'The timestamp is the value of the timestamp header.'),
  bytes: quote('6, Signature 2', 'The body is the exact received bytes. It is never re-serialized.'),
  order: quote('6, Signature 3', 'The receiver verifies before parsing.'),
  comparison: quote('6, Signature 4', 'The comparison is constant time, with the length checked first.'),
  tolerance: quote('6, Signature 5', 'Receivers choose a short timestamp tolerance and reject older deliveries.'),
} as const;

/** What a response does not show: to be checked in the code of the receiver. */
export const NOT_TESTABLE = [
  {
    name: 'constant-time',
    rule: RULES.comparison,
    fix: 'check that the code compares with crypto.timingSafeEqual, hmac.compare_digest, hash_equals or the like',
  },
  {
    name: 'deduplication',
    rule: quote('1', 'Receivers de-duplicate on the event id.'),
    fix: 'send one event twice (svc webhooks send --repeat 2) and check that it was processed once',
  },
  {
    name: 'signed-type',
    rule: RULES.headers,
    fix: 'check that the code takes type and id from the signed body, not from the headers',
  },
  {
    name: 'untrusted-text',
    rule: quote('2', 'receivers treat transcript and summary text as untrusted user content'),
    fix: 'check that the code escapes titles, transcripts and summaries wherever it shows them',
  },
] as const;

export type UntestableName = (typeof NOT_TESTABLE)[number]['name'];

/** Which status a response may have. */
interface Expectation {
  readonly text: string;
  readonly holds: (status: number) => boolean;
}

export interface Probe {
  readonly name: ProbeName;
  /** Of each of its deliveries. */
  readonly expected: Expectation;
  /** The sentence of the document. */
  readonly rule: string;
  /** What to change in a receiver that fails. */
  readonly fix: string;
  /** There are four deliveries, and the third differs from the others in something that must not change the response. */
  readonly alike?: true;
  /** Sent one after the other. */
  readonly deliveries: (kit: ProbeKit) => readonly ProbeDelivery[];
}

const inClass = (status: number, hundreds: number): boolean => Math.floor(status / 100) === hundreds;
export const ACCEPTED: Expectation = { text: '2xx', holds: (status) => inClass(status, 2) };
export const REFUSED: Expectation = { text: '4xx', holds: (status) => inClass(status, 4) };
export const EITHER: Expectation = { text: '2xx or 4xx', holds: (status) => inClass(status, 2) || inClass(status, 4) };
/** A parser may refuse names that are not unique (RFC 8259 §4); a bad signature has other statuses. */
export const PARSED: Expectation = {
  text: '2xx, 400 or 422',
  holds: (status) => inClass(status, 2) || status === 400 || status === 422,
};
export const NO_REDIRECT: Expectation = { text: 'no 3xx', holds: (status) => !inClass(status, 3) };
