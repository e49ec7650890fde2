// Signs in with the built svc at authorization servers that others wrote. The results go to docs/interop.md.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

const here = fileURLToPath(new URL('.', import.meta.url));
const root = join(here, '../..');
const svcPath = join(root, 'bin/svc.cjs');

/** `path` is where the issuer is; `login` is what a login there needs. */
const SERVERS = [
  { file: 'mcp-sdk', package: '@modelcontextprotocol/sdk', methods: ['none', 'client_secret_post'] },
  { file: 'cloudflare', package: '@cloudflare/workers-oauth-provider', methods: ['none', 'client_secret_post'] },
  { file: 'jmondi', package: '@jmondi/oauth2-server' },
  { file: 'node-oauth', package: '@node-oauth/oauth2-server' },
  {
    file: 'better-auth',
    package: 'better-auth',
    path: '/api/auth',
    login: ['--scope', 'mcp:connect offline_access'],
  },
  { file: 'oidc-provider', package: 'oidc-provider' },
];
const METHODS = ['none', 'client_secret_basic', 'client_secret_post'];
const PROCESSES = 10;
const ROWS = [
  'discovery',
  'registration',
  'login',
  'request',
  `refresh by ${PROCESSES} processes`,
  'second login',
  'logout',
  'forgotten client',
  'old refresh token',
  'unknown scope',
];

class Failure extends Error {}
const check = (condition, why) => {
  if (!condition) throw new Failure(why);
};

function run(argv, env, onStderr = () => {}) {
  const child = spawn(process.execPath, [svcPath, ...argv], { env: { PATH: process.env.PATH, ...env }, stdio: 'pipe' });
  const result = { code: undefined, stdout: '', stderr: '' };
  child.stdin.end();
  child.stdout.on('data', (chunk) => {
    result.stdout += chunk;
  });
  child.stderr.on('data', (chunk) => {
    result.stderr += chunk;
    onStderr(result.stderr);
  });
  return once(child, 'close').then(([code]) => ({ ...result, code }));
}

/** A browser with cookies, for a person who says yes. */
async function browse(address, cookies = new Map()) {
  let url = new URL(address);
  for (let step = 0; step < 15; step++) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    // Not fetch, which says that it is a script: svc takes an answer from a browser only.
    const asked = request(url, { agent: false, headers: { cookie, accept: 'text/html' } }).end();
    const [response] = await once(asked, 'response');
    for (const line of response.headers['set-cookie'] ?? []) {
      const [pair] = line.split(';');
      cookies.set(pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1));
    }
    const body = await text(response);
    const { location } = response.headers;
    if (location === undefined) return `${response.statusCode} at ${url}: ${body.slice(0, 200)}`;
    url = new URL(location, url);
  }
  throw new Failure(`the browser is redirected without end: ${url}`);
}

/** With Chromium for a browser where `inChromium` is set. */
async function login({ url, env, options, cookies, inChromium = false }, ...args) {
  let visiting;
  const argv = [
    'oauth',
    'login',
    '--base-url',
    url,
    '--no-browser',
    '--paste',
    '--wait',
    '10s',
    '-o',
    'json',
    ...options,
    ...args,
  ];
  const result = await run(argv, env, (stderr) => {
    const address = /^http:\S+[?&]response_type=\S+$/m.exec(stderr)?.[0];
    if (address !== undefined && stderr.includes(`${address}\n`))
      visiting ??= inChromium ? chromium(address) : browse(address, cookies);
  });
  const page = await visiting?.catch((error) => error);
  check(result.code === 0, `login ended with ${result.code}: ${result.stderr} ${page ?? ''}`);
  return JSON.parse(result.stdout);
}

/** Follows the address to its end, and prints the page. */
async function chromium(address) {
  const profile = mkdtempSync(join(tmpdir(), 'svc-interop-chromium-'));
  const options = ['--headless=new', '--no-sandbox', '--disable-gpu', `--user-data-dir=${profile}`, '--dump-dom'];
  const child = spawn('chromium', [...options, address], { stdio: ['ignore', 'pipe', 'ignore'] });
  const page = await text(child.stdout);
  rmSync(profile, { recursive: true, force: true });
  return page;
}

