// npm run bench [-- section…]: measures what a user waits for, beside the peers, and writes bench/results.md; some sections are only printed.
// SVC_BENCH_QUICK=1 only tries every section: one round of each, a hundredth of the load, and no results.md.
import { existsSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { OTHER_NODE } from '../scripts/nodes.mjs';
import { root, setup } from '../scripts/setup.mjs';
import { measureAlerts, measureManyAlerts, measureStarts } from './alerts.mjs';
import { measureCatalog } from './catalog.mjs';
import { measureListener } from './listen.mjs';
import { GNU_TIME } from './measure.mjs';
import { describePeers, findPeers, findPrograms } from './programs.mjs';
import { measureSilences } from './silences.mjs';
import { renderHead, renderMisses, renderRow } from './table.mjs';
import { measureOrders, measureStream } from './trade.mjs';
import { measureWebhooks } from './webhooks.mjs';

/** Each returns rows of the table. */
const SECTIONS = {
  start: measureStarts,
  alerts: measureAlerts,
  'many-alerts': measureManyAlerts,
  silences: measureSilences,
  webhooks: measureWebhooks,
  listen: measureListener,
  stream: measureStream,
  orders: measureOrders,
  catalog: measureCatalog,
};

const [node, other] = [process.versions.node, OTHER_NODE].map((version) => version.split('.')[0]);
const COLUMNS = {
  node: `Node.js ${node}`,
  otherNode: `Node.js ${other} with a warm compile cache`,
  executable: 'executable',
};

for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(130));
const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !Object.hasOwn(SECTIONS, name));
if (unknown.length > 0) {
  console.error(`no such section: ${unknown.join(', ')}\nSections: ${Object.keys(SECTIONS).join(', ')}`);
  process.exit(2);
}
setup();
const bench = {
  programs: findPrograms(),
  peers: findPeers(),
  isQuick: process.env.SVC_BENCH_QUICK !== undefined,
};
const page = await measurePage(bench, wanted.length > 0 ? wanted : Object.keys(SECTIONS));
if (wanted.length === 0 && !bench.isQuick) writeFileSync(`${root}bench/results.md`, page);

/** Prints the page while it grows, and returns it. */
async function measurePage(bench, sections) {
  let text = '';
  const print = (part) => {
    console.log(part);
    text += `${part}\n`;
  };
  print(describeRun(bench));
  print(renderHead(COLUMNS));
  const rows = [];
  for (const section of sections) {
    for (const row of await SECTIONS[section](bench)) {
      rows.push(row);
      print(renderRow(COLUMNS, row));
    }
  }
  const misses = renderMisses(rows);
  if (misses.length > 0) print(`\nGoals that are missed:\n\n${misses.join('\n')}`);
  return text;
}

function describeRun(bench) {
  const missing = Object.keys(bench.peers).filter((name) => bench.peers[name] === undefined);
  if (!existsSync(GNU_TIME)) missing.push('GNU time (for memory)');
  const memory = `${Math.round(totalmem() / 2 ** 30)} GiB`;
  const machine = `${cpus().length} processors, ${memory}, ${process.platform} ${process.arch}`;
  return `# What a user waits for

\`npm run bench\` writes this page. A cell has the wall time, or what its unit says; that divided by what the second column names;
and in parentheses the goal. A bold cell misses it. Figures are medians of interleaved rounds, and each ratio is taken within a
round; \`listen\` and the last two rows ran once. Programs get no variables but PATH, HOME, LANG and their own settings, and write
to a file. Node.js ${other} is divided by its own \`node -e 0\`, the executable by that of Node.js ${node}.

Node.js ${process.versions.node} and ${OTHER_NODE}; ${machine}; ${new Date().toISOString().slice(0, 10)}.
Peers: ${describePeers(bench.peers)}.${missing.length > 0 ? ` Missing, so not measured: ${missing.join(', ')}.` : ''}
`;
}
