/** A response as it goes over the wire: the lines of its head, and how long its body is. */
export const withLength = (head: string, body: string): string =>
  `${head.trimEnd().replace(/\r?\n/g, '\r\n')}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
