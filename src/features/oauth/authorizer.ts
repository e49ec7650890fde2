/** Joins credentials and services into `Authorizer`s for the transport. */
import type { RunContext } from '../../cli/command.ts';
import { checkBound, checkProfileBound } from '../../cli/target.ts';
import type { Context } from '../../context.ts';
import { SvcError } from '../../errors.ts';
import type { Authorizer, ServiceName, Target } from '../../http/target.ts';
import { fileFailure } from '../../store/own-file.ts';
import { listOf } from '../../store/setting-keys.ts';
import { credentialSettings, originOf, type Settings } from '../../store/settings.ts';
import type { StoredAuthorizer } from './token-manager.ts';

type Env = Readonly<Record<string, string | undefined>>;
type AuthorizerContext = Context & Pick<RunContext, 'checkSecretFile'>;

/**
 * The credential of the environment, else of the profile, else of a login. The environment needs no
 * file and no lock. Nothing is loaded before the first request.
 */
export function authorizerFor(context: AuthorizerContext, target: Target, settings: Settings): Authorizer | undefined {
  const { service, baseUrl, headers } = target;
  const given = environmentAuthorizer(context.env, target, settings);
  if (given !== undefined || 'authorization' in headers) return given;
  const configured = profileAuthorizer(context, target, settings);
  if (configured !== undefined) return configured;
  const stores = { ...context, settings, warn: target.log.warn };
  if (service === 'trade') {
    return {
      origin: baseUrl.origin,
      header: async () => (await import('./token-manager.ts')).gatewayHeader(stores, target),
    };
  }
  if (service !== 'webhooks') return undefined;
  let loading: Promise<StoredAuthorizer> | undefined;
  const stored = (): Promise<StoredAuthorizer> => {
    loading ??= import('./token-manager.ts').then((module) => new module.StoredAuthorizer(stores, target));
    return loading;
  };
  return {
    origin: baseUrl.origin,
    header: async () => (await stored()).header(),
    refresh: async () => (await stored()).refresh(),
  };
}

/** The variable or setting with the credential; undefined if svc stores it, or there is none. */
export function credentialSource(
  { env, settings }: Pick<RunContext, 'env' | 'settings'>,
  service: ServiceName = 'webhooks',
): string | undefined {
  const prefix = `SVC_${service.toUpperCase()}`;
  const variable = [`${prefix}_TOKEN`, `${prefix}_PASSWORD`].find((name) => env[name] !== undefined);
  return variable ?? credentialSettings(service, settings)[0];
}

/** The profile's credential, which goes to the profile's address only. Undefined if it has none. */
function profileAuthorizer(context: AuthorizerContext, target: Target, settings: Settings): Authorizer | undefined {
  const { service, baseUrl } = target;
  const [name, other] = credentialSettings(service, settings);
  if (name === undefined) return undefined;
  if (other !== undefined) {
    throw new SvcError('config_invalid', `two credentials: ${name} and ${other} are both set`, {
      hint: `svc config unset ${other}`,
    });
  }
  const value = settings.get(name) ?? '';
  checkProfileBound(name, baseUrl, settings);
  const common = { origin: baseUrl.origin, source: name };
  if (name.endsWith('.tokenCommand')) return { ...common, ...commandCredential(listOf(value) ?? [], context, target) };
  const read = fileSecret(name, value, context);
  if (name.endsWith('.tokenFile')) return { ...common, header: async () => bearer(read()) };
  const user = settings.get(`${service}.user`);
  if (user === undefined) {
    throw new SvcError('config_invalid', `${name} is set without a user`, {
      hint: `svc config set ${service}.user <name>`,
    });
  }
  return { ...common, header: async () => basic(user, read()) };
}

/** Reads the file each time: what it contains may change. */
function fileSecret(name: string, path: string, { readFile, checkSecretFile }: AuthorizerContext): () => string {
  return () => {
    checkSecretFile(path);
    let text: string;
    try {
      text = readFile(path).toString().trim();
    } catch (error) {
      throw fileFailure(`${name}: cannot read ${path}`, error);
    }
    if (text === '') throw new SvcError('credential_unusable', `${name}: ${path} is empty`);
    return checkedSecret(text, name);
  };
}

