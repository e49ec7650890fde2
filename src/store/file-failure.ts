import { SvcError } from '../errors.ts';

/** The code of a system error: `ENOENT`. */
export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/** A system error as a failure that a user can act on: `cannot write /a/b: no space left on device`. */
export function fileFailure(what: string, error: unknown, hint?: string): SvcError {
  if (error instanceof SvcError) return error;
  const text = error instanceof Error ? error.message : String(error);
  // Node's form is "ENOSPC: no space left on device, write '/a/b'".
  const reason = /^E[A-Z0-9]+: (.+?)(?:, \w+.*)?$/s.exec(text)?.[1] ?? text;
  return new SvcError('file_unusable', `${what}: ${reason}`, { cause: error, ...(hint === undefined ? {} : { hint }) });
}
