/** Settings and environment variables as tables, for validation, help and reference. */
import { isAbsolute } from 'node:path';
import type { Context } from '../context.ts';
import { tryParseDuration } from '../duration.ts';
import { SvcError } from '../errors.ts';

type SettingType =
  | 'url'
  | 'urls'
  | 'choice'
  | 'text'
  | 'path'
  | 'duration'
  | 'integer'
  | 'names'
  | 'command'
  | 'headers'
  | 'helper'
  | 'proxy';

export interface Setting {
  readonly key: string;
  readonly type: SettingType;
  readonly help: string;
  /** The variable that overrides the profile. */
  readonly env?: string;
  /** The option that overrides both. */
  readonly flag?: string;
  readonly default?: string;
  readonly choices?: readonly string[];
  readonly min?: number;
  readonly max?: number;
}

/** The store of tokens and signing secrets. */
export const HELPER_SETTING = 'credentials.helper';

/** A service's address, and a profile's credential for it. `token` and `name` are as in help. */
function connectionSettings(service: string, name: string, token: string, hasUser: boolean): readonly Setting[] {
  const prefix = `SVC_${service.toUpperCase()}`;
  const user: readonly Setting[] = [
    {
      key: `${service}.user`,
      type: 'text',
      env: `${prefix}_USER`,
      help: `User for basic authentication to the ${name}`,
    },
    { key: `${service}.passwordFile`, type: 'path', help: `File with the password of ${service}.user` },
  ];
  return [
    { key: `${service}.url`, type: 'url', env: `${prefix}_URL`, flag: '--base-url', help: `Address of the ${name}` },
    ...(hasUser ? user : []),
    { key: `${service}.tokenFile`, type: 'path', help: `File with the ${token}` },
    { key: `${service}.tokenCommand`, type: 'command', help: `Command that prints the ${token}` },
    { key: `${service}.headers`, type: 'headers', help: `Headers of each request to the ${name}, or @FILE` },
  ];
}

const ALERTS = connectionSettings('alerts', 'alert manager', 'bearer token for the alert manager', true);

/** None is a secret: secrets are in other files or in the environment. */
export const SETTING_KEYS: readonly Setting[] = [
  ...ALERTS.slice(0, 1),
  { key: 'alerts.urls', type: 'urls', help: 'Addresses of the members of one HA cluster, instead of alerts.url' },
  ...ALERTS.slice(1),
  {
    key: 'alerts.author',
    type: 'text',
    env: 'SVC_ALERTS_AUTHOR',
    flag: '--author',
    help: 'Author of your silences (default user@host)',
  },
  { key: 'alerts.maxSilence', type: 'duration', default: '24h', help: 'Confirm silences that are longer than this' },
  {
    key: 'alerts.severities',
    type: 'names',
    default: 'critical,error,warning,info,none',
    help: 'Order of severities, the worst first; all others come last',
  },
  ...connectionSettings('webhooks', 'recording webhook service', 'access token, in place of a stored login', false),
  ...connectionSettings('catalog', 'catalog', 'bearer token for the catalog', true),
  ...connectionSettings('trade', 'trading gateway', 'token for the trading gateway', false),
  { key: 'trade.account', type: 'text', env: 'SVC_TRADE_ACCOUNT', flag: '--account', help: 'Account to trade with' },
  {
    key: 'trade.live',
    type: 'choice',
    choices: ['true', 'false'],
    help: 'Real money: each order requires typing the account id',
  },
  {
    key: 'trade.maxOrder',
    type: 'integer',
    min: 1,
    help: 'Largest amount of one order, in the unit of order amounts (thousands or contracts)',
  },
  {
    key: 'trade.connectsPerMinute',
    type: 'integer',
    min: 1,
    max: 1000,
    default: '20',
    help: 'Connections to the trading gateway per minute; only reads wait',
  },
  {
    key: 'output',
    type: 'choice',
    choices: ['table', 'wide', 'json', 'ndjson', 'csv', 'tsv', 'yaml', 'id'],
    env: 'SVC_OUTPUT',
    flag: '--output',
    default: 'table',
    help: 'Output format',
  },
  {
    key: 'color',
    type: 'choice',
    choices: ['auto', 'always', 'never'],
    flag: '--color',
    default: 'auto',
    help: 'When to use color',
  },
  { key: 'timeout', type: 'duration', env: 'SVC_TIMEOUT', flag: '--timeout', default: '30s', help: 'Request timeout' },
  {
    key: 'cacert',
    type: 'path',
    env: 'SVC_CACERT',
    flag: '--cacert',
    help: 'Additional CA certificates to trust (PEM file)',
  },
  { key: 'cert', type: 'path', env: 'SVC_CERT', flag: '--cert', help: 'Client certificate (PEM)' },
  { key: 'key', type: 'path', env: 'SVC_KEY', flag: '--key', help: 'Key of the client certificate (PEM)' },
  {
    key: 'credentials.helper',
    type: 'helper',
    default: 'file',
    help: 'Store of tokens and signing secrets: file, or the name of a credential helper (pass, secretservice, osxkeychain, wincred)',
  },
  { key: 'proxy', type: 'proxy', help: 'Proxy for all addresses, if no variable names one' },
];

