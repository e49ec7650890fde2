import { textCommand } from '../../../cli/command.ts';
import { SvcError } from '../../../errors.ts';
import { SANDBOX_FLAGS, startAsWished } from '../../../sandbox/starting.ts';

export const sandboxRun = textCommand({
  id: 'sandbox run',
  summary: 'Run one command against the services on this machine',
  description:
    'The command gets the addresses and credentials of this sandbox in its environment, and no other credentials of svc; svc stands for this very svc. Its exit status is passed on. What the traps (--trap) do is told by svc sandbox start --help.',
  effect: 'read',
  args: { command: { help: 'The command and its arguments, after --', repeat: true, required: true } },
  flags: SANDBOX_FLAGS,
  examples: [
    { run: 'svc sandbox run -- svc alerts list', why: 'Look around without a server' },
    { run: 'svc sandbox run -- svc oauth login', why: 'See how signing in goes' },
    { run: 'svc sandbox run -- bash', why: 'A shell in which svc talks to the sandbox' },
    { run: 'svc sandbox run --trap order-500-applied -- ./my-robot.sh', why: 'Does a script bear an answer that lies' },
  ],
  output: { kind: 'text' },
  async run(input, ctx) {
    const { childEnvironment, runChild } = await import('../../../cli/child.ts');
    const { recordSandbox } = await import('../../../store/sandbox-records.ts');
    const sandbox = await startAsWished(input, ctx);
    let forget = (): void => {};
    try {
      forget = recordSandbox(ctx, { startedBy: 'run', traps: input.trap, env: sandbox.env });
    } catch (error) {
      // The command has it all in its environment.
      if (!(error instanceof SvcError)) throw error;
    }
    try {
      const { status } = await runChild(input.command, { ...childEnvironment(ctx.env), ...sandbox.env }, ctx);
      return { value: undefined, status };
    } finally {
      forget();
      await sandbox.close();
    }
  },
});
