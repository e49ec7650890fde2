/** Asks the recording service of each sandbox, because a record does not show whether it still runs. */
import type { RunContext } from '../../cli/command.ts';
import { SvcError } from '../../errors.ts';
import { checkWebhooks } from '../webhooks/checks.ts';
import { readSandboxes, type SandboxEnv, type SandboxRecord } from './records.ts';

type Ctx = Omit<RunContext, 'target'>;

const TIMEOUT_MS = 5000;

/** First those of `svc sandbox start`, which stay, and then the newest. Forgets those that ended. */
export async function findSandboxes(ctx: Ctx): Promise<readonly SandboxRecord[]> {
  const running: SandboxRecord[] = [];
  const stored = await readSandboxes(ctx.paths);
  await Promise.all(
    stored.map(async ({ record, forget }) => {
      const failure = await checkSandbox(record.env, ctx);
      if (failure === undefined) running.push(record);
      // Another machine or a container may share these files, but not the loopback.
      else if (failure.code === 'connect_failed' && record.identity === ctx.identity()) forget();
    }),
  );
  const stays = ({ startedBy }: SandboxRecord): number => Number(startedBy === 'start');
  return running.sort((one, other) => stays(other) - stays(one) || other.startedAt - one.startedAt);
}

/** Only its own recording service accepts its token. Resolves to the failure, if any. */
async function checkSandbox({ SVC_WEBHOOKS_URL: url, SVC_WEBHOOKS_TOKEN: token }: SandboxEnv, ctx: Ctx) {
  const baseUrl = new URL(url);
  try {
    await checkWebhooks({
      ...ctx.outbound({ insecure: false }),
      service: 'webhooks',
      baseUrl,
      timeoutMs: TIMEOUT_MS,
      headers: {},
      secretHeaders: new Set(),
      authorizer: { origin: baseUrl.origin, header: async () => ({ authorization: `Bearer ${token}` }) },
      // A separate signal: Node warns about many listeners to one.
      signal: AbortSignal.any([ctx.signal]),
      now: ctx.now,
      random: ctx.random,
      sleep: ctx.sleep,
    });
    return undefined;
  } catch (error) {
    if (!(error instanceof SvcError) || ctx.signal.aborted) throw error;
    return error;
  }
}