interface Variable {
  readonly name: string;
  readonly help: string;
  readonly secret: boolean;
}

/** The environment variables without a setting. */
export const VARIABLES: readonly Variable[] = [
  { name: 'SVC_ALERTS_TOKEN', secret: true, help: 'Bearer token for the alert manager' },
  { name: 'SVC_ALERTS_PASSWORD', secret: true, help: 'Password for basic authentication, with SVC_ALERTS_USER' },
  { name: 'SVC_WEBHOOKS_TOKEN', secret: true, help: 'Access token for the recording webhook service' },
  { name: 'SVC_WEBHOOK_SECRET', secret: true, help: 'Signing secret to verify deliveries' },
  { name: 'SVC_CATALOG_TOKEN', secret: true, help: 'Bearer token for the catalog' },
  { name: 'SVC_CATALOG_PASSWORD', secret: true, help: 'Password for basic authentication, with SVC_CATALOG_USER' },
  { name: 'SVC_TRADE_TOKEN', secret: true, help: 'Token for the trading gateway' },
  { name: 'SVC_PROFILE', secret: false, help: 'Profile to use (same as --profile)' },
  { name: 'SVC_CONFIG_DIR', secret: false, help: 'Directory of settings and credentials' },
  { name: 'SVC_NO_INPUT', secret: false, help: 'Never prompt (same as --no-input)' },
  { name: 'SVC_FORCE_TTY', secret: false, help: 'Treat standard output as a terminal of this many columns' },
  {
    name: 'SVC_PAGER',
    secret: false,
    help: 'Pager for long tables, run without a shell; empty or cat for none',
  },
  { name: 'PAGER', secret: false, help: 'The same, if SVC_PAGER is not set (default less)' },
  { name: 'LESS', secret: false, help: 'Options of less (default FRX)' },
  { name: 'BROWSER', secret: false, help: 'Program that opens web addresses; none for no browser' },
  { name: 'TERM', secret: false, help: 'dumb for text alone: no color, spinner, pager, prompt or drawn screen' },
  { name: 'NO_COLOR', secret: false, help: 'No color' },
  { name: 'FORCE_COLOR', secret: false, help: 'Color even without a terminal' },
  { name: 'CLICOLOR', secret: false, help: '0 for no color' },
  { name: 'CLICOLOR_FORCE', secret: false, help: 'Color even without a terminal' },
  { name: 'HTTPS_PROXY', secret: false, help: 'Proxy for https addresses' },
  { name: 'HTTP_PROXY', secret: false, help: 'Proxy for http addresses (read in lower case: http_proxy)' },
  { name: 'ALL_PROXY', secret: false, help: 'Proxy for both, if neither is set: http, https, socks5 or socks5h' },
  { name: 'NO_PROXY', secret: false, help: 'Hosts to reach without a proxy; loopback always is' },
];

export function findSetting(key: string): Setting | undefined {
  for (const setting of SETTING_KEYS) if (setting.key === key) return setting;
  return undefined;
}

export function requireSetting(key: string): Setting {
  const setting = findSetting(key);
  if (setting !== undefined) return setting;
  throw new SvcError('invalid_value', `there is no setting "${key}"`);
}

function urlsProblem(urls: readonly string[]): string | undefined {
  if (new Set(urls).size < urls.length) return 'names one twice';
  return urls.map(urlProblem).find((one) => one !== undefined);
}

function namesProblem(names: readonly string[]): string | undefined {
  if (names.some((name) => /[\s;]|^$/.test(name))) return 'is not a list such as critical,warning,info';
  return new Set(names).size === names.length ? undefined : 'names one twice';
}

/** What is wrong with the text, as the end of a sentence after its name; undefined if valid. */
export function problemWith(setting: Setting, text: string): string | undefined {
  if (text === '') return 'is empty';
  if (/[\x00-\x1f\x7f]/.test(text)) return 'contains a control character';
  switch (setting.type) {
    case 'url':
      return urlProblem(text);
    case 'urls':
      return urlsProblem(text.split(','));
    case 'choice':
      return setting.choices?.includes(text) ? undefined : `is none of ${setting.choices?.join(', ')}`;
    case 'duration':
      return durationProblem(text);
    case 'integer':
      return integerProblem(setting, text);
    case 'names':
      return namesProblem(text.split(','));
    case 'command': {
      const [program] = listOf(text) ?? [];
      return program ? undefined : 'is not a program, or a JSON array such as ["pass", "show", "am"]';
    }
    case 'headers':
      return headersProblem(text);
    case 'helper':
      // It becomes a part of a program's name.
      return /^[a-z0-9-]+$/.test(text) ? undefined : 'is not the name of a helper, such as pass';
    case 'proxy':
      return proxyProblem(text);
    case 'text':
    case 'path':
      return undefined;
  }
}

