import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SvcError } from '../../../src/errors.ts';
import type { Alertmanager } from '../../../src/features/alerts/api.ts';
import { closest, readKnownNames, suggestNames } from '../../../src/features/alerts/known-names.ts';
import { matcher } from '../../../src/features/alerts/matcher.ts';
import type { Alert, Status } from '../../../src/features/alerts/schema.ts';

const known = {
  labels: new Set(['alertname', 'severity', 'instance', 'dc']),
  alertNames: new Set(['DiskFull', 'HighErrorRate']),
};

/** The textbook table: every edit costs one, and no character takes part in two. */
function edits(a: string, b: string): number {
  const cost: number[][] = [];
  for (let i = 0; i <= a.length; i++) {
    const row: number[] = [];
    cost.push(row);
    for (let j = 0; j <= b.length; j++) {
      const at = (di: number, dj: number): number => (dj === 0 ? cost[i - di]?.[j] : cost[i - di]?.[j - dj]) ?? 0;
      if (i === 0 || j === 0) row.push(i + j);
      else {
        const swap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? at(2, 2) + 1 : 99;
        row.push(Math.min(at(1, 0) + 1, at(0, 1) + 1, at(1, 1) + (a[i - 1] === b[j - 1] ? 0 : 1), swap));
      }
    }
  }
  return cost[a.length]?.[b.length] ?? 0;
}

describe('suggestions', () => {
  test.each([
    [[matcher('sevrity', '=', 'critical')], ['unknown label sevrity: did you mean severity?']],
    [[matcher('severty', '!~', 'x')], ['unknown label severty: did you mean severity?']],
    [[matcher('alertname', '=', 'DiskFul')], ['unknown alert name DiskFul: did you mean DiskFull?']],
    [[matcher('alertname', '=', 'HighErorRate')], ['unknown alert name HighErorRate: did you mean HighErrorRate?']],
    [
      [matcher('alertnam', '=', 'DiskFul'), matcher('alertnam', '!=', 'x')],
      ['unknown label alertnam: did you mean alertname?'],
    ],
    [[matcher('alertname', '!=', 'DiskFul'), matcher('alertname', '=~', 'DiskFul')], []],
    [[matcher('severity', '=', 'critcal'), matcher('alertname', '=', 'DiskFull')], []],
    [[matcher('az', '=', 'x'), matcher('cluster', '=', 'x'), matcher('alertname', '=', '')], []],
  ])('%j: %j', (matchers, texts) => {
    expect(suggestNames(matchers, known)).toEqual(texts);
  });

  test('suggests the closest name within two edits, as the textbook algorithm does', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', 'C'), minLength: 3, maxLength: 7 });
    let [near, far] = [0, 0];
    fc.assert(
      fc.property(text, fc.array(text, { maxLength: 5 }), (given, names) => {
        const least = Math.min(...names.filter((name) => name !== given).map((name) => edits(given, name)));
        const found = closest(given, names);
        if (least > 2) {
          far++;
          expect(found).toBeUndefined();
        } else {
          near++;
          expect(found).toBe(names.find((name) => edits(given, name) === least));
        }
      }),
      { numRuns: 2000 },
    );
    expect(Math.min(near, far)).toBeGreaterThan(100);
  });
});

const CONFIGURATION = `
route:
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
    const { labels, alertNames } = await readKnownNames(server(CONFIGURATION));
    expect([...labels].sort()).toEqual('alertname cluster datacenter host job service severity team zone'.split(' '));
    expect([...alertNames].sort()).toEqual(['DiskFull', 'HostDown', 'NodeDown', 'QueueFull', 'Watchdog']);
  });

  test('use only alerts if the rest cannot be read', async () => {
    const refused = new SvcError('refused', 'multiple matcher sets');
    const bomb = ['a: &a [x, x, x]', ...[...'bcdefgh'].map((c, i) => `${c}: &${c} [${`*${'abcdefg'[i]},`.repeat(9)}]`)];
    for (const configuration of [refused, ': [', '', bomb.join('\n')]) {
      const { alertNames } = await readKnownNames(server(configuration));
      expect([...alertNames]).toEqual(['DiskFull']);
    }
  });

  test('stop reading after a signal', async () => {
    await expect(readKnownNames(server(new SvcError('interrupted', 'interrupted')))).rejects.toThrow('interrupted');
  });
});
