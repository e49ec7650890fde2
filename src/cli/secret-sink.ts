/** Where the secret of a new subscription goes: decided and tested before one is created. */
import { closeSync, fstatSync, fsyncSync, ftruncateSync, openSync, unlinkSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { SvcError } from '../errors.ts';
import type { Secret } from '../http/redact.ts';
import { descriptorOf, errorCode, fileFailure, syncDirectory, writeAll } from '../store/own-file.ts';
import type { RunContext } from './command.ts';
import { FILE, type Flags, type Options } from './flags.ts';

/** For commands that wait before they print: a secret only printed could be lost to Ctrl-C. */
export const LASTING_SINK_FLAGS = {
  'secret-file': { ...FILE, help: 'Write the secret to this new file, mode 600' },
  store: { type: 'boolean', help: 'Store the secret for --endpoint (the default at a terminal)' },
} as const satisfies Flags;

export const SINK_FLAGS = {
  ...LASTING_SINK_FLAGS,
  'show-secret': { type: 'boolean', help: 'Print the secret' },
} as const satisfies Flags;

export type SinkInput = Options<typeof LASTING_SINK_FLAGS> & { readonly showSecret?: boolean };

export interface SecretSink {
  /** Whether the output may contain the secret. */
  readonly shows: boolean;
  /** `stored`, `in key.txt`. */
  readonly where: string;
  /** Returns once the secret is safely stored. */
  keep(secret: Secret, id: string): Promise<void>;
  /** Removes what was prepared for the secret, unless it is stored by now. */
  abandon?(): void;
}

/** Undefined if svc stores the secret itself. Exit 2 without a destination that can be written. */
export function openSink(input: SinkInput, ctx: RunContext): SecretSink | undefined {
  const { secretFile: file, store, showSecret = false } = input;
  const named = [file !== undefined, store, showSecret].filter((given) => given).length;
  if (named > 1) throw new SvcError('usage', 'pass only one of --secret-file, --store and --show-secret');
  if (named === 0 && !ctx.interactive) {
    throw new SvcError('missing_value', 'the service shows the secret only once: choose where to store it', {
      hint: `pass --secret-file <file>${input.showSecret === undefined ? ' or --store' : ', --store or --show-secret'}`,
    });
  }
  if (showSecret || ctx.dryRun) return { shows: true, where: 'shown', keep: async () => {} };
  if (file === undefined) return undefined;
  const descriptor = descriptorOf(file);
  return descriptor === undefined ? fileSink(file) : descriptorSink(descriptor);
}

/** More than any secret needs, so that a full disk fails before there is a secret. */
const RESERVED = Buffer.alloc(1024, ' ');

function fileSink(path: string): SecretSink {
  let file: number;
  try {
    file = openSync(path, 'wx', 0o600);
  } catch (error) {
    if (errorCode(error) === 'EEXIST') throw new SvcError('file_unusable', `--secret-file: ${path} already exists`);
    throw fileFailure(`--secret-file: cannot write ${path}`, error);
  }
  let isStored = false;
  const abandon = (): void => {
    if (isStored) return;
    closeSync(file);
    unlinkSync(path);
  };
  try {
    writeAll(file, RESERVED, 0);
    fsyncSync(file);
  } catch (error) {
    abandon();
    throw fileFailure(`--secret-file: cannot write ${path}`, error);
  }
  return {
    shows: false,
    where: `in ${path}`,
    abandon,
    async keep(secret) {
      try {
        const bytes = Buffer.from(`${secret.reveal()}\n`);
        writeAll(file, bytes, 0);
        ftruncateSync(file, bytes.length);
        fsyncSync(file);
        closeSync(file);
        isStored = true;
        syncDirectory(dirname(path));
      } catch (error) {
        throw fileFailure(`cannot write ${path}`, error);
      }
    },
  };
}

function descriptorSink(fd: number): SecretSink {
  try {
    fstatSync(fd);
    // Fails on a descriptor that is open for reading only.
    writeSync(fd, '');
  } catch (error) {
    throw fileFailure(`--secret-file: cannot write to descriptor ${fd}`, error, `open it: svc … ${fd}>file`);
  }
  return {
    shows: false,
    where: `written to descriptor ${fd}`,
    async keep(secret) {
      try {
        writeAll(fd, Buffer.from(`${secret.reveal()}\n`), null);
        if (fstatSync(fd).isFile()) fsyncSync(fd);
      } catch (error) {
        throw fileFailure(`cannot write to descriptor ${fd}`, error);
      }
    },
  };
}
