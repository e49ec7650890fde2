/** As much of Express as is used here: it brings no types of its own. */
declare module 'express' {
  import type { IncomingMessage, RequestListener } from 'node:http';

  export interface Request extends IncomingMessage {
    readonly body: unknown;
    readonly rawBody?: Buffer;
  }

  interface Response {
    sendStatus(status: number): void;
  }

  export type Middleware = (request: Request, response: Response, next: (error?: unknown) => void) => void;

  export interface ParserOptions {
    readonly limit?: string;
    readonly type?: string;
    readonly verify?: (request: Request, response: unknown, bytes: Buffer) => void;
  }

  const express: {
    (): RequestListener & { post(path: string, ...handlers: Middleware[]): void };
    json(options?: ParserOptions): Middleware;
    raw(options?: ParserOptions): Middleware;
    text(options?: ParserOptions): Middleware;
    urlencoded(options?: ParserOptions): Middleware;
  };
  export default express;
}
