/** Addresses of receivers: what the service refuses, and what it would only notice after twenty failures. */
import { Resolver } from 'node:dns/promises';
import { isIPv4, isIPv6 } from 'node:net';
import type { RunContext } from '../../cli/command.ts';
import { SvcError } from '../../errors.ts';

/** The address as it was typed, which is how it is sent. `local`: the service is on this machine, and so may its receivers be. */
export function checkReceiverUrl(text: string, option: string, { local }: { readonly local: boolean }): string {
  if (text.trim() === '') throw new SvcError('invalid_value', `${option} is empty`);
  if (/\s/.test(text) || !URL.canParse(text)) {
    throw new SvcError('invalid_value', `${option}: not a URL`, { hint: 'for example https://example.com/hook' });
  }
  const url = new URL(text);
  if (url.protocol === 'https:' || (url.protocol === 'http:' && local && isLoopback(url.hostname))) return text;
  throw new SvcError('invalid_value', `${option}: the service delivers to https:// addresses only`);
}

/** The service may lower-case the host and add a missing path. */
export function sameAddress(one: string, other: string): boolean {
  if (one === other) return true;
  return URL.canParse(one) && URL.canParse(other) && new URL(one).href === new URL(other).href;
}

export function isLoopback(hostname: string): boolean {
  return /^(?:localhost|(?:.+\.)?localhost|127\.\d+\.\d+\.\d+|\[::1\])\.?$/i.test(hostname);
}

/** What makes a delivery to this address unlikely: a warning, never a refusal, because the service may know better. */
export async function receiverWarnings(
  text: string,
  { local }: { readonly local: boolean },
): Promise<readonly string[]> {
  const url = new URL(text);
  const host = url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  const warnings: string[] = [];
  if (url.username !== '' || url.password !== '') {
    warnings.push('the URL contains a user name or password, which everyone who can list subscriptions sees');
  }
  if (isLoopback(url.hostname)) {
    if (!local) warnings.push(`the service cannot reach ${host}: that is a loopback address`);
  } else if (isPrivate(host)) warnings.push(`the service cannot reach ${host}: that is a private address`);
  else if (/\.(?:local|internal|lan|home|corp)$/i.test(host) || (!host.includes('.') && !isIPv6(host))) {
    warnings.push(`the service cannot reach ${host}: that name belongs to a private network`);
  } else if (!isIPv4(host) && !isIPv6(host) && (await isUnknownName(host))) {
    warnings.push(`${host} has no public address`);
  }
  return warnings;
}

function isPrivate(host: string): boolean {
  if (isIPv6(host)) return /^(?:f[cd]|fe[89ab]|::$)/i.test(host);
  return /^(?:10\.|192\.168\.|169\.254\.|0\.|172\.(?:1[6-9]|2\d|3[01])\.|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7])\.)/.test(
    host,
  );
}

/** Asks the name servers, because names in a hosts file are not public. Waits for a second at most. */
async function isUnknownName(host: string): Promise<boolean> {
  const resolver = new Resolver({ timeout: 900, tries: 1 });
  const failed = await Promise.all(
    [resolver.resolve4(host), resolver.resolve6(host)].map((answer) =>
      answer.then(
        () => false,
        ({ code }: NodeJS.ErrnoException) => code === 'ENOTFOUND' || code === 'ENODATA',
      ),
    ),
  );
  return failed.every((none) => none);
}

type Where = Pick<RunContext, 'target' | 'dryRun' | 'notice'>;

/** The text as it is sent. Warns if the service can hardly reach it; exit 2 if it refuses it anyway. */
export async function receiverUrl(text: string, option: string, { target, dryRun, notice }: Where): Promise<string> {
  // A service on this machine is the sandbox, or one under development, and reaches receivers here.
  const local = isLoopback(target.baseUrl.hostname);
  const url = checkReceiverUrl(text, option, { local });
  if (!dryRun) for (const warning of await receiverWarnings(url, { local })) notice(`warning: ${warning}`);
  return url;
}
