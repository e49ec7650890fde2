/** The emulated services on loopback, and the environment that points `svc` at them. */
import { startAlertmanagerEmulator } from './alerts/server.ts';
import { startCatalogEmulator } from './catalog/server.ts';
import type { EmulatorOptions } from './http.ts';
import { startTradingEmulator } from './trade/server.ts';
import { type SandboxTrap, TRAPS } from './traps.ts';
import { startRecordingsEmulator } from './webhooks/server.ts';

/** The services have ports in sequence from `port`; 0, the default, takes any free ones. */
export interface SandboxOptions extends EmulatorOptions {
  readonly random: () => number;
  /** Divides the waits of services, as until a retry or the next price, and token lifetimes. */
  readonly fast?: number;
  readonly traps?: readonly SandboxTrap[];
}

export interface Sandbox {
  /** The variables a command needs to talk to the services: `SVC_ALERTS_URL` and so on. */
  readonly env: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

interface Service {
  readonly url: string;
  readonly token?: string;
  readonly traps?: Set<SandboxTrap>;
  close(): Promise<void>;
}

export async function startSandbox({ port = 0, seed = 'demo', traps = [], ...more }: SandboxOptions): Promise<Sandbox> {
  const portOf = (index: number): number => (port === 0 ? 0 : port + index);
  const starting: Readonly<Record<keyof typeof TRAPS, Promise<Service>>> = {
    alerts: startAlertmanagerEmulator({ now: more.now, seed, port: portOf(0) }),
    webhooks: startRecordingsEmulator({ ...more, seed, port: portOf(1) }),
    catalog: startCatalogEmulator({ ...more, seed, port: portOf(2) }),
    trade: startTradingEmulator({ ...more, seed, port: portOf(3) }),
  };
  const outcomes = await Promise.allSettled(Object.values(starting));
  const close = async (): Promise<void> => {
    await Promise.all(outcomes.map((outcome) => outcome.status === 'fulfilled' && outcome.value.close()));
  };
  const failed = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failed !== undefined) {
    await close();
    throw failed.reason;
  }
  const env: Record<string, string> = {};
  for (const [name, service] of Object.entries(starting)) {
    const { url, token, traps: switches } = await service;
    env[`SVC_${name.toUpperCase()}_URL`] = url;
    if (token !== undefined) env[`SVC_${name.toUpperCase()}_TOKEN`] = token;
    const own = Object.keys(TRAPS[name as keyof typeof TRAPS]);
    for (const trap of traps) if (own.includes(trap)) switches?.add(trap);
  }
  return { env, close };
}
