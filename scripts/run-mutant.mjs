// Runs these files of tests, or all that run svc in their own process, with the mutant of SVC_MUTANTS. With SVC_REACHED they run without
// one, and note in that file which of the mutants they reach. The build is not mutated: its tests are left out.
import { startVitest } from 'vitest/node';
import { withMutant, withProbes } from './mutants.mjs';
import { root } from './setup.mjs';

const files = process.argv.slice(2);
const { SVC_REACHED, SVC_REPORT } = process.env;
const mutants = JSON.parse(process.env.SVC_MUTANTS);

const plugin = {
  name: 'mutants',
  enforce: 'pre',
  transform(code, id) {
    const own = mutants.filter(({ file }) => id === `${root}${file}`);
    if (own.length === 0) return undefined;
    return { code: SVC_REACHED === undefined ? withMutant(code, own[0]) : withProbes(code, own), map: null };
  },
};
const options = {
  watch: false,
  bail: SVC_REACHED === undefined ? 1 : 0,
  update: 'none',
  exclude: ['**/node_modules/**', 'test/e2e/**', 'test/structure/**', 'test/hard/**'],
  ...(SVC_REACHED === undefined
    ? { reporters: ['dot'] }
    : {
        setupFiles: ['test/support/setup.ts', 'scripts/note-reached.mjs'],
        reporters: ['json'],
        outputFile: SVC_REPORT,
      }),
};
const vitest = await startVitest('test', files, options, { plugins: [plugin] });
await vitest.close();
process.exit(process.exitCode);
