/** The events that were accepted, in a file: known again after a restart. A line each, of the key of an id and a time. */
import { closeSync, realpathSync, renameSync, rmSync, statSync, writeFileSync, writeSync } from 'node:fs';
import { SvcError } from '../../errors.ts';
import { openOwnFile, readOwnFile } from '../../store/own-file.ts';
import { type EventKey, KEPT_MS, MOST_EVENTS, SeenEvents } from './dedupe.ts';

const LINE = /^([0-9a-f]{32}) (\d{1,15})$/;
/** More lines than can count, times the length of one, and many times over. */
const LARGEST = 64 << 20;

/** The file is made where there is none, for its owner alone. Throws `file_unusable`, and writes over nothing that is not its own. */
export function openSeenFile(path: string, nowMs: number, failed: (why: string) => void): SeenFile {
  try {
    const real = statSync(path, { throwIfNoEntry: false }) === undefined ? path : realpathSync(path);
    const lines = readLines(real);
    const fresh = lines.filter(({ at }) => nowMs - at < KEPT_MS).slice(-MOST_EVENTS);
    if (fresh.length < lines.length) rewrite(real, fresh);
    const seen = new SeenFile(openOwnFile(real, 'a+'), failed);
    for (const { key, at } of fresh) seen.remember(key, at);
    return seen;
  } catch (error) {
    if (error instanceof SvcError) throw error;
    throw new SvcError('file_unusable', `--dedupe-file: cannot use ${path}: ${reason(error)}`, { cause: error });
  }
}

export class SeenFile extends SeenEvents {
  /** Undefined once it is closed: what is under way may come to its end after that. */
  #file: number | undefined;
  readonly #failed: (why: string) => void;
  #failing = false;

  constructor(file: number, failed: (why: string) => void) {
    super();
    this.#file = file;
    this.#failed = failed;
  }

  /** One that the file holds already. */
  remember(key: EventKey, at: number): void {
    super.add(key, at);
  }

  /** A line that cannot be written costs a repeated event after the next start, and no delivery. */
  override add(key: EventKey, nowMs: number): void {
    super.add(key, nowMs);
    if (this.#file === undefined) return;
    try {
      writeSync(this.#file, line({ key, at: nowMs }));
      this.#failing = false;
    } catch (error) {
      if (!this.#failing) this.#failed(reason(error));
      this.#failing = true;
    }
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }
}

interface Line {
  readonly key: EventKey;
  readonly at: number;
}

function line({ key, at }: Line): string {
  return `${Array.from(key, (word) => word.toString(16).padStart(8, '0')).join('')} ${Math.trunc(at)}\n`;
}

function readLines(path: string): readonly Line[] {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return [];
  const strange = new SvcError('file_unusable', `--dedupe-file: ${path} is there, and is no list of events`, {
    hint: 'name another file: this one is left as it is',
  });
  if (!stats.isFile() || stats.size > LARGEST) throw strange;
  const text = readOwnFile(path).toString('latin1');
  const whole = text.split('\n');
  // What stands behind the last line end was cut off while it was written.
  const cut = whole.pop() ?? '';
  if (!/^[0-9a-f]{0,32}(?: \d{0,15})?$/.test(cut)) throw strange;
  const lines = whole.map((one): Line => {
    const [, hex = '', at = ''] = LINE.exec(one) ?? [];
    if (hex === '') throw strange;
    return { key: Uint32Array.from(hex.match(/.{8}/g) ?? [], (word) => Number.parseInt(word, 16)), at: Number(at) };
  });
  if (cut !== '') rewrite(path, lines);
  return lines;
}

function rewrite(path: string, lines: readonly Line[]): void {
  const draft = `${path}.new`;
  rmSync(draft, { force: true });
  try {
    writeFileSync(draft, lines.map(line).join(''), { flag: 'wx', mode: 0o600 });
    renameSync(draft, path);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}

function reason(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? 'unknown error';
}
