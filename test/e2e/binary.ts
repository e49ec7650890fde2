/**
 * The built binary as a child process with a clean environment. SVC_BINARY names
 * another one to be tested in its place: the standalone executable.
 */
import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { countRun, LAUNCHER, SVC } from '../support/executable.ts';
import { aroundEachFile } from '../support/homes.ts';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));
export { LAUNCHER, SVC };

if (!existsSync(join(ROOT, 'dist/main.cjs'))) throw new Error('dist/ is missing: run node scripts/build.mjs');

/** Made for each test file. */
export const HOME = mkdtempSync(join(tmpdir(), 'svc-e2e-'));
const commands = join(HOME, 'commands');
const deleteHome = (): void => rmSync(HOME, { recursive: true, force: true, maxRetries: 3 });
aroundEachFile(() => {
  deleteHome();
  mkdirSync(commands, { recursive: true });
  symlinkSync(SVC[1] ?? SVC[0], join(commands, 'svc'));
  symlinkSync(process.execPath, join(commands, 'node'));
}, deleteHome);

export type Variables = Readonly<Record<string, string | undefined>>;

/** `svc` is on the path. A variable that is undefined is unset. */
export function environment(variables: Variables = {}): Record<string, string> {
  const all = {
    PATH: [commands, process.env['PATH']].join(delimiter),
    HOME,
    LANG: 'C.UTF-8',
    TERM: 'xterm-256color',
    ...variables,
  };
  return Object.fromEntries(Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined));
}

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Running {
  readonly child: ChildProcess;
  /** What came so far. */
  readonly texts: { readonly stdout: string; readonly stderr: string };
  /** Resolves when stdout or stderr has the text; rejects if the process ends without it. */
  printed(text: string): Promise<void>;
  readonly ended: Promise<Ended>;
  /** Sends the signal, and gives the end. */
  kill(signal: 'SIGINT' | 'SIGTERM'): Promise<Ended>;
}

export interface StartOptions extends Omit<SpawnOptions, 'env'> {
  readonly env?: Variables;
  /** Written to standard input, which is then closed; `open` leaves it open and silent. Without it, it is empty. */
  readonly input?: string | 'open';
  /** The test itself reads stdout, or does not. */
  readonly unread?: true;
}

/** Starts a command line of the shell. */
export function startShell(script: string, options: StartOptions = {}): Running {
  return start('bash', ['-c', script], options);
}

export function startSvc(argv: readonly string[], options: StartOptions = {}): Running {
  const [command, ...before] = SVC;
  countRun('executable');
  return start(command, [...before, ...argv], options);
}

export async function svc(argv: readonly string[], options: StartOptions = {}): Promise<Ended> {
  return await startSvc(argv, options).ended;
}

export async function shell(script: string, options: StartOptions = {}): Promise<Ended> {
  return await startShell(script, options).ended;
}

/** The output of a command that must go well. */
export async function output(argv: readonly string[], options: StartOptions = {}): Promise<string> {
  const { code, stdout, stderr } = await svc(argv, options);
  if (code !== 0) throw new Error(`svc ${argv.join(' ')} ended with ${code}: ${stderr}`);
  return stdout;
}

export function start(command: string, args: readonly string[], options: StartOptions = {}): Running {
  const { env, input, unread, ...rest } = options;
  const child = spawn(command, args, { cwd: dirname(commands), stdio: 'pipe', ...rest, env: environment(env) });
  // A command may end before it has read everything.
  child.stdin?.on('error', () => {});
  if (input !== 'open') child.stdin?.end(input);
  const texts = { stdout: '', stderr: '' };
  for (const name of unread ? (['stderr'] as const) : (['stdout', 'stderr'] as const)) {
    child[name]?.setEncoding('utf8').on('data', (text: string) => {
      texts[name] += text;
      child.emit('text');
    });
  }
  const ended = new Promise<Ended>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve({ code, signal, ...texts }));
  });
  return {
    child,
    texts,
    ended,
    printed: (text) =>
      new Promise((resolve, reject) => {
        const check = (): void => {
          if (texts.stdout.includes(text) || texts.stderr.includes(text)) resolve();
        };
        child.on('text', check);
        child.once('close', () => reject(new Error(`ended without "${text}": ${texts.stdout}${texts.stderr}`)));
        check();
      }),
    kill: (signal) => {
      child.kill(signal);
      return ended;
    },
  };
}
