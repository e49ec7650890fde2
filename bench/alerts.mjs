// The start of svc, and reads of alerts from a server that replays the same bytes, so that only the client is measured.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder, startService } from './measure.mjs';
import { compareLines, loadOf } from './programs.mjs';
import { timeRow } from './table.mjs';

const STARTS = [
  { work: '`svc --version`', line: '--version', goals: { node: 1.1, otherNode: 1.1, executable: 0.5 } },
  { work: '`svc --help`', line: '--help', goals: { node: 1.2, otherNode: 1.2, executable: 0.5 } },
  { work: '`svc alerts --help`', line: 'alerts --help', goals: { node: 1.2, otherNode: 1.2, executable: 0.5 } },
  {
    work: 'completion at a tab',
    line: '__complete matching= alerts get',
    goals: { node: 1.6, otherNode: 1.5, executable: 0.6 },
  },
];

const MODULES_REASON =
  'loading commander and undici takes most of the time. Less would need our own parser and HTTP client.';

export async function measureStarts(bench) {
  const rows = [];
  for (const { work, line, goals } of STARTS) {
    rows.push(timeRow(bench, await compareLines(bench, { svc: line }), { work, goals }));
  }
  return rows;
}

export async function measureAlerts(bench) {
  const server = await startReplay();
  try {
    return [
      ...(await measureOneAlert(bench, server.url)),
      await measureRoute(bench, server.url),
      await measureClusters(bench, server.url),
    ];
  } finally {
    server.close();
  }
}

async function measureOneAlert(bench, url) {
  const base = `--base-url ${url}/1`;
  const json = await compareLines(
    bench,
    { svc: `alerts list -o json ${base}` },
    { peers: { amtool: `--alertmanager.url=${url}/1 alert query -o json`, curl: `-sf ${url}/1/api/v2/alerts` } },
  );
  const table = await compareLines(bench, { svc: `alerts list ${base}` });
  const jsonWork = '`alerts list -o json` of one alert';
  return [
    timeRow(bench, json, {
      work: jsonWork,
      goals: { node: 3.2, otherNode: 2.6, executable: 1.15 },
      reason: MODULES_REASON,
    }),
    timeRow(bench, json, { work: jsonWork, base: 'amtool', goals: { executable: 1.6 }, reason: MODULES_REASON }),
    timeRow(bench, table, { work: '`alerts list` of one alert, a table' }),
  ];
}

async function measureRoute(bench, url) {
  const base = `--base-url ${url}/1`;
  const samples = await compareLines(bench, {
    list: `alerts list ${base}`,
    route: `alerts route service=s400 severity=warning ${base}`,
  });
  return timeRow(bench, samples, {
    work: '`alerts route` in 500 routes',
    line: 'route',
    base: 'list',
    against: '`alerts list` of one alert',
    goals: { node: 1.5, otherNode: 1.5, executable: 1.5 },
    reason: 'svc reads and checks the running configuration like any other YAML file, with the yaml library and zod.',
  });
}

async function measureClusters(bench, url) {
  const folder = makeFolder('clusters');
  const addresses = { one: `${url}/1`, other: `${url}/1`, slowest: `${url}/slow/1` };
  const profiles = Object.entries(addresses).map(([name, address]) => [name, { 'alerts.url': address }]);
  const settings = JSON.stringify({ profiles: Object.fromEntries(profiles) });
  writeFileSync(join(folder, 'settings.json'), settings, { mode: 0o600 });
  const samples = await compareLines(
    bench,
    { slowest: 'alerts list --profile slowest', all: 'alerts list --all-profiles' },
    { rounds: 15, env: { SVC_CONFIG_DIR: folder } },
  );
  return timeRow(bench, samples, {
    work: '`alerts list` of three clusters, one of which takes half a second',
    line: 'all',
    base: 'slowest',
    against: 'the slowest alone',
    goals: { node: 1.2, otherNode: 1.2, executable: 1.2 },
  });
}

