import { textCommand } from '../../cli/command.ts';
import { SvcError } from '../../errors.ts';
import { CATALOG_TRAPS } from '../../sandbox/catalog/traps.ts';
import { ALLOW_LISTED } from '../../sandbox/recordings/allow-list.ts';
import { TRAPS } from '../../sandbox/recordings/traps.ts';
import type { SandboxTrap } from '../../sandbox/sandbox.ts';
import { TRADING_TRAPS } from '../../sandbox/trading/traps.ts';

const TRAP_NAMES = [TRAPS, CATALOG_TRAPS, TRADING_TRAPS].flatMap((traps) => Object.keys(traps));

const told = (traps: Readonly<Record<string, string>>): string =>
  Object.entries(traps)
    .map(([name, text]) => `${name}: ${text}`)
    .join('\n');

export const sandboxStart = textCommand({
  id: 'sandbox start',
  summary: 'Start the services on this machine and print the environment to use',
  description: `The services listen on loopback only, keep everything in memory, and end with this command (Ctrl-C). Paste the lines it prints into another terminal: they hold the addresses, and tokens of the recording service and of the trading gateway.
svc oauth login works there, too, with a page that asks in the browser, or with --auto-approve without. What it gets is used where SVC_WEBHOOKS_TOKEN is unset. The one https address that clients may register is ${ALLOW_LISTED}.
The recording service really signs and delivers, to receivers on this machine alone, which may be subscribed by http there: svc webhooks listen is one. Its traps (--trap) are what a real service may do to a script:
${told(TRAPS)}
The catalog has a few stores and regions, and prices up to the time of the start. Its traps:
${told(CATALOG_TRAPS)}
The trading gateway has the accounts 654061, which hedges, and 654062, which nets; prices that move five times a second, at weekends as well; and money of nobody. Its traps:
${told(TRADING_TRAPS)}`,
  effect: 'read',
  flags: {
    empty: { type: 'boolean', help: 'Start without the sample data' },
    port: {
      type: 'integer',
      value: 'n',
      min: 0,
      max: 65_535,
      default: 0,
      help: 'Port of the alert manager, which the other services follow; 0 for free ones',
    },
    fast: {
      type: 'integer',
      value: 'n',
      min: 1,
      max: 100_000,
      default: 1,
      help: 'Divide the times until a delivery is sent, and sent again, between two prices, and the lives of tokens, by this',
    },
    'auto-approve': { type: 'boolean', help: 'Let whoever signs in to the recording service in, without a page' },
    trap: {
      type: 'choice',
      repeat: true,
      value: 'name',
      choices: TRAP_NAMES,
      help: 'Switch on a trap of a service',
    },
    'loopback-receivers': {
      type: 'boolean',
      default: true,
      help: 'Refuse receivers on this machine and by http, as the real service does',
    },
  },
  examples: [
    { run: 'svc sandbox start', why: 'In one terminal; paste the lines into another' },
    { run: 'svc sandbox start --port 9093 --empty', why: 'An empty alert manager at its usual port' },
    { run: 'svc sandbox start --fast 60 --trap lost-create', why: 'Hours in minutes, and an answer that gets lost' },
    { run: 'svc sandbox start --trap many-products', why: 'A catalog of ten thousand products to page through' },
  ],
  output: { kind: 'text' },
  async run(input, ctx) {
    const { startSandbox } = await import('../../sandbox/sandbox.ts');
    const sandbox = await startSandbox({
      now: ctx.now,
      random: ctx.random,
      port: input.port,
      seed: input.empty ? 'empty' : 'demo',
      fast: input.fast,
      loopbackReceivers: input.loopbackReceivers,
      autoApprove: input.autoApprove,
      traps: input.trap as readonly SandboxTrap[],
    }).catch(explainPort);
    return {
      value: Object.entries(sandbox.env)
        .map(([name, value]) => `export ${name}=${value}`)
        .join('\n'),
      async hold() {
        ctx.notice('the sandbox runs until Ctrl-C');
        try {
          ctx.signal.throwIfAborted();
          await new Promise((_, stop) =>
            ctx.signal.addEventListener('abort', () => stop(ctx.signal.reason), { once: true }),
          );
        } finally {
          await sandbox.close();
        }
      },
    };
  },
});

function explainPort(error: unknown): never {
  const { code, port } = error as NodeJS.ErrnoException & { port?: number };
  if (port === undefined || (code !== 'EADDRINUSE' && code !== 'EACCES')) throw error;
  const why = code === 'EACCES' ? 'is for privileged users' : 'is in use';
  throw new SvcError('invalid_value', `--port: ${port} ${why}`, {
    hint: 'choose another, or 0 for a free one',
    cause: error,
  });
}
