/** How a sandbox is started from the command line: the options that its commands share, and what they come to. */
import type { Context } from '../context.ts';
import { SvcError } from '../errors.ts';
import { ALERTS_TRAPS } from './alerts/traps.ts';
import { CATALOG_TRAPS } from './catalog/traps.ts';
import type { Sandbox, SandboxTrap } from './sandbox.ts';
import { TRADING_TRAPS } from './trade/traps.ts';
import { TRAPS } from './webhooks/traps.ts';

/** The service that each trap is of. */
export const TRAPS_OF = {
  alerts: ALERTS_TRAPS,
  webhooks: TRAPS,
  catalog: CATALOG_TRAPS,
  trade: TRADING_TRAPS,
} as const satisfies Readonly<Record<string, Readonly<Record<string, string>>>>;

export const SANDBOX_FLAGS = {
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
    choices: Object.values(TRAPS_OF).flatMap((traps) => Object.keys(traps)),
    help: 'Switch on a trap of a service',
  },
  'loopback-receivers': {
    type: 'boolean',
    default: true,
    help: 'Refuse receivers on this machine and by http, as the real service does',
  },
} as const;

export interface SandboxWish {
  readonly empty: boolean;
  readonly port: number;
  readonly fast: number;
  readonly autoApprove: boolean;
  readonly trap: readonly string[];
  readonly loopbackReceivers: boolean;
}

/** Exit 2 where a port is taken. */
export async function startAsWished(
  wish: SandboxWish,
  { now, random }: Pick<Context, 'now' | 'random'>,
): Promise<Sandbox> {
  const { startSandbox } = await import('./sandbox.ts');
  const { empty, trap, ...options } = wish;
  const traps = trap as readonly SandboxTrap[];
  return startSandbox({ ...options, now, random, seed: empty ? 'empty' : 'demo', traps }).catch(explainPort);
}

function explainPort(error: unknown): never {
  const { code, port } = error as NodeJS.ErrnoException & { port?: number };
  if (port === undefined || (code !== 'EADDRINUSE' && code !== 'EACCES')) throw error;
  const why = code === 'EACCES' ? 'is for privileged users' : 'is in use';
  throw new SvcError('invalid_value', `--port: ${port} ${why}`, {
    hint: 'choose another, or 0 for a free one',
    cause: error,
  });
}

/** As bash, zsh and fish take them. */
export function exportLines(env: Readonly<Record<string, string>>): string {
  return Object.entries(env)
    .map(([name, value]) => `export ${name}=${value}`)
    .join('\n');
}