export async function measureManyAlerts(bench) {
  const server = await startReplay();
  const compareLists = (count, options, rounds) => {
    const line = `alerts list ${options} --base-url ${server.url}/${count}`;
    const peers = { amtool: `--alertmanager.url=${server.url}/${count} alert query ${options}` };
    return compareLines(bench, { svc: line }, { peers, rounds });
  };
  try {
    return [
      timeRow(bench, await compareLists(loadOf(bench, 50_000), '-o json', 5), {
        work: '50,000 alerts as JSON',
        base: 'amtool',
        goals: { node: 0.3, executable: 0.3 },
        memoryGoals: { node: 0.5, executable: 0.5 },
      }),
      timeRow(bench, await compareLists(loadOf(bench, 10_000), '', 11), {
        work: 'a table of 10,000 alerts',
        base: 'amtool',
        goals: { node: 1.3, executable: 1 },
        reason: 'it is sorted worst first, so svc reads and lays out all of it before it prints the first line.',
      }),
    ];
  } finally {
    server.close();
  }
}

const SLOW_MS = 500;
const CONFIG = routingConfig(500);

/** The first part of the path is the number of alerts; after `/slow`, the response takes half a second. */
async function startReplay() {
  const answers = new Map();
  return startService((request, response) => {
    const [, slow, count] = /^(\/slow)?\/(\d+)\/api\/v2\/alerts/.exec(request.url) ?? [];
    if (count === undefined) {
      response.end(JSON.stringify(STATUS));
      return;
    }
    if (!answers.has(count)) answers.set(count, alerts(Number(count)));
    setTimeout(() => response.end(answers.get(count)), slow === undefined ? 0 : SLOW_MS);
  });
}

const STATUS = {
  cluster: { status: 'disabled', peers: [] },
  config: { original: CONFIG },
  uptime: '2026-11-20T10:00:00.000Z',
  versionInfo: { branch: '', buildDate: '', buildUser: '', goVersion: '', revision: '', version: '0.25.0' },
};

/** A response with alerts of about 730 bytes each, as a real Alertmanager writes them. */
function alerts(count) {
  const all = Array.from({ length: count }, (_, index) => {
    const instance = `10.${index % 256}.${(index >> 8) % 256}.7:9100`;
    return {
      annotations: {
        description: `The node at ${instance} has been unreachable for more than five minutes, and its volumes with it.`,
        runbook_url: 'https://runbooks.example.com/node-down',
        summary: `Node ${index} is down`,
      },
      endsAt: '2026-11-20T12:34:56.000Z',
      fingerprint: index.toString(16).padStart(16, '0'),
      receivers: [{ name: 'team-infrastructure' }],
      startsAt: '2026-11-20T10:00:00.000Z',
      status: { inhibitedBy: [], silencedBy: [], state: 'active' },
      updatedAt: '2026-11-20T12:29:56.000Z',
      generatorURL: 'http://prometheus.example.com/graph?g0.expr=up%7Bjob%3D%22node%22%7D+%3D%3D+0&g0.tab=1',
      labels: {
        alertname: 'NodeDown',
        cluster: 'eu-1',
        instance,
        job: 'node',
        severity: 'critical',
        team: 'infrastructure',
      },
    };
  });
  return Buffer.from(`${JSON.stringify(all)}\n`);
}

/** A tree of so many routes as a server prints it, a quarter with a regular expression, and rules that make `route` read the alerts. */
function routingConfig(count) {
  const route = (_, index) =>
    `  - receiver: team-${index % 20}\n    matchers:\n    - service${index % 4 === 0 ? '=~"s' : '="s'}${index}"\n    - severity="critical"\n    continue: true\n`;
  return [
    'route:\n  receiver: team-0\n  group_by:\n  - alertname\n  continue: false\n  routes:\n',
    ...Array.from({ length: count }, route),
    'inhibit_rules:\n- source_matchers:\n  - severity="critical"\n  target_matchers:\n  - severity="warning"\n  equal:\n  - cluster\n',
    `receivers:\n${Array.from({ length: 20 }, (_, index) => `- name: team-${index}\n`).join('')}`,
  ].join('');
}
