import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

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
    // What hangs, not what is slow: a busy machine needs many times as long as a quiet one.
    testTimeout: 120_000,
    hookTimeout: 240_000,
    expect: { poll: { timeout: 20_000 } },
    pool: 'forks',
    // Two more than the cores of a small machine: half of the time is spent waiting for timeouts, children and terminals.
    maxWorkers: 6,
    reporters: ['default', './test/support/skipped.ts'],
    setupFiles: ['test/support/setup.ts'],
    env: { NO_PROXY: '*', TZ: 'UTC' },
    // To start a process for each file took longer than most of their tests.
    isolate: false,
    include: ['test/**/*.test.ts'],
  },
});
