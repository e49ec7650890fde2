import fc from 'fast-check';
import { expect, test } from 'vitest';
import { alert, alertShape } from '../../../src/services/alertmanager/schema.ts';

const GOOD = {
  labels: { alertname: 'Up' },
  annotations: {},
  receivers: [{ name: 'a', labels: { team: 'x' } }],
  fingerprint: '1',
  startsAt: '',
  updatedAt: '',
  endsAt: '',
  generatorURL: 'http://x',
  status: { state: 'active', silencedBy: ['s'], inhibitedBy: [], mutedBy: [] },
  unknown: { kept: true },
};
const NAMES = [
  ...Object.keys(GOOD),
  'status.state',
  'status.silencedBy',
  'status.inhibitedBy',
  'receivers.0',
  'receivers.0.name',
  'labels.alertname',
];

/** The alert with one of its fields replaced, or taken away. */
function spoiled(path: string, value: unknown, drop: boolean): unknown {
  const copy = structuredClone(GOOD) as Record<string, unknown>;
  const steps = path.split('.');
  const last = steps.pop() ?? '';
  let at = copy;
  for (const step of steps) at = at[step] as Record<string, unknown>;
  if (drop && Array.isArray(at)) at.splice(Number(last), 1);
  else if (drop) delete at[last];
  else at[last] = value;
  return copy;
}

test('the quick check says what the schema says, and keeps every field', () => {
  const any = fc.oneof(
    fc.constantFrom(null, undefined, 1, '', 'x', true, [], {}, [1], ['x'], { a: 1 }, [null]),
    fc.jsonValue(),
  );
  fc.assert(
    fc.property(fc.constantFrom(...NAMES), any, fc.boolean(), (path, value, drop) => {
      const item = spoiled(path, value, drop);
      const [quick, schema] = [alert.safeParse(item), alertShape.safeParse(item)];
      expect(quick.success).toBe(schema.success);
      if (quick.success) expect(quick.data).toEqual(item);
    }),
    { numRuns: 1000 },
  );
});

test.each([[null], [7], ['x'], [[]], [{}]])('%j is no alert', (item) => {
  expect(alert.safeParse(item).success).toBe(false);
});
