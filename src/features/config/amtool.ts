/** The svc settings that match amtool's configuration and HTTP client file (`http.config.file`). */
import { dirname, resolve } from 'node:path';
import { parse, type YAMLParseError } from 'yaml';
import { SvcError } from '../../errors.ts';
import { isObject } from '../../json-object.ts';

/** One value in amtool's files. */
export interface AmtoolValue {
  /** Its key there: `basic_auth.password_file`. */
  readonly from: string;
  /** The setting of svc; undefined if there is none. */
  readonly key?: string;
  /** Given the path of the file for `secret`, if there is one. */
  readonly value?: (file: string) => string;
  /** What svc stores in a file of its own. */
  readonly secret?: string;
  /** Why svc has no such setting, or what to do instead. */
  readonly note?: string;
}

export interface Files {
  /** The text of a file that must exist. */
  read(path: string): string;
  exists(path: string): boolean;
}

type Tree = Readonly<Record<string, unknown>>;

const DEFAULT_URL = 'http://localhost:9093/';

/** In amtool, too, a value in the first file precedes those in the others. */
export function amtoolValues(paths: readonly string[], files: Files): readonly AmtoolValue[] {
  const merged = Object.assign({}, ...paths.map((path) => parseTree(path, files)).reverse()) as Tree;
  if (Object.keys(merged).length === 0)
    throw new SvcError('config_invalid', `there is no value in ${paths.join(', ')}`);
  const { 'http.config.file': http, ...rest } = merged;
  const own = Object.entries(rest).flatMap(([key, value]) =>
    typeof value === 'string' ? ownValues(key, value) : [leftOut(key, 'it is not a text')],
  );
  if (!('alertmanager.url' in rest)) {
    own.unshift({ ...plain('alertmanager.url', 'alerts.url', DEFAULT_URL), note: 'the default of amtool' });
  }
  if (typeof http !== 'string') return own;
  if (own.some(({ key }) => key === 'alerts.passwordFile')) {
    throw new SvcError('config_invalid', 'both alertmanager.url and http.config.file have a credential', {
      hint: 'amtool refuses this, too: remove one of them',
    });
  }
  return [...own, ...httpValues(resolve(http), files)];
}

/** Scalars are texts, as for amtool. No message quotes the file, which may contain a secret. */
function parseTree(path: string, { read }: Files): Tree {
  const text = read(path);
  let tree: unknown;
  try {
    tree = parse(text, { schema: 'failsafe', logLevel: 'error' }) ?? {};
  } catch (error) {
    // Values that are nested too deeply overflow the stack, and that error has no place.
    const [{ line, col } = { line: 1, col: 1 }] = (error as YAMLParseError).linePos ?? [];
    throw new SvcError('config_invalid', `${path}, line ${line}, column ${col}: not valid YAML`);
  }
  if (tree === '') return {};
  if (!isObject(tree)) throw new SvcError('config_invalid', `${path} is not a YAML mapping`);
  return tree;
}

const OUTPUTS: Readonly<Record<string, string>> = { simple: 'table', extended: 'wide', json: 'json' };

/** Why there is no setting for them. */
const OWN_NOTES: Readonly<Record<string, string>> = {
  'date.format': 'pass --time, or -o json for RFC 3339',
  'require-comment': 'svc asks for a missing comment',
  comment_required: 'svc asks for a missing comment',
  'version-check': 'svc has no such check; see svc doctor',
  verbose: 'pass -v',
};

function ownValues(from: string, value: string): readonly AmtoolValue[] {
  switch (from) {
    case 'alertmanager.url':
      return addressValues(from, value);
    case 'author':
      return [plain(from, 'alerts.author', value)];
    case 'output':
      return [plain(from, 'output', OUTPUTS[value] ?? value)];
    case 'timeout':
      return [plain(from, 'timeout', value)];
    default:
      return [leftOut(from, OWN_NOTES[from] ?? 'pass it as an option')];
  }
}

/** amtool takes a user and a password in the address. */
function addressValues(from: string, text: string): readonly AmtoolValue[] {
  if (!URL.canParse(text)) return [plain(from, 'alerts.url', text)];
  const url = new URL(text);
  const { username, password } = url;
  url.username = '';
  url.password = '';
  const address = plain(from, 'alerts.url', username === '' ? text : url.href);
  if (username === '') return [address];
  const user = plain(from, 'alerts.user', decodeURIComponent(username));
  return [address, user, secret(from, 'alerts.passwordFile', decodeURIComponent(password))];
}

