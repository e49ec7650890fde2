// npm run bench [-- name…]: times whole processes against bare node, and against amtool, stripe-cli, curl and openssl if they are available.
// SVC_BENCH_QUICK=1 only tries every section: one round of each, a hundredth of the load, and no results.md.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { cpus, tmpdir, totalmem } from 'node:os';
import { delimiter, join } from 'node:path';
import { alertmanagerFolder } from '../scripts/alertmanagers.mjs';
import { root, run, setup } from '../scripts/setup.mjs';
import { bulkWrites } from './bulk.mjs';
import { catalogBench } from './catalog.mjs';
import { listenBench } from './listen.mjs';
import { compare } from './measure.mjs';
import { orderBench } from './orders.mjs';
import { redactionBench } from './redaction.mjs';
import { stripeBench } from './stripe.mjs';
import { tradeBench } from './trade.mjs';
import { webhookVerification } from './webhooks.mjs';

/** A response of `GET /alerts` with n alerts of about 730 bytes each, as a real Alertmanager writes them. */
function alerts(n) {
  const pad = (i) => i.toString(16).padStart(16, '0');
  return Buffer.from(
    `${JSON.stringify(
      Array.from({ length: n }, (_, i) => ({
        annotations: {
          description: `The node at 10.${i % 256}.${(i >> 8) % 256}.7:9100 has been unreachable for more than five minutes, and its volumes with it.`,
          runbook_url: 'https://runbooks.example.com/node-down',
          summary: `Node ${i} is down`,
        },
        endsAt: '2026-11-20T12:34:56.000Z',
        fingerprint: pad(i),
        receivers: [{ name: 'team-infrastructure' }],
        startsAt: '2026-11-20T10:00:00.000Z',
        status: { inhibitedBy: [], silencedBy: [], state: 'active' },
        updatedAt: '2026-11-20T12:29:56.000Z',
        generatorURL: 'http://prometheus.example.com/graph?g0.expr=up%7Bjob%3D%22node%22%7D+%3D%3D+0&g0.tab=1',
        labels: {
          alertname: 'NodeDown',
          cluster: 'eu-1',
          instance: `10.${i % 256}.${(i >> 8) % 256}.7:9100`,
          job: 'node',
          severity: 'critical',
          team: 'infrastructure',
        },
      })),
    )}\n`,
  );
}

/** On PATH, or where `npm test` unpacks it. */
function amtoolCommand() {
  const folders = [...(process.env.PATH ?? '').split(delimiter), join(alertmanagerFolder('0.25'), 'usr/bin')];
  return folders.map((folder) => join(folder, 'amtool')).find(existsSync);
}

const STATUS = JSON.stringify({
  cluster: { status: 'disabled', peers: [] },
  config: { original: routingConfig(500) },
  uptime: '2026-11-20T10:00:00.000Z',
  versionInfo: { branch: '', buildDate: '', buildUser: '', goVersion: '', revision: '', version: '0.25.0' },
});

