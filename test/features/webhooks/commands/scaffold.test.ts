/** What `svc webhooks scaffold` prints is run as it is, and passes every probe. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { FRAMEWORKS, type Framework } from '../../../../src/features/webhooks/scaffolds.ts';
import { interpreter, onPath } from '../../../support/peers.ts';
import { freePorts } from '../../../support/ports.ts';
import { svc, temporaryHome } from '../../../support/svc.ts';
import { KEY } from './handmade-receiver.ts';
import { answering, probe } from './probing.ts';

interface Runtime {
  readonly file: string;
  /** Absent where the language or its framework is not installed. */
  readonly program: string | undefined;
  readonly args: (file: string, port: number) => readonly string[];
}

/** The folder with Fastify and Express. */
const MODULES = dirname(dirname(createRequire(import.meta.url).resolve('fastify')));

const script = (file: string): readonly string[] => [file];

function python(module: string): string | undefined {
  const path = interpreter('python3');
  return path !== undefined && spawnSync(path, ['-c', `import ${module}`]).status === 0 ? path : undefined;
}

const RUNTIMES: Readonly<Record<Framework, Runtime>> = {
  express: { file: 'receiver.mjs', program: process.execPath, args: script },
  fastify: { file: 'receiver.mjs', program: process.execPath, args: script },
  flask: { file: 'receiver.py', program: python('flask'), args: script },
  django: { file: 'receiver.py', program: python('django'), args: script },
  go: { file: 'receiver.go', program: onPath('go'), args: (file) => ['run', file] },
  php: { file: 'receiver.php', program: interpreter('php'), args: (file, port) => ['-S', `127.0.0.1:${port}`, file] },
};

let child: ChildProcess | undefined;
afterEach(() => {
  // `go run` starts another process.
  if (child?.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  child = undefined;
});

describe.each(FRAMEWORKS)('%s', (framework) => {
  const { file, program, args } = RUNTIMES[framework];
  it.skipIf(program === undefined)('passes every probe', { timeout: 60_000 }, async () => {
    const { code, stdout } = await svc(['webhooks', 'scaffold', framework]);
    expect(code).toBe(0);
    const folder = temporaryHome();
    writeFileSync(join(folder, file), stdout);
    symlinkSync(MODULES, join(folder, 'node_modules'));
    const port = await freePorts();
    const env = { ...process.env, SVC_WEBHOOK_SECRET: KEY, PORT: String(port) };
    child = spawn(program ?? '', args(join(folder, file), port), { env, stdio: 'ignore', detached: true });
    await answering(port);
    const results = await probe(`http://127.0.0.1:${port}/hook`);
    expect(results.filter(({ status }) => status !== 'pass' && status !== 'not_testable')).toEqual([]);
    expect(results.length).toBeGreaterThan(36);
  });
});
