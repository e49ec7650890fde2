/** Bytes in order of arrival. Many chunks become one block: a service that sends single bytes must not cost an object for each. */
const MOST_CHUNKS = 1024;

export class ByteList {
  #blocks: Buffer[] = [];
  #chunks: Buffer[] = [];
  length = 0;

  push(chunk: Buffer): void {
    this.length += chunk.length;
    this.#chunks.push(chunk);
    if (this.#chunks.length < MOST_CHUNKS) return;
    this.#blocks.push(Buffer.concat(this.#chunks));
    this.#chunks = [];
  }

  /** Removes and returns all of them. */
  take(): Buffer {
    const all = [...this.#blocks, ...this.#chunks];
    this.#blocks = [];
    this.#chunks = [];
    this.length = 0;
    return all.length === 1 ? (all[0] as Buffer) : Buffer.concat(all);
  }
}
