/** The certificate and the key of a receiver, from the files that options name. */
import type { RunContext } from '../../../cli/command.ts';
import { SvcError } from '../../../errors.ts';
import type { ReceiverOptions } from './server.ts';

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
    const why = (error as NodeJS.ErrnoException).code ?? 'unknown error';
    throw new SvcError('file_unusable', `${option}: cannot read ${path}: ${why}`, { cause: error });
  }
}
