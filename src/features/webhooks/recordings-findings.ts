/** Everything that an examination of the recording service finds, on this machine and at the service. */
import type { RunContext } from '../../cli/command.ts';
import { bad, type Finding, ok, warn } from '../../cli/findings.ts';
import { SvcError } from '../../errors.ts';
import type { StoredSecret } from '../../store/webhook-secrets.ts';
import { fileFindings, fileModes, signInFinding } from '../oauth/own-files.ts';
import { openRecordings, type Recordings } from './client.ts';
import { LARGEST_PAGE } from './delivery-log.ts';
import { clockFinding, deliveriesFinding, orphanFinding, quotaFinding, subscriptionFindings } from './health.ts';
import { keptSecrets, keptUnder, shownSecret } from './kept-secrets.ts';
import { forgetOrphans, orphanSecrets } from './orphan-secrets.ts';
import type { Subscription } from './schema.ts';
import { checkSubscriptionId, findSubscription } from './subscription.ts';
import { isLoopback } from './subscription-url.ts';

export interface Examination {
  /** Of one subscription alone, beside what is of none. */
  readonly id: string | undefined;
  /** Forgets kept secrets of subscriptions that are gone. */
  readonly fix: boolean;
}

export async function recordingsFindings({ id, fix }: Examination, ctx: RunContext): Promise<readonly Finding[]> {
  if (id !== undefined) checkSubscriptionId(id);
  const recordings = openRecordings(ctx.target);
  const before = fileModes(ctx);
  const findings: Finding[] = [await signInFinding(ctx, ctx.target)];
  const kept = readKept(findings, ctx);
  findings.push(...fileFindings(before, ctx));
  const all = await subscriptionsOf(recordings, findings, ctx);
  if (all === undefined) return findings;
  const chosen = id === undefined ? all : [findSubscription(all, id)];
  findings.push(...(await examine(chosen, all, kept, recordings, ctx)));
  const orphans = orphanSecrets(kept, all, ctx);
  const forgotten = fix ? await forgetOrphans(orphans, ctx) : new Set();
  for (const orphan of orphans) {
    const { endpoint_id: about, fingerprint } = shownSecret(orphan);
    if (!forgotten.has(orphan)) findings.push(orphanFinding(about, fingerprint));
    else findings.push({ check: 'orphan-secret', about, ...ok(`forgotten (sha256 fp ${fingerprint})`) });
  }
  return findings;
}

/** Before the subscriptions: a secret that another process keeps meanwhile must not look like one without any. */
function readKept(findings: Finding[], { paths }: RunContext): readonly StoredSecret[] {
  try {
    return keptSecrets({ paths, notice: () => {} });
  } catch (error) {
    if (!(error instanceof SvcError)) throw error;
    findings.push({ check: 'secrets', about: null, ...bad(error.message, error.hint) });
    return [];
  }
}

/** Undefined where they cannot be had, which is the last finding then. */
async function subscriptionsOf(
  recordings: Recordings,
  findings: Finding[],
  ctx: RunContext,
): Promise<readonly Subscription[] | undefined> {
  const began = ctx.now();
  try {
    const all = await recordings.subscriptions();
    const detail = `${ctx.target.baseUrl.origin} answered in ${ctx.now() - began} ms, and takes the token`;
    findings.push({ check: 'service', about: null, ...ok(detail) });
    const clock = clockFinding(recordings.clockSkewMs);
    if (clock !== undefined) findings.push(clock);
    findings.push(quotaFinding(all));
    return all;
  } catch (error) {
    if (!(error instanceof SvcError) || ctx.signal.aborted) throw error;
    // Where nobody is signed in, nobody was asked: the first finding says so.
    if (findings[0]?.verdict === 'bad' && error.code === 'unauthorized') return undefined;
    findings.push({ check: 'service', about: null, ...bad(error.message, error.hint) });
    return undefined;
  }
}

async function examine(
  chosen: readonly Subscription[],
  all: readonly Subscription[],
  kept: readonly StoredSecret[],
  recordings: Recordings,
  ctx: RunContext,
): Promise<readonly Finding[]> {
  const local = isLoopback(ctx.target.baseUrl.hostname);
  const address = keptUnder(ctx);
  const found: Finding[] = [];
  for (const subscription of chosen) {
    const { id: about } = subscription;
    const own = kept.filter(({ endpoint_id }) => endpoint_id === about);
    const secret = own.find(({ base_url }) => base_url === address) ?? own.find(({ base_url }) => base_url === null);
    const fingerprint = secret === undefined ? undefined : shownSecret(secret).fingerprint;
    found.push(...(await subscriptionFindings(subscription, { all, local, fingerprint })));
    try {
      const items = await recordings.deliveries(about, { page: 1, size: LARGEST_PAGE });
      found.push(deliveriesFinding(about, items, ctx.now()));
    } catch (error) {
      if (!(error instanceof SvcError) || ctx.signal.aborted) throw error;
      found.push({ check: 'deliveries', about, ...warn(`cannot be read: ${error.message}`, error.hint) });
    }
  }
  return found;
}
