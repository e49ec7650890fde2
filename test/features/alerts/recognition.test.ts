import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isAlert, isPostableSilence, isPostedSilence, isSilence } from '../../../src/features/alerts/recognition.ts';
import { alert, postableSilence, postedSilence, silence } from '../../../src/features/alerts/schema.ts';

const ALERT = {
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
const SILENCE = {
  id: '2f1a0000-0000-4000-8000-000000000001',
  status: { state: 'dormant' },
  updatedAt: '',
  comment: '',
  createdBy: '',
  startsAt: '',
  endsAt: '',
  matchers: [{ name: 'a', value: 'b', isRegex: false, isEqual: true, why: 1 }],
  annotations: { ticket: 'CHG-1' },
};

/** The paths of all values within one. */
function paths(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => [name, ...paths(inner).map((path) => `${name}.${path}`)]);
}

/** The same with one of its values replaced, or taken away. */
function spoiled(good: object, path: string, value: unknown, drop: boolean): unknown {
  const copy = structuredClone(good) as Record<string, unknown>;
  const steps = path.split('.');
  const last = steps.pop() ?? '';
  let at = copy;
  for (const step of steps) at = at[step] as Record<string, unknown>;
  if (drop && Array.isArray(at)) at.splice(Number(last), 1);
  else if (drop) delete at[last];
  else at[last] = value;
  return copy;
}

const KINDS = [
  ['an alert', isAlert, alert, ALERT],
  ['a silence', isSilence, silence, SILENCE],
  ['a silence to post', isPostableSilence, postableSilence, SILENCE],
  ['the answer to one', isPostedSilence, postedSilence, { silenceID: 'x', more: [1] }],
] as const;

test.each(KINDS)('%s is recognised where the schema takes it', (_, recognised, schema, good) => {
  const any = fc.oneof(
    fc.constantFrom(null, undefined, 1, '', 'x', true, [], {}, [1], ['x'], { a: 1 }, [null], [[]]),
    fc.jsonValue(),
  );
  fc.assert(
    fc.property(fc.constantFrom(...paths(good)), any, fc.boolean(), (path, value, drop) => {
      const item = spoiled(good, path, value, drop);
      const taken = schema.safeParse(item);
      if (recognised(item)) expect(taken).toEqual({ success: true, data: item });
      // An alert may lack fields, which the schema completes.
      else if (schema !== alert) expect(taken.success).toBe(false);
    }),
    { numRuns: 1000 },
  );
  expect(recognised(good)).toBe(true);
});

test.each(
  KINDS.flatMap(([name, recognised]) => [null, 7, 'x', [], {}].map((item) => [item, name, recognised] as const)),
)('%j is not %s', (item, _, recognised) => {
  expect(recognised(item)).toBe(false);
});
