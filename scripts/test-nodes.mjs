// node scripts/test-nodes.mjs [arguments of vitest]: runs the whole suite on each line of Node.js that svc supports.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fetchNode, NODES, unpackNode } from './nodes.mjs';
import { root, run, setup } from './setup.mjs';

setup();
if (run(process.execPath, ['scripts/peers.mjs']) !== 0) process.exit(1);
const results = [];
for (const version of NODES) {
  fetchNode(version);
  const folder = mkdtempSync(join(tmpdir(), 'svc-node-'));
  const node = unpackNode(version, folder);
  console.log(`\nNode.js ${version}`);
  const began = performance.now();
  // Programs that the tests start by name run on this version, too.
  const env = { ...process.env, PATH: [dirname(node), process.env.PATH].join(delimiter) };
  const status = run(node, [`${root}node_modules/vitest/vitest.mjs`, 'run', ...process.argv.slice(2)], { env });
  rmSync(folder, { recursive: true });
  const minutes = ((performance.now() - began) / 60_000).toFixed(1);
  results.push({ status, line: `${status === 0 ? 'ok  ' : 'FAIL'} Node.js ${version} (${minutes} min)` });
}
console.log(`\n${results.map(({ line }) => line).join('\n')}`);
process.exit(results.every(({ status }) => status === 0) ? 0 : 1);
