/**
 * Secrets by key, in a file or in a credential helper whose entries it names. svc stores a new
 * entry, reads it back, names it in the file, then erases the old one. No other entry is read.
 */
import { existsSync } from 'node:fs';
import type * as z from 'zod/mini';
import type { Context } from '../context.ts';
import { SvcError } from '../errors.ts';
import { schemaProblem } from '../json-object.ts';
import { type Lock, type LockContext, withLock } from './lock.ts';
import { discard, giveBack, type Reserved, realTarget, reserve, stagedPath, writeAtomic } from './own-file.ts';
import { type SecretEntry, type SecretsDocument, type StoredValue, secretEntry } from './schemas.ts';
import { checkFolder, readSecretFile, setAside } from './secret-file.ts';
import { FILE_PLACE, helperPlace, type SecretPlace } from './secret-places.ts';
import { HELPER_SETTING } from './setting-keys.ts';
import type { Settings } from './settings.ts';

export type SecretContext = LockContext &
  Pick<Context, 'env'> & { readonly settings: Pick<Settings, 'get'>; warn(text: string): void };

export interface SecretsFile {
  readonly path: string;
  /** How to get what was in it: `sign in again: svc oauth login`. */
  readonly remedy: string;
}

export interface SecretKey<T> {
  /** In the file: `login/default/https%3A%2F%2Fwebhooks.example.com`. */
  readonly id: string;
  /** For messages: `the login of profile default to https://webhooks.example.com`. */
  readonly name: string;
  readonly remedy: string;
  /** Fields that the value must have: a secret is used for nothing else than what its key says. */
  readonly fields: Readonly<Record<string, string | null>>;
  readonly schema: z.ZodMiniType<T>;
}

export function secretId(...parts: readonly string[]): string {
  return parts.map(encodeURIComponent).join('/');
}

/** Empty for an id that svc did not make. */
export function partsOfId(id: string): readonly string[] {
  try {
    return id.split('/').map(decodeURIComponent);
  } catch {
    return [];
  }
}

export const FILE = 'file';

/** `file`, or the name of the helper. */
export function chosenPlace({ settings }: Pick<SecretContext, 'settings'>): string {
  return settings.get(HELPER_SETTING) ?? FILE;
}

/** `file`, or the name of the helper that has it. */
export function placeOf(entry: SecretEntry): string {
  return 'helper' in entry ? entry.helper : FILE;
}

const SECRET_FIELDS = ['access_token', 'client_secret', 'secret'];

/** An OAuth client may have no secret: its record stays in the file. */
function hasSecret(value: object): boolean {
  return SECRET_FIELDS.some((field) => (value as StoredValue)[field] !== undefined);
}

export function isSecret(entry: SecretEntry): boolean {
  return 'helper' in entry || hasSecret(entry.value);
}

const LARGEST_FILE = 1024 * 1024;
const EMPTY: SecretsDocument = { version: 1, secrets: {} };
/** A refresh holds the lock for most of a minute if the service is slow. */
const WAIT_MS = 60_000;
/** What a refresh may add to the file: tokens of some services are long. */
const GROWTH = 64 * 1024;

/** Reads without the lock. */
export class SecretStore {
  readonly path: string;
  protected readonly context: SecretContext;
  readonly #remedy: string;

  constructor({ path, remedy }: SecretsFile, context: SecretContext) {
    this.path = path;
    this.#remedy = remedy;
    this.context = context;
  }

  /** Undefined if there is none. Throws `unauthorized` if the chosen place does not have it. */
  async get<T>(key: SecretKey<T>): Promise<T | undefined> {
    const entry = this.#entry(key);
    if (entry === undefined) return undefined;
    const problem = misplaced(key, placeOf(entry), chosenPlace(this.context));
    if (problem !== undefined && isSecret(entry)) throw problem;
    const value = await this.#valueOf(key, entry);
    if (value !== undefined) return value;
    throw new SvcError('unauthorized', `the credential helper ${placeOf(entry)} does not have ${key.name}`, {
      hint: key.remedy,
    });
  }

  /** Wherever it is; undefined if there is none, or its helper does not have it. */
  async find<T>(key: SecretKey<T>): Promise<T | undefined> {
    const entry = this.#entry(key);
    return entry && this.#valueOf(key, entry);
  }

  /** The ids of all keys. */
  list(): readonly string[] {
    return Object.keys(this.read().secrets);
  }

  /** The two parts after the kind in the ids of its keys: of `login`, profile and address. */
  pairs(kind: string): readonly (readonly [string, string])[] {
    return Object.keys(this.read().secrets).flatMap((id) => {
      const [first, one, other] = partsOfId(id);
      return first === kind && one !== undefined && other !== undefined ? [[one, other] as const] : [];
    });
  }

