/** The tasks of an operator, each as one line that the reference gives, in order: on the newest Alertmanager that is there. */
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { startAlertmanagerEmulator } from '../../../src/sandbox/alerts/server.ts';
import {
  getJson,
  postAlerts,
  postSilence,
  type RunningAlertmanager,
  startAlertmanager,
} from '../../support/alertmanager.ts';
import { Authority } from '../../support/certificates.ts';
import { ALERTMANAGER_RELEASES, alertmanagerBinary } from '../../support/peers.ts';
import type { RunOptions } from '../../support/svc.ts';
import { recorded, type ServiceRun } from './commands/service.ts';

const CONFIG = `
route:
  receiver: ops
  group_by: [alertname]
  group_wait: 0s
  routes:
    - { matchers: [severity="critical"], receiver: pager, continue: true }
    - { matchers: [team="db"], receiver: team-db }
inhibit_rules:
  - { source_matchers: [severity="critical"], target_matchers: [severity="warning"], equal: [alertname] }
receivers: [{ name: ops }, { name: pager }, { name: team-db }]
`;
const minutesAgo = (minutes: number): string => new Date(Date.now() - minutes * 60_000).toISOString();
const inHours = (hours: number): string => new Date(Date.now() + hours * 3_600_000).toISOString();

const REPLICA = { alertname: 'ReplicaLag', team: 'db', cluster: 'eu-1', instance: 'db-1:9100' };
const ALERTS = [
  { labels: { ...REPLICA, severity: 'critical' }, startsAt: minutesAgo(30) },
  { labels: { ...REPLICA, severity: 'warning' }, startsAt: minutesAgo(120) },
  {
    labels: { alertname: 'DiskFull', team: 'db', severity: 'warning', instance: 'node-07:9100', mountpoint: '/data' },
    annotations: { runbook_url: 'https://runbooks.example/disk' },
    startsAt: minutesAgo(90),
  },
  {
    labels: { alertname: 'HighLatency', team: 'web', severity: 'info', instance: 'web-1:9100' },
    startsAt: minutesAgo(5),
  },
  {
    labels: { alertname: 'CertExpiry', team: 'web', severity: 'warning', instance: 'web-2:9100' },
    startsAt: minutesAgo(9),
  },
  { labels: { alertname: 'Watchdog', severity: 'none' }, startsAt: minutesAgo(600) },
];

const release = ALERTMANAGER_RELEASES.findLast((one) => alertmanagerBinary(one) !== undefined);

