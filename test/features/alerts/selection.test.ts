import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  ALERT_STATES,
  type AlertState,
  alertQuery,
  effectiveState,
  keepsAlert,
  serverSelects,
  type WantedStates,
} from '../../../src/features/alerts/selection.ts';

it.each<readonly [WantedStates, ReturnType<typeof alertQuery>]>([
  ['all', {}],
  [['active'], { active: true, silenced: false, inhibited: false, unprocessed: false }],
  [['silenced'], { active: false, silenced: true, inhibited: true, unprocessed: false }],
  [['inhibited'], { active: false, silenced: true, inhibited: true, unprocessed: false }],
  [['muted'], { active: true, silenced: true, inhibited: true, unprocessed: false }],
  [['suppressed'], { active: true, silenced: true, inhibited: true, unprocessed: false }],
  [['unprocessed'], { active: false, silenced: false, inhibited: false, unprocessed: true }],
  [['active', 'silenced'], { active: true, silenced: true, inhibited: true, unprocessed: false }],
])('%j asks the server for %j', (wanted, query) => {
  expect(alertQuery(wanted)).toEqual(query);
});

const alert = (state: string, silencedBy: string[] = [], inhibitedBy: string[] = [], mutedBy?: string[]) => ({
  status: { state, silencedBy, inhibitedBy, ...(mutedBy === undefined ? {} : { mutedBy }) },
});
const active = alert('active');
const silenced = alert('suppressed', ['s']);
const inhibited = alert('suppressed', [], ['i']);
const both = alert('suppressed', ['s'], ['i']);
const unprocessed = alert('unprocessed');
const muted = alert('suppressed', [], [], ['nights']);
const unexplained = alert('suppressed');
const unknown = alert('snoozed');
const EVERY = { active, silenced, inhibited, both, unprocessed, muted, unexplained, unknown };

it.each<readonly [WantedStates, readonly (keyof typeof EVERY)[]]>([
  ['all', ['active', 'silenced', 'inhibited', 'both', 'unprocessed', 'muted', 'unexplained', 'unknown']],
  [['active'], ['active']],
  [['silenced'], ['silenced', 'both']],
  [['inhibited'], ['inhibited', 'both']],
  [['muted'], ['muted']],
  [['suppressed'], ['silenced', 'inhibited', 'both', 'muted', 'unexplained']],
  [['unprocessed'], ['unprocessed']],
  [
    ['active', 'inhibited'],
    ['active', 'inhibited', 'both'],
  ],
])('%j keeps %j', (wanted, names) => {
  const selected = Object.entries(EVERY).filter(([, one]) => keepsAlert(one, wanted));
  expect(selected.map(([name]) => name)).toEqual(names);
});

it('the selected alerts', () => {
  expect(Object.values(EVERY).map(effectiveState)).toEqual([
    'active',
    'silenced',
    'inhibited',
    'silenced,inhibited',
    'unprocessed',
    'muted',
    'suppressed',
    'snoozed',
  ]);
});

/** What the server does with its booleans: an alert goes as soon as one of the things it is, is not wanted. */
function served(
  { status }: ReturnType<typeof alert>,
  { active = true, silenced = true, inhibited = true }: ReturnType<typeof alertQuery>,
) {
  if (!active && status.state === 'active') return false;
  if (!silenced && status.silencedBy.length > 0) return false;
  return inhibited || status.inhibitedBy.length === 0;
}

it('the request loses no wanted alert, and returns no others if the server can filter', () => {
  const alerts = [active, silenced, inhibited, both, unprocessed];
  fc.assert(
    fc.property(fc.subarray<AlertState>([...ALERT_STATES]), (wanted) => {
      for (const one of alerts) {
        const sent = served(one, alertQuery(wanted));
        if (keepsAlert(one, wanted)) expect(sent).toBe(true);
        else if (serverSelects(wanted) && one !== unprocessed) expect(sent).toBe(false);
      }
    }),
  );
  expect(serverSelects('all')).toBe(true);
  expect(serverSelects(['active'])).toBe(true);
  expect(serverSelects(['suppressed'])).toBe(false);
  expect(serverSelects(['silenced'])).toBe(false);
  expect(serverSelects(['unprocessed', 'active'])).toBe(false);
});
