/** The svc settings that match amtool's configuration and HTTP client file (`http.config.file`). */
import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { parse, type YAMLParseError } from 'yaml';
import { SvcError } from '../../errors.ts';
import { isObject } from '../../json-object.ts';

/** One value in amtool's files. */
export interface AmtoolValue {
  /** Its key there: `basic_auth.password_file`. */
  readonly from: string;
  /** The setting of svc and its value, or why there is none. */
  readonly setting: { readonly key: string; readonly value: string } | string;
}

/** Reads a file that must exist. */
type Read = (path: string) => string;
type Tree = Readonly<Record<string, unknown>>;

const DEFAULT_URL = 'http://localhost:9093/';
const OUTPUTS: Readonly<Record<string, string>> = { simple: 'table', extended: 'wide' };

const KEYS: Readonly<Record<string, string>> = {
  'alertmanager.url': 'alerts.url',
  author: 'alerts.author',
  output: 'output',
  timeout: 'timeout',
};

const HTTP_KEYS: Readonly<Record<string, string>> = {
  'basic_auth.username': 'alerts.user',
  'basic_auth.password_file': 'alerts.passwordFile',
  'authorization.credentials_file': 'alerts.tokenFile',
  bearer_token_file: 'alerts.tokenFile',
  'tls_config.ca_file': 'cacert',
  'tls_config.cert_file': 'cert',
  'tls_config.key_file': 'key',
  proxy_url: 'proxy',
};

/** What settings.json may not have. */
const SECRETS: Readonly<Record<string, string>> = {
  'basic_auth.password': 'alerts.passwordFile',
  'authorization.credentials': 'alerts.tokenFile',
  bearer_token: 'alerts.tokenFile',
};

const NO_SETTING = 'svc has no such setting';

/** In amtool, too, a value in the first file precedes those in the others. */
export function amtoolValues(paths: readonly string[], read: Read): readonly AmtoolValue[] {
  const trees = paths.map((path) => parseTree(path, read)).reverse();
  const merged: Tree = Object.assign({ 'alertmanager.url': DEFAULT_URL }, ...trees);
  const { 'http.config.file': http, ...own } = merged;
  const values = Object.entries(own).flatMap(([from, value]) => ownValues(from, value));
  return typeof http === 'string' ? [...values, ...httpValues(resolve(http), read)] : values;
}

/** Scalars are texts, as for amtool. No message quotes the file, which may contain a secret. */
function parseTree(path: string, read: Read): Tree {
  const text = read(path);
  let tree: unknown;
  try {
    tree = parse(text, { schema: 'failsafe', logLevel: 'error' });
  } catch (error) {
    // Values that are nested too deeply overflow the stack, and that error has no place.
    const { line = 1 } = (error as YAMLParseError).linePos?.[0] ?? {};
    throw new SvcError('config_invalid', `${path}, line ${line}: not valid YAML`);
  }
  if (!isObject(tree)) throw new SvcError('config_invalid', `${path} is not a YAML mapping`);
  return tree;
}

function ownValues(from: string, value: unknown): readonly AmtoolValue[] {
  const key = KEYS[from];
  if (key === undefined || typeof value !== 'string') return [{ from, setting: NO_SETTING }];
  if (from === 'output') return [{ from, setting: { key, value: OUTPUTS[value] ?? value } }];
  if (from !== 'alertmanager.url' || !URL.canParse(value)) return [{ from, setting: { key, value } }];
  // amtool takes a user and a password in the address.
  const url = new URL(value);
  const { username, password } = url;
  if (username === '') return [{ from, setting: { key, value } }];
  url.username = '';
  url.password = '';
  const user = { from, setting: { key: 'alerts.user', value: decodeURIComponent(username) } };
  const rest = password === '' ? [] : [{ from, setting: adviceOn('alerts.passwordFile') }];
  return [{ from, setting: { key, value: url.href } }, user, ...rest];
}

function httpValues(path: string, read: Read): readonly AmtoolValue[] {
  const tree = parseTree(path, read);
  const { authorization } = tree;
  const type = isObject(authorization) ? String(authorization['type'] ?? 'Bearer') : 'Bearer';
  const isBearer = /^bearer$/i.test(type.trim());
  const leaves = leavesOf(tree).filter(([from]) => from !== 'authorization.type');
  return leaves.map(([from, value]) => {
    const [key, secret] = [HTTP_KEYS[from], SECRETS[from]];
    const isOther = from.startsWith('authorization.') && !isBearer;
    if (secret !== undefined && !isOther) return { from, setting: adviceOn(secret) };
    if (key === undefined || isOther || typeof value !== 'string') return { from, setting: NO_SETTING };
    return { from, setting: { key, value: from.endsWith('_file') ? findBeside(value, path) : value } };
  });
}

function adviceOn(key: string): string {
  return `write the secret into a file, and set ${key}`;
}

/** Each value with its path in the tree. */
function leavesOf(tree: Tree, prefix = ''): readonly (readonly [from: string, value: unknown])[] {
  return Object.entries(tree).flatMap(([key, value]) =>
    isObject(value) ? leavesOf(value, `${prefix}${key}.`) : [[`${prefix}${key}`, value] as const],
  );
}

/** A path in the HTTP client file is relative to its folder; before amtool 0.29, to its parent. */
function findBeside(value: string, path: string): string {
  const [beside, above] = [resolve(dirname(path), value), resolve(dirname(path), '..', value)];
  return !existsSync(beside) && existsSync(above) ? above : beside;
}
