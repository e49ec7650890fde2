/** The sandbox: every emulated service on loopback, and the environment that points `svc` at them. */
import { startAlertmanagerEmulator } from './alerts/server.ts';
import { ALERTS_TRAPS, type AlertsTrap } from './alerts/traps.ts';
import { startCatalogEmulator } from './catalog/server.ts';
import { CATALOG_TRAPS, type CatalogTrap } from './catalog/traps.ts';
import { startTradingEmulator } from './trade/server.ts';
import { TRADING_TRAPS, type TradingTrap } from './trade/traps.ts';
import { startRecordingsEmulator } from './webhooks/server.ts';
import { TRAPS, type Trap } from './webhooks/traps.ts';

export type SandboxTrap = AlertsTrap | Trap | CatalogTrap | TradingTrap;

export interface SandboxOptions {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Uniform in [0, 1): ids are made from it. */
  readonly random: () => number;
  /** `demo`, a state worth looking at, by default. */
  readonly seed?: 'demo' | 'empty';
  /** The first service's port, which the others follow one by one; 0, the default, for any free ones. */
  readonly port?: number;
  /** What the services wait for themselves, as until a delivery is tried again or a price moves, and how long tokens last, is divided by this. */
  readonly fast?: number;
  /** False: no receiver on this machine can be subscribed, and none by http, as at the real service. */
  readonly loopbackReceivers?: boolean;
  /** Whoever signs in to the recording service is approved at once, without a page. */
  readonly autoApprove?: boolean;
  /** Surprises of the services that are switched on. */
  readonly traps?: readonly SandboxTrap[];
}

export interface Sandbox {
  /** The variables a command needs to talk to the services: `SVC_ALERTS_URL` and so on. */
  readonly env: Readonly<Record<string, string>>;
  /** Ends every service, whatever connections are open. */
  close(): Promise<void>;
}

/** Each service starts alone, and names the variables that lead to it. */
const SERVICES: readonly ((options: Required<SandboxOptions>) => Promise<Sandbox>)[] = [
  async ({ now, random, seed, port, traps }) => {
    const randomUuid = () => uuid(random);
    const { url, traps: switches, close } = await startAlertmanagerEmulator({ now, randomUuid, seed, port });
    for (const trap of traps) if (Object.hasOwn(ALERTS_TRAPS, trap)) switches.add(trap as AlertsTrap);
    return { env: { SVC_ALERTS_URL: url }, close };
  },
  async ({ traps, ...options }) => {
    const { url, token, traps: switches, close } = await startRecordingsEmulator(options);
    for (const trap of traps) if (Object.hasOwn(TRAPS, trap)) switches.add(trap as Trap);
    return { env: { SVC_WEBHOOKS_URL: url, SVC_WEBHOOKS_TOKEN: token }, close };
  },
  async ({ traps, ...options }) => {
    const { url, traps: switches, close } = await startCatalogEmulator(options);
    for (const trap of traps) if (Object.hasOwn(CATALOG_TRAPS, trap)) switches.add(trap as CatalogTrap);
    return { env: { SVC_CATALOG_URL: url }, close };
  },
  async ({ traps, ...options }) => {
    const { url, token, traps: switches, close } = await startTradingEmulator(options);
    for (const trap of traps) if (Object.hasOwn(TRADING_TRAPS, trap)) switches.add(trap as TradingTrap);
    return { env: { SVC_TRADE_URL: url, SVC_TRADE_TOKEN: token }, close };
  },
];

export async function startSandbox(options: SandboxOptions): Promise<Sandbox> {
  const all = {
    seed: 'demo',
    port: 0,
    fast: 1,
    loopbackReceivers: true,
    autoApprove: false,
    traps: [],
    ...options,
  } as const;
  const outcomes = await Promise.allSettled(
    SERVICES.map((start, index) => start({ ...all, port: all.port === 0 ? 0 : all.port + index })),
  );
  const running = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
  const close = async (): Promise<void> => {
    await Promise.all(running.map((service) => service.close()));
  };
  const failed = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failed !== undefined) {
    await close();
    throw failed.reason;
  }
  return { env: Object.assign({}, ...running.map(({ env }) => env)), close };
}

/** Version 4. */
function uuid(random: () => number): string {
  const bytes = Buffer.from(Array.from({ length: 16 }, () => Math.floor(random() * 256)));
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
