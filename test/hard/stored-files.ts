/** What must be true after any kill or refusal: other logins, complete files, permissions, a free lock. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { OAuthCredential } from '../../src/store/credentials.ts';
import { withLock } from '../../src/store/lock.ts';
import { type Credentials, parseCredentials } from '../support/credentials.ts';
import { lockContext } from '../support/folder.ts';
import { keep, login, type RotatingServer } from '../support/rotating-server.ts';
import { namesIn } from './file-steps.ts';

/** A login of another profile, which no command uses or may lose. */
const OTHER = {
  kind: 'personal',
  profile: 'other',
  base_url: 'https://other.example.com',
  access_token: 'pt-other-0123456789',
  obtained_at: 1,
} as const;
const OTHER_CLIENT = {
  issuer: 'https://other.example.com',
  client_id: 'other',
  token_endpoint_auth_method: 'client_secret_post',
  client_secret: 'secret-of-other',
  redirect_uris: ['http://127.0.0.1:8251/callback'],
  registered_at: 1,
} as const;

/** A free lock is taken in less. */
const SOON_MS = 1_000;

/** Credentials in `folder` with a login that must be refreshed first, and with another's. */
export function keepDueLogin(folder: string, { url, current }: RotatingServer): void {
  const { clients, credentials } = login(url, -10, { refresh_token: current });
  keep(folder, { clients: [...clients, OTHER_CLIENT], credentials: [...credentials, OTHER] });
}

/** Credentials of another alone. */
export function keepOther(folder: string): void {
  keep(folder, { clients: [OTHER_CLIENT], credentials: [OTHER] });
}

export function credentialsIn(folder: string): Credentials {
  return parseCredentials(readFileSync(join(folder, 'credentials.json'), 'utf8'));
}

/** The refresh tokens in the credentials of `folder`. */
export function refreshTokensIn(folder: string): readonly string[] {
  const logins = credentialsIn(folder).credentials.filter((one): one is OAuthCredential => one.kind === 'oauth');
  return logins.flatMap(({ refresh_token }) => refresh_token ?? []);
}

/** The file is always complete, and has the unrelated entries. */
export function expectOtherStored(folder: string, step: string): void {
  const { clients, credentials } = credentialsIn(folder);
  expect(clients, step).toContainEqual(OTHER_CLIENT);
  expect(credentials, step).toContainEqual(OTHER);
}

/** All files of mode 0600, all folders of mode 0700. */
export function expectOwnAlone(root: string, step: string): void {
  const found = readdirSync(root, { recursive: true, encoding: 'utf8' }).map((name) => {
    const stats = statSync(join(root, name));
    return { name, mode: stats.mode & 0o777, wanted: stats.isDirectory() ? 0o700 : 0o600 };
  });
  expect(
    found.filter(({ mode, wanted }) => mode !== wanted).map(({ name, mode }) => `${name} ${mode.toString(8)}`),
    step,
  ).toEqual([]);
}

/** No other files are left; the credentials have the other login and mode 0600. */
export function expectCredentialsAlone(folder: string, step: string): void {
  expect(namesIn(folder), step).toEqual(['credentials.json']);
  expectOtherStored(folder, step);
  expectOwnAlone(folder, step);
}

/** Of the file at `path`: what a dead owner left is taken over at once, and what a living one left is none. */
export async function expectLockFree(path: string, step: string): Promise<void> {
  const began = performance.now();
  await withLock(`${path}.lock`, lockContext, () => {}, SOON_MS);
  expect(performance.now() - began, step).toBeLessThan(SOON_MS);
}
