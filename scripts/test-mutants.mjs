// npm run test:mutants [-- --count 200 --seed 35]: makes single wrong changes to the code of orders, tokens, matchers, signatures and
// prices, and runs the tests that reach each of them, until one fails. What came of it goes to bench/mutants.md.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { endGroup, startGroup } from './groups.mjs';
import { pickMutants } from './mutants.mjs';
import { root } from './setup.mjs';

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '200' },
    seed: { type: 'string', default: '35' },
    only: { type: 'string', multiple: true, default: [] },
  },
});
const WANTED = 0.9;
/** A mutant that loops is as good as caught. */
const MINUTES = 10;

const folder = mkdtempSync(join(tmpdir(), 'svc-mutants-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
const picked = pickMutants(Number(values.count), Number(values.seed));
const mutants = picked.filter(({ id }) => values.only.length === 0 || values.only.includes(String(id)));

console.log(`${mutants.length} mutants; first, all tests note which of them they reach`);
const reaching = await findReachingTests();
const results = new Map();
const waiting = [...mutants];
await Promise.all(Array.from({ length: availableParallelism() }, runWaiting));
report();

/** By mutant: the files of tests that reach it, the quickest first. */
async function findReachingTests() {
  const [noted, json] = [join(folder, 'reached.ndjson'), join(folder, 'report.json')];
  writeFileSync(noted, '');
  const status = await runTests([], mutants, { SVC_REACHED: noted, SVC_REPORT: json });
  const { testResults } = JSON.parse(readFileSync(json, 'utf8'));
  if (status !== 0) {
    const tests = testResults.flatMap(({ assertionResults }) => assertionResults);
    const failed = tests.filter((test) => test.status === 'failed').map(({ fullName }) => fullName);
    console.error(`the tests fail without any mutant: ${failed.join('; ')}`);
    process.exit(1);
  }
  const durations = new Map(testResults.map(({ name, startTime, endTime }) => [name, endTime - startTime]));
  const lines = readFileSync(noted, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  const quickest = lines.sort((one, other) => durations.get(one.file) - durations.get(other.file));
  return new Map(
    mutants.map(({ id }) => [
      id,
      quickest.filter(({ ids }) => ids.includes(id)).map(({ file }) => relative(root, file)),
    ]),
  );
}

/** Runs the waiting mutants, one after the other. */
async function runWaiting() {
  for (let mutant = waiting.shift(); mutant !== undefined; mutant = waiting.shift()) {
    const files = reaching.get(mutant.id);
    let status = files.length === 0 ? 0 : await runTests(files, [mutant]);
    // A test may use a constant and call no function of its file.
    if (status === 0 && !mutant.inFunction) status = await runTests(foldersOf(mutant), [mutant]);
    results.set(mutant.id, status);
    console.log(`${results.size}/${mutants.length} ${status === 0 ? 'LIVES ' : 'caught'} ${textOf(mutant)}`);
  }
}

/** The folders with the tests of its feature, or of the store, and with those that every command gets. */
function foldersOf({ file }) {
  const [, folder, feature] = file.split('/');
  return ['test/registry/', folder === 'features' ? `test/features/${feature}/` : `test/${folder}/`];
}

/** @returns the exit status of the tests, 1 if they had to be ended. */
function runTests(files, mutants, env = {}) {
  const child = startGroup([join(root, 'scripts/run-mutant.mjs'), ...files], {
    cwd: root,
    env: { ...process.env, SVC_MUTANTS: JSON.stringify(mutants), ...env },
    stdio: 'ignore',
  });
  const timer = setTimeout(() => endGroup(child), MINUTES * 60_000);
  return new Promise((done) =>
    child.on('close', (code) => {
      clearTimeout(timer);
      done(code ?? 1);
    }),
  );
}

function textOf({ id, area, file, line, before, after }) {
  const short = (text) => text.replaceAll(/\s+/g, ' ').slice(0, 100);
  return `${id} ${area} ${file}:${line}: ${short(before)} => ${short(after)}`;
}

function report() {
  const living = mutants.filter(({ id }) => results.get(id) === 0);
  const share = 1 - living.length / mutants.length;
  const areas = [...new Set(mutants.map(({ area }) => area))].map((area) => {
    const all = mutants.filter((mutant) => mutant.area === area);
    return `| ${area} | ${all.length} | ${all.filter((mutant) => !living.includes(mutant)).length} |`;
  });
  const text = [
    '# What the tests catch',
    '',
    `\`npm run test:mutants -- --count ${values.count} --seed ${values.seed}\` writes this: ${mutants.length} single wrong changes, picked at random; ${(share * 100).toFixed(1)} % are caught (wanted: ${WANTED * 100} %).`,
    '',
    '| code of | mutants | caught |',
    '|---|---|---|',
    ...areas,
    '',
    ...(living.length === 0 ? [] : ['Not caught:', '', ...living.map((mutant) => `- \`${textOf(mutant)}\``), '']),
  ].join('\n');
  if (values.only.length === 0) writeFileSync(`${root}bench/mutants.md`, text);
  console.log(text);
  process.exit(share >= WANTED ? 0 : 1);
}
