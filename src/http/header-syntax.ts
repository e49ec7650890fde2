/** What HTTP can carry in a header (RFC 9110 §5.1, §5.5): whatever else there is could end it, and begin another. */

export function isHeaderName(text: string): boolean {
  return /^[\w!#$%&'*+.^`|~-]+$/.test(text);
}

export function isHeaderValue(text: string): boolean {
  return !/[^\t\x20-\x7e\x80-\xff]/.test(text);
}
