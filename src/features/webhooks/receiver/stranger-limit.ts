/** Anyone who finds the address can send requests without a valid signature: they must not flood the terminal or fill a recording. */

const AT_ONCE = 20;
const LATER_MS = 1_000;

/** Admits the first requests, and then one a second. */
export class StrangerLimit {
  #left = AT_ONCE;
  #updatedMs = performance.now();

  admits(): boolean {
    const nowMs = performance.now();
    this.#left = Math.min(AT_ONCE, this.#left + (nowMs - this.#updatedMs) / LATER_MS);
    this.#updatedMs = nowMs;
    if (this.#left < 1) return false;
    this.#left--;
    return true;
  }
}
