/** The fields of the responses of document 1: none that svc does not show in a table of all columns. */
import { expect, it } from 'vitest';
import { answer, faultServer } from '../../../support/servers.ts';
import { svc } from '../../../support/svc.ts';

const ID = '2f1ac0de-0000-4000-8000-000000000001';
/** Each field has a value that nothing else has. */
const SILENCE = {
  id: ID,
  matchers: [
    { name: 'm-name', value: 'm-value', isRegex: false, isEqual: true },
    { name: 'job', value: 'r.+', isRegex: true, isEqual: false },
  ],
  startsAt: '2026-01-01T00:00:00.000Z',
  endsAt: '2126-01-02T00:00:00.000Z',
  updatedAt: '2026-01-03T00:00:00.000Z',
  createdBy: 's-author',
  comment: 's-comment',
  status: { state: 'active' },
};
const ALERT = {
  labels: { alertname: 'a-name', zone: 'a-zone' },
  annotations: { summary: 'a-summary' },
  generatorURL: 'http://a-generator/',
  receivers: [{ name: 'a-receiver' }, { name: 'b-receiver' }],
  fingerprint: 'abcdef0123456789',
  startsAt: '2026-02-01T00:00:00.000Z',
  updatedAt: '2026-02-02T00:00:00.000Z',
  endsAt: '2026-02-03T00:00:00.000Z',
  status: { state: 'suppressed', silencedBy: [ID], inhibitedBy: ['fedcba9876543210'] },
};
const STATUS = {
  cluster: { name: 'c-name', status: 'ready', peers: [{ name: 'p-name', address: 'p-address:9094' }] },
  versionInfo: {
    version: 'v-version',
    revision: 'v-revision',
    branch: 'v-branch',
    buildUser: 'v-user',
    buildDate: 'v-date',
    goVersion: 'v-go',
  },
  config: { original: '' },
  uptime: '2026-03-01T00:00:00.000Z',
};

const GROUP = { labels: { team: 'g-team' }, receiver: { name: 'g-receiver' } };

/** A table of groups has of their alerts only the ids. */
const SHOWN: readonly (readonly [line: string, response: unknown, shown: unknown])[] = [
  ['alerts receivers', [{ name: 'r-name' }], ['r-name']],
  ['silences list', [SILENCE], SILENCE],
  [`silences get ${ID}`, SILENCE, SILENCE],
  ['alerts list -a', [ALERT], ALERT],
  [`alerts get ${ALERT.fingerprint}`, [ALERT], ALERT],
  ['alerts groups -a', [{ ...GROUP, alerts: [ALERT] }], { ...GROUP, id: ALERT.fingerprint }],
  ['alerts status', STATUS, STATUS],
];

/** All texts in a value, as a table shows them. */
function texts(value: unknown): string[] {
  if (typeof value === 'string') return [value === 'suppressed' ? 'silenced,inhibited' : value];
  if (typeof value !== 'object' || value === null) return [];
  if ('isRegex' in value && value.isRegex === true) return ['job!~"r.+"'];
  return Object.values(value).flatMap(texts);
}

it.each(SHOWN)('svc %s shows every field of the response', async (line, response, shown) => {
  await using server = await faultServer((socket, { path }) => {
    socket.write(answer(200, JSON.stringify(path.includes('/silence/') ? SILENCE : response)));
  });
  const { code, stdout, stderr } = await svc([...line.split(' '), '-o', 'wide', '--base-url', server.url]);
  expect(code, stderr).toBe(0);
  for (const text of texts(shown)) expect(stdout).toContain(text);
});
