import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/** Tests of parts: they leave nothing behind in their process, and a process for each file would take longer than its tests. */
const PARTS = [
  'test/*.test.ts',
  'test/cli/*.test.ts',
  'test/{house,http,inputs,output,reference,sandbox,services,store,wire}/**/*.test.ts',
];

const seeded = fileURLToPath(new URL('test/support/seeded.ts', import.meta.url));

export default defineConfig({
  plugins: [
    {
      name: 'seeded',
      enforce: 'pre',
      resolveId: (source, importer) => (source === 'fast-check' && importer !== seeded ? seeded : undefined),
    },
  ],
  test: {
    testTimeout: 30_000,
    hookTimeout: 60_000,
    pool: 'forks',
    maxWorkers: 2,
    setupFiles: ['test/support/setup.ts'],
    env: { NO_PROXY: '*' },
    projects: [
      { extends: true, test: { name: 'parts', include: PARTS, isolate: false } },
      { extends: true, test: { name: 'whole', include: ['test/**/*.test.ts'], exclude: PARTS } },
    ],
  },
});
