/** Makes a `Target` of settings and options: where requests go and under which rules. */
import type { Context } from '../context.ts';
import { parseDuration } from '../duration.ts';
import { SvcError } from '../errors.ts';
import { parseBaseUrl } from '../http/address.ts';
import type { KnownSecrets } from '../http/redact.ts';
import type { Authorizer, Outbound, RequestLog, ServiceName, Target, TlsOptions } from '../http/target.ts';
import { fileFailure } from '../store/own-file.ts';
import { isSecretName, listOf, parseHeaderLine } from '../store/setting-keys.ts';
import { credentialSettings, originOf, type Settings } from '../store/settings.ts';
import type { GlobalInput } from './common-flags.ts';

export type Authorize = (
  context: Context & { checkSecretFile(path: string): void },
  target: Target,
  settings: Settings,
) => Authorizer | undefined;

export interface TargetParts {
  readonly service: ServiceName;
  readonly settings: Settings;
  readonly globals: Pick<GlobalInput, 'header' | 'headerFile' | 'insecure'>;
  readonly context: Context;
  readonly secrets: KnownSecrets;
  readonly version: string;
  readonly dryRun: boolean;
  readonly log: RequestLog;
  /** The sign-in for requests to this target, which has no authorizer yet. */
  readonly authorize: Authorize;
  checkSecretFile(path: string): void;
}

/** Paths that people paste with the address. */
const BASE_PATHS: Readonly<Record<ServiceName, string>> = {
  alerts: '/api/v2',
  webhooks: '/v1',
  catalog: '',
  trade: '/socket.io',
};

export function buildTarget(parts: TargetParts): Target {
  const { service, settings, context, checkSecretFile } = parts;
  const { header = [], headerFile = [], insecure = false } = parts.globals;
  const address = settings.get(`${service}.url`);
  if (address === undefined) {
    const configure = `svc config set ${service}.url <url>${service === 'alerts' ? ' (or svc config import amtool)' : ''}`;
    throw new SvcError('config_invalid', `no address for ${service} is configured`, {
      hint: `set SVC_${service.toUpperCase()}_URL, pass --base-url, or run: ${configure}; to try svc: svc sandbox start`,
    });
  }
  const baseUrl = parseBaseUrl(address, { strip: BASE_PATHS[service] });
  const open = header.map((line) => {
    refuseSeveralHeaders(line);
    return parseHeader(line, '--header');
  });
  const secret = headerFile.flatMap((path) => {
    checkSecretFile(path);
    return readHeaderFile(path, '--header-file', context);
  });
  const exposed = open.find(([name]) => isSecretName(name));
  if (exposed !== undefined) {
    throw new SvcError(
      'invalid_value',
      `--header: ${exposed[0]} is a secret, and command lines are visible to other users`,
      { hint: `put the line in a file and pass --header-file <file>, or set SVC_${service.toUpperCase()}_TOKEN` },
    );
  }
  const own = readProfileHeaders(parts, baseUrl);
  const target: Target = {
    service,
    baseUrl,
    timeoutMs: parseDuration(settings.get('timeout') ?? '30s'),
    headers: Object.fromEntries([...own.open, ...own.secret, ...open, ...secret]),
    secretHeaders: new Set([...own.secret, ...secret].map(([name]) => name)),
    ...buildOutbound(parts, insecure),
    now: context.now,
    random: context.random,
    sleep: context.sleep,
  };
  const [credential] = credentialSettings(service, settings);
  if (credential !== undefined && own.secret.some(([name]) => name === 'authorization')) {
    throw new SvcError(
      'config_invalid',
      `two credentials: ${credential} and ${service}.headers both set authorization`,
      { hint: `svc config unset ${credential}` },
    );
  }
  const authorizer = parts.authorize({ ...context, checkSecretFile }, target, settings);
  if (authorizer !== undefined && secret.some(([name]) => name === 'authorization')) {
    const message = 'two credentials: a header file and the environment both set authorization';
    throw new SvcError('config_invalid', message, {
      hint: `drop the header, or unset SVC_${service.toUpperCase()}_TOKEN`,
    });
  }
  if (authorizer === undefined) return target;
  // The environment precedes the profile.
  const { authorization: _, ...headers } = target.headers;
  return { ...target, headers, authorizer };
}

export type OutboundParts = Pick<
  TargetParts,
  'settings' | 'context' | 'secrets' | 'version' | 'dryRun' | 'log' | 'checkSecretFile'
>;

