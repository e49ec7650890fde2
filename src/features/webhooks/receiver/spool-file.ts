/** Events that were answered and wait for their target, in a file of NDJSON that is whole after a kill or a loss of power at any moment. */
import {
  closeSync,
  fchmodSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { SvcError } from '../../../errors.ts';
import { realTarget, stagedPath, syncDirectory } from '../../../store/atomic-write.ts';
import { fileFailure, openOwnFile, writeAll } from '../../../store/own-file.ts';
import { REMEMBERED_MS, SeenEvents } from './seen-events.ts';
import { eventOf, HEADER, parsedLine, readFully, type SpooledEvent, type Waiting } from './spool-lines.ts';

interface Place extends Waiting {
  readonly key: string | null;
  offset: number;
  /** Of the line, with its end. */
  readonly length: number;
}

/** Rewriting the file pays once this much of it is of no use. */
const WASTE = 4 << 20;
const CHUNK = 1 << 20;
/** Takes the place of `{"event"`. */
const ENDED = '{"ended"';

/** What became of an event. `full`: beyond the limit. `failed`: not on disk, so the sender has to send it again. */
export type Added = 'stored' | 'full' | 'failed';

export class SpoolFile {
  readonly path: string;
  readonly #limit: number;
  readonly #now: () => number;
  #file: number;
  #size = 0;
  #next = 1;
  /** Bytes of waiting events. */
  #waitingBytes = 0;
  #waste = 0;
  readonly #places = new Map<number, Place>();
  /** Those that were added, now and before. */
  readonly seen = new SeenEvents();
  #batch: { readonly event: SpooledEvent; readonly done: (added: Added) => void; readonly waiting: Place[] }[] = [];
  #closed = false;
  /** What was repaired. */
  readonly notices: string[] = [];

  /** Creates the file for its owner alone if it does not exist. The caller holds its lock. Throws `file_unusable`, and changes no file of another kind. */
  constructor(path: string, limit: number, now: () => number) {
    this.path = realTarget(path);
    this.#limit = limit;
    this.#now = now;
    const found = statSync(this.path, { throwIfNoEntry: false });
    try {
      this.#file = openOwnFile(this.path, found === undefined ? 'wx' : 'r+');
    } catch (error) {
      throw fileFailure(`--spool: cannot use ${path}`, error);
    }
    try {
      this.#load();
      if ((fstatSync(this.#file).mode & 0o077) !== 0) fchmodSync(this.#file, 0o600);
      if (this.#waste > 0) this.#compact();
    } catch (error) {
      closeSync(this.#file);
      throw fileFailure(`--spool: cannot use ${path}`, error);
    }
  }

  /** In the order of their receipt. */
  get waiting(): readonly Waiting[] {
    return [...this.#places.values()];
  }

  /** Resolves once it is on disk. Events that are added in one turn of the event loop are written together. */
  add(event: SpooledEvent): Promise<{ readonly added: Added; readonly waiting: Waiting | undefined }> {
    return new Promise((resolve) => {
      const waiting: Place[] = [];
      const done = (added: Added): void => resolve({ added, waiting: waiting[0] });
      if (this.#batch.push({ event, done, waiting }) === 1) setImmediate(() => this.#flush());
    });
  }

  /** The event as it was added. */
  read({ number }: Waiting): SpooledEvent {
    const { offset, length } = this.#place(number);
    const line = Buffer.alloc(length);
    readFully(this.#file, line, offset);
    return eventOf(line.toString());
  }

  /** Before each request. */
  markSent(waiting: Waiting): void {
    this.#place(waiting.number).tries++;
    this.#mark({ sent: waiting.number, at: isoTime(this.#now()) });
  }

  /** The target has not taken it: the request was not sent, or refused. */
  markFailed(waiting: Waiting): void {
    this.#place(waiting.number).tries--;
    this.#mark({ failed: waiting.number });
  }

  /** The target has answered, and the event is not sent again. On disk when this returns. */
  settle({ number }: Waiting, status: number | null): void {
    const { offset, length } = this.#place(number);
    const line = `${JSON.stringify({ settled: number, at: isoTime(this.#now()), status })}\n`;
    let isFull = false;
    try {
      this.#append(line, true);
      this.#waste += line.length;
    } catch {
      // A full disk has room for what replaces other bytes.
      isFull = true;
      writeAll(this.#file, Buffer.from(ENDED), offset);
      fsyncSync(this.#file);
    }
    this.#places.delete(number);
    this.#waitingBytes -= length;
    this.#waste += length;
    if (!isFull && this.#waste < Math.max(WASTE, this.#waitingBytes)) return;
    try {
      this.#compact();
    } catch {
      // It works without, and the next event tries again.
      if (isFull && this.#places.size === 0) this.#empty();
    }
  }

  close(): void {
    if (this.#closed) return;
    this.#flush();
    this.#closed = true;
    try {
      if (this.#waste > 0) this.#compact();
    } catch {
      // The next start tries again.
    }
    closeSync(this.#file);
  }

  #place(number: number): Place {
    const place = this.#places.get(number);
    if (place === undefined) throw new Error(`event ${number} is not waiting`);
    return place;
  }

  #flush(): void {
    const batch = this.#batch;
    this.#batch = [];
    const taken: { readonly place: Place; readonly entry: (typeof batch)[number]; readonly line: Buffer }[] = [];
    let bytes = 0;
    for (const entry of batch) {
      const number = this.#next + taken.length;
      const { event } = entry;
      const line = Buffer.from(`${JSON.stringify({ event: number, ...event })}\n`);
      if (this.#waitingBytes + bytes + line.length > this.#limit) {
        entry.done('full');
        continue;
      }
      const { event_id: id, event_type: type } = event;
      const place = { number, id, type, key: event.key, tries: 0, offset: this.#size + bytes, length: line.length };
      taken.push({ place, entry, line });
      bytes += line.length;
    }
    if (taken.length === 0) return;
    try {
      if (this.#closed) throw new Error('closed');
      this.#append(Buffer.concat(taken.map(({ line }) => line)), true);
    } catch {
      for (const { entry } of taken) entry.done('failed');
      return;
    }
    this.#next += taken.length;
    this.#waitingBytes += bytes;
    for (const { place, entry } of taken) {
      this.#places.set(place.number, place);
      if (entry.event.key !== null) this.seen.add(entry.event.key, Date.parse(entry.event.received_at));
      entry.waiting.push(place);
      entry.done('stored');
    }
  }

  /** Only says whether a request may have reached the target: a full disk must not keep it from being sent. It survives a kill, but perhaps no loss of power. */
  #mark(mark: object): void {
    const line = `${JSON.stringify(mark)}\n`;
    try {
      this.#append(line, false);
      this.#waste += line.length;
    } catch {
      // The answer counts.
    }
  }

  /** All of it or nothing: what a full disk or a failed sync leaves behind is overwritten by the next line. */
  #append(line: string | Buffer, durable: boolean): void {
    const bytes = Buffer.from(line as string);
    try {
      writeAll(this.#file, bytes, this.#size);
      if (durable) fsyncSync(this.#file);
    } catch (error) {
      try {
        ftruncateSync(this.#file, this.#size);
      } catch {
        // The first failure is the one to report.
      }
      throw fileFailure(`--spool: cannot write ${this.path}`, error);
    }
    this.#size += bytes.length;
  }

  /** Replaces the file by one without the events that were settled; their keys stay for a day. */
  #compact(): void {
    const staged = stagedPath(this.path);
    rmSync(staged, { force: true });
    const file = openOwnFile(staged, 'wx');
    const offsets = new Map<number, number>();
    let size = 0;
    const write = (bytes: Buffer): void => {
      writeAll(file, bytes, size);
      size += bytes.length;
    };
    try {
      write(Buffer.from(HEADER + this.#seenLines()));
      for (const { number, offset, length, tries } of this.#places.values()) {
        const line = Buffer.alloc(length);
        readFully(this.#file, line, offset);
        offsets.set(number, size);
        write(line);
        if (tries > 0) write(Buffer.from(`${JSON.stringify({ sent: number })}\n`.repeat(tries)));
      }
      fsyncSync(file);
      renameSync(staged, this.path);
    } catch (error) {
      closeSync(file);
      rmSync(staged, { force: true });
      throw error;
    }
    // Before anything else can fail: the old file has no name any more, and what is written to it is lost.
    closeSync(this.#file);
    this.#file = file;
    this.#size = size;
    this.#waste = 0;
    for (const [number, offset] of offsets) this.#place(number).offset = offset;
    syncDirectory(dirname(this.path));
  }

  /** On a full disk, once nothing waits: gives its space back before it is written again. A kill in between forgets only which events were seen. */
  #empty(): void {
    ftruncateSync(this.#file, HEADER.length);
    this.#size = HEADER.length;
    this.#waste = 0;
    try {
      this.#append(this.#seenLines(), true);
    } catch {
      // They are still in memory.
    }
  }

  #seenLines(): string {
    // A waiting event is known by its own line.
    const own = new Set([...this.#places.values()].map(({ key }) => key));
    const isRecent = (at: number): boolean => this.#now() - at < REMEMBERED_MS;
    const recent = [...this.seen.entries()].filter(([key, at]) => !own.has(key) && isRecent(at));
    return recent.map(([seen, at]) => `${JSON.stringify({ seen, at })}\n`).join('');
  }

  #load(): void {
    const total = fstatSync(this.#file).size;
    const beginning = Buffer.alloc(Math.min(total, HEADER.length));
    readFully(this.#file, beginning, 0);
    if (!HEADER.startsWith(beginning.toString('latin1'))) {
      throw new SvcError('file_unusable', `--spool: ${this.path} is not a spool`, {
        hint: 'name another file; this one was not changed',
      });
    }
    if (beginning.length < HEADER.length) {
      this.#append(HEADER, true);
      syncDirectory(dirname(this.path));
      return;
    }
    this.#size = HEADER.length;
    let rest = Buffer.alloc(0);
    const chunk = Buffer.alloc(CHUNK);
    let lineNumber = 1;
    for (let at = HEADER.length; at < total; ) {
      const count = readSync(this.#file, chunk, 0, chunk.length, at);
      if (count === 0) break;
      at += count;
      rest = Buffer.concat([rest, chunk.subarray(0, count)]);
      let begin = 0;
      for (let end = rest.indexOf(0x0a); end >= 0; end = rest.indexOf(0x0a, begin)) {
        this.#loadLine(rest.subarray(begin, end).toString(), end + 1 - begin, ++lineNumber);
        begin = end + 1;
      }
      rest = rest.subarray(begin);
    }
    if (rest.length === 0) return;
    // It was not answered: an event is answered once its line is whole and on disk.
    ftruncateSync(this.#file, this.#size);
    this.notices.push(`${this.path} ended in the middle of a line; svc removed its ${rest.length} bytes`);
  }

  #loadLine(line: string, length: number, lineNumber: number): void {
    const data = parsedLine(line);
    if (data === undefined) {
      throw new SvcError('file_unusable', `--spool: ${this.path}:${lineNumber}: the line is damaged`, {
        hint: 'nothing was changed: remove the line, or name another file',
      });
    }
    const offset = this.#size;
    this.#size += length;
    if ('event' in data) {
      const { event: number, key, received_at, event_id: id, event_type: type } = data;
      this.#places.set(number, { number, id, type, key, tries: 0, offset, length });
      this.#next = number + 1;
      this.#waitingBytes += length;
      if (key !== null) this.seen.add(key, Date.parse(received_at));
    } else if ('seen' in data) this.seen.add(data.seen, data.at);
    else if ('ended' in data) {
      this.#waste += length;
      if (data.key !== null) this.seen.add(data.key, Date.parse(data.received_at));
    } else {
      this.#waste += length;
      if ('sent' in data || 'failed' in data) {
        const place = this.#places.get('sent' in data ? data.sent : data.failed);
        if (place !== undefined) place.tries += 'sent' in data ? 1 : -1;
        return;
      }
      const settled = this.#places.get(data.settled);
      this.#places.delete(data.settled);
      this.#waitingBytes -= settled?.length ?? 0;
    }
  }
}

function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}