  /** What the file has, by the ids of keys. Entries that cannot be used are left out. */
  entries(): ReadonlyMap<string, SecretEntry> {
    const entries = new Map<string, SecretEntry>();
    for (const [id, value] of Object.entries(this.read().secrets)) {
      const { data } = secretEntry.safeParse(value);
      if (data !== undefined) entries.set(id, data);
    }
    return entries;
  }

  protected place(name = chosenPlace(this.context)): SecretPlace {
    return name === FILE ? FILE_PLACE : helperPlace(name, this.context);
  }

  /** Throws `file_unusable` if the file is corrupt. */
  protected read(): SecretsDocument {
    const { document = EMPTY, warnings, corrupt } = readSecretFile(this.path);
    for (const warning of warnings) this.context.warn(warning);
    if (corrupt === undefined) return document;
    throw new SvcError('file_unusable', `${this.path} cannot be used: ${corrupt}`, {
      hint: `restore it, or ${this.#remedy}; svc then moves the file aside and does not overwrite it`,
    });
  }

  #entry(key: SecretKey<unknown>): SecretEntry | undefined {
    return parseEntry(key, this.read().secrets[key.id], this.path);
  }

  async #valueOf<T>(key: SecretKey<T>, entry: SecretEntry): Promise<T | undefined> {
    let failure: unknown;
    try {
      const value = await this.place(placeOf(entry)).read(entry);
      if (value !== undefined) return parseValue(key, value, this.path);
    } catch (error) {
      failure = error;
    }
    this.context.signal.throwIfAborted();
    // Another process may have replaced it, and erased what it replaced, since the file was read.
    const now = this.#entry(key);
    if (now !== undefined && !isSame(now, entry)) return this.#valueOf(key, now);
    if (failure !== undefined) throw failure;
    return undefined;
  }
}

/** While this process alone may change the file. */
export class LockedSecretStore extends SecretStore {
  readonly #lock: Lock;
  readonly #opened: SecretsDocument;
  #reserved: Reserved | undefined;

  constructor(file: SecretsFile, context: SecretContext, lock: Lock, opened: SecretsDocument) {
    super(file, context);
    this.#lock = lock;
    this.#opened = opened;
  }

  /** Takes disk space for the next `set`. Throws if there is none, or the helper cannot store. */
  async reserve(): Promise<void> {
    this.#reserved = reserve(this.path, JSON.stringify(this.#opened, null, 2).length + GROWTH);
    await this.place().check();
  }

  /** `mayReplace`: what another process may have stored if this one lost its lock; else nothing. */
  async set<T>(key: SecretKey<T>, value: T & object, mayReplace?: (current: T | undefined) => boolean): Promise<void> {
    const place = hasSecret(value) ? this.place() : FILE_PLACE;
    const entry = await place.put(key.id, value as StoredValue);
    let replaced: SecretEntry | undefined;
    try {
      replaced = await this.#replace(key, entry, mayReplace);
    } catch (error) {
      await this.#erase(key, entry);
      throw error;
    }
    await this.#erase(key, replaced);
  }

  /** False if there was none. */
  async delete(key: SecretKey<unknown>): Promise<boolean> {
    const deleted = await this.#replace(key, undefined);
    await this.#erase(key, deleted);
    return deleted !== undefined;
  }

  /** Throws if another process took the lock over: call it before what must not happen twice. */
  checkLock(): void {
    this.#lock.check();
  }

