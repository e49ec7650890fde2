/** Prints every skipped test by name, so that an incomplete run is visible. */
import type { Reporter, TestModule, Vitest } from 'vitest/node';

export default class SkippedTests implements Reporter {
  #filtered = false;

  onInit({ config }: Vitest): void {
    this.#filtered = config.testNamePattern !== undefined;
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    if (this.#filtered) return;
    for (const module of modules)
      for (const test of module.children.allTests('skipped'))
        process.stdout.write(`skipped: ${module.relativeModuleId} > ${test.fullName}\n`);
  }
}