/** One server, one method. Fills `done` step by step. */
async function scenario({ origin, path = '', login: options = [] }, method, done) {
  const url = origin + path;
  const home = mkdtempSync(join(tmpdir(), 'svc-interop-'));
  const env = { HOME: home, SVC_CONFIG_DIR: join(home, 'config'), SVC_WEBHOOKS_URL: url };
  const session = { url, env, options, cookies: new Map() };
  const counts = async () => (await fetch(`${origin}/control/counts`)).json();
  try {
    const found = await run(['oauth', 'discovery', '-o', 'json'], env);
    check(found.code === 0, `discovery: ${found.stderr}`);
    done.add(ROWS[0]);
    // A login registers a client, and says by which method.
    const first = await login(session, '--auth-method', method);
    check(first.auth_method === method, `the client has the method ${first.auth_method}`);
    done.add(ROWS[1]).add(ROWS[2]);
    await checkStatus(env, 'status --check');
    done.add(ROWS[3]);

    const { revoked } = await refreshOnceInManyProcesses(env, counts);
    done.add(ROWS[4]);

    await login(session);
    check((await counts()).revoked > revoked, 'the first login is not revoked');
    const alive = await run(['oauth', 'refresh'], env);
    check(alive.code === 0, `after the second login: ${alive.stderr}`);
    done.add(ROWS[5]);

    const logout = await run(['oauth', 'logout', '-o', 'json'], env);
    check(logout.code === 0 && JSON.parse(logout.stdout).revoked, `logout: ${logout.stdout} ${logout.stderr}`);
    done.add(ROWS[6]);

    await login(session);
    await fetch(`${origin}/control/forget`, { method: 'POST' });
    const second = await login(session, '--new-client');
    check(second.client_id !== first.client_id, 'the client is the forgotten one');
    done.add(ROWS[7]);

    await reuseRefreshToken(env);
    await login(session);
    done.add(ROWS[8]);

    const unknown = await login({ ...session, options: [] }, '--scope', 'no-such-scope').catch((error) => error);
    const limited = !(unknown instanceof Error);
    check(limited || /scope/.test(unknown.message), `an unknown scope: ${unknown.message}`);
    done.add(ROWS[9]);
  } finally {
    rmSync(home, { recursive: true });
  }
}

async function checkStatus(env, when) {
  const { code, stdout, stderr } = await run(['oauth', 'status', '--check'], env);
  check(code === 0, `${when}: ${stdout} ${stderr}`);
}

/** Returns what the server counted. */
async function refreshOnceInManyProcesses(env, counts) {
  const before = await counts();
  const credential = storedLogin(env);
  storeLogin(env, { ...credential, obtained_at: 1, expires_at: 2 });
  const runs = await Promise.all(Array.from({ length: PROCESSES }, () => run(['oauth', 'token'], env)));
  const bad = runs.find(({ code }) => code !== 0);
  check(bad === undefined, `a process ended with ${bad?.code}: ${bad?.stderr}`);
  check(new Set(runs.map(({ stdout }) => stdout)).size === 1, 'the processes printed different tokens');
  check(storedLogin(env).access_token !== credential.access_token, 'the token is the old one');
  const after = await counts();
  check(after.refreshed - before.refreshed === 1, `${after.refreshed - before.refreshed} refreshes`);
  check(after.refused === before.refused, 'the server refused a refresh');
  await checkStatus(env, 'after the refresh');
  return after;
}

/** As after a restored backup: the server has replaced this refresh token. */
async function reuseRefreshToken(env) {
  const replay = { ...storedLogin(env), obtained_at: 1, expires_at: 2 };
  storeLogin(env, replay);
  const renewed = await run(['oauth', 'token'], env);
  check(renewed.code === 0, `refresh: ${renewed.stderr}`);
  storeLogin(env, replay);
  const { code, stderr } = await run(['oauth', 'token'], env);
  // Some servers accept it again.
  check(code === 0 || (code === 4 && stderr.includes('svc oauth login')), `reuse: ${stderr}`);
}

const fileIn = (env) => join(env.SVC_CONFIG_DIR, 'credentials.json');
const secretsIn = (env) => Object.entries(JSON.parse(readFileSync(fileIn(env), 'utf8')).secrets);
const isLogin = (id) => id.startsWith('login/');

function storedLogin(env) {
  return secretsIn(env).find(([id]) => isLogin(id))[1].value;
}

function storeLogin(env, login) {
  const secrets = secretsIn(env).map(([id, entry]) => [id, isLogin(id) ? { value: login } : entry]);
  writeFileSync(fileIn(env), JSON.stringify({ version: 1, secrets: Object.fromEntries(secrets) }), { mode: 0o600 });
}