  close(): void {
    if (this.#reserved !== undefined) giveBack(this.path, this.#reserved);
  }

  /** Changes the file as it is now. Resolves with what it had for the key. */
  async #replace<T>(
    key: SecretKey<T>,
    entry: SecretEntry | undefined,
    mayReplace?: (current: T | undefined) => boolean,
  ): Promise<SecretEntry | undefined> {
    try {
      return this.#write(key, entry, this.#lock);
    } catch {
      // A disk fault may pass. A new token cannot be obtained twice.
      if (!this.#lock.isLost()) return this.#write(key, entry, this.#lock);
    }
    return withLock(
      `${this.path}.lock`,
      this.context,
      async (lock) => {
        const isFree = mayReplace === undefined ? this.#isUnchanged(key) : mayReplace(await this.find(key));
        if (isFree) return this.#write(key, entry, lock);
        throw new SvcError('file_unusable', `another process changed ${key.name} in the meantime`);
      },
      WAIT_MS,
    );
  }

  #isUnchanged({ id }: SecretKey<unknown>): boolean {
    const { secrets } = this.read();
    return isSame(secrets[id], this.#opened.secrets[id]);
  }

  #write(key: SecretKey<unknown>, entry: SecretEntry | undefined, lock: Lock): SecretEntry | undefined {
    const document = readUsable(this.path) ?? (existsSync(this.path) ? this.#opened : EMPTY);
    const { [key.id]: before, ...others } = document.secrets;
    if (before === undefined && entry === undefined) return undefined;
    const next = { ...document, secrets: entry === undefined ? others : { ...others, [key.id]: entry } };
    const text = `${JSON.stringify(next, null, 2)}\n`;
    if (entry !== undefined && text.length > LARGEST_FILE) {
      throw new SvcError('file_unusable', `${this.path} would be larger than ${LARGEST_FILE / 1024 / 1024} MiB`);
    }
    const reserved = this.#reserved;
    this.#reserved = undefined;
    writeAtomic(this.path, text, { lock, reserved });
    return secretEntry.safeParse(before).data;
  }

  async #erase(key: SecretKey<unknown>, entry: SecretEntry | undefined): Promise<void> {
    if (entry === undefined) return;
    const named = readUsable(this.path)?.secrets[key.id];
    // A write may have failed after the file was replaced: what it names stays.
    if (isSame(named, entry)) return;
    try {
      await this.place(placeOf(entry)).erase(entry);
    } catch (error) {
      if (!(error instanceof SvcError)) throw error;
      this.context.warn(`an entry of ${key.name} that is not used is left in the credential helper: ${error.message}`);
    }
  }
}

/** The only way to write. Removes what a dead process staged, and moves a corrupt file aside. */
export async function withSecrets<T>(
  file: SecretsFile,
  context: SecretContext,
  body: (store: LockedSecretStore) => T | Promise<T>,
): Promise<T> {
  const path = realTarget(file.path);
  checkFolder(path);
  return withLock(
    `${path}.lock`,
    context,
    async (lock) => {
      discard(stagedPath(path));
      const { document = EMPTY, warnings, corrupt } = readSecretFile(path);
      for (const warning of warnings) context.warn(warning);
      if (corrupt !== undefined) context.warn(setAside(path, corrupt, context.now()));
      const store = new LockedSecretStore({ ...file, path }, context, lock, document);
      try {
        return await body(store);
      } finally {
        store.close();
      }
    },
    WAIT_MS,
  );
}

/** Why a secret in another place than the chosen one is not used. */
function misplaced({ name, remedy }: SecretKey<unknown>, place: string, chosen: string): SvcError | undefined {
  if (place === chosen) return undefined;
  const isIn = place === FILE ? 'in a file' : `in the credential helper ${place}`;
  const setting = chosen === FILE ? `${HELPER_SETTING} is not set` : `${HELPER_SETTING} is ${chosen}`;
  const undo = place === FILE ? `svc config unset ${HELPER_SETTING}` : `svc config set ${HELPER_SETTING} ${place}`;
  return new SvcError('unauthorized', `${name} is ${isIn}, and ${setting}`, { hint: `${remedy}, or: ${undo}` });
}

function parseEntry(key: SecretKey<unknown>, value: unknown, path: string): SecretEntry | undefined {
  return value === undefined ? undefined : parseWith(secretEntry, key, value, path);
}

function parseValue<T>(key: SecretKey<T>, value: StoredValue, path: string): T {
  const parsed = parseWith(key.schema, key, value, path);
  const other = Object.keys(key.fields).find((name) => value[name] !== key.fields[name]);
  if (other === undefined) return parsed;
  const problem = `its ${other} is not that of its key`;
  throw new SvcError('file_unusable', `${key.name} cannot be used: ${problem} (in ${path})`, { hint: key.remedy });
}

function parseWith<T>(schema: z.ZodMiniType<T>, { name, remedy }: SecretKey<unknown>, value: unknown, path: string): T {
  const outcome = schema.safeParse(value);
  if (outcome.success) return outcome.data;
  const problem = schemaProblem(outcome.error.issues, value);
  throw new SvcError('file_unusable', `${name} cannot be used: ${problem} (in ${path})`, { hint: remedy });
}

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** The ids of all keys in a file; none if it cannot be used. */
export function storedIds(path: string): readonly string[] {
  return Object.keys(readUsable(path)?.secrets ?? {});
}

function readUsable(path: string): SecretsDocument | undefined {
  try {
    return readSecretFile(path).document;
  } catch (error) {
    if (error instanceof SvcError) return undefined;
    throw error;
  }
}
