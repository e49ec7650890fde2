// npm run bench [-- name…]: whole-process times against bare node, and against amtool and curl where they are at hand.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { cpus, tmpdir, totalmem } from 'node:os';
import { delimiter, join } from 'node:path';
import { root, setup } from '../scripts/setup.mjs';
import { bulkWrites } from './bulk.mjs';
import { catalogBench } from './catalog.mjs';
import { listenBench } from './listen.mjs';
import { compare } from './measure.mjs';
import { tradeBench } from './trade.mjs';
import { webhookVerification } from './webhooks.mjs';

/** An answer of `GET /alerts` with n alerts of about 730 bytes each, as a real Alertmanager writes them. */
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

/** From PATH, or where `npm test` unpacks it. */
function amtoolCommand() {
  const folders = [...(process.env.PATH ?? '').split(delimiter), `${root}.cache/peers/alertmanager/usr/bin`];
  return folders.map((folder) => join(folder, 'amtool')).find(existsSync);
}

const STATUS = JSON.stringify({
  cluster: { status: 'disabled', peers: [] },
  config: { original: '' },
  uptime: '2026-11-20T10:00:00.000Z',
  versionInfo: { branch: '', buildDate: '', buildUser: '', goVersion: '', revision: '', version: '0.25.0' },
});

/** Replays the same bytes, so that what is measured is the client alone. Runs as a process of its own. */
async function serve() {
  const answers = new Map([1, 10_000, 50_000].map((n) => [n, alerts(n)]));
  const server = createServer((request, response) => {
    const [, n] = /^\/(\d+)\/api\/v2\/alerts/.exec(request.url) ?? [];
    response.setHeader('content-type', 'application/json');
    response.end(n === undefined ? STATUS : answers.get(Number(n)));
  });
  server.listen(0, '127.0.0.1', () => console.log(server.address().port));
}

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

async function measure(url, wanted) {
  const svc = `${process.execPath} ${root}bin/svc.cjs`;
  const node = `${process.execPath} -e 0`;
  const amtool = amtoolCommand();
  const home = mkdtempSync(join(tmpdir(), 'svc-bench-home-'));
  const env = { XDG_CONFIG_HOME: home, XDG_STATE_HOME: home, NO_PROXY: '*' };
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
        'svc __complete': `${svc} __complete fingerprints '' -- alerts get --base-url ${url}/1`,
      },
      budget: { 'svc --version': 1.15, 'svc --help': 1.15, 'svc alerts --help': 1.45, 'svc __complete': 1.45 },
    },
    {
      name: 'one alert',
      rounds: 31,
      commands: {
        'node -e 0': node,
        'svc -o json': list(1, '-o json'),
        'svc -o ndjson': list(1, '-o ndjson'),
        'svc (table)': list(1, ''),
        ...theirs(1, 'alert query -o json'),
        ...curl(1),
      },
      budget: { 'svc -o json': 3.5 },
    },
    {
      name: '10,000 alerts',
      rounds: 11,
      commands: {
        'node -e 0': node,
        'svc -o json': list(10_000, '-o json'),
        'svc (table)': list(10_000, ''),
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
        ...theirs(50_000, 'alert query -o json'),
        ...curl(50_000),
      },
    },
  ];
  const lines = [
    `node ${process.version}, ${cpus().length} processors, ${Math.round(totalmem() / 2 ** 30)} GiB, ${process.platform} ${process.arch}, ${new Date().toISOString().slice(0, 10)}`,
    'Medians over interleaved rounds; the ratio is the median of wall ÷ node -e 0 in the same round.',
  ];
  console.log(lines.join('\n'));
  for (const { name, rounds, commands, budget = {} } of sections) {
    if (wanted.length > 0 && !wanted.includes(name)) continue;
    const results = await compare(commands, { rounds, env });
    const table = [
      '',
      `## ${name} (${rounds} rounds)`,
      '',
      '| command | ÷ node | CPU ÷ node | wall ms | CPU ms | MiB | budget |',
      '|---|---|---|---|---|---|---|',
      ...results.map(
        ({ name, wallRatio, cpuRatio, wall, cpu, mib }) =>
          `| ${name} | ${wallRatio.toFixed(2)} | ${cpuRatio.toFixed(2)} | ${(wall * 1000).toFixed(0)} | ${(cpu * 1000).toFixed(0)} | ${mib?.toFixed(0) ?? ''} | ${budget[name] === undefined ? '' : `≤ ${budget[name]} ${wallRatio <= budget[name] ? 'met' : 'MISSED'}`} |`,
      ),
    ];
    console.log(table.join('\n'));
    lines.push(...table);
  }
  if (amtool !== undefined && (wanted.length === 0 || wanted.includes('bulk'))) {
    const rounds = 5;
    const rows = await bulkWrites(root, svc, amtool, env, rounds);
    const table = [
      '',
      `## bulk writes on a real Alertmanager (${rounds} rounds)`,
      '',
      '| command | ÷ amtool | wall ms | CPU ms | MiB | budget |',
      '|---|---|---|---|---|---|',
      ...rows.map(
        ({ name, ratio, wall, cpu, mib }) =>
          `| ${name} | ${ratio.toFixed(2)} | ${(wall * 1000).toFixed(0)} | ${(cpu * 1000).toFixed(0)} | ${mib?.toFixed(0) ?? ''} | ${name.startsWith('svc') ? `≤ 1 ${ratio <= 1 ? 'met' : 'MISSED'}` : ''} |`,
      ),
    ];
    console.log(table.join('\n'));
    lines.push(...table);
  }
  if (wanted.length === 0 || wanted.includes('listen')) {
    const table = await listenBench(root, { million: true });
    console.log(table.join('\n'));
    lines.push(...table);
  }
  if (wanted.length === 0 || wanted.includes('catalog')) {
    const table = await catalogBench(svc, env);
    console.log(table.join('\n'));
    lines.push(...table);
  }
  if (wanted.length === 0 || wanted.includes('trade')) {
    const table = await tradeBench(root);
    console.log(table.join('\n'));
    lines.push(...table);
  }
  if (wanted.length === 0 || wanted.includes('verify')) {
    for (const section of await webhookVerification(svc, node, env)) {
      const table = ['', ...section];
      console.log(table.join('\n'));
      lines.push(...table);
    }
  }
  if (wanted.length === 0) writeFileSync(`${root}bench/results.md`, `# Measured\n\n${lines.join('\n')}\n`);
}
