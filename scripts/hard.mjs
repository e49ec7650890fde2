// npm run test:hard [-- suite…]: the long suites, three at a time on two processors, and those that measure alone; what came of them goes to bench/hard.md.
// SVC_HARD_SCALE=0.1 runs a tenth of everything, SVC_HARD_PATIENCE=3 waits three times as long: on a machine that does other things.
// The suite fuzz takes other cases every time; SVC_SEED takes those of a seed that it printed.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { endGroup, startGroup } from './groups.mjs';
import { root, run, setup } from './setup.mjs';

/** What each one tells, and after how many minutes it is ended: on two cores that do nothing else, three at a time need less. */
const SUITES = {
  fuzz: [
    'every parser and escaper on generated input: 100,000 runs or 2.5 s per property, 20 million escaped texts',
    20,
  ],
  faults: ['45 network faults, each at 5 positions of a read and of a write', 10],
  kills: ['kill -9 before, during and after every file system operation', 30],
  refusals: ['a full, read-only or broken disk at every file system operation', 20],
  disk: ['EIO below Node.js, by a preloaded library, at every operation on the files of a command', 25],
  locks: [
    'a lock whose users take their steps in any order, die and are suspended; reused process ids; lock files that svc did not write',
    15,
  ],
  processes: ['20 to 100 processes that share one login, one file, one lock', 15],
  once: ['orders with a key, killed and cut at random and repeated until they succeed: at most one order per key', 50],
  logins: [
    'commands killed while they refresh a login, and 20 processes at once; stored in the file, a helper with small entries, and pass',
    75,
  ],
  cuts: ['the connection cut at every byte of a write, its response and the polling handshake', 25],
  imports: ['svc silences import killed at random moments', 10],
  moments: [
    'webhooks create, rotate and listen --record, trade buy and silences run, each killed at 60 random moments, and the next run',
    30,
  ],
  'login-moments': ['oauth login, refresh and logout, each killed at 60 random moments, and the next run', 30],
  peers: ['services that send endless or malformed data: memory and deadline of the program', 10],
  turns: ['every command in every format and with every failure, and every name in every quoting of three shells', 60],
  soak: ['a flood of deliveries and pushes: memory stays flat', 5],
};

/** These measure time or memory. */
const ALONE = ['peers', 'soak'];
/** Most suites wait half of their time, for a process, a lock or a deadline. */
const AT_A_TIME = Math.ceil(cpus().length * 1.5);

const scale = Number(process.env.SVC_HARD_SCALE ?? 1);
const patience = Number(process.env.SVC_HARD_PATIENCE ?? 1);
const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !(name in SUITES));
if (unknown.length > 0 || !(scale > 0) || !(patience > 0)) {
  console.error(
    unknown.length > 0
      ? `no suite ${unknown.join(', ')}: ${Object.keys(SUITES).join(', ')}`
      : 'SVC_HARD_SCALE or SVC_HARD_PATIENCE is no number above 0',
  );
  process.exit(2);
}
setup();
if (run(process.execPath, ['scripts/peers.mjs']) !== 0) process.exit(1);

async function runSuite(name, minutes) {
  const folder = mkdtempSync(join(tmpdir(), 'svc-hard-'));
  const report = join(folder, 'report.json');
  const began = performance.now();
  const child = startGroup(
    [
      'node_modules/vitest/vitest.mjs',
      'run',
      '--config=vitest.hard.config.ts',
      `--project=${name}`,
      '--reporter=default',
      '--reporter=json',
      `--outputFile.json=${report}`,
    ],
    // Through a pipe: at a terminal, two would draw over each other.
    { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] },
  );
  child.stdout.pipe(process.stdout, { end: false });
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    endGroup(child);
  }, minutes * 60_000);
  const status = await new Promise((done) => child.on('close', (code) => done(code ?? 1)));
  clearTimeout(timer);
  const seconds = Math.round((performance.now() - began) / 1000);
  const tests = existsSync(report)
    ? JSON.parse(readFileSync(report, 'utf8')).testResults.flatMap(({ assertionResults }) => assertionResults)
    : [];
  rmSync(folder, { recursive: true, force: true });
  const of = (state) => tests.filter((test) => test.status === state);
  const failed = of('failed');
  const skipped = of('pending').length + of('skipped').length;
  const told = [
    isLate
      ? `cut short after ${minutes} min`
      : status === 0
        ? 'passed'
        : `FAILED: ${failed.map(({ fullName }) => fullName).join('; ')}`,
    ...(skipped > 0 ? [`${skipped} skipped`] : []),
    ...tests.flatMap(({ meta }) => meta?.figures ?? []),
  ].join(', ');
  const cases = tests.reduce((sum, { meta }) => sum + (meta?.cases ?? 0), 0);
  return { ok: status === 0 && !isLate, row: { cases, seconds, verdict: told } };
}

const file = `${root}bench/hard.md`;

/** The rows that stand there of suites which are not run now. */
function kept() {
  if (!existsSync(file)) return {};
  const rows = {};
  for (const line of readFileSync(file, 'utf8').split('\n')) {
    const [, name, , ...cells] = line.split('|').map((cell) => cell.trim());
    if (name in SUITES) rows[name] = cells.slice(0, -1);
  }
  return rows;
}

let isGood = true;
async function runAll(names) {
  for (let name = names.shift(); name !== undefined; name = names.shift()) {
    const { ok, row } = await runSuite(name, SUITES[name][1] * patience * Math.max(1, scale));
    isGood &&= ok;
    const machine = `${cpus().length} processors, node ${process.version}`;
    const today = new Date().toISOString().slice(0, 10);
    const last = [String(row.cases), `${scale * 100} %`, String(row.seconds), row.verdict, `${today}, ${machine}`];
    // Read again each time: another run may have written meanwhile.
    writeFileSync(file, `${text({ ...kept(), [name]: last })}\n`);
  }
}

const chosen = Object.keys(SUITES).filter((name) => wanted.length === 0 || wanted.includes(name));
// The longest first: no processor is without work at the end.
const shared = chosen.filter((name) => !ALONE.includes(name)).sort((a, b) => SUITES[b][1] - SUITES[a][1]);
await Promise.all(Array.from({ length: AT_A_TIME }, () => runAll(shared)));
await runAll(chosen.filter((name) => ALONE.includes(name)));
console.log(readFileSync(file, 'utf8'));
process.exit(isGood ? 0 : 1);

function text(all) {
  return [
    '# The long suites, as they last ended',
    '',
    `\`npm run test:hard\` writes this; \`npm run test:hard -- kills cuts\` runs some. Up to ${AT_A_TIME} at a time, except ${ALONE.join(', ')}. Last on ${process.platform} ${process.arch}, ${Math.round(totalmem() / 2 ** 30)} GiB.`,
    '',
    '| suite | what it does | cases | of its numbers | seconds | verdict | when and where |',
    '|---|---|---|---|---|---|---|',
    ...Object.entries(SUITES)
      .filter(([name]) => name in all)
      .map(([name, [what]]) => `| ${name} | ${what} | ${all[name].join(' | ')} |`),
  ].join('\n');
}
