/** Label sets as the server compares, sorts and names them. */

export type LabelSet = Readonly<Record<string, string>>;

const SEPARATOR = 0xff;
const MASK = 0x1_0000_0000;

/** Go sorts strings by their bytes, JavaScript by UTF-16 units: they differ above U+FFFF. */
export function compareBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

/** FNV-1a, 64 bits, over each name and value in order of the names, 0xff after each; 16 hexadecimal digits. */
export function fingerprint(labels: LabelSet): string {
  // Two halves of 32 bits: BigInt would be ten times slower. The offset is 0xcbf29ce484222325, the prime 2^40 + 0x1b3.
  let high = 0xcbf29ce4;
  let low = 0x84222325;
  const add = (byte: number): void => {
    low = (low ^ byte) >>> 0;
    const product = low * 0x1b3;
    high = (high * 0x1b3 + Math.floor(product / MASK) + low * 0x100) % MASK;
    low = product % MASK;
  };
  for (const name of Object.keys(labels).sort(compareBytes)) {
    for (const byte of Buffer.from(name)) add(byte);
    add(SEPARATOR);
    for (const byte of Buffer.from(labels[name] ?? '')) add(byte);
    add(SEPARATOR);
  }
  return high.toString(16).padStart(8, '0') + low.toString(16).padStart(8, '0');
}

/** The order of groups, and of the alerts within one: fewer labels first, then name by name. */
export function compareLabelSets(a: LabelSet, b: LabelSet): number {
  const names = Object.keys(a);
  const count = names.length - Object.keys(b).length;
  if (count !== 0) return count;
  for (const name of [...new Set([...names, ...Object.keys(b)])].sort(compareBytes)) {
    const left = a[name];
    const right = b[name];
    if (left === undefined) return -1;
    if (right === undefined) return 1;
    const order = compareBytes(left, right);
    if (order !== 0) return order;
  }
  return 0;
}
