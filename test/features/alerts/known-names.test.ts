import { describe, expect, test } from 'vitest';
import { SvcError } from '../../../src/errors.ts';
import type { Alertmanager } from '../../../src/features/alerts/api.ts';
import { readKnownNames, suggestNames } from '../../../src/features/alerts/known-names.ts';
import { matcher } from '../../../src/features/alerts/matcher.ts';
import type { Alert, Status } from '../../../src/features/alerts/schema.ts';

const known = new Map([
  ['alertname', new Set(['DiskFull', 'HighErrorRate'])],
  ['severity', new Set(['critical'])],
  ['instance', new Set(['web-1'])],
  ['dc', new Set<string>()],
]);

describe('suggestions', () => {
  test.each([
    [[matcher('sevrity', '=', 'critical')], ['unknown label sevrity: did you mean severity?']],
    [[matcher('alertname', '=', 'critical')], ['no alert is named critical: did you mean severity=critical?']],
    [[matcher('severty', '!~', 'x')], ['unknown label severty: did you mean severity?']],
    [[matcher('alertname', '=', 'DiskFul')], ['unknown alert name DiskFul: did you mean DiskFull?']],
    [[matcher('alertname', '=', 'HighErorRate')], ['unknown alert name HighErorRate: did you mean HighErrorRate?']],
    [
      [matcher('alertnam', '=', 'DiskFul'), matcher('alertnam', '!=', 'x')],
      ['unknown label alertnam: did you mean alertname?'],
    ],
    [[matcher('alertname', '!=', 'DiskFul'), matcher('alertname', '=~', 'DiskFul')], []],
    [
      [matcher('severity', '=', 'ciritcal'), matcher('alertname', '=', 'DiskFull')],
      ['unknown severity ciritcal: did you mean critical?'],
    ],
    [[matcher('severity', '=', 'warning'), matcher('severity', '!=', 'critcal')], []],
    [[matcher('instance', '=', 'web-2')], []],
    [[matcher('az', '=', 'x'), matcher('cluster', '=', 'x'), matcher('alertname', '=', '')], []],
  ])('%j: %j', (matchers, texts) => {
    expect(suggestNames(matchers, known)).toEqual(texts);
  });
});

const CONFIGURATION = `
route:
  receiver: pager
  group_by: [alertname, cluster]
  routes:
    - matchers: [team="db", 'severity=~"critical|warning"', '{zone!="a", alertname="Watchdog"}']
      group_by: ['...']
    - match: { service: checkout, alertname: QueueFull }
      match_re: { job: 'node.*' }
inhibit_rules:
  - source_matchers: ['alertname = HostDown']
    target_match: { alertname: NodeDown }
    equal: [datacenter]
receivers: [{ name: pager, webhook_configs: [{ url: 'http://127.0.0.1/?key=value' }] }]
`;

function server(configuration: string | SvcError) {
  async function* alerts(): AsyncGenerator<Alert> {
    yield { labels: { alertname: 'DiskFull', host: 'a' } } as unknown as Alert;
  }
  return {
    alerts,
    status: async () => {
      if (configuration instanceof SvcError) throw configuration;
      return { config: { original: configuration } } as Status;
    },
  } satisfies Pick<Alertmanager, 'alerts' | 'status'>;
}

describe('known names', () => {
  test('come from alerts, routes and inhibition rules', async () => {
    const names = await readKnownNames(server(CONFIGURATION));
    expect([...names.keys()].sort()).toEqual(
      'alertname cluster datacenter host job service severity team zone'.split(' '),
    );
    expect([...(names.get('alertname') ?? [])].sort()).toEqual([
      'DiskFull',
      'HostDown',
      'NodeDown',
      'QueueFull',
      'Watchdog',
    ]);
  });

  test('use only alerts if the rest cannot be read', async () => {
    const refused = new SvcError('refused', 'multiple matcher sets');
    const bomb = ['a: &a [x, x, x]', ...[...'bcdefgh'].map((c, i) => `${c}: &${c} [${`*${'abcdefg'[i]},`.repeat(9)}]`)];
    for (const configuration of [refused, ': [', '', bomb.join('\n')]) {
      const names = await readKnownNames(server(configuration));
      expect(names.get('alertname')).toEqual(new Set(['DiskFull']));
    }
  });

  test('stop reading after a signal', async () => {
    await expect(readKnownNames(server(new SvcError('interrupted', 'interrupted')))).rejects.toThrow('interrupted');
  });
});
