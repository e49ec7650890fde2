/** Joins credentials and services into `Authorizer`s for the transport. */

import type { RunContext } from '../../cli/command.ts';
import type { Context } from '../../context.ts';
import { SvcError } from '../../errors.ts';
import type { Authorizer, Target } from '../../http/target.ts';
import { fileFailure } from '../../store/own-file.ts';
import type { Settings } from '../../store/settings.ts';

type Env = Readonly<Record<string, string | undefined>>;
type AuthorizerContext = Context & Pick<RunContext, 'checkSecretFile'>;

/**
 * The credential for a target: of the environment, else of the profile's token file, else what is stored for the recording service and
 * the trading gateway. The environment's needs no file and no lock. Loads nothing before the first request.
 */
export function authorizerFor(context: AuthorizerContext, target: Target, settings: Settings): Authorizer | undefined {
  const { service, baseUrl, headers } = target;
  const given = environmentAuthorizer(context.env, target, settings);
  if (given !== undefined || 'authorization' in headers) return given;
  const tokenFile = settings.get(`${service}.tokenFile`);
  if (tokenFile !== undefined) return fileAuthorizer(tokenFile, context, target, settings);
  if (service === 'trade') {
    return {
      origin: baseUrl.origin,
      header: async () =>
        (await import('./stored-authorizer.ts')).gatewayHeader(context, target, settings.profile.name),
    };
  }
  if (service !== 'webhooks') return undefined;
  let loading: Promise<Authorizer> | undefined;
  const stored = (): Promise<Authorizer> => {
    loading ??= import('./stored-authorizer.ts').then(
      ({ StoredAuthorizer }) => new StoredAuthorizer(context, target, settings.profile.name),
    );
    return loading;
  };
  return {
    origin: baseUrl.origin,
    header: async () => (await stored()).header(),
    refresh: async () => (await (await stored()).refresh?.()) ?? false,
  };
}

/** What precedes the stored login of the recording service. */
export function configuredToken({ env, settings }: Pick<RunContext, 'env' | 'settings'>) {
  if (env['SVC_WEBHOOKS_TOKEN'] !== undefined) return 'SVC_WEBHOOKS_TOKEN';
  return settings.get('webhooks.tokenFile') === undefined ? undefined : 'webhooks.tokenFile';
}

/** The token of the profile goes to the address of the profile only. The file is read for each request: its token may change. */
function fileAuthorizer(
  path: string,
  { readFile, checkSecretFile }: AuthorizerContext,
  { service, baseUrl, log }: Target,
  settings: Settings,
): Authorizer {
  const name = `${service}.tokenFile`;
  const bound = settings.profileOrigin(`${service}.url`);
  if (bound === undefined) {
    throw new SvcError('config_invalid', `${name} needs the address that its token is for`, {
      hint: `set it in the same profile: svc config set ${service}.url <url>`,
    });
  }
  checkBound(bound, baseUrl, `${name} has the token for`, `use another profile, or unset ${name}`);
  return {
    origin: baseUrl.origin,
    header: async () => {
      checkSecretFile(path);
      let text: string;
      try {
        text = readFile(path).toString();
      } catch (error) {
        throw fileFailure(`${name}: cannot read ${path}`, error);
      }
      if (text.trim() === '') throw new SvcError('credential_unusable', `${name}: ${path} is empty`);
      return { authorization: `Bearer ${checkedSecret(text.trim(), name, log)}` };
    },
  };
}

function checkBound(bound: string | undefined, { origin }: URL, what: string, hint: string): void {
  if (bound === undefined || bound === origin) return;
  throw new SvcError('credential_unusable', `${what} ${bound}, not for ${origin}`, { hint });
}

/**
 * The credential in the environment for a service, bound to one origin. A token that is set but empty is an error: a script whose secret is missing must not
 * continue without one.
 */
export function environmentAuthorizer(
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
  const token = secret(env, `${prefix}_TOKEN`, log);
  const password = secret(env, `${prefix}_PASSWORD`, log);
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
  const bound = settings.configuredOrigin(`${service}.url`);
  checkBound(
    bound,
    baseUrl,
    'the credential in the environment is for',
    `set ${prefix}_URL to the address the credential is for`,
  );
  const value =
    token === undefined ? `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}` : `Bearer ${token}`;
  return { origin: baseUrl.origin, header: async () => ({ authorization: value }) };
}

function emptySecret(name: string): SvcError {
  return new SvcError('credential_unusable', `${name} is set but empty`, {
    hint: `unset ${name}, or give it its value`,
  });
}

function secret(env: Env, name: string, log: Target['log']): string | undefined {
  const given = env[name];
  return given === undefined ? undefined : checkedSecret(given, name, log);
}

function checkedSecret(given: string, name: string, log: Target['log']): string {
  const value = given.replace(/\r?\n$/, '');
  if (value !== given) log.warn(`${name} ends with a line feed, which svc leaves out`);
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
