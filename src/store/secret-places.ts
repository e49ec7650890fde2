/** Where secrets are: in the file itself, or in one or several entries of a credential helper. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { platform } from 'node:os';
import { delimiter, isAbsolute, join } from 'node:path';
import { kill } from 'node:process';
import type { Context } from '../context.ts';
import { SvcError } from '../errors.ts';
import { isObject, tryParseJson } from '../json-object.ts';
import { isExecutable } from './own-file.ts';
import type { HelperEntry, SecretEntry, StoredValue } from './schemas.ts';
import { childEnvironment } from './setting-keys.ts';

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

type HelperContext = Pick<Context, 'env' | 'signal' | 'sleep'>;

/** All entries have the same one, as the settings of a key store may name it. */
const ACCOUNT = 'svc';
/** Time to type a passphrase; a lock is held meanwhile. */
const LIMIT_S = 15;
const LARGEST_OUTPUT = 1024 * 1024;
const LONGEST_REASON = 300;
/** What the helpers print for an entry that they do not have; `pass` prints an empty one. */
const NOT_FOUND = 'credentials not found in native keychain';

type Action = 'get' | 'store' | 'erase';

class CredentialHelper {
  readonly name: string;
  readonly #context: HelperContext;

  constructor(name: string, context: HelperContext) {
    this.name = name;
    this.#context = context;
  }

  async get(entry: string): Promise<string | undefined> {
    const { status, output } = await this.#run('get', entry);
    if (status !== 0) {
      if (output.trim() === NOT_FOUND) return undefined;
      // Of a program that failed after it printed the entry.
      const why = output.includes('"Secret"') ? '' : reason(output);
      throw this.#failure(`failed to read with exit status ${status}${why}`);
    }
    const answer = tryParseJson(output);
    const secret = isObject(answer) ? answer['Secret'] : undefined;
    if (typeof secret !== 'string') throw this.#failure('printed no entry of the protocol');
    return secret === '' ? undefined : secret;
  }

  async store(entry: string, secret: string): Promise<void> {
    const input = JSON.stringify({ ServerURL: entry, Username: ACCOUNT, Secret: secret });
    const { status, output } = await this.#run('store', input);
    if (status === 0) return;
    throw this.#failure(`failed to store with exit status ${status}${reason(output.replaceAll(secret, '***'))}`);
  }

  /** An entry that is not there counts as erased. */
  async erase(entry: string): Promise<void> {
    const { status, output } = await this.#run('erase', entry);
    if (status === 0 || (await this.get(entry)) === undefined) return;
    throw this.#failure(`failed to erase with exit status ${status}${reason(output)}`);
  }

  /** Stores, reads and erases an entry without a secret. Throws what does not work. */
  async check(entry: string): Promise<void> {
    const text = 'svc checks that it can store, read and erase an entry';
    await this.store(entry, text);
    const read = await this.get(entry);
    await this.erase(entry);
    if (read !== text) throw this.#failure('did not return what was stored');
  }

  /** In a group of its own, so that a change outlives this process, Ctrl-C and the terminal. */
  async #run(action: Action, input: string): Promise<{ readonly status: number; readonly output: string }> {
    const { env, signal, sleep } = this.#context;
    const name = `docker-credential-${this.name}`;
    const program = findProgram(name, env['PATH'] ?? '');
    if (program === undefined) {
      throw this.#failure(`is not available: ${name} is not found`, `install ${name}, or see svc doctor`);
    }
    const child = spawn(program, [action], { env: childEnvironment(env), detached: true, windowsHide: true });
    const chunks: Buffer[] = [];
    let size = 0;
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk: Buffer) => {
        size += chunk.length;
        if (size <= LARGEST_OUTPUT && stream === child.stdout) chunks.push(chunk);
      });
    }
    const ended = new Promise<number>((resolve, failed) => {
      child.on('error', failed);
      child.on('close', (code) => resolve(code ?? 1));
    }).catch((error: NodeJS.ErrnoException) => {
      throw this.#failure(`cannot be run: ${program}: ${error.code ?? error.message}`);
    });
    // It may end before it has read everything.
    child.stdin.on('error', () => {});
    const over = new AbortController();
    child.stdin.end(input);
    try {
      const status = await Promise.race([
        ended,
        // A change is not interrupted: what it stores may exist nowhere else.
        sleep(LIMIT_S * 1000, action === 'get' ? AbortSignal.any([signal, over.signal]) : over.signal).then(() => -1),
      ]);
      if (status !== -1) return { status, output: Buffer.concat(chunks).toString() };
      throw this.#failure(
        `did not finish within ${LIMIT_S} s`,
        'unlock its key store, which may wait for a passphrase, and repeat the command',
      );
    } finally {
      over.abort();
      end(child);
    }
  }

  #failure(what: string, hint = 'to find the cause, run: svc doctor'): SvcError {
    return new SvcError('unauthorized', `the credential helper ${this.name} ${what}`, { hint });
  }
}

function reason(output: string): string {
  const text = output.trim().replace(/\s*\n\s*/g, '; ');
  return text === '' ? '' : `: ${text.slice(0, LONGEST_REASON)}`;
}

/** In absolute folders of PATH, never the working directory, which Windows would search. */
function findProgram(name: string, path: string): string | undefined {
  const file = platform() === 'win32' ? `${name}.exe` : name;
  const folders = path.split(delimiter).filter((folder) => isAbsolute(folder));
  return folders.map((folder) => join(folder, file)).find(isExecutable);
}

function end({ pid, exitCode, signalCode, stdin, stdout, stderr }: ChildProcessWithoutNullStreams): void {
  for (const stream of [stdin, stdout, stderr]) stream.destroy();
  if (pid === undefined || exitCode !== null || signalCode !== null) return;
  try {
    kill(platform() === 'win32' ? pid : -pid, 'SIGKILL');
  } catch {}
}
