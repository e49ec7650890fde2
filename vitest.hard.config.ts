/** The long suites, each a project: `npm run test:hard` runs several at a time. See scripts/hard.mjs. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const root = fileURLToPath(new URL('.', import.meta.url));
const manyRuns = `${root}test/hard/many-runs.ts`;

/** Whatever tests of `npm test` say of properties, said of many more cases. */
const withProperties = readdirSync(`${root}test`, { encoding: 'utf8', recursive: true })
  .filter((name) => name.endsWith('.test.ts') && !name.includes('node_modules'))
  .map((name) => `test/${name}`)
  .filter((path) => readFileSync(`${root}${path}`, 'utf8').includes("from 'fast-check'"));

const shared = {
  pool: 'forks',
  maxWorkers: 2,
  maxConcurrency: 2,
  hookTimeout: 60_000,
  setupFiles: 'test/support/setup.ts',
  testTimeout: 1_200_000 * Math.max(1, Number(process.env['SVC_HARD_SCALE'] ?? 1)),
  env: { NO_PROXY: '*' },
} as const;

const suites = readdirSync(`${root}test/hard`).filter((name) => name.endsWith('.hard.ts'));

export default defineConfig({
  test: {
    projects: [
      {
        plugins: [
          {
            name: 'many-runs',
            enforce: 'pre',
            resolveId: (source, importer) => (source === 'fast-check' && importer !== manyRuns ? manyRuns : undefined),
          },
        ],
        test: {
          ...shared,
          env: { ...shared.env, SVC_HARD: '1' },
          name: 'fuzz',
          include: [...withProperties, 'test/hard/*.fuzz.ts'],
        },
      },
      {
        // All cases of what `npm test` runs a tenth of.
        test: {
          ...shared,
          name: 'peers',
          include: ['test/http/hostile*.test.ts'],
          env: { ...shared.env, SVC_HARD: '1' },
        },
      },
      {
        // Every combination of what `npm test` runs in turn, as it runs it: one process for several files. Properties are in fuzz.
        test: {
          ...shared,
          name: 'turns',
          isolate: false,
          include: readdirSync(`${root}test`, { encoding: 'utf8', recursive: true })
            .filter((name) => name.endsWith('.test.ts'))
            .map((name) => `test/${name}`)
            .filter((path) => readFileSync(`${root}${path}`, 'utf8').includes('/support/turns.ts'))
            .filter((path) => !withProperties.includes(path)),
          env: { ...shared.env, TZ: 'UTC', SVC_HARD: '1' },
        },
      },
      ...suites.map((name) => ({
        test: { ...shared, name: name.replace('.hard.ts', ''), include: [`test/hard/${name}`] },
      })),
    ],
  },
});
