import { textCommand } from '../../cli/command.ts';

export const sandboxRun = textCommand({
  id: 'sandbox run',
  summary: 'Run one command against the services on this machine',
  description:
    'The command gets the addresses in its environment; svc stands for this very svc. Its exit status is passed on.',
  effect: 'read',
  args: { command: { help: 'The command and its arguments, after --', repeat: true, required: true } },
  flags: {
    empty: { type: 'boolean', help: 'Start without the sample data' },
    'auto-approve': { type: 'boolean', help: 'Let whoever signs in to the recording service in, without a page' },
  },
  examples: [
    { run: 'svc sandbox run -- svc alerts list', why: 'Look around without a server' },
    { run: 'svc sandbox run -- svc oauth login', why: 'See how signing in goes' },
    { run: 'svc sandbox run -- bash', why: 'A shell in which svc talks to the sandbox' },
  ],
  output: { kind: 'text' },
  async run(input, ctx) {
    const { startSandbox } = await import('../../sandbox/sandbox.ts');
    const { runChild } = await import('../../cli/child.ts');
    const sandbox = await startSandbox({
      now: ctx.now,
      random: ctx.random,
      port: 0,
      seed: input.empty ? 'empty' : 'demo',
      autoApprove: input.autoApprove,
    });
    try {
      const { status } = await runChild(input.command, { ...ctx.env, ...sandbox.env }, ctx);
      return { value: undefined, status };
    } finally {
      await sandbox.close();
    }
  },
});
