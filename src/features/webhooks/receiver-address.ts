/** Where a receiver is, and who can reach it. */
import { SvcError } from '../../errors.ts';
import { isLoopback } from '../../http/address.ts';

export function receiverUrl(host: string, port: number, path: string, tls: boolean): URL {
  const name = host.includes(':') ? `[${host}]` : host;
  return new URL(`${tls ? 'https' : 'http'}://${name}:${port}${path}`);
}

/** Whether only programs of this machine reach it. */
export function isPrivate(url: URL): boolean {
  return isLoopback(url);
}

/** Each delivery would come back as the next. */
export function refuseLoop(forward: URL, own: URL): void {
  const port = ({ port, protocol }: URL): string => port || (protocol === 'https:' ? '443' : '80');
  const ownHost = forward.hostname === own.hostname || isLoopback(forward);
  if (port(forward) !== port(own) || !ownHost) return;
  throw new SvcError('invalid_value', `--forward-to: ${forward.href} is this listener itself`);
}
