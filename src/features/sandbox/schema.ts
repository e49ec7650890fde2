/** The record of a running sandbox. Loaded only by its readers: zod costs time at every start. */
import * as z from 'zod/mini';

const localUrl = z.string().check(z.regex(/^http:\/\/127\.0\.0\.1:\d{1,5}$/));
const localToken = z.string().check(z.regex(/^\w{8,128}$/));

/** The variables that point to a sandbox. Others are dropped. */
export const sandboxEnv = z.object({
  SVC_ALERTS_URL: localUrl,
  SVC_WEBHOOKS_URL: localUrl,
  SVC_WEBHOOKS_TOKEN: localToken,
  SVC_CATALOG_URL: localUrl,
  SVC_TRADE_URL: localUrl,
  SVC_TRADE_TOKEN: localToken,
});
export type SandboxEnv = Readonly<z.infer<typeof sandboxEnv>>;

const LAST_TIME = 8.64e15;

export const sandboxRecord = z.object({
  version: z.literal(1),
  startedAt: z.int().check(z.gte(-LAST_TIME), z.lte(LAST_TIME)),
  startedBy: z.enum(['start', 'run']),
  /** `user@host`: another machine or a container may share these files, but not the loopback. */
  identity: z.string(),
  traps: z.readonly(z.array(z.string())),
  env: sandboxEnv,
});
export type SandboxRecord = Readonly<z.infer<typeof sandboxRecord>>;
