/** Diagnostics of the stored files and of the login. */
import { statSync } from 'node:fs';
import { platform } from 'node:os';
import { basename } from 'node:path';
import type { RunContext } from '../../cli/command.ts';
import { type Finding, fail, ok, type Result, warn } from '../../cli/findings.ts';
import { SvcError } from '../../errors.ts';
import { type Credential, credentialsFile, credentialsPath, loginKey, ownerOf } from '../../store/credentials.ts';
import { readOwnFile } from '../../store/own-file.ts';
import type { SecretEntry } from '../../store/schemas.ts';
import { parseDocument } from '../../store/secret-file.ts';
import { helperPlace } from '../../store/secret-places.ts';
import { chosenPlace, FILE, isSecret, partsOfId, placeOf, SecretStore } from '../../store/secret-store.ts';
import { HELPER_SETTING } from '../../store/setting-keys.ts';
import { settingsPath } from '../../store/settings.ts';
import { webhookSecretsFile, webhookSecretsPath } from '../../store/webhook-secrets.ts';
import { credentialSource } from './authorizer.ts';
import { loginStatus, refreshEnd } from './login-status.ts';

export { credentialSource };

type Where = Pick<RunContext, 'paths'>;
type Modes = ReadonlyMap<string, number>;

/** Read first: reading the files changes their modes. Windows stores permissions elsewhere. */
export function fileModes({ paths }: Where): Modes {
  const files = [paths.config, credentialsPath(paths), webhookSecretsPath(paths), settingsPath(paths)];
  const modes = new Map<string, number>();
  if (platform() === 'win32') return modes;
  for (const file of files) {
    const stats = statSync(file, { throwIfNoEntry: false });
    if (stats !== undefined) modes.set(file, stats.mode & 0o777);
  }
  return modes;
}

/** One for each file that others may read or change, or that they could until now. */
export function fileFindings(before: Modes, { paths }: Where): readonly Finding[] {
  const now = fileModes({ paths });
  const found: Finding[] = [];
  for (const [path, was] of before) {
    const is = now.get(path) ?? was;
    const isFolder = path === paths.config;
    const loose = isFolder ? 0o022 : 0o077;
    if ((was & loose) === 0) continue;
    const subject = isFolder ? path : basename(path);
    const stillLoose = isFolder ? looseFolder(path, is) : looseFile(path, is);
    found.push({ check: 'files', subject, ...((is & loose) === 0 ? wasReadable(path, was, paths) : stillLoose) });
  }
  if (found.length > 0) return found;
  const checked =
    before.size === 0 ? `there are no files in ${paths.config} yet` : `only you can read the files in ${paths.config}`;
  return [{ check: 'files', subject: null, ...ok(platform() === 'win32' ? 'not checked on Windows' : checked) }];
}

function looseFolder(path: string, mode: number): Result {
  return fail(`other users can change its files (mode ${mode.toString(8)})`, `chmod 700 ${path}`);
}

function looseFile(path: string, mode: number): Result {
  return fail(`other users can read it (mode ${mode.toString(8)})`, `chmod 600 ${path}`);
}

function wasReadable(path: string, mode: number, paths: Where['paths']): Result {
  const renew = path === credentialsPath(paths) ? 'svc oauth login' : 'svc webhooks rotate <id>';
  return warn(`other users could read it (mode ${mode.toString(8)}) until now; if one may have read it:`, renew);
}

/** By the first part of an id. */
const REMEDIES: Readonly<Record<string, string>> = {
  gateway: 'svc trade login',
  signing: 'svc webhooks secrets import <id>',
};

/** Whether the chosen credential helper works, and whether all secrets are where svc will look. */
export async function storeFindings(ctx: RunContext): Promise<readonly Finding[]> {
  const common = { check: 'store', subject: null };
  const chosen = chosenPlace(ctx);
  const stores = [
    new SecretStore(credentialsFile(ctx.paths), ctx),
    new SecretStore(webhookSecretsFile(ctx.paths), ctx),
  ];
  const entries = (await Promise.all(stores.map(secretEntries))).flat();
  const found: Finding[] = chosen === FILE ? [] : [await helperFinding(chosen, ctx)];
  for (const other of new Set(entries.map(({ entry }) => placeOf(entry)).filter((one) => one !== chosen))) {
    const where = other === FILE ? 'files' : `the credential helper ${other}`;
    const detail = `secrets are in ${where}, where svc does not look: ${HELPER_SETTING} is ${chosen}`;
    const [first] = entries.filter(({ entry }) => placeOf(entry) === other);
    found.push({ ...common, ...fail(detail, REMEDIES[first?.kind ?? ''] ?? 'svc oauth login') });
  }
  return found;
}

