/** Where secrets are: in the file itself, or in one or several entries of a credential helper. */
import { randomBytes } from 'node:crypto';
import { SvcError } from '../errors.ts';
import { isObject, tryParseJson } from '../json-object.ts';
import { CredentialHelper, type HelperContext } from './credential-helper.ts';
import type { HelperEntry, SecretEntry, StoredValue } from './schemas.ts';

export interface SecretPlace {
  /** Resolves with what the file has for it, once the secret is stored and read back. */
  put(id: string, value: StoredValue): Promise<SecretEntry>;
  /** Undefined if it is not there. */
  read(entry: SecretEntry): Promise<StoredValue | undefined>;
  erase(entry: SecretEntry): Promise<void>;
  /** Throws if nothing can be stored now. */
  check(): Promise<void>;
}

/** The secret is a part of the entry, so that writing the file stores it. */
export const FILE_PLACE: SecretPlace = {
  put: async (_id, value) => ({ value }),
  read: async (entry) => ('value' in entry ? entry.value : undefined),
  erase: async () => {},
  check: async () => {},
};

/** A host that cannot exist (RFC 6761): the protocol requires an address. */
const ADDRESS = 'https://svc.invalid';
/** Their entries may have any size. Windows takes 2,560 bytes; of others svc does not know. */
const UNLIMITED = ['pass', 'secretservice', 'osxkeychain'];
const LARGEST_PART = 2400;
/** `pass` makes the name of a folder of it. */
const LONGEST_LABEL = 120;

export function helperPlace(name: string, context: HelperContext): SecretPlace {
  const helper = new CredentialHelper(name, context);
  return {
    async put(id, value) {
      const entryName = newEntryName(id);
      const text = Buffer.from(JSON.stringify({ entry: entryName, value })).toString('base64url'); // passes every helper
      const parts = split(text, UNLIMITED.includes(name) ? text.length : LARGEST_PART);
      const entry: HelperEntry = { helper: name, entry: entryName, parts: parts.length };
      try {
        await storeAndCheck(helper, entry, parts);
      } catch (error) {
        await eraseAll(helper, entry).catch(() => {});
        throw error;
      }
      return entry;
    },
    async read(entry) {
      const { entry: entryName } = entry as HelperEntry;
      const text = await readText(helper, entry as HelperEntry);
      const content = text === undefined ? undefined : tryParseJson(Buffer.from(text, 'base64url').toString());
      // A helper that looks at the host of an address alone has all secrets in one entry.
      if (!isObject(content) || content['entry'] !== entryName || !isObject(content['value'])) return undefined;
      return content['value'] as StoredValue;
    },
    erase: (entry) => eraseAll(helper, entry as HelperEntry),
    check: () => helper.check(newEntryName('check')),
  };
}

/** Tries twice: the secret may exist nowhere else. Some helpers report a false success. */
async function storeAndCheck(helper: CredentialHelper, entry: HelperEntry, parts: readonly string[]): Promise<void> {
  const attempt = async (): Promise<boolean> => {
    for (const [index, name] of partNames(entry).entries()) await helper.store(name, parts[index] ?? '');
    return (await readText(helper, entry)) === parts.join('');
  };
  if ((await attempt().catch(() => false)) || (await attempt())) return;
  throw new SvcError('unauthorized', `the credential helper ${helper.name} does not return what it stored`, {
    hint: 'to find the cause, run: svc doctor',
  });
}

async function readText(helper: CredentialHelper, entry: HelperEntry): Promise<string | undefined> {
  let text = '';
  for (const name of partNames(entry)) {
    const part = await helper.get(name);
    if (part === undefined) return undefined;
    text += part;
  }
  return text;
}

async function eraseAll(helper: CredentialHelper, entry: HelperEntry): Promise<void> {
  for (const name of partNames(entry)) await helper.erase(name);
}

function partNames({ entry, parts }: HelperEntry): readonly string[] {
  return parts === 1 ? [entry] : Array.from({ length: parts }, (_, index) => `${entry}/${index + 1}`);
}

function split(text: string, size: number): readonly string[] {
  const parts: string[] = [];
  for (let at = 0; at < text.length; at += size) parts.push(text.slice(at, at + size));
  return parts;
}

/** It tells a person what it is, and is never used again. */
function newEntryName(id: string): string {
  const label = id
    .replace(/%[0-9A-F]{2}|[^\w./-]/g, '-')
    .replace(/-+/g, '-')
    .slice(0, LONGEST_LABEL);
  return `${ADDRESS}/${label}/${randomBytes(6).toString('hex')}`;
}