/** The items of a JSON array of strings, or the text itself; undefined for a broken array. */
export function listOf(text: string): readonly string[] | undefined {
  if (!text.startsWith('[')) return [text];
  try {
    const list: unknown = JSON.parse(text);
    return Array.isArray(list) && list.every((item) => typeof item === 'string') ? list : undefined;
  } catch {
    return undefined;
  }
}

/** Stricter than `problemWith`: a stored path must mean the same from every working directory. */
export function problemWithStored(setting: Setting, text: string): string | undefined {
  const problem = problemWith(setting, text);
  if (problem !== undefined) return problem;
  return pathsIn(setting, text).every((path) => isAbsolute(path)) ? undefined : 'must be an absolute path';
}

function pathsIn({ type }: Setting, text: string): readonly string[] {
  if (type === 'path') return [text];
  const items = listOf(text) ?? [];
  if (type === 'command') return items.slice(0, 1).filter((program) => /[/\\]/.test(program));
  return type === 'headers' ? items.filter((item) => item.startsWith('@')).map((item) => item.slice(1)) : [];
}

/** A value in settings.json as text, where lists may be arrays, and what is wrong with it. */
export function storedValue(
  setting: Setting,
  stored: unknown,
): { readonly value: string; readonly problem: string | undefined } {
  const value = typeof stored === 'object' ? JSON.stringify(stored) : String(stored);
  const isList = Array.isArray(stored) && (setting.type === 'command' || setting.type === 'headers');
  return {
    value,
    problem: typeof stored === 'object' && !isList ? 'must be a string' : problemWithStored(setting, value),
  };
}

/** A header line as name, in lower case, and value; undefined if it is none. */
export function parseHeaderLine(line: string): readonly [name: string, value: string] | undefined {
  const match = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([\x20-\x7e\x80-\xff\t]*)$/.exec(line);
  return match === null ? undefined : [(match[1] ?? '').toLowerCase(), (match[2] ?? '').trimEnd()];
}

/** Whether a header of this name (in lower case) must be in a file. */
export function isSecretName(name: string): boolean {
  return /^(authorization|proxy-authorization|cookie|.*(token|secret|api-?key|password).*)$/.test(name);
}

function headersProblem(text: string): string | undefined {
  const items = listOf(text) ?? [];
  const lines = items.filter((item) => !item.startsWith('@')).map(parseHeaderLine);
  if (items.length === 0 || items.includes('@') || lines.includes(undefined)) {
    return 'is not a header such as "X-Scope-OrgID: blue", @FILE, or a JSON array of them';
  }
  const secret = lines.find((line) => isSecretName(line?.[0] ?? ''));
  return secret && `has a secret, ${secret[0]}: put this line in a file, and write @FILE`;
}

/** For display: an address may have a password, for which it is refused, or a header be secret. */
export function shownValue(setting: Setting, text: string): string {
  if (setting.type === 'headers') {
    const shown = (listOf(text) ?? ['']).map((item) =>
      headersProblem(item) === undefined ? item : item.replace(/^([^:]*:)?.*/s, '$1 ***').trim(),
    );
    return text.startsWith('[') ? JSON.stringify(shown) : (shown[0] ?? '');
  }
  if (!['url', 'urls', 'proxy'].includes(setting.type) || problemWith(setting, text) === undefined) return text;
  return text.replace(/^([a-z][a-z0-9+.-]*:[/\\]*(?![/\\]))?.*@/is, '$1***@');
}

function urlProblem(text: string): string | undefined {
  if (!text.includes('://')) return 'is not an address: it must begin with http:// or https://';
  if (!/^https?:\/\/[^/\s]/i.test(text) || /\s/.test(text) || !URL.canParse(text)) {
    return 'is not an http:// or https:// address';
  }
  const { username, password } = new URL(text);
  if (username === '' && password === '') return undefined;
  return 'must not contain a user name or password: they come from the environment, see svc help configuration';
}

function proxyProblem(text: string): string | undefined {
  if (!/^(?:https?|socks5h?):\/\/[^/\s]+\/?$/i.test(text) || !URL.canParse(text)) {
    return 'is not the address of an http, https, socks5 or socks5h proxy';
  }
  return text.includes('@') ? 'must not contain a user name or password: set ALL_PROXY instead' : undefined;
}

function durationProblem(text: string): string | undefined {
  const ms = tryParseDuration(text);
  if (ms === undefined) return 'is not a duration such as 30s or 1h30m';
  return ms > 0 ? undefined : 'must be longer than zero';
}

function integerProblem({ min = 0, max = Number.MAX_SAFE_INTEGER }: Setting, text: string): string | undefined {
  const number = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  return number >= min && number <= max ? undefined : `must be a whole number from ${min} to ${max}`;
}

/** Our own: `SVC_WEBHOOK_SECRET`, `SVC_TRADE_TOKEN`. */
export const SECRET_VARIABLE = /^SVC_\w*(?:TOKEN|PASSWORD|SECRET)$/;

/** Leaves out our credentials, which another program does not need. */
export function childEnvironment(env: Context['env']): Context['env'] {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !SECRET_VARIABLE.test(name)));
}
