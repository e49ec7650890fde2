/** The forms in which a service may repeat a secret. */

export const percent = (text: string): string =>
  Buffer.from(text)
    .toString('hex')
    .replace(/../g, (byte) => `%${byte}`);
export const lowerHex = (text: string): string => text.replace(/%../g, (byte) => byte.toLowerCase());
export const units = (text: string): string =>
  [...text].map((one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`).join('');
export const base64 = (text: string): string => Buffer.from(text).toString('base64');

/** What must not come out, in any of these forms. */
export function formsOf(secret: string): readonly string[] {
  const hex = Buffer.from(secret).toString('hex');
  return [
    secret,
    encodeURIComponent(secret),
    lowerHex(encodeURIComponent(secret)),
    percent(secret),
    percent(secret).toUpperCase(),
    units(secret),
    secret.replaceAll('/', '\\/'),
    secret.replaceAll('+', '\\u002B'),
    hex,
    hex.toUpperCase(),
    // Without the last characters, which others before and after it decide.
    ...[secret, `ann:${secret}`, `x${secret}`].flatMap((text) => [
      base64(text).slice(-24, -4),
      Buffer.from(text).toString('base64url').slice(-24, -4),
    ]),
  ];
}
