/** Bytes in the order in which they came, small pieces gathered: a service that sends single bytes costs no object for each. */
const SMALL = 4096;
const BLOCK = 64 * 1024;

export class ByteList {
  #chunks: Buffer[] = [];
  #block = Buffer.alloc(0);
  #used = 0;
  #length = 0;

  /** In bytes. */
  get length(): number {
    return this.#length;
  }

  push(chunk: Buffer): void {
    this.#length += chunk.length;
    if (chunk.length >= SMALL) {
      this.#seal();
      this.#chunks.push(chunk);
      return;
    }
    if (this.#used + chunk.length > this.#block.length) {
      this.#seal();
      this.#block = Buffer.allocUnsafe(BLOCK);
    }
    chunk.copy(this.#block, this.#used);
    this.#used += chunk.length;
  }

  /** The oldest bytes, taken out. */
  shift(): Buffer | undefined {
    if (this.#chunks.length === 0) this.#seal();
    const chunk = this.#chunks.shift();
    this.#length -= chunk?.length ?? 0;
    return chunk;
  }

  /** All bytes, taken out. */
  take(): Buffer {
    this.#seal();
    const [first] = this.#chunks;
    const bytes = this.#chunks.length === 1 && first !== undefined ? first : Buffer.concat(this.#chunks, this.#length);
    this.#chunks = [];
    this.#length = 0;
    return bytes;
  }

  #seal(): void {
    if (this.#used === 0) return;
    this.#chunks.push(this.#block.subarray(0, this.#used));
    this.#block = this.#block.subarray(this.#used);
    this.#used = 0;
  }
}
