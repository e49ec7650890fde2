/**
 * What the bundle has in the place of those parts of undici that are never reached: its HTTP/2 client (`allowH2` is false) and
 * the form data of fetch. Both are large, and the first loads node:http2.
 */
export {};