function httpValues(path: string, files: Files): readonly AmtoolValue[] {
  const tree = parseTree(path, files);
  return leaves(tree).flatMap(([from, value]) => httpValue([from, value], tree, path, files));
}

/** svc has nothing for any of their keys. */
const WHOLE_GROUPS: ReadonlySet<string> = new Set(['oauth2', 'proxy_connect_header', 'http_headers']);

/** Each value with its path in the tree. A list of one text counts as this text. */
function leaves(tree: Tree, prefix = ''): readonly (readonly [from: string, value: unknown])[] {
  return Object.entries(tree).flatMap(([key, value]) => {
    if (isObject(value) && !WHOLE_GROUPS.has(key)) return leaves(value, `${prefix}${key}.`);
    const [only, ...more] = Array.isArray(value) ? value : [value];
    return [[`${prefix}${key}`, more.length === 0 ? only : value] as const];
  });
}

function isBearer({ type = 'Bearer' }: Tree): boolean {
  return /^bearer$/i.test(String(type).trim());
}

const PATHS: Readonly<Record<string, string>> = {
  'basic_auth.password_file': 'alerts.passwordFile',
  'authorization.credentials_file': 'alerts.tokenFile',
  bearer_token_file: 'alerts.tokenFile',
  'tls_config.ca_file': 'cacert',
  'tls_config.cert_file': 'cert',
  'tls_config.key_file': 'key',
};

const SECRETS: Readonly<Record<string, string>> = {
  'basic_auth.password': 'alerts.passwordFile',
  'authorization.credentials': 'alerts.tokenFile',
  bearer_token: 'alerts.tokenFile',
  'tls_config.ca': 'cacert',
  'tls_config.cert': 'cert',
  'tls_config.key': 'key',
};

const OWN_HEADERS = 'write the header into a file, and set alerts.headers to @FILE';

/** Why there is no setting for them; the name of a group stands for all its keys. */
const HTTP_NOTES: Readonly<Record<string, string>> = {
  http_headers: OWN_HEADERS,
  oauth2: 'let alerts.tokenCommand print a token',
  follow_redirects: 'svc follows no redirects',
  enable_http2: 'svc uses HTTP/1.1',
  no_proxy: 'set NO_PROXY',
  proxy_connect_header: 'svc sends no headers of your own to a proxy',
  'tls_config.insecure_skip_verify': 'pass --insecure',
  'tls_config.server_name': 'use a name of the certificate',
};

function httpValue(
  [from, value]: readonly [string, unknown],
  { authorization }: Tree,
  path: string,
  files: Files,
): readonly AmtoolValue[] {
  const [group = ''] = from.split('.');
  const note = HTTP_NOTES[from] ?? HTTP_NOTES[group];
  // The default of svc.
  if (from === 'proxy_from_environment' && value === 'true') return [];
  // Its credentials say where it goes.
  if (from === 'authorization.type') return [];
  if (group === 'authorization' && isObject(authorization) && !isBearer(authorization)) {
    return [leftOut(from, OWN_HEADERS)];
  }
  if (note !== undefined || typeof value !== 'string') return [leftOut(from, note ?? 'svc has no setting for it')];
  const [file, hidden] = [PATHS[from], SECRETS[from]];
  if (file !== undefined) return [plain(from, file, besideOf(value, path, files))];
  if (hidden !== undefined) return [secret(from, hidden, value)];
  switch (from) {
    case 'basic_auth.username':
      return [plain(from, 'alerts.user', value)];
    case 'basic_auth.username_file':
      return [plain(from, 'alerts.user', files.read(besideOf(value, path, files)).trim())];
    case 'proxy_url':
      return [plain(from, 'proxy', value)];
    default:
      return [leftOut(from, 'svc has no setting for it')];
  }
}

/** A path in the HTTP client file is relative to its folder; before amtool 0.29, to its parent. */
function besideOf(value: string, path: string, { exists }: Files): string {
  const [beside, above] = [resolve(dirname(path), value), resolve(dirname(path), '..', value)];
  return !exists(beside) && exists(above) ? above : beside;
}

function plain(from: string, key: string, value: string): AmtoolValue {
  return { from, key, value: () => value };
}

function secret(from: string, key: string, text: string): AmtoolValue {
  return { from, key, value: (file) => file, secret: text };
}

function leftOut(from: string, note: string): AmtoolValue {
  return { from, note };
}
