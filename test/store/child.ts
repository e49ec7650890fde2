import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { afterAll, beforeAll } from 'vitest';
import { RUNTIME } from '../support/executable.ts';

export interface Ended {
  readonly status: number | null;
  readonly stderr: string;
}

export interface ChildOptions {
  readonly uid?: number;
  readonly gid?: number;
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
  /** A command that runs it. */
  readonly through?: readonly string[];
}

/** Bundles a program once for a test file. */
export function childProgram(program = new URL('./child-program.ts', import.meta.url)) {
  let folder = '';
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'svc-child-'));
    chmodSync(folder, 0o755); // another user may run it
    const bundle = await rolldown({
      input: fileURLToPath(program),
      platform: 'node',
    });
    await bundle.write({ dir: folder, format: 'esm', entryFileNames: 'child.mjs' });
    await bundle.close();
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const start = (args: readonly string[], { through = [], ...options }: ChildOptions = {}): ChildProcess => {
    // Another user may have no access to the executable.
    const runtime = options.uid === undefined ? RUNTIME : [process.execPath];
    const [command, ...rest] = [...through, ...runtime, join(folder, 'child.mjs'), ...args];
    return spawn(command as string, rest, { stdio: ['ignore', 'pipe', 'pipe'], ...options });
  };

  return {
    start,
    run: (args: readonly string[], options?: ChildOptions) => ended(start(args, options)),
    /** As on a disk that is full after `kilobytes`: the write that goes beyond is cut short, the next one fails. */
    runWithFileLimit: (kilobytes: number, args: readonly string[], env: NodeJS.ProcessEnv = process.env) =>
      ended(
        spawn(
          'bash',
          [
            '-c',
            `trap '' XFSZ; ulimit -f ${kilobytes}; exec "$@"`,
            'bash',
            process.execPath,
            join(folder, 'child.mjs'),
            ...args,
          ],
          { stdio: ['ignore', 'pipe', 'pipe'], env },
        ),
      ),
  };
}

async function ended(child: ChildProcess): Promise<Ended> {
  const status = new Promise<number | null>((resolve) => child.once('close', resolve));
  const stderr = child.stderr === null ? '' : await text(child.stderr);
  return { status: await status, stderr };
}
