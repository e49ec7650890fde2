import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { eventKey, SeenEvents } from '../../../../src/features/webhooks/receiver/seen-events.ts';

const DAY = 24 * 60 * 60 * 1000;

describe('an event', () => {
  it('is new until it is accepted, and a duplicate afterwards', () => {
    const seen = new SeenEvents();
    expect(seen.recordDuplicate(eventKey('evt_1'), 1)).toBeUndefined();
    expect(seen.recordDuplicate(eventKey('evt_1'), 2)).toBeUndefined();
    seen.add(eventKey('evt_1'), 3);
    expect(seen.recordDuplicate(eventKey('evt_1'), 4)).toMatchObject({ firstMs: 3, deliveries: 2 });
    expect(seen.recordDuplicate(eventKey('evt_1'), 5)).toMatchObject({ firstMs: 3, deliveries: 3 });
    expect(seen.recordDuplicate(eventKey('evt_2'), 5)).toBeUndefined();
  });

  it('is forgotten after a day, and may be accepted again', () => {
    const seen = new SeenEvents();
    seen.add(eventKey('evt_1'), 0);
    expect(seen.recordDuplicate(eventKey('evt_1'), DAY - 1)).toBeDefined();
    expect(seen.recordDuplicate(eventKey('evt_1'), DAY)).toBeUndefined();
    seen.add(eventKey('evt_1'), DAY);
    expect(seen.recordDuplicate(eventKey('evt_1'), DAY + 1)).toMatchObject({ firstMs: DAY, deliveries: 2 });
  });

  it('may have an id of any length and text', () => {
    const seen = new SeenEvents();
    const long = 'x'.repeat(1_000_000);
    for (const id of ['', '__proto__', long]) {
      expect(seen.recordDuplicate(eventKey(id), 0)).toBeUndefined();
      seen.add(eventKey(id), 0);
      expect(seen.recordDuplicate(eventKey(id), 0)).toBeDefined();
    }
    expect(seen.recordDuplicate(eventKey(`${long}x`), 0)).toBeUndefined();
  });
});

it('remembers the last 100,000 events and no more', () => {
  const seen = new SeenEvents();
  for (let index = 0; index < 150_000; index++) seen.add(eventKey(`evt_${index}`), index);
  for (let index = 0; index < 150_000; index += 7) {
    expect(seen.recordDuplicate(eventKey(`evt_${index}`), 150_000)?.firstMs).toBe(index < 50_000 ? undefined : index);
  }
});

it('equals a simple list of the last events', () => {
  const most = 4;
  const step = fc.record({ id: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g'), later: fc.nat(DAY / 2) });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const seen = new SeenEvents(most);
      let list: { id: string; at: number }[] = [];
      let now = 0;
      for (const { id, later } of steps) {
        now += later;
        const known = list.findLast((entry) => entry.id === id && now - entry.at < DAY);
        expect(seen.recordDuplicate(eventKey(id), now)?.firstMs).toBe(known?.at);
        if (known !== undefined) continue;
        seen.add(eventKey(id), now);
        list = [...list, { id, at: now }].slice(-most);
      }
    }),
  );
});
