/** Folders for the files of those whom svc runs for. A process runs several files of tests, and deletes them at the end of each. */
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { SCRATCH } from './scratch.ts';

let homes: string | undefined;

export function temporaryHome(): string {
  homes ??= mkdtempSync(join(SCRATCH, 'svc-test-'));
  return mkdtempSync(join(homes, 'home-'));
}

const around: { begin(): void; end(): void }[] = [];

/**
 * For a module that test files import: `begin` runs now and before the later files of this process, `end` after each of them that has
 * a test to run.
 */
export function aroundEachFile(begin: () => void, end: () => void): void {
  around.push({ begin, end });
  begin();
}

/** Called before every file of tests. */
export function beginFile(): void {
  for (const { begin } of around) begin();
  afterAll(() => {
    for (const { end } of around) end();
    if (homes !== undefined) rmSync(homes, { recursive: true, force: true });
    homes = undefined;
  });
}
