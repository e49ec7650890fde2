/** Kept secrets of subscriptions that are gone: found, and forgotten once somebody agreed. */
import type { RunContext } from '../../cli/command.ts';
import type { StoredSecret } from '../../store/webhook-secrets.ts';
import { keptUnder, shownSecret } from './kept-secrets.ts';
import type { Subscription } from './schema.ts';

/** Of this service alone: whose the others are the account cannot tell. */
export function orphanSecrets(
  kept: readonly StoredSecret[],
  all: readonly Subscription[],
  ctx: Pick<RunContext, 'settings'>,
): readonly StoredSecret[] {
  const address = keptUnder(ctx);
  const ids = new Set(all.map(({ id }) => id));
  return kept.filter(({ base_url, endpoint_id }) => base_url === address && !ids.has(endpoint_id));
}

/** Returns those that are gone; in a dry run none. A secret that was replaced meanwhile stays. */
export async function forgetOrphans(
  orphans: readonly StoredSecret[],
  ctx: RunContext,
): Promise<ReadonlySet<StoredSecret>> {
  if (orphans.length === 0) return new Set();
  for (const { endpoint_id, fingerprint } of orphans.map(shownSecret)) {
    ctx.notice(`${endpoint_id}  sha256 fp ${fingerprint}`);
  }
  const what = orphans.length === 1 ? 'this secret' : `these ${orphans.length} secrets`;
  await ctx.confirm(`Another account of the service may still need what is kept. Forget ${what}?`);
  if (ctx.dryRun) return new Set();
  const { changeWebhookSecrets } = await import('../../store/webhook-secrets-editor.ts');
  const same = (one: StoredSecret, other: StoredSecret): boolean =>
    one.base_url === other.base_url && one.endpoint_id === other.endpoint_id && one.secret === other.secret;
  await changeWebhookSecrets(ctx.paths, ctx, (secrets) =>
    secrets.filter((one) => !orphans.some((orphan) => same(one, orphan))),
  );
  return new Set(orphans);
}
