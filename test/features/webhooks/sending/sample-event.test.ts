import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readEvent } from '../../../../src/features/webhooks/delivery.ts';
import {
  deliveryHeaders,
  deliveryId,
  eventBytes,
  sampleEvent,
} from '../../../../src/features/webhooks/sending/sample-event.ts';

const NOW = Date.UTC(2026, 0, 1, 0, 0, 0, 123);
const fixed = { now: () => NOW, random: () => 0.5 };

describe('sampleEvent', () => {
  it('has a summary with all documented fields', () => {
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
    const { transcript } = event.data as { transcript: { text: string; segments: { start: number; end: number }[] } };
    const last = transcript.segments.at(-1);
    expect(last?.end).toBeLessThanOrEqual((event.data['duration_ms'] as number) / 1000);
  });

  it.each(['webhook.ping', 'tomorrow.new'])('has a %s without data', (type) => {
    expect(sampleEvent(type, fixed)).toMatchObject({ type, data: {} });
  });

  it('never claims to be a sample of the service', () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), (value) => {
        const random = () => value;
        expect(sampleEvent('webhook.ping', { ...fixed, random }).id).toMatch(/^evt_[a-z0-9]{12}$/);
        expect(deliveryId(random)).toMatch(/^dlv_[a-z0-9]{12}$/);
      }),
    );
    expect(sampleEvent('webhook.ping', { ...fixed, id: 'evt_mine' }).id).toBe('evt_mine');
  });

  it('has exactly the requested size, and round-trips', () => {
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

describe('the headers of a delivery', () => {
  const values = { timestamp: '1767225600', signature: 'sha256=00' };

  it('are the five of the document, in its order and case', () => {
    expect(deliveryHeaders({ ...values, type: 'webhook.ping', deliveryId: 'dlv_1' })).toEqual([
      ['Content-Type', 'application/json'],
      ['X-Service-Event', 'webhook.ping'],
      ['X-Service-Delivery', 'dlv_1'],
      ['X-Service-Timestamp', '1767225600'],
      ['X-Service-Signature', 'sha256=00'],
    ]);
  });

  it('leave out unknown values', () => {
    expect(deliveryHeaders(values)).toEqual([
      ['Content-Type', 'application/json'],
      ['X-Service-Timestamp', '1767225600'],
      ['X-Service-Signature', 'sha256=00'],
    ]);
  });
});
