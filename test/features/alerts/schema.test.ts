import { expect, it } from 'vitest';
import {
  alert,
  alertGroup,
  postableAlert,
  postableSilence,
  silence,
  status,
} from '../../../src/features/alerts/schema.ts';

/** As a 0.34 server writes it, with what doc 1 does not know. */
const ALERT = `{"annotations":{"summary":"down"},"endsAt":"2026-11-20T12:05:00.000+02:00","fingerprint":"1a58c20e00000001",
 "receivers":[{"name":"operations","labels":{"a":"b"}}],"startsAt":"2026-11-20T12:00:00.000+02:00",
 "status":{"inhibitedBy":[],"mutedBy":["night"],"silencedBy":[],"state":"snoozed"},"updatedAt":"2026-11-20T10:00:00.000Z",
 "labels":{"alertname":"Up","__proto__":"kept"},"routeLabels":{"x":"y"}}`;
const SILENCE = `{"id":"2f1a0000-0000-4000-8000-000000000001","status":{"state":"dormant"},"updatedAt":"yesterday","comment":"","createdBy":"",
 "endsAt":"2026-11-20T12:00:00.000Z","matchers":[{"name":"a","value":"b","isRegex":false,"isEqual":null,"why":1}],
 "startsAt":"2026-11-20T11:00:00.000Z","annotations":{"ticket":"CHG-1"}}`;
const STATUS = `{"cluster":{"peers":[],"status":"disabled"},"config":{"original":""},"uptime":"2026-11-20T10:00:00.000Z",
 "versionInfo":{"version":"0.34.0"}}`;

it.each([
  ['alert', alert, ALERT],
  ['group', alertGroup, `{"labels":{},"receiver":{"name":"r"},"alerts":[${ALERT}],"routeID":"1"}`],
  ['silence', silence, SILENCE],
  ['status', status, STATUS],
  ['status of Grafana', status, '{"cluster":{"peers":[],"status":"disabled"},"config":{"route":{}}}'],
  ['status with null peers', status, STATUS.replace('[]', 'null')],
  ['alert without a start', alert, ALERT.replace('2026-11-20T12:00:00.000+02:00', 'yesterday')],
  ['silence without matchers', silence, SILENCE.replace(/"matchers":\[[^\]]*\]/, '"matchers":[]')],
  ['posted silence', postableSilence, SILENCE.replace(/"id":"[^"]*",/, '')],
  ['posted alert', postableAlert, '{"labels":{"__proto__":"kept"},"extra":true}'],
])('%s: preserves every field', (_, schema, text) => {
  const result = schema.safeParse(JSON.parse(text));
  if (!result.success) throw new Error('it was refused');
  // Compared as text: toEqual does not look at an own property called __proto__.
  const sorted = (value: unknown): unknown =>
    JSON.stringify(value, (__, inner: unknown) =>
      typeof inner === 'object' && inner !== null && !Array.isArray(inner)
        ? Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1))
        : inner,
    );
  expect(sorted(result.data)).toBe(sorted(JSON.parse(text)));
});

it.each([
  ['no fingerprint', alert, ALERT.replace('fingerprint', 'finger')],
  ['a time that is none', silence, SILENCE.replace('2026-11-20T11:00:00.000Z', 'yesterday')],
  ['labels that are a list', alert, ALERT.replace(/"labels":\{"alertname[^}]*\}/, '"labels":["a"]')],
  ['labels that are null', alert, ALERT.replace(/"labels":\{"alertname[^}]*\}/, '"labels":null')],
  ['no fingerprint', alert, ALERT.replace('"fingerprint"', '"print"')],
  ['a matcher without isRegex', silence, SILENCE.replace('isRegex', 'regex')],
  ['a status of something else', status, '{"hello":1}'],
  ['a numeric label of a file', postableAlert, '{"labels":{"a":1}}'],
])('refuses %s, which violates the interface', (_, schema, text) => {
  expect(schema.safeParse(JSON.parse(text)).success).toBe(false);
});
