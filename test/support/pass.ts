/** A password store of the test's own, with the real docker-credential-pass and gpg. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onPath } from './peers.ts';

const PROGRAMS = ['docker-credential-pass', 'pass', 'gpg', 'gpgconf'];

/** The programs that this machine lacks. */
export const missingForPass = PROGRAMS.filter((program) => onPath(program) === undefined);

export interface PasswordStore {
  readonly env: Readonly<Record<string, string>>;
  /** The addresses of its entries, which the helper encodes. */
  entries(): readonly string[];
  [Symbol.dispose](): void;
}

/** A key without a passphrase, because a test cannot type one. The socket of gpg's agent needs a short path. */
export function passwordStore(): PasswordStore {
  const folder = mkdtempSync(join(tmpdir(), 'pass-'));
  const store = join(folder, 's');
  const env = { GNUPGHOME: folder, PASSWORD_STORE_DIR: store };
  const run = (program: string, ...args: string[]): void => {
    execFileSync(program, args, { env: { ...process.env, ...env, HOME: folder }, stdio: 'ignore' });
  };
  // Without it, the agent refuses some of twenty decryptions at once: "No secret key". docs/configuration.md says so.
  writeFileSync(join(folder, 'gpg-agent.conf'), 'auto-expand-secmem\n');
  run('gpg', '--batch', '--pinentry-mode', 'loopback', '--passphrase', '', '--quick-gen-key', 'svc', 'default');
  run('pass', 'init', 'svc');
  return {
    env,
    entries() {
      const names = readdirSync(join(store, 'docker-credential-helpers'), { withFileTypes: true });
      return names.map(({ name }) => Buffer.from(name, 'base64url').toString()).sort();
    },
    [Symbol.dispose]() {
      run('gpgconf', '--kill', 'all');
      rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}
