/** What the options of `webhooks listen` name: the paths that take deliveries, each with the secrets of its endpoint; the certificate; the spool. */

import { renameSync, rmSync, writeFileSync } from 'node:fs';
import type { RunContext } from '../../../cli/command.ts';
import { SvcError } from '../../../errors.ts';
import { fileFailure, readOwnFile } from '../../../store/own-file.ts';
import { parseByteSize } from '../options.ts';
import type { SigningSecret } from '../signature.ts';
import { requireSecrets, type SecretInput } from '../signing-secrets.ts';
import type { Targets } from './forwarder.ts';
import { isSuccess } from './processor.ts';
import type { Endpoint } from './requests.ts';
import type { ReceiverOptions } from './server.ts';
import type { Spool } from './spool.ts';

interface Endpoints {
  /** That of --path, unless all secrets have paths of their own. */
  readonly path: string;
  readonly secrets: readonly SigningSecret[] | undefined;
  /** Those of `--endpoint path=id`. */
  readonly endpoints: ReadonlyMap<string, Endpoint>;
}

/** `needsSecrets`: deliveries to --path are verified with the secrets of the command line or the environment. */
export async function endpointsOf(
  input: SecretInput & { readonly path: string },
  needsSecrets: boolean,
  ctx: RunContext,
): Promise<Endpoints> {
  const endpoints = new Map<string, Endpoint>();
  const ids: string[] = [];
  for (const one of input.endpoint) {
    const [, path, id] = /^(\/[^=]*)=(.+)$/.exec(one) ?? [];
    if (path === undefined || id === undefined) {
      ids.push(one);
      continue;
    }
    checkPath(path);
    if (endpoints.has(path)) throw new SvcError('usage', `--endpoint: ${path} has two endpoints`);
    const alone = { endpoint: [id], secretFile: [], secretEnv: [], secretFd: [] };
    endpoints.set(path, { id, secrets: await requireSecrets(alone, ctx) });
  }
  const { path, secretFile, secretEnv, secretFd } = input;
  const [first] = endpoints;
  const hasOthers = [ids, secretFile, secretEnv, secretFd].some((list) => list.length > 0);
  if (needsSecrets && first !== undefined && !hasOthers) {
    const [ownPath, { secrets }] = first;
    return { path: ownPath, secrets, endpoints };
  }
  if (endpoints.has(path)) throw new SvcError('usage', `--endpoint: ${path} is the path of --path, too`);
  return {
    path,
    secrets: needsSecrets ? await requireSecrets({ ...input, endpoint: ids }, ctx) : undefined,
    endpoints,
  };
}

export function checkPath(text: string): void {
  if (/^\/[^?#\s]*$/.test(text)) return;
  throw new SvcError('invalid_value', `"${text}" is not a path`, { hint: 'write it like /hook' });
}

interface TunnelInput extends SecretInput {
  readonly tunnel: string | undefined;
  readonly tunnelUrl: string | undefined;
  readonly insecureNoVerify: boolean;
}

/** Where the secrets come from. The subscription of a tunnel has its own. */
export function secretSource(input: TunnelInput, { dryRun }: RunContext): 'input' | 'tunnel' | 'none' {
  const { tunnel, tunnelUrl, endpoint, secretFile, secretEnv, secretFd, insecureNoVerify } = input;
  if (tunnel === undefined) {
    if (tunnelUrl !== undefined) throw new SvcError('usage', '--tunnel-url needs --tunnel, which runs the tunnel');
    if (dryRun) throw new SvcError('usage', '--dry-run needs --tunnel: without it, nothing is sent to the service');
    return insecureNoVerify ? 'none' : 'input';
  }
  if (insecureNoVerify || [endpoint, secretFile, secretEnv, secretFd].some((list) => list.length > 0)) {
    throw new SvcError('usage', '--tunnel verifies with the secret of its own subscription: leave out secret options');
  }
  return 'tunnel';
}

/** Undefined: plain http. */
export function tlsPair(
  { tlsCert: cert, tlsKey: key }: { readonly tlsCert: string | undefined; readonly tlsKey: string | undefined },
  ctx: RunContext,
): ReceiverOptions['tls'] {
  if (cert === undefined && key === undefined) return undefined;
  if (cert === undefined || key === undefined) {
    throw new SvcError('missing_value', '--tls-cert and --tls-key must be given together', { hint: 'pass both' });
  }
  ctx.checkSecretFile(key);
  return { cert: pem('--tls-cert', cert, ctx), key: pem('--tls-key', key, ctx) };
}

function pem(option: string, path: string, ctx: RunContext): string {
  try {
    return ctx.readFile(path).toString();
  } catch (error) {
    throw fileFailure(`${option}: cannot read ${path}`, error);
  }
}

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

interface Readiness {
  readonly port: number;
  readonly url: string;
  readonly pid: number;
}

export class ReadyFile {
  readonly #path: string;
  #text: string | undefined;

  /** Removes the file of an earlier listener, so that it is not mistaken for this one's; anything else is refused. */
  constructor(path: string) {
    this.#path = path;
    const before = contentOf(path);
    if (before === undefined) return;
    if (!isReadiness(before)) {
      throw new SvcError('file_unusable', `--ready-file: ${path} has other contents, and was not overwritten`);
    }
    rmSync(path, { force: true });
  }

  announce(readiness: Readiness): void {
    const text = `${JSON.stringify(readiness)}\n`;
    const staged = `${this.#path}.${readiness.pid}.new`;
    try {
      writeFileSync(staged, text, { flag: 'wx', mode: 0o600 });
      renameSync(staged, this.#path);
      this.#text = text;
    } catch (error) {
      rmSync(staged, { force: true });
      throw unusable(this.#path, error);
    }
  }

  withdraw(): void {
    // Another listener may have taken its place.
    if (this.#text !== undefined && contentOf(this.#path) === this.#text) rmSync(this.#path, { force: true });
  }
}

function contentOf(path: string): string | undefined {
  try {
    return readOwnFile(path).toString();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw unusable(path, error);
  }
}

function isReadiness(text: string): boolean {
  return /^\{"port":\d+,"url":"[^"]*","pid":\d+\}\n$/.test(text);
}

function unusable(path: string, error: unknown): SvcError {
  const { code = 'unknown error' } = error as NodeJS.ErrnoException;
  const why = code === 'EFTYPE' ? 'not a regular file' : code;
  return new SvcError('file_unusable', `--ready-file: cannot use ${path}: ${why}`, { cause: error });
}
