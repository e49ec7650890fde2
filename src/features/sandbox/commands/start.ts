import { textCommand } from '../../../cli/command.ts';
import { SvcError } from '../../../errors.ts';
import { exportLines, SANDBOX_FLAGS, startAsWished, TRAPS_OF } from '../../../sandbox/starting.ts';
import { ALLOW_LISTED } from '../../../sandbox/webhooks/traps.ts';

const told = (traps: Readonly<Record<string, string>>): string =>
  Object.entries(traps)
    .map(([name, text]) => `${name}: ${text}`)
    .join('\n');

export const sandboxStart = textCommand({
  id: 'sandbox start',
  summary: 'Start the services on this machine and print the environment to use',
  description: `The services listen on loopback only, keep everything in memory, and end with this command (Ctrl-C). Paste the lines it prints into another terminal, or run there: eval "$(svc sandbox status --env)". They hold the addresses, and tokens of the recording service and of the trading gateway.
svc oauth login works there, too, with a page that asks in the browser, or with --auto-approve without. What it gets is used where SVC_WEBHOOKS_TOKEN is unset. The one https address that clients may register is ${ALLOW_LISTED}.
The alert manager has three teams and two clusters. Its traps (--trap) are what a real one may do to a script:
${told(TRAPS_OF.alerts)}
The recording service really signs and delivers, to receivers on this machine alone, which may be subscribed by http there: svc webhooks listen is one. Its traps:
${told(TRAPS_OF.webhooks)}
The catalog has a few stores and regions, and prices up to the time of the start. Its traps:
${told(TRAPS_OF.catalog)}
The trading gateway has the accounts 654061, which hedges, and 654062, which nets; prices that move five times a second, at weekends as well; and nobody's money. Its traps:
${told(TRAPS_OF.trade)}`,
  effect: 'read',
  flags: SANDBOX_FLAGS,
  examples: [
    { run: 'svc sandbox start', why: 'In one terminal; paste the lines into another' },
    { run: 'svc sandbox start --port 9093 --empty', why: 'An empty alert manager at its usual port' },
    { run: 'svc sandbox start --fast 60 --trap lost-create', why: 'Hours in minutes, and an answer that gets lost' },
    { run: 'svc sandbox start --trap many-products', why: 'A catalog of ten thousand products to page through' },
  ],
  output: { kind: 'text' },
  async run(input, ctx) {
    const { recordSandbox } = await import('../../../store/sandbox-records.ts');
    const sandbox = await startAsWished(input, ctx);
    let forget = (): void => {};
    try {
      forget = recordSandbox(ctx, { startedBy: 'start', traps: input.trap, env: sandbox.env });
    } catch (error) {
      if (!(error instanceof SvcError)) throw error;
      ctx.notice(`svc sandbox status will know of it only where these lines were pasted: ${error.message}`);
    }
    return {
      value: exportLines(sandbox.env),
      async hold() {
        ctx.notice('the sandbox runs until Ctrl-C');
        ctx.signal.throwIfAborted();
        await new Promise((_, stop) =>
          ctx.signal.addEventListener('abort', () => stop(ctx.signal.reason), { once: true }),
        );
      },
      async end() {
        forget();
        await sandbox.close();
      },
    };
  },
});