async function helperFinding(name: string, ctx: RunContext): Promise<Finding> {
  const common = { check: 'store', subject: null };
  try {
    await helperPlace(name, ctx).check();
    return { ...common, ...ok(`the credential helper ${name} stores, reads and erases`) };
  } catch (error) {
    if (!(error instanceof SvcError) || ctx.signal.aborted) throw error;
    const detail = `${error.message}${error.hint === undefined ? '' : ` (${error.hint})`}`;
    return { ...common, ...fail(detail, `svc config set ${HELPER_SETTING} <name>`) };
  }
}

interface Named {
  /** `login` */
  readonly kind: string;
  readonly entry: SecretEntry;
}

/** Those that are secret. What is wrong with the files of secrets is a finding of its own. */
async function secretEntries(store: SecretStore): Promise<readonly Named[]> {
  try {
    const entries = [...(await store.entries())].filter(([, entry]) => isSecret(entry));
    return entries.map(([id, entry]) => ({ kind: partsOfId(id)[0] ?? '', entry }));
  } catch (error) {
    if (error instanceof SvcError) return [];
    throw error;
  }
}

/** What is wrong with a file of secrets; nothing of it is changed, not even who can read it. */
export async function secretsFault(path: string): Promise<string | undefined> {
  try {
    parseDocument(readOwnFile(path).toString(), (await import('../../store/schemas.ts')).secretsDocument);
    return undefined;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    return `${path} cannot be used: ${message.replace(/^E\w+: |, \w+( '.*')?$/g, '')}`;
  }
}

/** Where the token comes from, and when it expires. Makes no request. */
export async function signInFinding(ctx: Omit<RunContext, 'target'>, target: RunContext['target']): Promise<Finding> {
  const common = { check: 'sign-in', subject: null };
  const owner = ownerOf(ctx.settings, target.baseUrl);
  if ('authorization' in target.headers) return { ...common, ...ok('from a header file') };
  const source = credentialSource(ctx);
  let stored: Credential | undefined;
  try {
    stored = await new SecretStore(credentialsFile(ctx.paths), ctx).get(loginKey(owner));
  } catch (error) {
    if (!(error instanceof SvcError) || ctx.signal.aborted) throw error;
    if (source === undefined) return { ...common, ...fail(error.message, error.hint) };
  }
  if (source !== undefined) {
    return { ...common, ...ok(`from ${source}${stored === undefined ? '' : ', before the stored login'}`) };
  }
  if (stored === undefined) {
    if (target.secretHeaders.size > 0) return { ...common, ...ok('from a header file') };
    return { ...common, ...fail(`profile ${owner.profile} is not signed in to ${owner.base_url}`, 'svc oauth login') };
  }
  return { ...common, ...standingOf(stored, ctx.now() / 1000) };
}

function standingOf(stored: Credential, now: number) {
  const { state, advice } = loginStatus(stored, now);
  const again = stored.kind === 'personal' ? 'svc oauth login --token-stdin' : 'svc oauth login';
  if (state === 'not_signed_in') return fail(`the login has ended: ${advice}`, again);
  if (advice !== null) {
    const renewable = stored.kind === 'oauth' && stored.refresh_token !== undefined;
    return warn(advice, renewable ? 'svc oauth refresh' : again);
  }
  const { expires_at: end } = stored;
  const token = end === undefined ? 'a token without a known end' : `a token until ${minute(end)}`;
  const refreshed = refreshEnd(stored);
  const more = refreshed === undefined ? '' : `, which can be refreshed until ${minute(refreshed)}`;
  return ok(`from the stored ${stored.kind === 'personal' ? 'personal ' : 'login: '}${token}${more}`);
}

/** `2026-11-21 08:30 UTC` */
function minute(seconds: number): string {
  return `${new Date(seconds * 1000).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}
