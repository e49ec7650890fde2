/** Puts the secrets of records into credential helpers, and gets them back. */
import { createHash, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { SvcError } from '../errors.ts';
import { isObject } from '../json-object.ts';
import { CredentialHelper } from './credential-helper.ts';
import type { Seal, SealedEntry } from './schemas.ts';
import {
  chosenStore,
  type EachRecord,
  FILE_STORE,
  misplaced,
  type Sealable,
  type Secrets,
  sealsIn,
  secretsOf,
  type VaultContext,
} from './sealed-records.ts';

/** A host that cannot exist (RFC 6761): the protocol wants an address. */
const ADDRESS = 'https://svc.invalid';
/** Entries of these may have any size. Windows takes 2,560 bytes, and of others svc does not know. */
const UNLIMITED = ['pass', 'secretservice', 'osxkeychain'];
const LARGEST_PART = 2400;

interface Change<D> {
  /** As it is written: without the secrets that are sealed. */
  readonly document: D;
  readonly writes: readonly Write[];
  /** The entries of the previous document that this one does not use. */
  readonly obsolete: readonly SealedEntry[];
}

interface Write {
  readonly seal: Seal;
  readonly parts: readonly string[];
}

/** The helpers of one run, and what was read from them. */
export class Vault {
  readonly #context: VaultContext;
  readonly #opened = new Map<string, Secrets>();

  constructor(context: VaultContext) {
    this.#context = context;
  }

  /** Throws if it is not in the chosen store, unless `anywhere`; undefined if its entry is missing. */
  async open<R extends Sealable>(record: R, what: string, anywhere = false): Promise<R | undefined> {
    const problem = anywhere ? undefined : misplaced(record, what, chosenStore(this.#context));
    if (problem !== undefined) throw problem;
    const { sealed } = record;
    if (sealed === undefined) return record;
    const fields = record as Readonly<Record<string, unknown>>;
    if (sealed.fields.every((field) => fields[field] !== '')) return record;
    const secrets = this.#opened.get(sealed.entry) ?? (await this.#read(sealed));
    if (secrets === undefined) return undefined;
    this.#opened.set(sealed.entry, secrets);
    return { ...record, ...secrets };
  }

  /** Checks that the chosen store can be used, before there is a secret to store. */
  async check(path: string): Promise<void> {
    const store = chosenStore(this.#context);
    if (store === FILE_STORE) return;
    // One name for each file, whose lock the caller holds.
    const name = createHash('sha256').update(path).digest('hex').slice(0, 12);
    await this.#helper(store).check(`${ADDRESS}/check/${name}`);
  }

  /** What to write so that the document replaces the previous one: new secrets go to the chosen store, others stay where they are. */
  plan<D>(next: D, previous: D, each: EachRecord<D>): Change<D> {
    const store = chosenStore(this.#context);
    const before = new Set<string>();
    each(previous, (record, { fields }) => {
      if (record.sealed === undefined) before.add(JSON.stringify(secretsOf(record, fields)));
      return record;
    });
    const writes: Write[] = [];
    const document = each(next, (record, { fields, path }) => {
      const { sealed } = record;
      const secrets = secretsOf(record, fields);
      const open = { ...record, sealed: undefined };
      if (Object.keys(secrets).length === 0) return open;
      if (sealed !== undefined && this.#isUnchanged(sealed, secrets)) {
        return without(record, fields);
      }
      if (store === FILE_STORE || before.has(JSON.stringify(secrets))) return open;
      const write = newWrite(store, secrets, path);
      writes.push(write);
      return { ...without(record, fields), sealed: write.seal };
    });
    const used = new Set(sealsIn(document, each).map(({ entry }) => entry));
    const obsolete = sealsIn(previous, each).filter(({ entry }) => !used.has(entry));
    return { document, writes, obsolete: obsolete.map(({ helper, entry, parts }) => ({ helper, entry, parts })) };
  }

  /** Puts new secrets into their helper, all or none. The caller then writes the document. An entry that no document names is harmless. */
  async store(writes: readonly Write[]): Promise<void> {
    try {
      for (const write of writes) await this.#store(write);
    } catch (error) {
      await this.erase(writes.map(({ seal }) => seal));
      throw error;
    }
  }

  /** Erases what the file no longer uses, once it has the text. Returns the entries that could not be erased. */
  async eraseReplaced(entries: readonly SealedEntry[], path: string, text: string): Promise<readonly SealedEntry[]> {
    if (entries.length > 0 && readFileSync(path, 'utf8') !== text) {
      throw new SvcError('file_unusable', `${path} does not have what svc wrote: nothing was erased`);
    }
    return this.erase(entries);
  }

  async erase(entries: readonly SealedEntry[]): Promise<readonly SealedEntry[]> {
    const left: SealedEntry[] = [];
    for (const sealed of entries) {
      const { helper, entry, parts } = sealed;
      try {
        for (const name of partNames(sealed)) await this.#helper(helper).erase(name);
      } catch (error) {
        if (!(error instanceof SvcError)) throw error;
        left.push({ helper, entry, parts });
      }
    }
    return left;
  }

  #helper(name: string): CredentialHelper {
    return new CredentialHelper(name, this.#context);
  }

  /** What was not opened stays where it is. */
  #isUnchanged({ entry }: Seal, secrets: Secrets): boolean {
    if (Object.values(secrets).every((value) => value === '')) return true;
    const opened = this.#opened.get(entry);
    return opened !== undefined && isEqual(opened, secrets);
  }

  /** Twice, because the secret may exist nowhere else. Some helpers report a success and store nothing. */
  async #store(write: Write): Promise<void> {
    const helper = this.#helper(write.seal.helper);
    const attempt = async (): Promise<boolean> => {
      const names = partNames(write.seal);
      for (const [index, part] of write.parts.entries()) {
        await helper.store(names[index] ?? '', part);
      }
      return (await this.#read(write.seal)) !== undefined;
    };
    if (await attempt().catch(() => false)) return;
    if (await attempt()) return;
    throw new SvcError('unauthorized', `the credential helper ${helper.name} does not return what it stored`, {
      hint: 'to find the cause, run: svc doctor',
    });
  }

  /** Undefined if an entry is missing, or is not what the seal says. */
  async #read(seal: Seal): Promise<Secrets | undefined> {
    const helper = this.#helper(seal.helper);
    let text = '';
    for (const name of partNames(seal)) {
      const part = await helper.get(name);
      if (part === undefined) return undefined;
      text += part;
    }
    if (sum(text) !== seal.sha256) return undefined;
    const content: unknown = JSON.parse(Buffer.from(text, 'base64url').toString());
    const secrets = isObject(content) ? content['secrets'] : undefined;
    return isObject(secrets) ? (secrets as Secrets) : undefined;
  }
}

function isEqual(a: Secrets, b: Secrets): boolean {
  const names = Object.keys(a);
  return names.length === Object.keys(b).length && names.every((name) => a[name] === b[name]);
}

function without<R extends Sealable>(record: R, fields: readonly string[]): R {
  return Object.fromEntries(Object.entries(record).filter(([name]) => !fields.includes(name))) as R;
}

/** Salted: the sum is in a file, and nobody must be able to guess a short secret by it. ASCII without spaces passes every helper. */
function newWrite(helper: string, secrets: Secrets, path: string): Write {
  const content = JSON.stringify({ salt: randomBytes(16).toString('base64url'), secrets });
  const text = Buffer.from(content).toString('base64url');
  const size = UNLIMITED.includes(helper) ? text.length : LARGEST_PART;
  const parts: string[] = [];
  for (let at = 0; at < text.length; at += size) parts.push(text.slice(at, at + size));
  const place = path
    .split('/')
    .map((part) => part.replace(/[^\w.-]+/g, '-'))
    .join('/');
  const entry = `${ADDRESS}/${place}/${randomBytes(6).toString('hex')}`;
  return { seal: { helper, entry, parts: parts.length, sha256: sum(text), fields: Object.keys(secrets) }, parts };
}

function partNames({ entry, parts }: SealedEntry): readonly string[] {
  return parts === 1 ? [entry] : Array.from({ length: parts }, (_, index) => `${entry}/${index + 1}`);
}

function sum(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
