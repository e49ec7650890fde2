/** Receivers on Express 5, with the body parsers that its users choose. Nothing of them is svc's. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { RequestListener } from 'node:http';
import express, { type Middleware, type ParserOptions, type Request } from 'express';
import { KEY } from '../handmade-receiver.ts';

const handled =
  (bytes: (request: Request) => string | Buffer): Middleware =>
  (request, response) => {
    const timestamp = String(request.headers['x-service-timestamp']);
    const given = Buffer.from(String(request.headers['x-service-signature']));
    const digest = createHmac('sha256', KEY).update(`${timestamp}.`).update(bytes(request)).digest('hex');
    const expected = Buffer.from(`sha256=${digest}`);
    const fresh = /^\d+$/.test(timestamp) && Math.abs(Date.now() / 1000 - Number(timestamp)) <= 300;
    const genuine = given.length === expected.length && timingSafeEqual(given, expected);
    response.sendStatus(fresh && genuine ? 204 : 401);
  };

const keepsRaw: ParserOptions['verify'] = (request, _, bytes) => Object.assign(request, { rawBody: bytes });
const printed = ({ body }: Request): string => JSON.stringify(body);
const raw = ({ body, rawBody }: Request): Buffer => rawBody ?? (body as Buffer);
const any = { type: '*/*', limit: '8mb' };

/** The middleware of each, and the probes that it must fail at least. */
export const EXPRESS_RECEIVERS: Readonly<
  Record<string, readonly [middleware: Middleware[], fails: readonly string[]]>
> = {
  'json-stringify': [[express.json({ limit: '8mb' }), handled(printed)], ['raw-body']],
  'json-default-limit': [[express.json({ verify: keepsRaw }), handled(raw)], ['large-body']],
};

export function serveExpress(): RequestListener {
  const app = express();
  for (const [name, [middleware]] of Object.entries(EXPRESS_RECEIVERS)) app.post(`/express/${name}`, ...middleware);
  app.post('/express/correct', express.raw(any), handled(raw));
  return app;
}
