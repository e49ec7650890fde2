// Bulk writes to a real Alertmanager. Every command gets a fresh one.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { alertmanagerFolder } from '../scripts/alertmanagers.mjs';
import { median, time } from './measure.mjs';

const IMPORTED = 5000;
const EXPIRED = 1000;

const CONFIG = 'route:\n  receiver: nobody\nreceivers:\n  - name: nobody\n';

async function freePort() {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address();
  probe.close();
  await once(probe, 'close');
  return port;
}

/** The installed Alertmanager, or the one that `npm test` unpacks, which has to start in its own folder. */
async function startAlertmanager() {
  const unpacked = alertmanagerFolder('0.25');
  const installed = ['/usr/bin/prometheus-alertmanager', '/usr/local/bin/alertmanager'].find(existsSync);
  const dir = mkdtempSync(join(tmpdir(), 'svc-bench-am-'));
  writeFileSync(join(dir, 'am.yml'), CONFIG);
  const url = `http://127.0.0.1:${await freePort()}`;
  const child = spawn(
    installed ?? `${unpacked}/usr/bin/prometheus-alertmanager`,
    [
      `--config.file=${dir}/am.yml`,
      `--storage.path=${dir}/data`,
      '--cluster.listen-address=',
      `--web.listen-address=${url.slice(7)}`,
    ],
    { cwd: installed === undefined ? unpacked : dir, stdio: 'ignore' },
  );
  while (
    !(await fetch(`${url}/-/ready`).then(
      ({ ok }) => ok,
      () => false,
    ))
  );
  return {
    url,
    async stop() {
      child.kill('SIGKILL');
      await once(child, 'exit');
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

function silences(n) {
  return Array.from({ length: n }, (_, i) => ({
    matchers: [
      { name: 'alertname', value: 'NodeDown', isRegex: false, isEqual: true },
      { name: 'instance', value: `10.0.${i >> 8}.${i % 256}:9100`, isRegex: false, isEqual: true },
    ],
    startsAt: new Date().toISOString(),
    endsAt: new Date(Date.now() + 86_400_000).toISOString(),
    createdBy: 'bench',
    comment: 'CHG-1042',
  }));
}

/** Rows of the report: imports and expires silences with each svc and with amtool, in turn. */
export async function bulkWrites(svcs, amtool, env, rounds) {
  const file = join(mkdtempSync(join(tmpdir(), 'svc-bench-bulk-')), 'silences.json');
  writeFileSync(file, JSON.stringify(silences(IMPORTED)));
  const ours = (svc) => ({
    import: (url) => `${svc} silences import ${file} --base-url ${url} -q`,
    expire: (url, ids) => `${svc} silences expire --yes -q --base-url ${url} ${ids}`,
  });
  const tools = {
    ...Object.fromEntries(Object.entries(svcs).map(([name, svc]) => [name, ours(svc)])),
    amtool: {
      import: (url) => `${amtool} --alertmanager.url=${url} silence import -w 8 ${file}`,
      expire: (url, ids) => `${amtool} --alertmanager.url=${url} silence expire ${ids}`,
    },
  };
  const none = () => Object.fromEntries(Object.keys(tools).map((name) => [name, []]));
  const samples = { import: none(), expire: none() };
  for (let round = -1; round < rounds; round++) {
    for (const [name, tool] of Object.entries(tools)) {
      const server = await startAlertmanager();
      const imported = await time(tool.import(server.url), env);
      const stored = await fetch(`${server.url}/api/v2/silences`).then((answer) => answer.json());
      if (imported.status !== 0 || stored.length !== IMPORTED) throw new Error(`${name} imported ${stored.length}`);
      const ids = stored.slice(0, EXPIRED).map(({ id }) => id);
      const expired = await time(tool.expire(server.url, ids.join(' ')), env);
      const left = await fetch(`${server.url}/api/v2/silences`).then((answer) => answer.json());
      const ended = left.filter(({ status }) => status.state === 'expired').length;
      if (expired.status !== 0 || ended !== EXPIRED) throw new Error(`${name} expired ${ended}`);
      await server.stop();
      if (round < 0) continue;
      samples.import[name].push(imported);
      samples.expire[name].push(expired);
    }
  }
  return Object.entries(samples).flatMap(([step, of]) =>
    Object.keys(tools).map((name) => ({
      name: `${name}: ${step} ${step === 'import' ? IMPORTED : EXPIRED}`,
      wall: median(of[name].map(({ wall }) => wall)),
      cpu: median(of[name].map(({ cpu }) => cpu)),
      mib: of[name][0].mib === undefined ? undefined : Math.max(...of[name].map(({ mib }) => mib)),
      ratio: median(of[name].map(({ wall }, i) => wall / of.amtool[i].wall)),
    })),
  );
}
