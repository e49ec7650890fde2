/** The address of a receiver, as arguments and options take it. */
import type { RunContext } from '../../cli/command.ts';

type Where = Pick<RunContext, 'target' | 'dryRun' | 'notice'>;

/** The text as it is sent. Warns of what the service will hardly reach; exit 2 for what it refuses anyway. */
export async function receiverUrl(text: string, option: string, { target, dryRun, notice }: Where): Promise<string> {
  const { checkReceiverUrl, isLoopback, receiverWarnings } = await import('./subscription-url.ts');
  // A service on this machine is the sandbox, or one under development, and reaches receivers here.
  const local = isLoopback(target.baseUrl.hostname);
  const url = checkReceiverUrl(text, option, { local });
  if (!dryRun) for (const warning of await receiverWarnings(url, { local })) notice(`warning: ${warning}`);
  return url;
}
