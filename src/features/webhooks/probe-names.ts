/**
 * The probes of `webhooks check-receiver`, in the order in which they are sent: never ten bad deliveries in a row, after which
 * `webhooks listen` ends, as other receivers may.
 */
export const PROBE_NAMES = [
  'valid-ping',
  'valid-summary',
  'minimal-event',
  'optional-fields',
  'summary-formats',
  'time-formats',
  'unknown-type',
  'unknown-fields',
  'same-event-twice',
  'body-blanks',
  'body-trimming',
  'body-numbers',
  'body-escapes',
  'body-key-order',
  'body-duplicate-keys',
  'not-utf8',
  'body-1-mib',
  'large-body',
  'bad-signature',
  'signature-empty',
  'signature-short',
  'no-redirect',
  'signature-prefix',
  'signature-input',
  'truncated-transcript',
  'signature-truncated',
  'signature-long',
  'signature-upper-case',
  'signature-base64',
  'missing-signature',
  'missing-timestamp',
  'type-mismatch',
  'stale-timestamp',
  'future-timestamp',
  'shifted-dot',
  'malformed-json',
] as const;

export type ProbeName = (typeof PROBE_NAMES)[number];
