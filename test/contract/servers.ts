/** The emulator and the real server, for the contract cases that both must pass. */
import { afterAll, beforeAll, describe } from 'vitest';
import { startAlertmanagerEmulator } from '../../src/sandbox/alertmanager/server.ts';
import { startAlertmanager } from '../support/alertmanager.ts';
import { alertmanagerBinary } from '../support/peers.ts';

const peer = alertmanagerBinary();
/** The version that is emulated: later ones answer some requests differently. */
const CONTRACT = '0.25.';

export const realName = `Alertmanager 0.25${peer && !peer.version.startsWith(CONTRACT) ? ` (${peer.version} is here)` : ''}`;
export const realIsMissing = !peer?.version.startsWith(CONTRACT);

/** Declares the cases once for each server; both start afresh and are shared by the cases. */
export function onBothServers(cases: (url: () => string) => void): void {
  const servers = [
    { name: 'emulator', missing: false, start: () => startAlertmanagerEmulator({ now: () => Date.now() }) },
    {
      name: realName,
      missing: realIsMissing,
      start: async () => {
        const { url, stop } = await startAlertmanager();
        return { url, close: stop };
      },
    },
  ];
  for (const { name, missing, start } of servers) {
    describe.skipIf(missing)(name, () => {
      let server: { readonly url: string; close(): Promise<void> } | undefined;
      beforeAll(async () => {
        server = await start();
      });
      afterAll(async () => {
        await server?.close();
      });
      cases(() => server?.url ?? '');
    });
  }
}

/** Milliseconds from now, as the API writes times. */
export function iso(offset: number): string {
  return new Date(Date.now() + offset).toISOString();
}

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
