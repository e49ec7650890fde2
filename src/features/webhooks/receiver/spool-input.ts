/** The spool that --spool names. */
import type { RunContext } from '../../../cli/command.ts';
import { SvcError } from '../../../errors.ts';
import { parseByteSize } from '../options.ts';
import type { SigningSecret } from '../secret.ts';
import type { Targets } from './forwarder.ts';
import { isSuccess } from './processor.ts';
import type { Spool } from './spool.ts';

interface SpoolInput {
  readonly spoolLimit: string;
  readonly ack: 'after' | 'early';
  readonly respond: number;
  readonly dedupeFile: string | undefined;
}

/** Throws `usage` for options that contradict it, and `file_unusable`. */
export async function spoolOf(
  path: string,
  { spoolLimit, ack, respond, dedupeFile }: SpoolInput,
  targets: Targets | undefined,
  secrets: readonly SigningSecret[],
  ctx: RunContext,
): Promise<Spool> {
  if (targets === undefined)
    throw new SvcError('usage', '--spool needs --forward-to or --forward: it waits for a target');
  if (ack === 'early') throw new SvcError('usage', '--spool answers before the target: leave out --ack early');
  if (!isSuccess(respond)) throw new SvcError('usage', '--spool answers 2xx: choose another --respond');
  if (dedupeFile !== undefined) throw new SvcError('usage', '--spool remembers events itself: leave out --dedupe-file');
  const { openSpool } = await import('./spool.ts');
  return await openSpool({ path, limit: parseByteSize(spoolLimit), targets, secrets }, ctx);
}
