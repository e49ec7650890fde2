/** Environments in which a process dies, or is refused something, at one of its steps in the file system. */
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { HOME } from '../e2e/binary.ts';

const PRELOAD = fileURLToPath(new URL('./file-steps.cjs', import.meta.url));

export interface FileSteps {
  /** Where it may be killed, each named by its step. */
  readonly points: readonly string[];
  /** What may be refused. */
  readonly steps: readonly string[];
}

export function freshFolder(): string {
  return mkdtempSync(join(HOME, 'steps-'));
}

export interface StepFault {
  readonly code: 'ENOSPC' | 'EIO' | 'EACCES' | 'EROFS' | 'EMFILE';
  readonly at: number;
  /** From then on. */
  readonly forEver?: boolean;
}

export function killedAt(root: string, point: number): Record<string, string> {
  return { ...loading(root), FILE_STEPS_KILL: String(point) };
}

export function refusedAt(root: string, { code, at, forEver = false }: StepFault): Record<string, string> {
  return {
    ...loading(root),
    FILE_STEPS_CODE: code,
    FILE_STEPS_FAIL: String(at),
    ...(forEver ? { FILE_STEPS_FOR_EVER: '1' } : {}),
  };
}

/** The steps of a process that goes through. */
export async function stepsOf(
  root: string,
  code: StepFault['code'] | undefined,
  run: (env: Record<string, string>) => Promise<unknown>,
): Promise<FileSteps> {
  const log = join(freshFolder(), 'steps.json');
  await run({ ...loading(root), FILE_STEPS_LOG: log, ...(code === undefined ? {} : { FILE_STEPS_CODE: code }) });
  return JSON.parse(readFileSync(log, 'utf8')) as FileSteps;
}

function loading(root: string): Record<string, string> {
  return {
    NODE_OPTIONS: `--require=${JSON.stringify(PRELOAD)}`,
    BUN_OPTIONS: `--preload=${PRELOAD}`, // the executables run on bun
    FILE_STEPS_ROOT: root,
  };
}

/** The files in a folder and below, except harmless leftovers of a killed process that tried to lock. */
export function namesIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/\.lock\.[\w-]{36}(\.break)?$/.test(entry.name))
    .map(({ name }) => name)
    .sort();
}