/** The executable, or undefined if it cannot be built. */
function executable() {
  const os = { darwin: 'macos', win32: 'windows' }[process.platform] ?? process.platform;
  const target = `${os}-${process.arch}`;
  const built = run(process.execPath, ['scripts/executables.mjs', '--target', target, '--built']) === 0;
  return built ? join(root, 'build', target, process.platform === 'win32' ? 'svc.exe' : 'svc') : undefined;
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

const SLOW_MS = 500;

/** Replays the same bytes, so that only the client is measured. Runs in its own process. */
async function serve() {
  const answers = new Map([1, 10_000, 50_000].map((n) => [n, alerts(n)]));
  const server = createServer((request, response) => {
    const [, slow, n] = /^(\/slow)?\/(\d+)\/api\/v2\/alerts/.exec(request.url) ?? [];
    response.setHeader('content-type', 'application/json');
    setTimeout(() => response.end(n === undefined ? STATUS : answers.get(Number(n))), slow === undefined ? 0 : SLOW_MS);
  });
  server.listen(0, '127.0.0.1', () => console.log(server.address().port));
}

/** What the numbers of a section mean to a user. */
const MEANING = {
  routing: 'The time to find the receivers of an alert in a tree of 500 routes, beside a list of one alert.',
  clusters:
    'A list from three Alertmanagers, one of which responds after half a second, beside a list from that one alone.',
  start: 'What every command costs before it does anything: the start of Node.js, and little more.',
  'one alert':
    'The least that a request costs, such as in the loop of a script: start, request, check the response, print.',
  '10,000 alerts': 'A large installation, listed.',
  '50,000 alerts': 'The worst day. JSON is printed as it arrives, so memory grows far less than the response.',
  bulk: 'A maintenance window with thousands of silences. svc checks the whole file, finds silences that exist already, and creates none twice.',
  stripe:
    'What small commands cost beside the best-known tool for webhooks. stripe-cli talks to another service; here it gets a response of the same size.',
  listen: 'How many deliveries one core receives and verifies per second, and whether memory stays flat.',
  trade: 'How many pushes one core reads and prints in a second. None is dropped, and memory is flat.',
  orders:
    "How long a script waits from its start until it knows that its order is accepted, beside the vendor's sample, which has no checks and no journal.",
  catalog:
    'The cost of drawing years of prices, in addition to the start; the time to read a thousand products; and the memory of long lists.',
  verify:
    'One delivery costs little more than a start, a large body little more than openssl, and a day of deliveries takes seconds.',
};

/** Why a figure of a section misses its budget. */
const REASONS = {
  routing: 'svc reads and checks the running configuration like any other YAML file, with the yaml library and zod.',
  'one alert':
    'Loading modules (commander, undici and zod) takes two thirds of the time. Less would need our own parsers and HTTP client.',
  '10,000 alerts':
    'The table is sorted worst first, so svc reads and lays out all of it before it prints the first line.',
  bulk: 'zod checks every row of the file and every response, and svc searches for each silence among the existing ones.',
  trade:
    'svc parses every push without losing digits of its ids and searches it for secrets; a bare socket.io-client does neither.',
  catalog: 'zod checks every point, and the start alone takes most of the budget.',
  verify:
    'The start loads commander and zod. A recording spends most of its time in JSON.parse, HMAC and garbage collection.',
  orders: 'svc reads the account and the offer, and waits until the order is on disk before it sends it.',
};

const QUICK = process.env.SVC_BENCH_QUICK !== undefined;
const rounds = (usual) => (QUICK ? 1 : usual);

/** Budgets relative to amtool's time and memory in the same rounds. */
const BESIDE_AMTOOL = {
  'one alert': [{ command: 'executable -o json', wall: 1.6 }],
  '10,000 alerts': [
    { command: 'svc (table)', wall: 1.3 },
    { command: 'executable (table)', wall: 1 },
  ],
  '50,000 alerts': [
    { command: 'svc -o json', wall: 0.3, mib: 0.5 },
    { command: 'executable -o json', wall: 0.3, mib: 0.5 },
  ],
};

if (process.argv[2] === '--serve') {
  await serve();
} else {
  setup();
  const server = spawn(process.execPath, [process.argv[1], '--serve'], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [port] = await once(server.stdout, 'data');
  try {
    await measure(`http://127.0.0.1:${String(port).trim()}`, process.argv.slice(2));
  } finally {
    server.kill();
  }
}

function bulkBudget(name, ratio) {
  if (!name.startsWith('svc') || !name.includes(': import')) return '';
  const most = name.startsWith('svc (executable)') ? 1.2 : 2;
  return `≤ ${most} ${ratio <= most ? 'met' : 'MISSED'}`;
}

/** Adds the meaning below the heading, and the reason for a missed budget. */
function explained(name, [heading, ...table]) {
  const isMissed = table.some((line) => line.includes('MISSED'));
  return [
    '',
    heading,
    '',
    MEANING[name],
    ...table,
    ...(isMissed && name in REASONS ? ['', `Missed: ${REASONS[name]}`] : []),
  ];
}

function besideAmtool(section, results) {
  const theirs = results.find(({ name }) => name === 'amtool');
  return (BESIDE_AMTOOL[section] ?? []).flatMap((budget) => {
    const ours = results.find(({ name }) => name === budget.command);
    if (theirs === undefined || ours === undefined) return [];
    const parts = Object.entries({ wall: 'time', mib: 'memory' }).flatMap(([key, what]) => {
      if (budget[key] === undefined || ours[key] === undefined) return [];
      const ratio = ours[key] / theirs[key];
      return [`${what} ${ratio.toFixed(2)} of amtool's (≤ ${budget[key]} ${ratio <= budget[key] ? 'met' : 'MISSED'})`];
    });
    return ['', `${budget.command}: ${parts.join(', ')}.`];
  });
}

/** The budget of `alerts route` relative to `alerts list` in the same rounds. */
function besideList(results) {
  const wall = (name) => results.find((result) => result.name === name)?.wall;
  return ['svc', 'executable'].flatMap((program) => {
    const [list, route] = [wall(`${program} alerts list`), wall(`${program} alerts route`)];
    if (list === undefined || route === undefined) return [];
    const ratio = route / list;
    return [
      '',
      `${program} alerts route: time ${ratio.toFixed(2)} of alerts list's (≤ 1.5 ${ratio <= 1.5 ? 'met' : 'MISSED'}).`,
    ];
  });
}

async function measure(url, wanted) {
  const svc = `${process.execPath} ${root}bin/svc.cjs`;
  const node = `${process.execPath} -e 0`;
  const exe = executable();
  /** The same command run by the executable, if there is one. */
  const alone = (name, command) => (exe === undefined ? {} : { [name]: command.replace(svc, exe) });
  const amtool = amtoolCommand();
  const home = mkdtempSync(join(tmpdir(), 'svc-bench-home-'));
  const env = { XDG_CONFIG_HOME: home, XDG_STATE_HOME: home, NO_PROXY: '*' };
  const addresses = { one: `${url}/1`, other: `${url}/1`, slowest: `${url}/slow/1` };
  const profiles = Object.entries(addresses).map(([name, address]) => [name, { 'alerts.url': address }]);
  mkdirSync(join(home, 'svc'), { mode: 0o700 });
  writeFileSync(join(home, 'svc', 'settings.json'), JSON.stringify({ profiles: Object.fromEntries(profiles) }), {
    mode: 0o600,
  });
  const list = (n, options) => `${svc} alerts list --base-url ${url}/${n} ${options}`;
  const theirs = (n, options) =>
    amtool === undefined ? {} : { amtool: `${amtool} --alertmanager.url=${url}/${n} ${options}` };
  const curl = (n) => ({ curl: `curl -sf ${url}/${n}/api/v2/alerts` });

  const sections = [
    {
      name: 'start',
      rounds: 31,
      commands: {
        'node -e 0': node,
        'svc --version': `${svc} --version`,
        'svc --help': `${svc} --help`,
        'svc alerts --help': `${svc} alerts --help`,
        'svc alerts list --help': `${svc} alerts list --help`,
        'svc __complete': `${svc} __complete matching= alerts get --base-url ${url}/1`,
        ...alone('executable --version', `${svc} --version`),
        ...alone('executable --help', `${svc} --help`),
        ...alone('executable alerts --help', `${svc} alerts --help`),
        ...alone('executable __complete', `${svc} __complete matching= alerts get --base-url ${url}/1`),
      },
      budget: {
        'svc --version': 1.1,
        'svc --help': 1.2,
        'svc alerts --help': 1.2,
        'svc __complete': 1.6,
        'executable --version': 0.5,
        'executable --help': 0.5,
        'executable alerts --help': 0.5,
        'executable __complete': 0.6,
      },
    },
    {
      name: 'one alert',
      rounds: 31,
      commands: {
        'node -e 0': node,
        'svc -o json': list(1, '-o json'),
        'svc -o ndjson': list(1, '-o ndjson'),
        'svc (table)': list(1, ''),
        ...alone('executable -o json', list(1, '-o json')),
        ...theirs(1, 'alert query -o json'),
        ...curl(1),
      },
      budget: { 'svc -o json': 3.2, 'executable -o json': 1.15 },
    },
    {
      name: 'routing',
      rounds: 31,
      commands: {
        'node -e 0': node,
        'svc alerts list': list(1, ''),
        'svc alerts route': `${svc} alerts route service=s400 severity=warning --base-url ${url}/1`,
        ...alone('executable alerts list', list(1, '')),
        ...alone('executable alerts route', `${svc} alerts route service=s400 severity=warning --base-url ${url}/1`),
      },
    },
    {
      name: 'clusters',
      rounds: 15,
      commands: {
        'svc alerts list (the slowest)': `${svc} alerts list --profile slowest`,
        'svc alerts list (all three)': `${svc} alerts list --all-profiles`,
      },
      budget: { 'svc alerts list (all three)': 1.2 },
    },
    {
      name: '10,000 alerts',
      rounds: 11,
      commands: {
        'node -e 0': node,
        'svc -o json': list(10_000, '-o json'),
        'svc (table)': list(10_000, ''),
        ...alone('executable (table)', list(10_000, '')),
        ...theirs(10_000, 'alert query'),
        ...curl(10_000),
      },
    },
    {
      name: '50,000 alerts',
      rounds: 5,
      commands: {
        'node -e 0': node,
        'svc -o json': list(50_000, '-o json'),
        'svc -o ndjson': list(50_000, '-o ndjson'),
        'svc (table)': list(50_000, ''),
        ...alone('executable -o json', list(50_000, '-o json')),
        ...theirs(50_000, 'alert query -o json'),
        ...curl(50_000),
      },
    },
  ];
  const lines = [
    `node ${process.version}, ${cpus().length} processors, ${Math.round(totalmem() / 2 ** 30)} GiB, ${process.platform} ${process.arch}, ${new Date().toISOString().slice(0, 10)}`,
    'Medians over interleaved rounds; the ratio is the median of wall ÷ node -e 0 in the same round.',
    'A budget is a goal for one figure. A missed one fails nothing; unless it is noise, a line below the table gives the reason.',
  ];
  console.log(lines.join('\n'));
  const report = (name, table) => {
    const text = explained(name, table);
    console.log(text.join('\n'));
    lines.push(...text);
  };
  const isWanted = (name) => wanted.length === 0 || wanted.includes(name);
  for (const { name, rounds: usual, commands, budget = {} } of sections) {
    if (!isWanted(name)) continue;
    const results = await compare(commands, { rounds: rounds(usual), env });
    report(name, [
      `## ${name} (${rounds(usual)} rounds)`,
      '',
      '| command | ÷ node | CPU ÷ node | wall ms | CPU ms | MiB | budget |',
      '|---|---|---|---|---|---|---|',
      ...results.map(
        ({ name, wallRatio, cpuRatio, wall, cpu, mib }) =>
          `| ${name} | ${wallRatio.toFixed(2)} | ${cpuRatio.toFixed(2)} | ${(wall * 1000).toFixed(0)} | ${(cpu * 1000).toFixed(0)} | ${mib?.toFixed(0) ?? ''} | ${budget[name] === undefined ? '' : `≤ ${budget[name]} ${wallRatio <= budget[name] ? 'met' : 'MISSED'}`} |`,
      ),
      ...besideAmtool(name, results),
      ...besideList(results),
    ]);
  }
  if (amtool !== undefined && isWanted('bulk')) {
    const svcs = { [`svc (Node.js ${process.versions.node})`]: svc, ...alone('svc (executable)', svc) };
    const rows = await bulkWrites(svcs, amtool, env, rounds(9));
    report('bulk', [
      `## bulk writes on a real Alertmanager (${rounds(9)} rounds)`,
      '',
      '| command | ÷ amtool | wall ms | CPU ms | MiB | budget |',
      '|---|---|---|---|---|---|',
      ...rows.map(
        ({ name, ratio, wall, cpu, mib }) =>
          `| ${name} | ${ratio.toFixed(2)} | ${(wall * 1000).toFixed(0)} | ${(cpu * 1000).toFixed(0)} | ${mib?.toFixed(0) ?? ''} | ${bulkBudget(name, ratio)} |`,
      ),
    ]);
  }
  if (isWanted('stripe')) report('stripe', await stripeBench(svc, node, env, rounds(21)));
  if (isWanted('listen')) report('listen', await listenBench(root, QUICK ? { count: 1_000 } : { million: true }));
  if (isWanted('trade')) report('trade', await tradeBench(root, QUICK ? { count: 25_000 } : {}));
  if (isWanted('redaction')) report('redaction', await redactionBench(root, rounds(11)));
  if (isWanted('orders')) report('orders', await orderBench(root, rounds(31)));
  if (isWanted('catalog')) report('catalog', await catalogBench(svc, env, rounds));
  if (isWanted('verify')) {
    const [first, ...others] = await webhookVerification({ svc, exe, node }, env, rounds);
    report('verify', [...first, ...others.flatMap((section) => ['', ...section])]);
  }
  if (wanted.length === 0 && !QUICK) writeFileSync(`${root}bench/results.md`, `# Measured\n\n${lines.join('\n')}\n`);
}
