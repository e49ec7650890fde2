import { runChild } from '../../../cli/child.ts';
import { textCommand } from '../../../cli/command.ts';
import { childEnvironment } from '../../../store/setting-keys.ts';
import { SANDBOX_FLAGS, startRecorded } from '../start-sandbox.ts';

export const sandboxRun = textCommand({
  id: 'sandbox run',
  summary: 'Run one command against a sandbox',
  description:
    'The command gets the addresses and credentials of a new sandbox in its environment, and no other credentials of svc. `svc` in the command is this executable. svc exits with the status of the command. svc sandbox traps lists the values of --trap.',
  effect: 'read',
  args: { command: { help: 'Command and arguments, after --', repeat: true, required: true } },
  flags: SANDBOX_FLAGS,
  examples: [
    { run: 'svc sandbox run -- svc alerts list', why: 'Try svc without a server' },
    { run: 'svc sandbox run -- svc oauth login', why: 'Try signing in' },
    { run: 'svc sandbox run -- bash', why: 'Open a shell in which svc talks to the sandbox' },
    {
      run: 'svc sandbox run --trap order-500-applied -- ./my-robot.sh',
      why: 'Test a script against a misleading response',
    },
  ],
  output: { kind: 'text' },
  async run(input, ctx) {
    const sandbox = await startRecorded('run', input, ctx);
    try {
      const { status } = await runChild(input.command, { ...childEnvironment(ctx.env), ...sandbox.env }, ctx);
      return { value: undefined, status };
    } finally {
      await sandbox.close();
    }
  },
});
