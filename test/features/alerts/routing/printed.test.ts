/** The configuration that a server prints is read as any YAML would be. */
import { describe, expect, test } from 'vitest';
import { readRoutingConfig } from '../../../../src/features/alerts/routing/config.ts';
import { readPrinted } from '../../../../src/features/alerts/routing/printed.ts';
import { getJson, startAlertmanager } from '../../../support/alertmanager.ts';
import { ALERTMANAGER_RELEASES, alertmanagerBinary } from '../../../support/peers.ts';
import { IS_HARD } from '../../../support/turns.ts';
import { randomConfig, seededRandom } from './random-configs.ts';

const ROUNDS = IS_HARD ? 100 : 3;

describe.each(ALERTMANAGER_RELEASES.map((release) => ({ release })))('Alertmanager $release', ({ release }) => {
  test.skipIf(alertmanagerBinary(release) === undefined)('prints random trees', { timeout: 600_000 }, async () => {
    const random = seededRandom(20_261_124);
    for (let round = 0; round < ROUNDS; round++) {
      const server = await startAlertmanager({ release, config: `${randomConfig(random)}${INTEGRATIONS}` });
      const { config } = await getJson<{ config: { original: string } }>(server.url, '/api/v2/status');
      await server.stop();
      const read = await readPrinted(config.original, release);
      expect(read, config.original).toEqual((await readRoutingConfig(config.original, release)).config);
    }
  });
});

/** One more receiver, whose texts have several lines. */
const INTEGRATIONS = `
  - name: 'a: b'
    webhook_configs: [{ url: 'http://127.0.0.1:1/', send_resolved: false }]
    email_configs:
      - to: ops@example.org
        from: svc@example.org
        smarthost: 127.0.0.1:25
        html: "<p>\\n\\nroute:\\n- receiver: nobody\\n"
        text: '{{ range .Alerts }} a long text that is printed in several lines because it has more than eighty columns {{ end }}'
`;

const ROUTE = 'route:\n  receiver: ops\nreceivers:\n- name: ops\n';

describe('readPrinted', () => {
  test.each([
    ['receiver: ops', 'receiver: "ops"'],
    ['receiver: ops', "receiver: 'ops'"],
    ['receiver: ops', 'receiver: ops\n  routes:\n  - match:\n      yes_no: "yes"\n    continue: true\n  - {}'],
    [
      'receiver: ops',
      'receiver: ops\n  group_by: []\n  routes:\n  - matchers:\n    - \'{a="b: c"}\'\n    - "a=\\"\\\\\\"\\""',
    ],
  ])('%j as %j', async (from, to) => {
    const source = ROUTE.replace(from, to);
    expect(await readPrinted(source, '0.28.0')).toEqual((await readRoutingConfig(source, '0.28.0')).config);
  });

  test.each([
    'receiver: [ops]',
    'receiver: &a ops',
    'receiver: >-\n    ops',
    'receiver: ops # of nights',
    'receiver: o\n    ps',
    'receiver: "o\\x41ps"',
    'receiver: ops\n  receiver: ops',
    'receiver: ops\n  routes:\n  - receiver: ops\n     continue: true',
    'receiver: ops\n  group_by: alertname',
    'receiver: ops\n  unknown: a',
    'receiver: ops\n  routes:\n  - matchers:\n    - a="b"\n      c',
    'receiver: ops\n  routes:\n  -\n    receiver: ops',
    '<<: ops',
    'continue: true',
  ])('leaves %j to the general YAML reader', async (text) => {
    expect(await readPrinted(ROUTE.replace('receiver: ops', text), '0.28.0')).toBeUndefined();
  });

  test('leaves a receiver name on several lines to it, too', async () => {
    const source = ROUTE.replace('- name: ops', '- name: ops\n    and more');
    expect(await readPrinted(source, '0.28.0')).toBeUndefined();
  });

  test('leaves routes that are nested too deeply for the stack to it, too', async () => {
    const levels = Array.from(
      { length: 3000 },
      (_, depth) => `${'  '.repeat(depth + 1)}routes:\n${'  '.repeat(depth + 1)}- receiver: ops\n`,
    );
    expect(
      await readPrinted(`route:\n  receiver: ops\n${levels.join('')}receivers:\n- name: ops\n`, '0.28.0'),
    ).toBeUndefined();
  });
});
