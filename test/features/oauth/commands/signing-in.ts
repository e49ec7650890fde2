/** Runs `svc oauth login` while the test plays the browser. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type Credentials, parseCredentials } from '../../../support/credentials.ts';
import { browse, type Visit } from '../../../support/oidc.ts';
import { type Run, type RunOptions, svc, temporaryHome } from '../../../support/svc.ts';

export interface LoginOptions extends RunOptions {
  /** Of the service. */
  readonly url: string;
  readonly args?: readonly string[];
  /** What to do with the printed address; by default, a browser that follows all redirects. */
  readonly visit?: (url: URL) => Promise<Visit | undefined>;
}

export interface Login extends Run {
  readonly home: string;
  /** The printed address. */
  readonly authorization: URL | undefined;
  readonly visited: Visit | undefined;
}

const WAYS = ['--paste', '--callback-port', '--token-stdin'];

export async function login({ url, args = [], visit = browse, ...options }: LoginOptions): Promise<Login> {
  const home = options.home ?? temporaryHome();
  let authorization: URL | undefined;
  let visiting: Promise<Visit | undefined> | undefined;
  const wait = args.includes('--wait') ? [] : ['--wait', '1m'];
  // Without a terminal, svc refuses to wait for a browser that is never opened.
  const isAttended =
    options.terminal !== undefined || options.env?.['BROWSER'] || args.some((arg) => WAYS.includes(arg));
  const run = await svc(['oauth', 'login', '--base-url', url, ...wait, ...(isAttended ? [] : ['--paste']), ...args], {
    sleeps: true,
    ...options,
    home,
    onStderr(text) {
      options.onStderr?.(text);
      const [found] = /^http:\/\/\S+[?&]response_type=\S+$/m.exec(text) ?? [];
      if (found === undefined || authorization !== undefined) return;
      authorization = new URL(found);
      visiting = visit(authorization);
    },
  });
  return { ...run, home, authorization, visited: await visiting };
}

export function redirectOf(url: URL | undefined): URL {
  return new URL(url?.searchParams.get('redirect_uri') ?? '');
}

/** Undefined where nothing was written. */
export function stored(home: string): Required<Credentials> | undefined {
  const path = join(home, 'config/credentials.json');
  if (!existsSync(path)) return undefined;
  if ((statSync(path).mode & 0o777) !== 0o600) throw new Error('credentials.json is not 0600');
  return parseCredentials(readFileSync(path, 'utf8'));
}

/** Everything that lies in the folder of the settings. */
export function leftovers(home: string): readonly string[] {
  const folder = join(home, 'config');
  return existsSync(folder) ? readdirSync(folder) : [];
}

/** All secrets that a login has had anything to do with. */
export function secretsIn(document: Credentials | undefined): readonly string[] {
  return [...(document?.clients ?? []), ...(document?.credentials ?? [])]
    .flatMap((one) => [
      'client_secret' in one ? one.client_secret : undefined,
      'access_token' in one ? one.access_token : undefined,
      'refresh_token' in one ? one.refresh_token : undefined,
    ])
    .filter((secret) => secret !== undefined);
}
