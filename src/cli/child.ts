/** Runs another command with this one's streams. */
import { type ChildProcess, spawn } from 'node:child_process';
import { accessSync, existsSync, constants as fileModes } from 'node:fs';
import { constants } from 'node:os';
import { delimiter, join } from 'node:path';
import type { EndSignal } from '../context.ts';
import { SvcError } from '../errors.ts';
import type { RunContext } from './command.ts';
import { SECRET_VARIABLE } from './run-context.ts';

export interface ChildEnd {
  /** Its exit status; where a signal ended it, what a shell makes of that. */
  readonly status: number;
  /** The first signal that was meant for this process, and that the command got from it. */
  readonly forwarded: EndSignal | undefined;
}

/** What a shell makes of the end by a signal: 130, 143. */
export function signalStatus(signal: NodeJS.Signals | null): number {
  return 128 + (signal === null ? 0 : constants.signals[signal]);
}

/** Without our credentials, which the command has no use for. Those in `passed` stay. */
export function childEnvironment(env: RunContext['env'], passed: readonly string[] = []): RunContext['env'] {
  const entries = Object.entries(env).filter(([name]) => !SECRET_VARIABLE.test(name) || passed.includes(name));
  return Object.fromEntries(entries);
}

/**
 * Signals go on to the command, and what they mean there is its affair. Those that the terminal has sent to it as well are not
 * sent a second time: many programs take that for impatience.
 */
export async function runChild(
  [name = '', ...args]: readonly string[],
  env: RunContext['env'],
  ctx: Pick<RunContext, 'self' | 'takeSignals'>,
): Promise<ChildEnd> {
  const [command, ...before] = name === 'svc' ? ctx.self : [name];
  let child: ChildProcess | undefined;
  let forwarded: EndSignal | undefined;
  const release = ctx.takeSignals((signal, shared) => {
    if (shared) return;
    forwarded ??= signal;
    child?.kill(signal);
  });
  try {
    const status = await new Promise<number>((ended, failed) => {
      child = spawn(command, [...before, ...args], { stdio: 'inherit', env });
      child.on('error', failed);
      child.on('exit', (code, signal) => ended(code ?? signalStatus(signal)));
    }).catch((error: NodeJS.ErrnoException) => {
      throw new SvcError('usage', `cannot run ${name || "''"}: ${reason(name, env, error)}`);
    });
    return { status, forwarded };
  } finally {
    release();
  }
}

function reason(name: string, env: RunContext['env'], { code, message }: NodeJS.ErrnoException): string {
  // The system's error is of no use: one folder of PATH that may not be searched makes it EACCES, whatever the others hold.
  const paths = /[/\\]/.test(name) ? [name] : (env['PATH'] ?? '').split(delimiter).map((folder) => join(folder, name));
  const found = name === '' ? [] : paths.filter((path) => existsSync(path));
  if (found.length === 0) return 'not found';
  return found.some(isExecutable) ? (code ?? message) : 'permission denied';
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, fileModes.X_OK);
    return true;
  } catch {
    return false;
  }
}
