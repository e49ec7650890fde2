/** A home directory with the committed scripts, a `svc` on its PATH and profiles, and nothing from this machine. */
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const ROOT = join(import.meta.dirname, '../../..');
export const SCRIPTS = join(ROOT, 'completions');

export interface Workshop {
  readonly home: string;
  /** The folder to work in: `notes.json`, `no spaces`, and a place for markers. */
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  /** Replaces the profiles of this machine. */
  know(...profiles: readonly string[]): void;
  /** What `svc` was called with by the command lines that were run since it was last asked; undefined if it was not. */
  called(): readonly string[] | undefined;
  /** How often something connected to the alert manager. */
  connections(): number;
  close(): void;
}

/** A svc that only completes, and notes the other calls; gives the last one, once. */
function installSvc(home: string): Workshop['called'] {
  const calls = join(home, 'calls');
  writeFileSync(
    join(home, 'bin/svc'),
    `#!/bin/sh
if [ "$1" = __complete ]; then exec '${process.execPath}' '${ROOT}/bin/svc.cjs' "$@"; fi
printf '%s\\0' "$@" > '${calls}.new'
mv '${calls}.new' '${calls}'
`,
  );
  chmodSync(join(home, 'bin/svc'), 0o755);
  return () => {
    if (!existsSync(calls)) return undefined;
    const args = readFileSync(calls, 'utf8').split('\0').slice(0, -1);
    rmSync(calls);
    return args;
  };
}

export async function workshop(): Promise<Workshop> {
  const home = mkdtempSync(join(tmpdir(), 'svc-complete-'));
  const folder = join(home, 'work');
  mkdirSync(folder);
  mkdirSync(join(home, 'bin'));
  for (const file of ['notes.json', 'no spaces']) writeFileSync(join(folder, file), '');
  let connections = 0;
  const server = createServer((socket) => {
    connections++;
    socket.destroy();
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const address = `http://127.0.0.1:${(server.address() as { port: number }).port}`;
  const called = installSvc(home);
  const config = join(home, 'config');
  mkdirSync(config);
  const know = (...profiles: readonly string[]): void =>
    writeFileSync(
      join(config, 'settings.json'),
      JSON.stringify({ profiles: Object.fromEntries(profiles.map((name) => [name, { 'alerts.url': address }])) }),
      { mode: 0o600 },
    );
  know();
  return {
    home,
    folder,
    env: {
      HOME: home,
      PATH: `${home}/bin:${process.env['PATH'] ?? ''}`,
      HISTFILE: '/dev/null',
      TERM: 'xterm',
      LC_ALL: 'C.UTF-8',
      SVC_CONFIG_DIR: config,
      SVC_ALERTS_URL: address,
      SVC_WEBHOOKS_URL: address,
      SVC_CATALOG_URL: address,
    },
    know,
    called,
    connections: () => connections,
    close() {
      server.close();
      // A shell that was just killed may still write its history.
      rmSync(home, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
    },
  };
}
