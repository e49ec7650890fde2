/** Names and times as the service writes them. */

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz0123456789';

/** `ep_` and twelve letters and digits. */
export function identifier(prefix: string, random: () => number, length = 12): string {
  const letters = Array.from({ length }, () => ALPHABET[Math.floor(random() * ALPHABET.length)]);
  return `${prefix}${letters.join('')}`;
}

/** ISO 8601 in UTC. */
export function instant(ms: number): string {
  return new Date(ms).toISOString();
}
