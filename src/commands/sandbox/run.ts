import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { type RunContext, textCommand } from '../../cli/command.ts';
import { SvcError } from '../../errors.ts';

export const sandboxRun = textCommand({
  id: 'sandbox run',
  summary: 'Run one command against the services on this machine',
  description:
    'The command gets the addresses in its environment; svc stands for this very svc. Its exit status is passed on.',
  effect: 'read',
  args: { command: { help: 'The command and its arguments, after --', repeat: true, required: true } },
  flags: { empty: { type: 'boolean', help: 'Start without the sample data' } },
  examples: [
    { run: 'svc sandbox run -- svc alerts list', why: 'Look around without a server' },
    { run: 'svc sandbox run -- bash', why: 'A shell in which svc talks to the sandbox' },
  ],
  output: { kind: 'text' },
  async run(input, ctx) {
    const { startSandbox } = await import('../../sandbox/sandbox.ts');
    const sandbox = await startSandbox({
      now: ctx.now,
      random: ctx.random,
      port: 0,
      seed: input.empty ? 'empty' : 'demo',
    });
    try {
      return { value: undefined, status: await outcome(input.command, { ...ctx.env, ...sandbox.env }, ctx) };
    } finally {
      await sandbox.close();
    }
  },
});

/** The exit status of the command; where a signal ended it, what a shell makes of that. */
async function outcome(
  [name = '', ...args]: readonly string[],
  env: RunContext['env'],
  ctx: RunContext,
): Promise<number> {
  const [command, ...before] = name === 'svc' ? ctx.self : [name];
  const child = spawn(command, [...before, ...args], { stdio: 'inherit', env });
  // A terminal sends its Ctrl-C to the command as well, and what it means there is the command's affair.
  const release = ctx.takeSignals((signal) => {
    if (signal === 'SIGTERM' || !ctx.stdin.isTTY) child.kill(signal);
  });
  try {
    return await new Promise((ended, failed) => {
      child.on('error', (error: NodeJS.ErrnoException) =>
        failed(new SvcError('usage', `cannot run ${name}: ${error.code ?? error.message}`)),
      );
      child.on('exit', (code, signal) => ended(code ?? 128 + (signal === null ? 0 : constants.signals[signal])));
    });
  } finally {
    release();
  }
}
