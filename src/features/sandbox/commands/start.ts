import { textCommand } from '../../../cli/command.ts';
import { ALLOW_LISTED, TRAPS } from '../../../sandbox/traps.ts';
import { exportLines, SANDBOX_FLAGS, startRecorded } from '../start-sandbox.ts';

const listed = (traps: Readonly<Record<string, string>>): string =>
  Object.entries(traps)
    .map(([name, text]) => `${name}: ${text}`)
    .join('\n');

export const sandboxStart = textCommand({
  id: 'sandbox start',
  summary: 'Start the services on this machine and print the environment to use',
  description: `The services listen on loopback only, store everything in memory, and end with this command (Ctrl-C). Paste the lines it prints into another terminal, or run there: eval "$(svc sandbox status --env)". The lines contain the addresses, and tokens for the recording service and the trading gateway.
svc oauth login works too, with a page in the browser or, with --auto-approve, without one. Its login is used where SVC_WEBHOOKS_TOKEN is unset. The only https address that clients may register is ${ALLOW_LISTED}.
The alert manager has three teams and two clusters. Its traps (--trap) are faults of real services:
${listed(TRAPS.alerts)}
The recording service really signs and delivers, to receivers on this machine only, which may subscribe by http: svc webhooks listen is one. Its traps:
${listed(TRAPS.webhooks)}
The catalog has a few stores and regions, and prices up to the time of the start. Its traps:
${listed(TRAPS.catalog)}
The trading gateway has the accounts 654061, which hedges, and 654062, which nets, and prices that move five times a second, also at weekends. No real money is involved. Its traps:
${listed(TRAPS.trade)}`,
  effect: 'read',
  flags: SANDBOX_FLAGS,
  examples: [
    { run: 'svc sandbox start', why: 'Start in one terminal; paste the lines into another' },
    { run: 'svc sandbox start --port 9093 --empty', why: 'Start an empty alert manager at its usual port' },
    { run: 'svc sandbox start --fast 60 --trap lost-create', why: 'Turn hours into minutes, and lose a response' },
    { run: 'svc sandbox start --trap many-products', why: 'Page through a catalog of ten thousand products' },
  ],
  output: { kind: 'text' },
  async run(input, ctx) {
    const { env, unrecorded, close } = await startRecorded('start', input, ctx);
    if (unrecorded !== undefined) {
      ctx.notice(`svc sandbox status finds this sandbox only where these lines were pasted: ${unrecorded.message}`);
    }
    return {
      value: exportLines(env),
      async hold() {
        ctx.notice('the sandbox runs until Ctrl-C');
        ctx.signal.throwIfAborted();
        await new Promise((_, stop) =>
          ctx.signal.addEventListener('abort', () => stop(ctx.signal.reason), { once: true }),
        );
      },
      end: close,
    };
  },
});
