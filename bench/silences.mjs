// Imports and expires silences on a real Alertmanager. Every command gets a fresh one.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { makeFolder, takeTurns, time } from './measure.mjs';
import { loadOf, roundsOf } from './programs.mjs';
import { timeRow } from './table.mjs';

export async function measureSilences(bench) {
  const { amtool, alertmanager } = bench.peers;
  const samples = amtool && alertmanager ? await measureTools(bench) : { import: {}, expire: {} };
  return [
    timeRow(bench, samples.import, {
      work: 'import of 5,000 silences',
      base: 'amtool',
      goals: { node: 2.5, executable: 1.8 },
      reason:
        'zod checks every row of the file and every response, and svc searches for each silence among the existing ones.',
    }),
    timeRow(bench, samples.expire, { work: 'expire of 1,000 silences', base: 'amtool' }),
  ];
}

/** Samples of each step, by program. */
async function measureTools(bench) {
  const { amtool, alertmanager } = bench.peers;
  const [imported, expired] = [loadOf(bench, 5000), loadOf(bench, 1000)];
  const file = join(makeFolder('silences'), 'silences.json');
  writeFileSync(file, JSON.stringify(silences(imported)));
  const tools = {
    amtool: {
      import: (url) => `${amtool} --alertmanager.url=${url} silence import -w 8 ${file}`,
      expire: (url, ids) => `${amtool} --alertmanager.url=${url} silence expire ${ids}`,
    },
  };
  for (const [column, { svc }] of Object.entries(bench.programs)) {
    tools[`${column} svc`] = {
      import: (url) => `${svc} silences import ${file} --base-url ${url} -q`,
      expire: (url, ids) => `${svc} silences expire --yes -q --base-url ${url} ${ids}`,
    };
  }
  const turns = await takeTurns(Object.keys(tools), roundsOf(bench, 9), (name) =>
    measureTool(tools[name], alertmanager, imported, expired),
  );
  const samplesOf = (step) =>
    Object.fromEntries(Object.entries(turns).map(([name, all]) => [name, all.map((one) => one[step])]));
  return { import: samplesOf('import'), expire: samplesOf('expire') };
}

async function measureTool(tool, alertmanager, imported, expired) {
  const server = await startAlertmanager(alertmanager);
  const read = async () => (await fetch(`${server.url}/api/v2/silences`)).json();
  try {
    const importing = await time(tool.import(server.url));
    const stored = await read();
    if (stored.length !== imported) throw new Error(`${stored.length} silences were imported`);
    const ids = stored.slice(0, expired).map(({ id }) => id);
    const expiring = await time(tool.expire(server.url, ids.join(' ')));
    const ended = (await read()).filter(({ status }) => status.state === 'expired').length;
    if (ended !== expired) throw new Error(`${ended} silences were expired`);
    return { import: importing, expire: expiring };
  } finally {
    await server.stop();
  }
}

function silences(count) {
  return Array.from({ length: count }, (_, index) => ({
    matchers: [
      { name: 'alertname', value: 'NodeDown', isRegex: false, isEqual: true },
      { name: 'instance', value: `10.0.${index >> 8}.${index % 256}:9100`, isRegex: false, isEqual: true },
    ],
    startsAt: new Date().toISOString(),
    endsAt: new Date(Date.now() + 86_400_000).toISOString(),
    createdBy: 'bench',
    comment: 'CHG-1042',
  }));
}

async function startAlertmanager(program) {
  const folder = makeFolder('alertmanager');
  const config = join(folder, 'alertmanager.yml');
  writeFileSync(config, 'route:\n  receiver: none\nreceivers:\n  - name: none\n');
  const options = ['--cluster.listen-address=', '--web.listen-address=127.0.0.1:0'];
  const child = spawn(program, [`--config.file=${config}`, `--storage.path=${folder}/data`, ...options], {
    // Debian's finds its web page only from the root of its package.
    cwd: join(dirname(program), '../..'),
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const stop = async () => {
    child.kill('SIGKILL');
    await once(child, 'exit');
  };
  for await (const line of createInterface({ input: child.stderr })) {
    const [, address] = /"?Listening on"? address=(\S+)/i.exec(line) ?? [];
    if (address === undefined) continue;
    child.stderr.resume();
    return { url: `http://${address}`, stop };
  }
  throw new Error('Alertmanager ended before it listened');
}
