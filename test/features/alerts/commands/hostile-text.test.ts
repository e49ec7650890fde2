/** What others write into labels, annotations and comments must not steer a terminal, forge a line or hide. */
import { beforeAll, describe, expect, it } from 'vitest';
import { getJson, postAlerts, postSilence } from '../../../support/alertmanager.ts';
import type { WireAlert } from './fleet.ts';
import { printed, sharedService } from './service.ts';

const FORMATS = ['table', 'wide', 'json', 'ndjson', 'csv', 'tsv', 'yaml', 'id'] as const;
const TABULAR = ['table', 'wide', 'csv', 'tsv'];

/** What steers a terminal, forges lines or hides: line feeds apart, which end lines. */
const STEERING = /[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]/;

const HOSTILE = {
  color: '\x1b[31mred',
  title: '\x1b]0;pwn\x07',
  lines: 'one\ntwo\r\nthree',
  tab: 'a\tb',
  quotes: 'say "hi" \\ there',
  csi: '\x9b2J',
  bidi: '\u202egnp.exe\u2066',
  hidden: 'a\u200bb\ufeffc\u2028d',
  formula: '=cmd|calc',
  nul: 'x\x00\x7fy',
};

const service = sharedService();
const run = (...argv: string[]) => service.svc(argv);

describe('hostile text', () => {
  let id = '';
  let fingerprint = '';
  beforeAll(async () => {
    const labels = { alertname: 'Hostile\x1b[2J', ...HOSTILE };
    await postAlerts(service.url(), [{ labels, annotations: { ...HOSTILE, summary: '\x1b[1mbold\nforged line' } }]);
    const matchers = Object.entries(HOSTILE).map(([name, value]) => ({ name, value, isRegex: false }));
    const comment = Object.values(HOSTILE).join('|');
    id = await postSilence(service.url(), { matchers, createdBy: 'x\x1b[0m\ny', comment });
    const [alert] = await getJson<WireAlert[]>(service.url(), '/api/v2/alerts');
    fingerprint = alert?.fingerprint ?? '';
  });

  const LIST = ['alerts', 'list', '-a'];
  it.each<[string, () => string[], readonly string[]]>([
    ['alerts list', () => LIST, FORMATS],
    ['alerts list --columns', () => [...LIST, '--columns', 'label:lines,annotation:tab,label:title'], TABULAR],
    ['alerts get', () => ['alerts', 'get', fingerprint], FORMATS],
    ['alerts groups', () => ['alerts', 'groups', '-a'], FORMATS],
    ['silences list', () => ['silences', 'list', 'tab="a\tb"'], FORMATS],
    ['silences get', () => ['silences', 'get', id], FORMATS],
    ['silences update', () => ['silences', 'update', id, '-c', '\x1b[31mnew\nline'], FORMATS],
  ])('is escaped in every format of svc %s', async (_, argv, formats) => {
    for (const format of formats) {
      for (const options of [{}, { terminal: 80 }]) {
        const { code, stdout, stderr } = await service.svc([...argv(), '-o', format, '--color', 'never'], options);
        expect([format, code, stdout === '']).toEqual([format, 0, false]);
        expect(format === 'tsv' ? stdout.replaceAll('\t', '') : stdout).not.toMatch(STEERING);
        expect(stderr).not.toMatch(STEERING);
        expect(stdout).not.toMatch(/^(two|three|forged|line)/m);
      }
    }
  });

  it('in JSON is the text that the server has', async () => {
    const list = printed<WireAlert[]>(await run('alerts', 'list', '-a', '-o', 'json'));
    expect(list.map(({ labels }) => labels)).toEqual([{ alertname: 'Hostile\x1b[2J', ...HOSTILE }]);
    const silence = printed<{ matchers: { value: string }[] }>(await run('silences', 'get', id, '-o', 'json'));
    expect(silence.matchers.map(({ value }) => value)).toEqual(Object.values(HOSTILE));
  });
});
