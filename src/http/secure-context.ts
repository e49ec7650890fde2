/** The certificates that a connection trusts, and the one that it shows. */
import { createSecureContext, type SecureContext } from 'node:tls';
import { SvcError } from '../errors.ts';
import type { TlsOptions } from './target.ts';

export function secureContext({ ca, extraCa, cert, key }: TlsOptions): SecureContext {
  try {
    const context = createSecureContext({
      ...(cert === undefined ? {} : { cert }),
      ...(cert === undefined && key === undefined ? {} : { key: key ?? cert }),
    });
    if (ca !== undefined) {
      // Not the option `ca`: it replaces the platform's roots.
      if (extraCa !== undefined) context.context.addCACert(extraCa);
      context.context.addCACert(ca);
    }
    return context;
  } catch (error) {
    throw new SvcError('file_unusable', `the certificate or key cannot be used: ${(error as Error).message}`, {
      hint: 'check that --cert and --key are PEM, belong together, and that the key has no passphrase',
      cause: error,
    });
  }
}