async function start(server) {
  const child = spawn(process.execPath, ['server.mjs', server.file], { cwd: here, stdio: ['ignore', 'pipe', 'pipe'] });
  let errors = '';
  child.stderr.on('data', (chunk) => {
    errors += chunk;
  });
  const origin = await new Promise((resolve, reject) => {
    let text = '';
    child.stdout.on('data', (chunk) => {
      text += chunk;
      const address = /^(http:\S+)\n/m.exec(text)?.[1];
      if (address !== undefined) resolve(address);
    });
    child.on('close', (code) => reject(new Failure(`the server ended with ${code}: ${errors}`)));
  });
  return { child, origin };
}

const dependenciesOf = (file) => JSON.parse(readFileSync(file, 'utf8'));
const versions = {
  ...dependenciesOf(join(root, 'package.json')).devDependencies,
  ...dependenciesOf(join(here, 'package.json')).dependencies,
};
const results = [];
const wanted = process.argv.slice(2);
for (const server of SERVERS.filter(({ file }) => wanted.length === 0 || wanted.includes(file))) {
  const { child, origin } = await start(server);
  for (const method of METHODS) {
    const done = new Set();
    const offered = server.methods?.includes(method) ?? true;
    let failure;
    if (offered) {
      await scenario({ ...server, origin }, method, done).catch((error) => {
        failure = error;
      });
    }
    results.push({ server, method, offered, done, failure });
    console.log(`${server.file} ${method}: ${!offered ? 'not offered' : (failure?.stack ?? 'ok')}`);
  }
  child.kill();
}

const browser = spawnSync('chromium', ['--version'], { encoding: 'utf8' }).stdout?.trim();
let chromiumFailure;
if (browser) {
  const { child, origin } = await start(SERVERS.at(-1));
  const home = mkdtempSync(join(tmpdir(), 'svc-interop-'));
  const env = { HOME: home, SVC_CONFIG_DIR: join(home, 'config') };
  await login({ url: origin, env, options: [], inChromium: true }).catch((error) => {
    chromiumFailure = error;
  });
  rmSync(home, { recursive: true });
  child.kill();
  console.log(`${browser}: ${chromiumFailure?.stack ?? 'ok'}`);
}

if (wanted.length === 0) writeFileSync(join(root, 'docs/interop.md'), page());
process.exitCode = (chromiumFailure ?? results.some(({ failure }) => failure !== undefined)) ? 1 : 0;

function chromiumVerdict() {
  if (!browser) return 'not run';
  return chromiumFailure ? 'failed' : 'ok';
}

function page() {
  const head = ['server', 'method', ...ROWS];
  const rows = results.map(({ server, method, offered, done }) => {
    const missing = () => (offered ? 'failed' : 'not supported');
    const cells = ROWS.map((row) => (done.has(row) ? 'ok' : missing()));
    return [`\`${server.package}\` ${versions[server.package]}`, `\`${method}\``, ...cells];
  });
  const line = (cells) => `| ${cells.join(' | ')} |`;
  return `# Authorization servers

\`npm run test:interop\` signs in with the built svc at authorization servers that others wrote, each on loopback and with
a browser that keeps cookies. It writes this page.

${[line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')}

- **refresh by ${PROCESSES} processes**: the access token has expired, and ${PROCESSES} processes ask for one at once. The server sees one
  refresh, and all processes print the same new token.
- **second login**: a login in the same browser replaces the first, which svc revokes. The new one can be refreshed.
- **logout**: the server confirms that the login is revoked.
- **forgotten client**: the server drops its registered clients. A login with \`--new-client\` registers another one.
- **old refresh token**: a refresh token that was replaced is used again, as after a restored backup. The server accepts it,
  or svc says that the login is over, and a new login works.
- **unknown scope**: svc says what the server granted, or which scope it refused.
- One login at \`oidc-provider\` in a real browser${browser ? ` (${browser.replace(/ built on.*/, '')})` : ''}: ${chromiumVerdict()}.
- \`better-auth\` gives a refresh token only for the scope \`offline_access\`: \`svc oauth login --scope "mcp:connect offline_access"\`.
- \`@cloudflare/workers-oauth-provider\` refuses the \`client_id\` in the form beside \`client_secret_basic\`.
- \`@jmondi/oauth2-server\` and \`@node-oauth/oauth2-server\` leave registration and metadata to the application. Neither
  form-decodes the parts of \`client_secret_basic\`: use \`client_secret_post\` if a secret has other characters than letters,
  digits, \`-\`, \`_\` and \`.\`.
`;
}
