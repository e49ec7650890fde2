import { textCommand } from '../../../cli/command.ts';
import { ALLOW_LISTED } from '../../../sandbox/traps.ts';
import { exportLines, SANDBOX_FLAGS, startRecorded } from '../start-sandbox.ts';

export const sandboxStart = textCommand({
  id: 'sandbox start',
  summary: 'Start all four services on this machine',
  description:
    'Starts services on loopback that store everything in memory, and prints the environment to use. In another terminal, paste these lines or run: eval "$(svc sandbox status --env)". Ctrl-C stops the services.',
  details: `The lines contain tokens for the recording service and the trading gateway. svc oauth login works too, and approves every sign-in; its login is used if SVC_WEBHOOKS_TOKEN is unset. The only https address that clients may register is ${ALLOW_LISTED}.\nThe alert manager has three teams and two clusters. The recording service signs and delivers events to receivers on this machine, such as svc webhooks listen. The catalog has a few stores and regions, with prices up to the start. The trading gateway has the accounts 654061 (hedging) and 654062 (netting); its prices move a little five times a second, also at weekends, and every order is filled at the price shown. No real money is involved.\nPrices are the same in every run, counted from its start. --fast makes the days of this market shorter, too: with --fast 1440 one takes a minute.\nA trap (--trap) makes a service misbehave as real services do; svc sandbox traps lists all.`,
  effect: 'read',
  flags: SANDBOX_FLAGS,
  examples: [
    { run: 'svc sandbox start', why: 'Start a sandbox' },
    { run: 'svc sandbox start --port 9093 --empty', why: 'Start an empty alert manager on the usual port' },
    { run: 'svc sandbox start --fast 60 --trap lost-create', why: 'Run 60 times faster and lose a response' },
  ],
  output: { kind: 'text' },
  async run(input, ctx) {
    const { env, close } = await startRecorded('start', input, ctx);
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
