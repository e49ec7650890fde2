/** Folders for the files of whom svc runs for, deleted at the end of each file of tests: a process may run several. */
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { SCRATCH } from './scratch.ts';

let homes: string | undefined;

export function temporaryHome(): string {
  homes ??= mkdtempSync(join(SCRATCH, 'svc-test-'));
  return mkdtempSync(join(homes, 'home-'));
}

/** Called for every file of tests. */
export function deleteHomesAtTheEnd(): void {
  afterAll(() => {
    if (homes !== undefined) rmSync(homes, { recursive: true, force: true });
    homes = undefined;
  });
}
