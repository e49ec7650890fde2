import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readEvent } from '../../../src/features/webhooks/delivery.ts';
import { deliveryId, eventBytes, sampleEvent } from '../../../src/features/webhooks/sending/sample-event.ts';

const fixed = { now: () => Date.UTC(2026, 0, 1, 0, 0, 0, 123), random: () => 0.5 };

describe('a sample event', () => {
  it('has all documented fields of a summary', () => {
    const event = sampleEvent('summary.completed', fixed);
    expect(event).toMatchObject({ type: 'summary.completed', created_at: '2026-01-01T00:00:00Z' });
    expect(Object.keys(event.data)).toEqual([
      'audio_id',
      'report_id',
      'status',
      'title',
      'duration_ms',
      'recorded_at',
      'transcript',
      'summaries',
    ]);
    const { transcript } = event.data as { transcript: { segments: { end: number }[] } };
    expect(transcript.segments.at(-1)?.end).toBeLessThanOrEqual((event.data['duration_ms'] as number) / 1000);
  });

  it('has no data if it is of another type', () => {
    for (const type of ['webhook.ping', 'tomorrow.new'])
      expect(sampleEvent(type, fixed)).toMatchObject({ type, data: {} });
  });

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
