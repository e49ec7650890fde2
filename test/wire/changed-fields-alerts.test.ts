import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { fieldsOf, type Recording, visitFields } from './changed-fields.ts';

const recorded = (name: string): unknown =>
  JSON.parse(readFileSync(new URL(`alerts/${name}.json`, import.meta.url), 'utf8'));

const ID = '2f1ac0de-1111-4222-8333-444455556666';

const ALERT = ['labels', 'fingerprint', 'status', 'status.state'];
const SILENCE = ['id', 'status', 'status.state', 'startsAt', 'endsAt'];
const MATCHER = ['name', 'value', 'isRegex'];

const all = <N extends 'left out' | 'refused'>(need: N, prefix: string, names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [`${prefix}${name}`, need]));

const RECORDINGS: readonly Recording[] = [
  {
    request: 'GET /api/v2/alerts',
    body: [...(recorded('alerts-0.25') as unknown[]), ...(recorded('alerts-0.33') as unknown[])],
    argv: ['alerts', 'list', '-a'],
    // One that cannot be read may be the third.
    gate: ['alerts', 'check', '-a', '--min', '3', '--max', '3'],
    needed: all('left out', '*.', ALERT),
  },
  {
    request: 'GET /api/v2/alerts/groups',
    body: recorded('groups-0.25'),
    argv: ['alerts', 'groups'],
    needed: {
      ...all('left out', '*.', ['alerts', 'receiver', 'receiver.name']),
      ...all('left out', '*.alerts.*.', ALERT),
    },
  },
  {
    request: 'GET /api/v2/receivers',
    body: [...(recorded('receivers-0.33') as unknown[]), ...(recorded('receivers-0.25') as unknown[])],
    argv: ['alerts', 'receivers'],
    needed: { '*.name': 'left out' },
  },
  {
    request: 'GET /api/v2/silences',
    body: recorded('silences-0.25'),
    argv: ['silences', 'list', '-a'],
    needed: { ...all('left out', '*.', SILENCE), ...all('left out', '*.matchers.*.', MATCHER) },
  },
  {
    request: `GET /api/v2/silence/${ID}`,
    body: recorded('silence-0.32'),
    argv: ['silences', 'get', ID],
    needed: { ...all('refused', '', SILENCE), ...all('refused', 'matchers.*.', MATCHER) },
  },
  { request: 'GET /api/v2/status', body: recorded('status-ready-0.28'), argv: ['alerts', 'status'] },
  {
    request: 'POST /api/v2/silences',
    body: recorded('posted-silence-0.25'),
    argv: ['silences', 'create', 'alertname=NodeDown', '-c', 'x', '--author', 'me'],
    others: { 'GET /api/v2/alerts': [] },
    needed: { silenceID: 'refused' },
  },
];

it.each(RECORDINGS.map((one) => [one.request, one] as const))(
  'each field of the response to %s is read, or named if svc needs it',
  async (_name, recording) => {
    const { fields } = await visitFields(recording);
    expect(fields).toBe(fieldsOf(recording.body).size);
  },
);
