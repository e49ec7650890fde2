/** `svc webhooks` against the emulated service, with every write it receives. */

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { WebhooksTrap } from '../../../../src/sandbox/traps.ts';
import type { RecordingsEmulatorOptions } from '../../../../src/sandbox/webhooks/server.ts';
import { startService, type TestService } from '../../../sandbox/webhooks/service.ts';
import { parseSigningSecrets, signingSecretsText } from '../../../support/credentials.ts';
import { type Run, type RunOptions, svc, temporaryHome } from '../../../support/svc.ts';

/** A receiver that the service on loopback accepts, without name resolution. */
export const RECEIVER = 'https://192.0.2.7/hook';

export interface Subscribed extends TestService {
  run(argv: readonly string[], options?: RunOptions): Promise<Run>;
  /** A subscription that is there before. */
  subscribe(url?: string, events?: readonly string[], status?: 1 | 2): string;
}

export async function subscribed(
  traps: readonly WebhooksTrap[] = [],
  options: Partial<RecordingsEmulatorOptions> = {},
): Promise<Subscribed> {
  const service = await startService({ fast: 1000, ...options });
  for (const trap of traps) service.traps.add(trap);
  let count = 0;
  return {
    ...service,
    run: (argv, more = {}) => {
      const env = { SVC_WEBHOOKS_URL: service.url, SVC_WEBHOOKS_TOKEN: service.token, ...more.env };
      // Not copied: a response may be computed on access.
      return svc(['webhooks', ...argv], Object.assign(Object.create(more) as RunOptions, { env }));
    },
    subscribe(url = RECEIVER, events = ['summary.completed', 'webhook.ping'], status = 1) {
      const id = `ep_${++count}`;
      const time = '2026-11-20T12:00:00.000Z';
      service.account.subscriptions.set(id, {
        id,
        secret: `whsec_old${count}`,
        url,
        events,
        status,
        consecutive_failures: status === 2 ? 20 : 3,
        created_at: time,
        updated_at: time,
      });
      return id;
    },
  };
}

const secretsFile = (home: string): string => join(home, 'config/webhook-secrets.json');

/** A home with the signing secrets of these endpoints, each with the address of its service. */
export function homeWithSecrets(...stored: readonly (readonly [url: string | null, id: string])[]): string {
  const home = temporaryHome();
  mkdirSync(join(home, 'config'), { mode: 0o700 });
  const secrets = stored.map(([base_url, endpoint_id]) => {
    return { base_url, endpoint_id, secret: `whsec_${endpoint_id}`, stored_at: '2026-01-01T00:00:00Z' };
  });
  writeFileSync(secretsFile(home), signingSecretsText(secrets), { mode: 0o600 });
  return home;
}

/** The endpoints whose secrets are stored. */
export const endpointsIn = (home: string): string[] =>
  parseSigningSecrets(readFileSync(secretsFile(home), 'utf8')).map(({ endpoint_id: id }) => id);
