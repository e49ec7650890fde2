import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/**
 * A process for each of these files: what they import has a hook of its own (test/e2e/binary.ts and two of the webhooks), which is
 * registered for the first file of a process alone. The others share processes: to start one took longer than most of their tests.
 */
const ALONE = [
  'test/e2e/**/*.test.ts',
  'test/http/hostile*.test.ts',
  'test/features/webhooks/commands/**/*.test.ts',
  'test/features/oauth/commands/{processes,real-server}.test.ts',
  'test/sandbox/webhooks/oauth-svc.test.ts',
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
    // One more than the cores of a small machine: a third of the time is spent waiting for timeouts, children and terminals.
    maxWorkers: 3,
    reporters: ['default', './test/support/skipped.ts'],
    setupFiles: ['test/support/setup.ts'],
    env: { NO_PROXY: '*', TZ: 'UTC' },
    projects: [
      {
        extends: true,
        test: {
          name: 'parts',
          include: ['test/**/*.test.ts'],
          exclude: [...ALONE, '**/node_modules/**'],
          isolate: false,
        },
      },
      { extends: true, test: { name: 'whole', include: ALONE } },
    ],
  },
});
