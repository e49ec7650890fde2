/** What the acceptance tests of amtool and of the API do (test/cli and test/with_api_v2 of Alertmanager), done with svc. */
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { getJson, type RunningAlertmanager, startAlertmanager } from '../../support/alertmanager.ts';
import { ALERTMANAGER_RELEASES, alertmanagerBinary } from '../../support/peers.ts';
import { type RunOptions, svc } from '../../support/svc.ts';
import { printed } from './commands/service.ts';

interface Notification {
  readonly at: number;
  readonly status: string;
  readonly labels: Readonly<Record<string, string>>;
}

interface Alert {
  readonly labels: Readonly<Record<string, string>>;
  readonly status: { readonly state: string; readonly silencedBy: readonly string[] };
}

interface Silence {
  readonly id: string;
  readonly comment: string;
  readonly endsAt: string;
  readonly status: { readonly state: string };
  readonly matchers: readonly { readonly name: string; readonly value: string; readonly isRegex: boolean }[];
}

const release = ALERTMANAGER_RELEASES.findLast((one) => alertmanagerBinary(one) !== undefined);
const inSeconds = (seconds: number): string => new Date(Date.now() + seconds * 1000).toISOString();

describe.skipIf(release === undefined)(`Alertmanager ${release}`, () => {
  const received: Notification[] = [];
  const webhook = http.createServer(async (request, response) => {
    const { alerts } = JSON.parse(await text(request)) as { alerts: readonly Omit<Notification, 'at'>[] };
    received.push(...alerts.map(({ status, labels }) => ({ at: Date.now(), status, labels })));
    response.end();
  });
  let server: RunningAlertmanager;
  beforeAll(async () => {
    await once(webhook.listen(0, '127.0.0.1'), 'listening');
    const config = `
route: { receiver: default, group_by: [alertname], group_wait: 0s, group_interval: 1s, repeat_interval: 1h }
inhibit_rules:
  - { source_matchers: [severity="critical"], target_matchers: [severity="warning"], equal: [alertname] }
receivers:
  - name: default
    webhook_configs: [{ url: 'http://127.0.0.1:${(webhook.address() as AddressInfo).port}', send_resolved: true }]
`;
    server = await startAlertmanager({ release: release ?? '', config });
  });
  afterAll(async () => {
    await server.stop();
    webhook.close();
    webhook.closeAllConnections();
  });

  const run = (argv: readonly string[], options: RunOptions = {}) =>
    svc(argv, { ...options, env: { SVC_ALERTS_URL: server.url } });
  const ok = async (argv: readonly string[], options?: RunOptions) => {
    const done = await run(argv, options);
    expect(done.code, done.stderr).toBe(0);
    return done;
  };
  const names = async (...argv: string[]) =>
    printed<Alert[]>(await ok(['alerts', 'list', '-o', 'json', ...argv])).map(({ labels }) => labels['alertname']);
  const silences = async (...argv: string[]) =>
    printed<Silence[]>(await ok(['silences', 'list', '-o', 'json', ...argv]));
  const notified = (name: string) => received.filter(({ labels }) => labels['alertname'] === name);

  it('TestAmtoolVersion', async () => {
    expect((await ok(['--version'])).stdout).toMatch(/^\d+\.\d+\.\d+/);
  });

  it.concurrent('TestAddAlert: the receiver is notified, and again when it ends', async () => {
    await ok(['alerts', 'create', 'AddAlert', '--start', inSeconds(0), '--end', inSeconds(1)]);
    await vi.waitFor(() => expect(notified('AddAlert').at(-1)?.status).toBe('resolved'), { timeout: 10_000 });
    expect(notified('AddAlert').map(({ status }) => status)).toEqual(['firing', 'resolved']);
  });

  it('TestQueryAlert: by name, by matcher, and by a name that looks like a matcher', async () => {
    await ok(['alerts', 'create', 'test1', 'severity=warning', '--for', '5m']);
    await ok(['alerts', 'create', 'alertname=test2', 'severity=info', '--for', '5m']);
    await ok(['alerts', 'create', 'alertname="{alertname=test3}"', 'severity=info', '--for', '5m']);
    expect((await names('severity=~warning|info')).sort()).toEqual(['test1', 'test2', '{alertname=test3}']);
    expect(await names('test1')).toEqual(['test1']);
    expect(await names('alertname=test2')).toEqual(['test2']);
    expect(await names('alertname="{alertname=test3}"')).toEqual(['{alertname=test3}']);
  });

  it('TestQuerySilence: created by name or matcher, found the same way', async () => {
    const create = (...argv: string[]) => ok(['silences', 'create', ...argv, 'severity=warn', '--for', '1h']);
    await create('one', '-c', 'query 1');
    await create('alertname=two', '-c', 'query 2');
    await create('alertname="{alertname=three}"', '-c', 'query 3');
    const found = await silences('severity=warn');
    const values = Object.fromEntries(found.map(({ comment, matchers }) => [comment, matchers[0]?.value]));
    expect(values).toEqual({ 'query 1': 'one', 'query 2': 'two', 'query 3': '{alertname=three}' });
    expect((await silences('one')).map(({ comment }) => comment)).toEqual(['query 1']);
  });

  it('TestRoutesShow', async () => {
    expect((await ok(['alerts', 'routes'])).stdout).toMatch(/^default +default/m);
  });

  // amtool refuses braces; svc accepts a list of labels in braces everywhere.
  it('TestRoutesTest: the receiver; an unclosed list is refused', async () => {
    for (const labels of ['foo=bar', '{foo=bar}'])
      expect((await ok(['alerts', 'route', labels, '-q'])).stdout).toBe('default\n');
    expect(await run(['alerts', 'route', '{foo=bar'])).toMatchObject({ code: 2, stdout: '' });
  });

  it('TestSilenceImport: exported, expired, imported, and not imported twice', async () => {
    for (const value of ['import1', 'import2'])
      await ok(['silences', 'create', `alertname=${value}`, '--for', '1h', '-c', 'backup']);
    const { stdout: stdin } = await ok(['silences', 'export', '--comment', 'backup']);
    await ok(['silences', 'expire', '--comment', 'backup', '--yes']);
    expect(await silences('--comment', 'backup')).toEqual([]);
    const expired = await silences('--comment', 'backup', '--expired');
    expect(expired).toHaveLength(2);
    for (const { endsAt } of expired) expect(Date.parse(endsAt)).toBeLessThanOrEqual(Date.now());
    await ok(['silences', 'import', '-'], { stdin });
    await ok(['silences', 'import', '-'], { stdin });
    expect(await silences('--comment', 'backup')).toHaveLength(2);
  });

  const posted = (comment: string, startsAt = inSeconds(0), endsAt = inSeconds(3600)) => ({
    matchers: [{ name: 'alertname', value: comment, isRegex: false }],
    startsAt,
    endsAt,
    createdBy: 'test',
    comment,
  });

  it('TestSilenceImportInvalidJSON: nothing is sent', async () => {
    const done = await run(['silences', 'import', '-'], { stdin: '[{"broken": "json"' });
    expect(done).toMatchObject({ code: 2, stdout: '' });
  });

  it('TestSilenceImportInvalidSilence: times of the year 1', async () => {
    const zero = '0001-01-01T00:00:00.000Z';
    const done = await run(['silences', 'import', '-'], { stdin: JSON.stringify([posted('zero', zero, zero)]) });
    expect(done).toMatchObject({ code: 3 });
    expect(await silences('--comment', 'zero', '-a')).toEqual([]);
  });

  it('TestSilenceImportPartialFailure: two of five end before they begin', async () => {
    const swapped = (comment: string) => posted(comment, inSeconds(3600), inSeconds(0));
    const mixed = [posted('part 1'), swapped('part 2'), posted('part 3'), swapped('part 4'), posted('part 5')];
    const done = await run(['silences', 'import', '-'], { stdin: JSON.stringify(mixed) });
    expect(done).toMatchObject({ code: 10, stderr: '3 created, 2 invalid\n' });
    const comments = (await silences('-a')).map(({ comment }) => comment).filter((one) => one.startsWith('part'));
    expect(comments.sort()).toEqual(['part 1', 'part 3', 'part 5']);
  });

  it('TestAddUTF8Alerts', async () => {
    await ok(['alerts', 'create', 'utf8', '🙂=🐈', 'état.du.système=à', '--for', '5m']);
    const [alert] = printed<Alert[]>(await ok(['alerts', 'list', '🙂=🐈', '-o', 'json']));
    expect(alert?.labels).toEqual({ alertname: 'utf8', '🙂': '🐈', 'état.du.système': 'à' });
  });

  it('TestFilterAlertRequest, TestAlertGetReturnsCurrentAlertStatus', async () => {
    await ok(['alerts', 'create', 'status', 'severity=critical', '--for', '5m']);
    await ok(['alerts', 'create', 'status', 'severity=warning', '--for', '5m']);
    await vi.waitFor(async () => expect(await names('status', '--state', 'inhibited')).toEqual(['status']));
    expect(await names('status', 'severity=critical')).toEqual(['status']);
    const { stdout } = await ok(['silences', 'create', 'status', '--for', '1h', '-c', 'status', '-q']);
    const both = () => names('status', '--state', 'silenced');
    await vi.waitFor(async () => expect(await both()).toEqual(['status', 'status']));
    const [critical] = printed<Alert[]>(
      await ok(['alerts', 'list', '-a', 'status', 'severity=critical', '-o', 'json']),
    );
    expect(critical?.status).toMatchObject({ state: 'suppressed', silencedBy: [stdout.trim()] });
    await ok(['silences', 'expire', stdout.trim(), '--yes']);
    await vi.waitFor(async () => expect(await both()).toEqual([]));
  });

  it.concurrent('TestSilencing: no notification while the silence is active', async () => {
    const { stdout } = await ok(['silences', 'create', 'Quiet', '--for', '2s', '-c', 'quiet', '-q']);
    await ok(['alerts', 'create', 'Quiet', '--for', '5m']);
    await vi.waitFor(() => expect(notified('Quiet')).toHaveLength(1), { timeout: 10_000 });
    const { endsAt } = await getJson<Silence>(server.url, `/api/v2/silence/${stdout.trim()}`);
    expect(notified('Quiet')[0]?.at).toBeGreaterThanOrEqual(Date.parse(endsAt));
  });

  it('TestSilenceDelete: a silence of everything needs its option, and is then expired', async () => {
    const everything = ['silences', 'create', 'alertname=~.+', '--for', '1h', '-c', 'all', '-q', '--yes'];
    expect((await run(everything)).code).toBe(2);
    const { stdout } = await ok([...everything, '--all-alerts']);
    await ok(['silences', 'expire', stdout.trim(), '--yes']);
    const [silence] = await silences('--comment', 'all', '--expired');
    expect(silence?.status.state).toBe('expired');
  });
});
