/**
 * What an export has read, in its folder: `state.ndjson` after a complete run, and `state.part.ndjson` of a run that goes on or was
 * interrupted. Both have a header and a line for each product. The files of an export are made of nothing else.
 */
import { closeSync, fsyncSync, ftruncateSync, openSync, readSync, writeFileSync } from 'node:fs';
import { SvcError } from '../../../errors.ts';
import { discard } from '../../../store/atomic-write.ts';
import { errorCode, fileFailure, openOwnFile } from '../../../store/own-file.ts';
import type { Source } from '../schema.ts';
import type { StagedFile } from './files.ts';
import type { SnapshotRow } from './tables.ts';

/** What a folder is for: only the same request continues it. */
export type ExportRequest = Readonly<Record<string, unknown>>;

export interface StateHeader {
  readonly version: 1;
  readonly request: ExportRequest;
  /** In a part: the `--since` of its run. */
  readonly since?: number | undefined;
  /** After a run: how many snapshots its file has. */
  readonly snapshots?: number;
}

export interface ProductState {
  readonly id: string;
  readonly offers: readonly Source[];
  /** By the time of observation. */
  readonly snapshots: readonly SnapshotRow[];
  /** Snapshots before this time were never asked for; undefined if there is no such time. Milliseconds since 1970. */
  readonly since?: number | undefined;
}

/** A file of lines, of which only the places are in memory. */
export class StateFile {
  readonly path: string;
  readonly header: StateHeader | undefined;
  readonly #file: number;
  readonly #lines = new Map<string, { readonly at: number; readonly length: number }>();
  #end = 0;
  #isClosed = false;

  private constructor(path: string, file: number) {
    this.path = path;
    this.#file = file;
    this.header = this.#scan();
  }

  /** Undefined if there is none. */
  static read(path: string): StateFile | undefined {
    try {
      return new StateFile(path, openOwnFile(path, 'r'));
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return undefined;
      throw fileFailure(`cannot read ${path}`, error);
    }
  }

  /** Continues a file that has products, without the line that a kill cut, or begins one. */
  static append(path: string, header: StateHeader): StateFile {
    try {
      const state = new StateFile(path, openOwnFile(path, 'a+', 0o666));
      if (state.#lines.size > 0) {
        ftruncateSync(state.#file, state.#end);
        return state;
      }
      state.close();
      writeFileSync(path, `${JSON.stringify(header)}\n`);
      return new StateFile(path, openOwnFile(path, 'a+', 0o666));
    } catch (error) {
      throw fileFailure(`cannot write ${path}`, error);
    }
  }

  get ids(): readonly string[] {
    return [...this.#lines.keys()];
  }

  get(id: string): ProductState | undefined {
    const place = this.#lines.get(id);
    if (place === undefined) return undefined;
    const bytes = Buffer.alloc(place.length);
    for (let read = 0; read < place.length; ) {
      const count = readSync(this.#file, bytes, read, place.length - read, place.at + read);
      if (count === 0) throw new SvcError('file_unusable', `${this.path} was cut while svc read it`);
      read += count;
    }
    return JSON.parse(bytes.toString()) as ProductState;
  }

  /** Throws the system's error. */
  add(product: ProductState): void {
    // After a failure, other products may still arrive.
    if (this.#isClosed) return;
    const bytes = Buffer.from(`${JSON.stringify(product)}\n`);
    try {
      writeFileSync(this.#file, bytes);
    } catch (error) {
      // What fitted on the disk is not a line.
      ftruncateSync(this.#file, this.#end);
      throw error;
    }
    this.#lines.set(product.id, { at: this.#end, length: bytes.length - 1 });
    this.#end += bytes.length;
  }

  close(): void {
    this.#isClosed = true;
    closeSync(this.#file);
  }

  #scan(): StateHeader | undefined {
    let header: StateHeader | undefined;
    for (const line of wholeLines(this.#file)) {
      const value = parsed(line);
      if (value === undefined) break;
      if (header === undefined) header = value as StateHeader;
      else this.#lines.set((value as ProductState).id, { at: this.#end, length: line.length });
      this.#end += line.length + 1;
    }
    if (header !== undefined && header.version !== 1) {
      throw new SvcError('file_unusable', `${this.path} was not written by svc catalog export, or by a later version`, {
        hint: 'use another folder',
      });
    }
    return header;
  }
}

/** Undefined for a line that a crash of the machine damaged. */
function parsed(line: Buffer): unknown {
  try {
    return JSON.parse(line.toString());
  } catch {
    return undefined;
  }
}

/** The state after a run, beside that of the run before. */
export function stageState(path: string, header: StateHeader, products: Iterable<ProductState>): StagedFile {
  const staged = `${path}.new`;
  let rows = 0;
  try {
    discard(staged);
    const file = openSync(staged, 'wx');
    try {
      writeFileSync(file, `${JSON.stringify(header)}\n`);
      for (const product of products) {
        writeFileSync(file, `${JSON.stringify(product)}\n`);
        rows++;
      }
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
  } catch (error) {
    discard(staged);
    throw fileFailure(`cannot write ${path}`, error);
  }
  return { path, staged, rows, unfit: new Set() };
}

const CHUNK = 1 << 20;

function* wholeLines(file: number): Generator<Buffer, void, void> {
  let rest = Buffer.alloc(0);
  for (let at = 0; ; ) {
    const chunk = Buffer.alloc(CHUNK);
    const read = readSync(file, chunk, 0, CHUNK, at);
    if (read === 0) return;
    at += read;
    rest = Buffer.concat([rest, chunk.subarray(0, read)]);
    for (let end = rest.indexOf('\n'); end >= 0; end = rest.indexOf('\n')) {
      yield rest.subarray(0, end);
      rest = rest.subarray(end + 1);
    }
  }
}