/** A 401 this soon after the command printed a new token answers a request with the old one. */
const OVERLAP_MS = 10_000;

/** The command runs before the first request, and again when the service refuses its token. */
function commandCredential(command: readonly string[], context: AuthorizerContext, target: Target) {
  const run = async (): Promise<Headers> => {
    const { commandToken } = await import('./token-command.ts');
    return bearer(checkedSecret(await commandToken(command, target, context), `${target.service}.tokenCommand`));
  };
  let current: Promise<Headers> | undefined;
  let renewedAt = Number.NEGATIVE_INFINITY;
  const renew = async (): Promise<boolean> => {
    const before = await current;
    const next = await run();
    current = Promise.resolve(next);
    const isNew = next.authorization !== before?.authorization;
    if (isNew) renewedAt = context.now();
    return isNew;
  };
  let renewing: Promise<boolean> | undefined;
  return {
    header: () => {
      current ??= run();
      return current;
    },
    refresh: async () => {
      if (current === undefined) return false;
      if (context.now() - renewedAt < OVERLAP_MS) return true;
      renewing ??= renew().finally(() => {
        renewing = undefined;
      });
      return renewing;
    },
  };
}

type Headers = Readonly<Record<'authorization', string>>;

function bearer(token: string): Headers {
  return { authorization: `Bearer ${token}` };
}

function basic(user: string, password: string): Headers {
  return { authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}` };
}

/**
 * Bound to one origin. A token that is set but empty is an error, so that a script whose secret is
 * missing does not continue without one.
 */
function environmentAuthorizer(
  env: Env,
  { service, baseUrl, log }: Pick<Target, 'service' | 'baseUrl' | 'log'>,
  settings: Settings,
): Authorizer | undefined {
  const prefix = `SVC_${service.toUpperCase()}`;
  const empty = [`${prefix}_TOKEN`, `${prefix}_PASSWORD`].find((name) => env[name]?.trim() === '');
  if (empty !== undefined) {
    if (service !== 'webhooks') throw emptySecret(empty);
    // Only a request fails because of it: signing in needs none.
    return { origin: baseUrl.origin, header: () => Promise.reject(emptySecret(empty)) };
  }
  const token = secret(env, `${prefix}_TOKEN`, /^\s+|\s+$/g, log);
  // A password may begin or end with a blank.
  const password = secret(env, `${prefix}_PASSWORD`, /\r?\n$/, log);
  const user = settings.get(`${service}.user`);
  if (token === undefined && password === undefined) return undefined;
  if (token !== undefined && password !== undefined) {
    throw new SvcError('config_invalid', `two credentials: ${prefix}_TOKEN and ${prefix}_PASSWORD are both set`, {
      hint: 'unset one of them',
    });
  }
  if (password !== undefined && user === undefined) {
    throw new SvcError('config_invalid', `${prefix}_PASSWORD is set without a user`, { hint: `set ${prefix}_USER` });
  }
  const bound = originOf(`${service}.url`, settings, 'env', 'profile');
  checkBound(
    bound,
    baseUrl,
    'the credential in the environment is for',
    `set ${prefix}_URL to the address the credential is for`,
  );
  const header = token === undefined ? basic(user ?? '', password ?? '') : bearer(token);
  return { origin: baseUrl.origin, header: async () => header };
}

function emptySecret(name: string): SvcError {
  return new SvcError('credential_unusable', `${name} is set but empty`, {
    hint: `unset ${name}, or give it its value`,
  });
}

function secret(env: Env, name: string, surplus: RegExp, log: Target['log']): string | undefined {
  const given = env[name];
  if (given === undefined) return undefined;
  const value = given.replace(surplus, '');
  if (value !== given) log.warn(`${name} begins or ends with white space, which svc leaves out`);
  return checkedSecret(value, name);
}

function checkedSecret(value: string, name: string): string {
  if (/^(?:bearer|basic)\s/i.test(value)) {
    throw new SvcError('credential_unusable', `${name} begins with "${value.split(/\s/)[0]}", which svc adds itself`, {
      hint: `set ${name} to what follows it`,
    });
  }
  if (/[\x00-\x1f\x7f]/.test(value)) {
    throw new SvcError('credential_unusable', `${name} holds a line break or another control character`);
  }
  return value;
}
