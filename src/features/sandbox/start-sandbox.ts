/** What `start` and `run` share: their options, and a sandbox that is recorded while it runs. */
import type { RunContext } from '../../cli/command.ts';
import type { Input } from '../../cli/flags.ts';
import { SvcError } from '../../errors.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import { type SandboxTrap, TRAPS } from '../../sandbox/traps.ts';
import { recordSandbox, type SandboxRecord } from './records.ts';

export const SANDBOX_FLAGS = {
  empty: { type: 'boolean', help: 'Start without the sample data' },
  port: { type: 'integer', min: 0, max: 65_535, default: 0, help: 'Port of the first service; 0 for any free ports' },
  fast: {
    type: 'integer',
    min: 1,
    max: 100_000,
    default: 1,
    help: 'Divide all waiting times and token lifetimes by this',
  },
  trap: {
    type: 'choice',
    repeat: true,
    value: 'name',
    choices: Object.values(TRAPS).flatMap((traps) => Object.keys(traps)),
    help: 'Imitate a fault; see svc sandbox traps',
  },
} as const;

/** Exit 2 if a port is taken. */
export async function startRecorded(
  startedBy: SandboxRecord['startedBy'],
  { empty, trap, ...input }: Input<Record<never, never>, typeof SANDBOX_FLAGS>,
  ctx: RunContext,
): Promise<Sandbox> {
  // The services load only when they start.
  const { startSandbox } = await import('../../sandbox/sandbox.ts');
  const options = { ...input, now: ctx.now, random: ctx.random, traps: trap as readonly SandboxTrap[] };
  const sandbox = await startSandbox({ ...options, seed: empty ? 'empty' : 'demo' }).catch((error: unknown) =>
    explainPort(error, input.port),
  );
  try {
    const forget = recordSandbox(ctx, { startedBy, traps: trap, env: sandbox.env });
    return { ...sandbox, close: () => sandbox.close().finally(forget) };
  } catch (error) {
    if (!(error instanceof SvcError)) throw error;
    ctx.notice(`svc sandbox status does not find this sandbox: ${error.message}`);
    return sandbox;
  }
}

function explainPort(error: unknown, first: number): never {
  // bun does not say which of the ports it is.
  const { code, port = first } = error as NodeJS.ErrnoException & { port?: number };
  if (code !== 'EADDRINUSE' && code !== 'EACCES') throw error;
  const why = code === 'EACCES' ? 'requires more privileges' : 'is in use';
  throw new SvcError('invalid_value', `--port: ${port} ${why}`, { hint: 'choose another, or 0 for a free one' });
}

/** For bash, zsh and fish. */
export function exportLines(env: Readonly<Record<string, string>>): string {
  return Object.entries(env)
    .map(([name, value]) => `export ${name}=${value}`)
    .join('\n');
}
