import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readEvent } from '../../../src/features/webhooks/delivery.ts';
import { deliveryId, eventBytes, sampleEvent } from '../../../src/features/webhooks/sending/sample-event.ts';

const fixed = { now: () => Date.UTC(2026, 0, 1, 0, 0, 0, 123), random: () => 0.5 };

describe('a sample event', () => {
  it('has an id that the samples of the service never have', () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), (value) => {
        const random = () => value;
        expect(sampleEvent('webhook.ping', { ...fixed, random }).id).toMatch(/^evt_[a-z0-9]{12}$/);
        expect(deliveryId(random)).toMatch(/^dlv_[a-z0-9]{12}$/);
      }),
    );
  });

  it('has exactly the requested size', () => {
    const least = eventBytes(sampleEvent('summary.completed', fixed)).length;
    fc.assert(
      fc.property(fc.integer({ min: least, max: 20_000 }), (size) => {
        const event = sampleEvent('summary.completed', { ...fixed, size });
        const bytes = eventBytes(event);
        expect(bytes.length).toBe(size);
        expect(readEvent(bytes)?.value).toEqual(event);
      }),
    );
    expect(eventBytes(sampleEvent('summary.completed', { ...fixed, size: 10 })).length).toBe(least);
    expect(eventBytes(sampleEvent('summary.completed', { ...fixed, size: 2 << 20 })).length).toBe(2 << 20);
  });
});
