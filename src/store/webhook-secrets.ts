/** webhook-secrets.json: the signing secrets of endpoints, changed under a lock, based on the current content. */
import { closeSync, fsyncSync, openSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Paths } from '../context.ts';
import { SvcError } from '../errors.ts';
import { realTarget, stagedPath, writeAtomic } from './atomic-write.ts';
import { withLock } from './lock.ts';
import { discard, fileFailure } from './own-file.ts';
import type { SealedEntry, SecretsDocument, StoredSecret } from './schemas.ts';
import { type EachRecord, type VaultContext, withPlaceholders } from './sealed-records.ts';
import { readSecretFile, setAside } from './secret-file.ts';
import { Vault } from './vault.ts';

export type { StoredSecret };

interface StoredSecrets {
  readonly secrets: readonly StoredSecret[];
  readonly warnings: readonly string[];
}

const EMPTY: SecretsDocument = { version: 1, secrets: [] };
const NOT_ERASED = 'the credential helper could not erase an old secret; svc tries again with the next change';

export function webhookSecretsPath(paths: Paths): string {
  return join(paths.config, 'webhook-secrets.json');
}

const schema = async () => (await import('./schemas.ts')).webhookSecrets;

/** What is secret in it. */
const eachSecret: EachRecord<SecretsDocument> = (document, change) => ({
  ...document,
  secrets: document.secrets.map((one) => {
    const service = one.base_url?.replace(/^\w+:\/\//, '') ?? 'no-service';
    return change(one, { fields: ['secret'], path: `signing/${service}/${one.endpoint_id}` });
  }),
});

async function read(path: string) {
  const { document, ...rest } = await readSecretFile(path, schema);
  return { ...rest, document: document && withPlaceholders(document, eachSecret) };
}

/** A missing file counts as empty. A corrupt one is an error, or empty if it is about to be replaced. */
export async function readWebhookSecrets(paths: Paths, { replacing = false } = {}): Promise<StoredSecrets> {
  const path = webhookSecretsPath(paths);
  const { document = EMPTY, warnings, corrupt } = await read(path);
  if (corrupt === undefined || replacing) return { secrets: document.secrets, warnings };
  throw new SvcError('file_unusable', `${path} cannot be used: ${corrupt}`, {
    hint: 'restore it, or import the secrets again: svc then moves the file aside and does not overwrite it',
  });
}

const nameOf = ({ endpoint_id }: StoredSecret): string => `the signing secret of ${endpoint_id}`;

/** With its secret, from the chosen store or from `anywhere`; undefined if a credential helper does not have it. */
export async function findWebhookSecret(
  stored: StoredSecret,
  context: VaultContext,
  anywhere = false,
): Promise<StoredSecret | undefined> {
  return new Vault(context).open(stored, nameOf(stored), anywhere);
}

/** With its secret. Throws `unauthorized` if a credential helper does not have it. */
export async function openWebhookSecret(
  stored: StoredSecret,
  context: VaultContext,
  anywhere = false,
): Promise<StoredSecret> {
  const open = await findWebhookSecret(stored, context, anywhere);
  if (open !== undefined) return open;
  throw new SvcError('unauthorized', `the credential helper ${stored.sealed?.helper} does not have ${nameOf(stored)}`, {
    hint: 'import it again: svc webhooks secrets import, or: svc webhooks rotate',
  });
}

/**
 * Replaces the secrets with the result of `change`; if it throws, the file is unchanged. A corrupt file is first moved aside and counts as empty. Without a change, this checks that the next one can be stored. Returns warnings for the user.
 */
export async function changeWebhookSecrets(
  paths: Paths,
  context: VaultContext,
  change: (secrets: readonly StoredSecret[]) => readonly StoredSecret[],
): Promise<readonly string[]> {
  const path = realTarget(webhookSecretsPath(paths));
  return withLock(`${path}.lock`, context, async () => {
    discard(stagedPath(path));
    const before = await read(path);
    const warnings = [...before.warnings];
    if (before.corrupt !== undefined) warnings.push(setAside(path, before.corrupt, context.now()));
    const vault = new Vault(context);
    const document = before.document ?? EMPTY;
    const secrets = change(document.secrets);
    if (secrets === document.secrets) {
      await vault.check(path);
      return warnings;
    }
    const { document: sealed, writes, obsolete } = vault.plan({ ...document, secrets }, document, eachSecret);
    const old = [...(document.erasing ?? []), ...obsolete];
    const textOf = (erasing: readonly SealedEntry[]): string =>
      `${JSON.stringify({ ...sealed, erasing: erasing.length === 0 ? undefined : erasing }, null, 2)}\n`;
    await vault.store(writes);
    writeAtomic(path, textOf(old));
    const left = await vault.eraseReplaced(old, path, textOf(old));
    if (left.length < old.length) writeAtomic(path, textOf(left));
    return left.length === 0 ? warnings : [...warnings, NOT_ERASED];
  });
}

/** The maximum size of one more secret and the lock for it. */
const RESERVED_BYTES = 16 * 1024;

/**
 * Reserves the disk space for the next change, which must not fail for lack of it, until the returned function is called right before that change. The file has
 * no name, so it disappears however this process ends.
 */
export function reserveSpace(paths: Paths, pid: number): () => void {
  const path = realTarget(webhookSecretsPath(paths));
  const reserved = `${path}.${pid}.reserved`;
  let file: number | undefined;
  const giveBack = (): void => {
    if (file !== undefined) closeSync(file);
    file = undefined;
  };
  try {
    const { size = 0 } = statSync(path, { throwIfNoEntry: false }) ?? {};
    // A killed process with the same number may have left it between the next two lines.
    rmSync(reserved, { force: true });
    file = openSync(reserved, 'wx', 0o600);
    rmSync(reserved);
    writeFileSync(file, Buffer.alloc(size + RESERVED_BYTES, ' '));
    fsyncSync(file);
  } catch (error) {
    giveBack();
    throw fileFailure(`cannot write ${path}`, error);
  }
  return giveBack;
}
