import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { textCommand } from '../../cli/command.ts';
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
    const [name = '', ...args] = input.command;
    const [command, ...before] = name === 'svc' ? ctx.self : [name];
    try {
      ctx.signal.throwIfAborted();
      const status = await new Promise<number>((ended, failed) => {
        const child = spawn(command, [...before, ...args], { stdio: 'inherit', env: { ...ctx.env, ...sandbox.env } });
        const forward = () => {
          const terminated = ctx.signal.reason instanceof SvcError && ctx.signal.reason.code === 'terminated';
          // A terminal sends its Ctrl-C to the command as well: a second one would cut the command's own clean end.
          if (terminated || !ctx.stdin.isTTY) child.kill(terminated ? 'SIGTERM' : 'SIGINT');
        };
        ctx.signal.addEventListener('abort', forward, { once: true });
        child.on('error', (error: NodeJS.ErrnoException) =>
          failed(new SvcError('usage', `cannot run ${name}: ${error.code ?? error.message}`)),
        );
        child.on('exit', (code, signal) => ended(code ?? 128 + (signal === null ? 0 : constants.signals[signal])));
      });
      ctx.signal.throwIfAborted();
      return { value: undefined, status };
    } finally {
      await sandbox.close();
    }
  },
});
