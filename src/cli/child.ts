/** Runs another command with this one's streams. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { constants } from 'node:os';
import { delimiter, join } from 'node:path';
import type { EndSignal } from '../context.ts';
import { SvcError } from '../errors.ts';
import { isExecutable } from '../store/own-file.ts';
import type { RunContext } from './command.ts';

export interface ChildEnd {
  /** The exit status; for an end by signal, the status that a shell reports. */
  readonly status: number;
  /** The first signal that svc received and passed on to the command. */
  readonly forwarded: EndSignal | undefined;
}

/** The status that a shell reports for an end by signal: 130, 143. */
export function signalStatus(signal: NodeJS.Signals | null): number {
  return 128 + (signal === null ? 0 : constants.signals[signal]);
}

/** Passes on signals that the terminal has not sent: many programs hurry at a second one. */
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
      throw new SvcError('usage', `cannot run ${name || "''"}: ${missingProgram(name, env, error)}`);
    });
    return { status, forwarded };
  } finally {
    release();
  }
}

/** Why a program could not be started. */
export function missingProgram(name: string, env: RunContext['env'], { code, message }: NodeJS.ErrnoException): string {
  // The system's error misleads: one unsearchable folder in PATH makes it EACCES.
  const paths = /[/\\]/.test(name) ? [name] : (env['PATH'] ?? '').split(delimiter).map((folder) => join(folder, name));
  const found = name === '' ? [] : paths.filter((path) => existsSync(path));
  if (found.length === 0) return 'not found';
  return found.some(isExecutable) ? (code ?? message) : 'permission denied';
}