export function buildOutbound(parts: OutboundParts, insecure: boolean): Outbound {
  const { settings, context, secrets, version, dryRun, log } = parts;
  const { env } = context;
  return {
    userAgent: `svc/${version}`,
    tls: {
      ...readPemFiles(parts),
      extraCa: env['NODE_EXTRA_CA_CERTS'] ? readExtraCa(env['NODE_EXTRA_CA_CERTS'], context) : undefined,
      insecure,
    },
    deferWasmTiering: context.nodeMajor < 22,
    proxy: {
      // A CGI server sets HTTP_PROXY from a "Proxy:" header.
      http: env['http_proxy'] || undefined,
      https: env['https_proxy'] || env['HTTPS_PROXY'] || undefined,
      all: env['all_proxy'] || env['ALL_PROXY'] || settings.get('proxy'),
      noProxy: env['no_proxy'] || env['NO_PROXY'] || undefined,
    },
    signal: context.signal,
    secrets,
    dryRun,
    log,
  };
}

function refuseSeveralHeaders(line: string): void {
  if (!/[,;]\s*[A-Z][\w-]*:\s+\S/.test(line)) return;
  throw new SvcError('invalid_value', '--header: several headers in one argument', {
    hint: 'give --header once for each; for one value, put the line in a file and pass --header-file',
  });
}

function parseHeader(line: string, source: string): readonly [name: string, value: string] {
  const header = parseHeaderLine(line);
  // The line is not shown: even a malformed one may contain a secret.
  if (header === undefined) throw new SvcError('invalid_value', `${source}: not of the form "Name: value"`);
  return header;
}

/** The profile's headers, only for the profile's address. Those from a file are secret. */
function readProfileHeaders({ service, settings, context, checkSecretFile }: TargetParts, baseUrl: URL) {
  const name = `${service}.headers`;
  const value = settings.get(name);
  const items = value === undefined ? [] : (listOf(value) ?? []);
  if (items.length > 0) checkProfileBound(name, baseUrl, settings);
  const isFile = (item: string): boolean => item.startsWith('@');
  return {
    open: items.filter((item) => !isFile(item)).map((line) => parseHeader(line, name)),
    secret: items.filter(isFile).flatMap((item) => {
      checkSecretFile(item.slice(1));
      return readHeaderFile(item.slice(1), name, context);
    }),
  };
}

/** What a profile sends to a service goes to the address of the same profile only. */
export function checkProfileBound(name: string, baseUrl: URL, settings: Settings): void {
  const address = name.replace(/\w+$/, 'url');
  const bound = originOf(address, settings, 'profile');
  if (bound === undefined) {
    throw new SvcError('config_invalid', `${name} needs the address that it is for`, {
      hint: `set it in the same profile: svc config set ${address} <url>`,
    });
  }
  checkBound(bound, baseUrl, `${name} is for`, `use another profile, or unset ${name}`);
}

export function checkBound(bound: string | undefined, { origin }: URL, what: string, hint: string): void {
  if (bound === undefined || bound === origin) return;
  throw new SvcError('credential_unusable', `${what} ${bound}, not for ${origin}`, { hint });
}

function readHeaderFile(path: string, source: string, context: Context): (readonly [string, string])[] {
  const lines = readTextFile(path, source, context).split(/\r?\n/);
  return lines
    .map((line, index): [string, number] => [line, index + 1])
    .filter(([line]) => line.trim() !== '' && !line.startsWith('#'))
    .map(([line, number]) => parseHeader(line, `${source} ${path}, line ${number}`));
}

function readPemFiles({ settings, context, checkSecretFile }: OutboundParts): Pick<TlsOptions, 'ca' | 'cert' | 'key'> {
  const read = (setting: string): string | undefined => {
    const path = settings.get(setting);
    if (path === undefined) return undefined;
    const text = readTextFile(path, `--${setting}`, context);
    if (!text.includes('-----BEGIN ')) {
      throw new SvcError('file_unusable', `--${setting}: ${path} is not a PEM file`, {
        hint: 'convert it: openssl x509 -inform der -in FILE',
      });
    }
    if (text.includes('PRIVATE KEY-----')) checkSecretFile(path);
    return text;
  };
  const [ca, cert, key] = [read('cacert'), read('cert'), read('key')];
  if (cert === undefined && key !== undefined) throw new SvcError('missing_value', '--key is given without --cert');
  if (cert !== undefined && key === undefined && !cert.includes('PRIVATE KEY')) {
    throw new SvcError('missing_value', '--cert is given without --key');
  }
  return { ca, cert, key };
}

/** Node itself warns about an unreadable file. */
function readExtraCa(path: string, context: Context): string | undefined {
  try {
    return context.readFile(path).toString();
  } catch {
    return undefined;
  }
}

function readTextFile(path: string, option: string, context: Context): string {
  try {
    return context.readFile(path).toString();
  } catch (error) {
    throw fileFailure(`${option}: cannot read ${path}`, error);
  }
}
