/** The emulator and the real servers that the cases run against. */
import { afterAll, afterEach, beforeAll, describe } from 'vitest';
import { startAlertmanagerEmulator } from '../../src/sandbox/alerts/server.ts';
import { type AlertmanagerOptions, startAlertmanager } from './alertmanager.ts';
import { ALERTMANAGER_RELEASES, alertmanagerBinary } from './peers.ts';

interface RealServer {
  readonly release: string;
  readonly version: string | undefined;
}

/** The web configuration of a server whose user is `operator`, with the password `correct horse`, of the lowest cost. */
export const WEB_CONFIG = `basic_auth_users:
  operator: "$2b$04$abcdefghijklmnopqrstuujydOTSfIH/d5oUHpsygqV5X9xJLQc6e"
`;

/** Starts servers that are stopped after the test, and returns their addresses. */
export function starter(release: string): (options: AlertmanagerOptions) => Promise<string> {
  const running: (() => Promise<void>)[] = [];
  afterEach(async () => {
    await Promise.all(running.splice(0).map((stop) => stop()));
  });
  return async (options) => {
    const { url, stop } = await startAlertmanager({ release, ...options });
    running.push(stop);
    return url;
  };
}

/** Declares the cases once for each real release. One that is missing is skipped by name. */
export function describeRealServers(cases: (server: RealServer) => void, since = '0.25'): void {
  for (const release of ALERTMANAGER_RELEASES.filter((one) => one >= since)) {
    const version = alertmanagerBinary(release)?.version;
    describe.skipIf(version === undefined)(`Alertmanager ${release}`, () => cases({ release, version }));
  }
}

/** The release that is emulated: later ones answer some requests differently. */
const EMULATED = '0.25';

/**
 * Declares the cases once for the emulator and once for the release that it emulates; each server is shared by its cases.
 * `comparable` is what the cases compare of a body: on the emulator neither the wording of an error nor the escapes.
 */
export function onBothServers(cases: (url: () => string, comparable: (body: string) => unknown) => void): void {
  const servers = [
    {
      name: 'emulator',
      missing: false,
      comparable: withoutWording,
      start: () => startAlertmanagerEmulator({ now: () => Date.now() }),
    },
    {
      name: `Alertmanager ${EMULATED}`,
      missing: alertmanagerBinary(EMULATED) === undefined,
      comparable: (body: string) => body,
      start: async () => {
        const { url, stop } = await startAlertmanager({ release: EMULATED });
        return { url, close: stop };
      },
    },
  ];
  for (const { name, missing, comparable, start } of servers) {
    describe.skipIf(missing)(name, () => {
      let server: { readonly url: string; close(): Promise<void> } | undefined;
      beforeAll(async () => {
        server = await start();
      });
      afterAll(async () => {
        await server?.close();
      });
      cases(() => server?.url ?? '', comparable);
    });
  }
}

/** Of an error that it has a message; of other JSON all but the way characters are escaped. */
function withoutWording(body: string): unknown {
  if (!/^["[{]/.test(body)) return body;
  const value = JSON.parse(body);
  if (typeof value === 'string') return /\S/.test(value);
  return 'code' in value ? /\S/.test(value.message) : JSON.stringify(value);
}

/** Milliseconds from now, as the API writes times. */
export function iso(offset: number): string {
  return new Date(Date.now() + offset).toISOString();
}

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
