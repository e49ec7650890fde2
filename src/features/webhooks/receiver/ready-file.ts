/** `webhooks listen --ready-file`: tells other programs where it listens, while it does. */
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { SvcError } from '../../../errors.ts';
import { readOwnFile } from '../../../store/own-file.ts';

interface Readiness {
  readonly port: number;
  readonly url: string;
  readonly pid: number;
}

export class ReadyFile {
  readonly #path: string;
  #text: string | undefined;

  /** Removes an earlier listener's file, not to be taken for this one's; refuses anything else. */
  constructor(path: string) {
    this.#path = path;
    const before = contentOf(path);
    if (before === undefined) return;
    if (!isReadiness(before)) {
      throw new SvcError('file_unusable', `--ready-file: ${path} has other contents, and was not overwritten`);
    }
    rmSync(path, { force: true });
  }

  announce(readiness: Readiness): void {
    const text = `${JSON.stringify(readiness)}\n`;
    const staged = `${this.#path}.${readiness.pid}.new`;
    try {
      writeFileSync(staged, text, { flag: 'wx', mode: 0o600 });
      renameSync(staged, this.#path);
      this.#text = text;
    } catch (error) {
      rmSync(staged, { force: true });
      throw unusable(this.#path, error);
    }
  }

  withdraw(): void {
    // Another listener may have taken its place.
    if (this.#text !== undefined && contentOf(this.#path) === this.#text) rmSync(this.#path, { force: true });
  }
}

function contentOf(path: string): string | undefined {
  try {
    return readOwnFile(path).toString();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw unusable(path, error);
  }
}

function isReadiness(text: string): boolean {
  return /^\{"port":\d+,"url":"[^"]*","pid":\d+\}\n$/.test(text);
}

function unusable(path: string, error: unknown): SvcError {
  const { code = 'unknown error' } = error as NodeJS.ErrnoException;
  const why = code === 'EFTYPE' ? 'not a regular file' : code;
  return new SvcError('file_unusable', `--ready-file: cannot use ${path}: ${why}`, { cause: error });
}
