/** The probes of `webhooks check-receiver`, in the order in which they are sent. */
export const PROBE_NAMES = [
  'valid-ping',
  'valid-summary',
  'unknown-type',
  'unknown-fields',
  'same-event-twice',
  'bad-signature',
  'missing-signature',
  'missing-timestamp',
  'stale-timestamp',
  'future-timestamp',
  'shifted-dot',
  'not-utf8',
  'large-body',
  'no-redirect',
] as const;

export type ProbeName = (typeof PROBE_NAMES)[number];
