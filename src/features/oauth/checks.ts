/** Diagnostics of the login. */
import type { RunContext } from '../../cli/command.ts';
import { type Finding, fail, ok, type Result, warn } from '../../cli/findings.ts';
import { SvcError } from '../../errors.ts';
import { type Credential, credentialsFile, loginKey, ownerOf } from '../../store/credentials.ts';
import { SecretStore } from '../../store/secret-store.ts';
import { credentialSource } from './authorizer.ts';
import { loginStatus, refreshEnd } from './login-status.ts';

export { credentialSource };

/** Where the token comes from, and when it expires. Makes no request. */
export async function signInFinding(ctx: Omit<RunContext, 'target'>, target: RunContext['target']): Promise<Finding> {
  return { check: 'sign-in', subject: null, ...(await checkLogin(ctx, target)) };
}

async function checkLogin(ctx: Omit<RunContext, 'target'>, target: RunContext['target']): Promise<Result> {
  const source = credentialSource(ctx);
  if (ctx.env[source ?? '']?.trim() === '') return fail(`${source} is set but empty`, 'unset it, or give it its value');
  if (source !== undefined) return ok(`from ${source}`);
  if ('authorization' in target.headers) return ok('from a header file');
  const owner = ownerOf(ctx.settings, target.baseUrl);
  try {
    const login = await new SecretStore(credentialsFile(ctx.paths), ctx).get(loginKey(owner));
    if (login !== undefined) return checkStored(login, ctx.now() / 1000);
  } catch (error) {
    if (!(error instanceof SvcError) || ctx.signal.aborted) throw error;
    return fail(error.message, error.hint);
  }
  if (target.secretHeaders.size > 0) return ok('from a header file');
  return fail(`profile ${owner.profile} is not signed in to ${owner.base_url}`, 'svc oauth login');
}

function checkStored(login: Credential, now: number): Result {
  const { state, advice } = loginStatus(login, now);
  const again = login.kind === 'personal' ? 'svc oauth login --token-stdin' : 'svc oauth login';
  if (state === 'not_signed_in') return fail(`the login has ended: ${advice}`, again);
  const end = refreshEnd(login);
  if (advice !== null) return warn(advice, end === undefined ? again : 'svc oauth refresh');
  const until = end ?? login.expires_at;
  return ok(until === undefined ? 'from the stored login' : `from the stored login, until ${minute(until)}`);
}

/** `2026-11-21 08:30 UTC` */
function minute(seconds: number): string {
  return `${new Date(seconds * 1000).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}
