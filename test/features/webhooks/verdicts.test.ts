import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { CheckedDelivery } from '../../../src/features/webhooks/checked-delivery.ts';
import { verdictJson } from '../../../src/features/webhooks/verdicts.ts';

const text = fc.string({ unit: 'binary' });
const texts = fc.array(text, { maxLength: 2 });
const whole = fc.option(fc.integer());

/** In the order of the object that is checked: it is the order of the JSON. */
const row: fc.Arbitrary<CheckedDelivery> = fc.record(
  {
    source: text,
    verdict: fc.constantFrom('valid', 'stale', 'signature_mismatch'),
    valid: fc.boolean(),
    signature_ok: fc.boolean(),
    timestamp: whole,
    age_s: whole,
    tolerance_s: whole,
    event_id: fc.option(text),
    event_type: fc.option(text),
    secret_index: whole,
    body_bytes: fc.nat(),
    body_sha256: fc.option(fc.stringMatching(/^[0-9a-f]{64}$/), { nil: undefined }),
    hints: texts,
    notes: texts,
    clock: fc.constantFrom('now', 'received_at', 'startedDateTime'),
    unsigned_event_type: fc.option(text, { nil: undefined }),
    expected: fc.option(texts, { nil: undefined }),
  },
  { noNullPrototype: true },
);

test('a verdict is the JSON that JSON.stringify makes of it', () => {
  fc.assert(
    fc.property(row, (one) => {
      expect(verdictJson(one)).toBe(JSON.stringify(one));
    }),
  );
  fc.assert(
    fc.property(row, (one) => {
      const usual = { ...one, hints: [], unsigned_event_type: undefined, expected: undefined };
      expect(verdictJson(usual)).toBe(JSON.stringify(usual));
    }),
  );
});