describe.skipIf(release === undefined)(`Alertmanager ${release}`, () => {
  let server: RunningAlertmanager;
  let secured: RunningAlertmanager;
  let other: Awaited<ReturnType<typeof startAlertmanagerEmulator>>;
  let authority: Authority;
  /** Has `alerts.test` where the server is. */
  const proxy = http.createServer((request, response) => {
    const { pathname, search } = new URL(request.url ?? '');
    const { method, headers } = request;
    const onward = http.request(`${server.url}${pathname}${search}`, { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 0, answer.headers);
      answer.pipe(response);
    });
    request.pipe(onward);
  });
  const names = new Map<string, string>();
  const service = recorded(() => server.url);
  beforeAll(async () => {
    server = await startAlertmanager({ release: release ?? '', config: CONFIG });
    other = await startAlertmanagerEmulator({ now: Date.now });
    names.set('server', service.address()).set('other', other.url);
    await once(proxy.listen(0, '127.0.0.1'), 'listening');
    names.set('proxy', `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`);
    await postAlerts(server.url, ALERTS);
    const silenced = [{ name: 'alertname', value: 'CertExpiry', isRegex: false }];
    const ends = { endsAt: inHours(4) };
    names.set(
      'CHG-1',
      await postSilence(server.url, { matchers: silenced, createdBy: 'root', comment: 'CHG-1', ...ends }),
    );
    await startSecured();
    await vi.waitFor(async () => {
      const alerts = await getJson<
        { fingerprint: string; labels: Record<string, string>; status: { state: string } }[]
      >(server.url, '/api/v2/alerts');
      expect(alerts.filter(({ status }) => status.state === 'suppressed')).toHaveLength(2);
      for (const { fingerprint, labels } of alerts)
        names.set(`${labels['alertname']}/${labels['severity']}`, fingerprint);
    });
  });
  afterAll(async () => {
    await Promise.all([server.stop(), other.close(), secured.stop()]);
    proxy.close();
    proxy.closeAllConnections();
    authority.remove();
  });

  /** A server that wants a certificate of its clients. */
  async function startSecured(): Promise<void> {
    authority = new Authority();
    const pair = authority.sign('IP:127.0.0.1');
    for (const [name, text] of Object.entries(pair)) {
      names.set(name, join(authority.directory, `client.${name}`));
      writeFileSync(names.get(name) ?? '', text, { mode: 0o600 });
    }
    names.set('ca', authority.file).set('amtool', join(authority.directory, 'amtool.yml'));
    const [token, http] = [join(authority.directory, 'token'), join(authority.directory, 'http.yml')];
    writeFileSync(token, 'token-2\n', { mode: 0o600 });
    writeFileSync(http, `authorization: { credentials_file: ${token} }\n`);
    const settings = `alertmanager.url: ${names.get('server')}\nauthor: ann\nhttp.config.file: ${http}\n`;
    writeFileSync(names.get('amtool') ?? '', settings);
    const files = `{ cert_file: ${names.get('cert')}, key_file: ${names.get('key')}, client_ca_file: ${authority.file}`;
    const webConfig = `tls_server_config: ${files}, client_auth_type: RequireAndVerifyClientCert }`;
    secured = await startAlertmanager({ release: release ?? '', webConfig });
    names.set('mtls', secured.url);
  }

  /** `{DiskFull/warning}` is the fingerprint of an alert, `{CHG-1}` the id of a silence, `{other}` another server. */
  const filled = (text: string): string => text.replace(/\{([^{}]+)\}/g, (whole, name) => names.get(name) ?? whole);
  const run = (line: string | readonly string[], options: RunOptions = {}): Promise<ServiceRun> =>
    service.svc((typeof line === 'string' ? line.split(' ') : line).map(filled), {
      ...options,
      env: {
        SVC_ALERTS_AUTHOR: 'me',
        ...Object.fromEntries(Object.entries(options.env ?? {}).map(([name, value = '']) => [name, filled(value)])),
      },
    });

  interface Task {
    readonly line: string | readonly string[];
    readonly code?: number;
    readonly out?: RegExp | string;
    readonly err?: RegExp;
    /** Its output is the id of this silence. */
    readonly makes?: string;
    /** Standard input is what this line prints. */
    readonly from?: string;
    readonly stdin?: string;
    readonly onStdout?: RunOptions['onStdout'];
    readonly sleeps?: true;
    readonly env?: Record<string, string>;
    /** Headers of its requests. */
    readonly headers?: Record<string, string>;
  }

  const TASKS: Record<string, readonly Task[]> = {
    '1 what fires, worst first': [
      { line: 'alerts list', out: /ReplicaLag[\s\S]*DiskFull[\s\S]*HighLatency[\s\S]*Watchdog/ },
      { line: 'alerts list --columns severity --no-headers', out: 'critical\nwarning\ninfo\nnone\n' },
    ],
    '2 newest first, and the oldest two': [
      { line: 'alerts list --sort -since --columns alertname --no-headers', out: /^HighLatency\n/ },
      { line: 'alerts list --sort since --limit 2 --columns alertname --no-headers', out: /^Watchdog\nDiskFull\n/ },
    ],
    '3 critical, neither silenced nor inhibited': [{ line: 'alerts list severity=critical', out: /ReplicaLag/ }],
    '4 receivers of a live alert': [
      { line: 'alerts list ReplicaLag --columns alertname,receivers', out: /ReplicaLag +pager team-db/ },
    ],
    '5 who would get an alert': [
      { line: 'alerts route team=db severity=critical -q', out: 'pager\nteam-db\n' },
      { line: 'alerts route team=web --expect ops', out: /ops/ },
    ],
    '6 all that pages': [{ line: 'alerts list -r pager --columns alertname --no-headers', out: 'ReplicaLag\n' }],
    '7 by team and severity': [{ line: 'alerts list -a --group-by team --group-by severity', out: /db +warning +2/ }],
    '8 top alert names': [{ line: 'alerts list -a --group-by alertname', out: /ReplicaLag +2/ }],
    '9 silence a host for two hours': [
      { line: 'silences create instance=node-07:9100 -d 2h -c CHG-1042', out: /CHG-1042/, err: /mutes 1 active alert/ },
    ],
    '10 a line of amtool': [
      { line: 'silence add alertname=~Disk.* -d 1h -c paste -a me -q', out: /^[0-9a-f-]{36}\n$/, makes: 'paste' },
    ],
    '11 silence alerts like this one, on any instance': [
      {
        line: 'silences create --from-alert {DiskFull/warning} --drop instance --drop mountpoint -c like --dry-run',
        out: /"alertname"[\s\S]*"DiskFull"/,
      },
    ],
    '12 acknowledge two alerts': [
      {
        line: 'silences ack {HighLatency/info} {ReplicaLag/critical} -c looking',
        out: /HighL[\s\S]*ACK! looking[\s\S]*ReplicaL/,
      },
    ],
    '13 keep acknowledgements alive': [{ line: 'silences extend --comment ACK! --until 30m', out: /extended/ }],
    '14 maintenance at night': [
      {
        line: 'silences create team=db --from 2036-11-23T02:00:00+01:00 --until 2036-11-23T04:00:00+01:00 -c night -q',
        makes: 'night',
      },
      { line: 'silences get {night}', out: /STATE +pending/ },
      {
        line: 'silences create team=db --tz Europe/Berlin -c berlin --dry-run --from'
          .split(' ')
          .concat('tomorrow 02:00'),
        out: /"startsAt": "[^"]+T0[01]:00/,
      },
    ],
    '15 about to expire': [
      { line: 'silences list --within 8h', out: /CHG-1$/m },
      { line: 'silences check --expiring-within 8h --comment CHG-1', code: 1, out: /CHG-1$/m },
    ],
    '16 who silenced what': [
      {
        line: ['silences', 'list', '-a', '--created-by', '~^r', '--columns', 'created-by,comment'],
        out: /root +CHG-1$/m,
      },
    ],
    '17 expire by the number of a change': [{ line: 'silences expire --comment CHG-1042 --yes', out: /expired/ }],
    '18 unused silences': [
      { line: 'silences create team=nobody -d 1h -c unused -q', makes: 'unused' },
      { line: 'silences list --unused', out: /unused/ },
      { line: 'silences expire --unused --yes', out: /expired/ },
    ],
    '19 extend all of a change': [{ line: 'silences extend --comment CHG-1 --for 1h --yes', out: /extended.*CHG-1$/m }],
    '20 copy silences to another cluster': [
      { line: 'silences import - --base-url {other}', from: 'silences export', out: /created/ },
      { line: 'silences import - --base-url {other}', from: 'silences export', out: /unchanged/ },
    ],
    '21 deploy gate': [{ line: 'alerts check severity=critical -a', code: 1, out: /ReplicaLag/ }],
    '22 gate of two severities and a receiver': [
      { line: ['alerts', 'check', 'severity=~critical|warning', '-r', 'pager', '-a'], code: 1, out: /ReplicaLag/ },
    ],
    "23 dead man's switch": [
      { line: 'alerts check Watchdog --expect' },
      { line: 'alerts check Nightwatch --expect', code: 1 },
    ],
    '24 silence while a deployment runs': [
      {
        line: ['silences', 'run', 'team=db', '-c', 'deploy', '--', process.execPath, '-e', 'process.exit(3)'],
        code: 3,
      },
      { line: 'silences list --expired --comment deploy', out: /deploy/ },
    ],
    '25 nightly, without duplicates': [
      { line: 'silences create team=web -d 1h -c nightly --ensure -q', makes: 'nightly' },
      { line: 'silences create team=web -d 1h -c nightly --ensure -q', out: '{nightly}\n' },
    ],
    '27 contexts': [
      { line: 'config set alerts.url {other} --profile copy' },
      { line: 'silences list --profile copy', env: { SVC_ALERTS_URL: '' }, out: /CHG-1$/m },
    ],
    '26 several servers at once': [
      { line: 'config set alerts.url {server} --profile here' },
      {
        line: 'alerts list Watchdog --profile here --profile copy',
        env: { SVC_ALERTS_URL: '' },
        out: /^CLUSTER[\s\S]*^here .*Watchdog/m,
      },
    ],
    '28 JSON for a chat message': [{ line: 'alerts list Watchdog -o json', out: /"alertname": ?"Watchdog"/ }],
    '29 TSV of own columns': [
      {
        line: 'alerts list -a DiskFull --columns alertname,label:instance,annotation:runbook_url -o tsv --no-headers',
        out: 'DiskFull\tnode-07:9100\thttps://runbooks.example/disk\n',
      },
    ],
    '30 as a check of Nagios': [{ line: 'alerts check Watchdog', code: 1 }],
    '31 a test alert, resolved': [
      { line: 'alerts create TestAlert severity=info' },
      { line: 'alerts resolve TestAlert --yes', out: /TestAlert/ },
    ],
    '32 what mutes this alert': [{ line: 'alerts get {CertExpiry/warning}', out: /root[\s\S]*CHG-1/ }],
    '33 the silences of these alerts': [{ line: 'silences list --for-alert alertname=CertExpiry', out: /CHG-1$/m }],
    '34 follow the changes in a pipe': [
      { line: 'alerts list --watch', out: /^\{"event":"added","at":"[^"]+","alert":\{/, onStdout: () => 'closed' },
    ],
    '35 the running configuration': [{ line: 'alerts status --config', out: /receiver: ops/ }],
    '36 a regular expression of two hosts': [
      { line: ['alerts', 'list', '-a', 'instance=~db-1:9100|node-07:9100', '-q'], out: /^(\w+\n){3}$/ },
    ],
    '37 a parameter of a newer server': [
      { line: 'api alerts GET /alerts -p receiver_matchers=name=~p.*', out: /alertname/ },
    ],
    '38 silence a data center': [{ line: 'silences create cluster=eu-1 -d 4h -c DC --yes -q', makes: 'DC' }],
    '39 the tenant of Mimir': [
      { line: ['alerts', 'list', '--header', 'X-Scope-OrgID: one'], headers: { 'x-scope-orgid': 'one' } },
      { line: 'config set alerts.url {server} --profile mimir' },
      { line: ['config', 'set', 'alerts.headers', 'X-Scope-OrgID: two', '--profile', 'mimir'] },
      { line: 'alerts list --profile mimir', env: { SVC_ALERTS_URL: '' }, headers: { 'x-scope-orgid': 'two' } },
    ],
    '40 a recurring window': [
      { line: 'silences create team=db --for 2h -c backup --ensure -q', makes: 'backup' },
      { line: 'silences create team=db --for 2h -c backup --ensure -q', out: /^[0-9a-f-]{36}\n$/ },
    ],
    '42 CSV, YAML and NDJSON': [
      { line: 'alerts list Watchdog -o csv', out: /,Watchdog,/ },
      { line: 'alerts list Watchdog -o yaml', out: /alertname: Watchdog/ },
      { line: 'alerts list Watchdog -o ndjson', out: /^\{.*"Watchdog".*\}\n$/ },
    ],
    '43 for an hour': [{ line: 'alerts list -a --older-than 1h -q', out: /^(\w+\n){3}$/ }],
    '44 alerts without a team': [{ line: 'alerts list team= --columns alertname --no-headers', out: 'Watchdog\n' }],
    '45 runbooks': [
      { line: 'alerts list -a DiskFull --columns alertname,annotation:runbook_url', out: /runbooks\.example/ },
    ],
    '47 hand a silence over': [
      { line: ['silences', 'update', '{CHG-1}', '--author', 'alice', '--comment', 'CHG-1 for alice', '--yes'] },
      { line: 'silences list --created-by alice', out: /for alice/ },
    ],
    '48 mine': [{ line: 'silences list --created-by me', out: /nightly/ }],
    '49 expire several, one id wrong': [
      {
        line: 'silences expire {nightly} 00000000-0000-4000-8000-000000000000 --yes',
        code: 10,
        out: /expired[\s\S]*not.found/,
      },
    ],
    '50 mTLS': [
      { line: 'alerts list --base-url {mtls} --cacert {ca} --cert {cert} --key {key}', err: /no active alerts/ },
      { line: 'alerts list --base-url {mtls} --cacert {ca}', code: 7, err: /requires a client certificate/ },
      { line: 'alerts list --base-url {mtls} --cacert {ca} --cert {cert}', code: 2, err: /--key/ },
    ],
    '51 basic authentication': [
      {
        line: 'alerts list',
        env: { SVC_ALERTS_USER: 'operator', SVC_ALERTS_PASSWORD: 'secret' },
        headers: { authorization: `Basic ${btoa('operator:secret')}` },
      },
    ],
    '52 the bearer token of a command': [
      { line: 'config set alerts.url {server} --profile vault' },
      { line: ['config', 'set', 'alerts.tokenCommand', '["echo", "token-1"]', '--profile', 'vault'] },
      {
        line: 'alerts list --profile vault',
        sleeps: true, // the program has ten seconds
        env: { SVC_ALERTS_URL: '' },
        headers: { authorization: 'Bearer token-1' },
      },
    ],
    "53 amtool's configuration": [
      { line: 'config import amtool {amtool} --profile amtool', out: /alerts\.url/ },
      {
        line: 'alerts list --profile amtool',
        env: { SVC_ALERTS_URL: '' },
        headers: { authorization: 'Bearer token-2' },
      },
    ],
    '54 proxy': [
      {
        line: 'alerts list Watchdog --base-url http://alerts.test',
        env: { http_proxy: '{proxy}' },
        out: /Watchdog/,
      },
    ],
    '55 a test alert to all members of an HA cluster': [
      { line: 'config set alerts.urls {server},{other} --profile ha' },
      { line: 'alerts create HaTest --profile ha', env: { SVC_ALERTS_URL: '' } },
      { line: 'alerts check HaTest --min 1 --max 1' },
      { line: 'alerts check HaTest --min 1 --max 1 --base-url {other}' },
    ],
    '56 what is wrong here': [{ line: 'doctor alerts' }],
    '57 the longest silence allowed': [{ line: 'silences create team=db -d 90d -c long', code: 2, err: /24h/ }],
  };

  it.each(Object.entries(TASKS))('%s', async (_, tasks) => {
    for (const { line, code = 0, out, err, makes, from, stdin, sleeps, onStdout, env = {}, headers } of tasks) {
      const input = from === undefined ? stdin && { stdin: filled(stdin) } : { stdin: (await run(from)).stdout };
      const done = await run(line, { env, ...input, ...(sleeps && { sleeps }), ...(onStdout && { onStdout }) });
      expect(done.code, done.stderr).toBe(code);
      if (typeof out === 'string') expect(done.stdout).toBe(filled(out));
      else if (out !== undefined) expect(done.stdout).toMatch(out);
      if (err !== undefined) expect(done.stderr).toMatch(err);
      if (headers !== undefined) expect(done.sent[0]?.headers).toMatchObject(headers);
      if (makes !== undefined) names.set(makes, done.stdout.trim());
    }
  });
});
