// npm run demo: starts the sandbox and runs the main tasks. Exits 0 only if every step printed what it should. With --built it neither
// installs nor builds.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { root, setup } from './setup.mjs';

if (!process.argv.includes('--built')) setup();

const home = mkdtempSync(join(tmpdir(), 'svc-demo-'));
const launcher = join(root, 'bin/svc.cjs');
const inherited = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('SVC_')));
const env = { ...inherited, XDG_CONFIG_HOME: home, XDG_STATE_HOME: home };
const { isTTY, columns } = process.stdout;
if (isTTY) {
  // svc writes to a pipe here, but should print what it prints at a terminal.
  env.SVC_FORCE_TTY = String(columns || 80);
  if (!process.env.NO_COLOR && process.env.TERM !== 'dumb') env.FORCE_COLOR = '1';
}
const began = performance.now();
let steps = 0;

// Ctrl-C ends the current step and with it the demo; its temporary files are removed.
let interrupted = false;
process.on('SIGINT', () => {
  interrupted = true;
});

function chapter(title) {
  process.stdout.write(`\n${'='.repeat(title.length)}\n${title}\n${'='.repeat(title.length)}\n`);
}

function shown(why, args, end = '') {
  if (interrupted) throw new Error('interrupted');
  steps += 1;
  const words = args.map((arg) => (/^[\w@%+=:,./-]+$/.test(arg) ? arg : `'${arg}'`)).join(' ');
  process.stdout.write(`\n# ${why}\n$ svc ${words}${end}\n`);
}

/** Runs svc, prints the command line and its output, and returns stdout. */
function svc(why, args, holds, expected = 0) {
  shown(why, args);
  const options = { env, encoding: 'utf8' };
  const { status, signal, stdout, stderr } = spawnSync(process.execPath, [launcher, ...args], options);
  // This process may not have received the signal yet.
  interrupted ||= signal === 'SIGINT' || status === 130;
  const output = `${stderr}${stdout}`.trimEnd();
  if (output !== '') process.stdout.write(`${output}\n`);
  if (expected !== 0) process.stdout.write(`(exit status ${status})\n`);
  if (status !== expected) throw new Error(`svc ended with ${status}`);
  const plain = stripVTControlCharacters(stdout);
  if (!holds(plain)) throw new Error('the output does not show what this step should show');
  return plain;
}

/** Starts svc in the background. */
function start(args) {
  const child = spawn(process.execPath, [launcher, ...args], { env });
  const texts = { stdout: '', stderr: '' };
  const ended = once(child, 'close');
  for (const name of ['stdout', 'stderr']) {
    child[name].setEncoding('utf8').on('data', (text) => {
      texts[name] += text;
      child.emit('text');
    });
  }
  /** The first match in its output, as soon as it is printed. */
  const printed = async (pattern) => {
    for (;;) {
      const match = pattern.exec(stripVTControlCharacters(texts.stdout + texts.stderr));
      if (match !== null) return match;
      if (child.exitCode !== null) throw new Error(`svc ${args.join(' ')} ended: ${texts.stderr.trim()}`);
      await Promise.race([once(child, 'text'), ended]);
    }
  };
  return { child, texts, ended, printed };
}

function alerts() {
  svc('List the active alerts.', ['alerts', 'list'], (out) => out.includes('DiskFull'));
  svc(
    'The same as data, with JMESPath built in: count them.',
    ['alerts', 'list', '-o', 'json', '--query', 'length(@)'],
    (out) => Number(out) > 3,
  );
  svc('Show how the server groups them for its receivers.', ['alerts', 'groups'], (out) => out.includes('ACTIVE'));
  const matcher = 'alertname=DiskFull';
  svc(
    'Print the exact request of a silence. Nothing is sent.',
    ['silences', 'create', matcher, '--for', '2h', '-c', 'disk swap, CHG-1042', '--dry-run=curl'],
    (out) => out.startsWith('curl '),
  );
  const created = svc(
    'Create it. svc first counts the alerts that it will mute.',
    ['silences', 'create', matcher, '--for', '2h', '-c', 'disk swap, CHG-1042', '-o', 'json'],
    (out) => JSON.parse(out).matched.alerts > 0,
  );
  const { id } = JSON.parse(created);
  svc(
    'List the alerts that it mutes.',
    ['alerts', 'list', '--state', 'silenced', matcher, '--columns', 'alertname,label:instance,silenced-by'],
    (out) => out.includes(id.slice(0, 8)),
  );
  svc('Extend it by an hour. The id stays the same.', ['silences', 'extend', id.slice(0, 8), '--for', '1h'], (out) =>
    out.includes('extended'),
  );
  svc(
    'Expire it. Without a terminal svc never prompts, so a script passes --yes.',
    ['silences', 'expire', id, '--yes'],
    (out) => out.includes('expired'),
  );
  svc('The alert fires again.', ['alerts', 'list', matcher], (out) => out.includes('DiskFull'));
}

async function freePort() {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address();
  probe.close();
  await once(probe, 'close');
  return port;
}

/** As a browser: follows redirects to the last page. */
async function browse(address) {
  const [answer] = await once(get(address, { agent: false }), 'response');
  answer.resume();
  const { location } = answer.headers;
  if (location !== undefined) return browse(new URL(location, address));
  if (answer.statusCode !== 200) throw new Error(`the browser got status ${answer.statusCode}`);
}

async function signIn() {
  const args = ['oauth', 'login', '--no-browser', '--paste'];
  shown('Sign in once. The sandbox approves automatically; this script is the browser.', args);
  const login = start([...args, '--wait', '30s']);
  const [, address] = await login.printed(/^(http:\S+)\n/m);
  await browse(address);
  const [status] = await login.ended;
  process.stdout.write(`${login.texts.stderr}${login.texts.stdout}`);
  if (status !== 0) throw new Error(`svc ended with ${status}`);
  svc('svc stores the token, refreshes it when it expires, and never prints it.', ['oauth', 'status'], (out) =>
    out.includes('signed in'),
  );
}

async function webhooks() {
  const address = `http://127.0.0.1:${await freePort()}/`;
  const [key, recording] = [join(home, 'key.txt'), join(home, 'deliveries.ndjson')];
  const created = svc(
    'Subscribe to events. The service returns the secret once; svc writes it to a file first.',
    ['webhooks', 'create', address, '--event', 'webhook.ping', '--secret-file', key, '-o', 'json'],
    (out) => JSON.parse(out).endpoint_id !== undefined,
  );
  const { endpoint_id: id } = JSON.parse(created);
  const listen = ['webhooks', 'listen', '--port', new URL(address).port, '--secret-file', key, '--record', recording];
  shown('Receive deliveries in the background. svc verifies each before parsing it, and records it.', listen, ' &');
  const receiver = start([...listen, '--count', '1', '--wait', '30s']);
  await receiver.printed(/listening/);
  svc('Send a test event and wait until it is delivered.', ['webhooks', 'test', id, '--wait', '30s'], (out) =>
    out.includes('delivered'),
  );
  const [status] = await receiver.ended;
  const received = receiver.texts.stdout;
  process.stdout.write(`\n# The receiver verified it and responded 204:\n${received}`);
  if (status !== 0 || !received.includes('valid')) throw new Error(`the receiver ended with ${status}`);
  svc(
    'Verify the recording again, byte for byte, with the secret.',
    ['webhooks', 'verify', recording, '--secret-file', key],
    (out) => out.startsWith('valid'),
  );
  const forged = join(home, 'forged.ndjson');
  const delivery = JSON.parse(readFileSync(recording, 'utf8'));
  const body = Buffer.from(delivery.body_b64, 'base64');
  body[body.length - 2] ^= 1;
  writeFileSync(forged, `${JSON.stringify({ ...delivery, body_b64: body.toString('base64') })}\n`);
  svc(
    'The same with one bit of the body changed. Scripts read the exit status.',
    ['webhooks', 'verify', forged, '--secret-file', key],
    (out) => out.startsWith('INVALID'),
    1,
  );
  svc('List the deliveries that the service reports.', ['webhooks', 'deliveries', id], (out) =>
    out.includes('delivered'),
  );
  svc('Sign out: the tokens are deleted from this machine.', ['oauth', 'logout'], (out) => out.includes('signed out'));
}

function catalog() {
  svc('Find products by any part of the name.', ['catalog', 'products', 'list', '--search', 'oat'], (out) =>
    out.includes('Oat drink'),
  );
  const coffee = '1d9c6f0e-52ab-4e0f-8f3d-6b1d2f7a4c02';
  svc(
    'Draw the history of a price, hour by hour.',
    ['catalog', 'history', coffee, '--interval', '1h', '--height', '8'],
    (out) => out.includes('SERIES'),
  );
  const oats = '5c0f1a52-7d1e-4b86-9a37-0a7d0c3e9b11';
  svc('Find the cheapest store now. Loyalty prices count, and are marked.', ['catalog', 'compare', oats], (out) =>
    out.includes('LOWEST'),
  );
  svc(
    'If a catalog creates a source for each daily scrape, svc joins them; only the newest is an offer.',
    ['catalog', 'compare', '875590fc-509f-46cf-8311-40b0f85d6bc6'],
    (out) => out.includes('LOWEST'),
  );
  svc(
    'Use the price as a condition in a script: the exit status is the answer.',
    ['catalog', 'check', oats, '--below', '100'],
    (out) => out.startsWith('ok'),
  );
}

function trade() {
  svc('List the accounts. No real money is involved.', ['trade', 'accounts'], (out) => out.includes('654061'));
  svc('List the candles of the last days.', ['trade', 'candles', 'EUR/USD', 'D1', '--last', '5'], (out) =>
    out.includes('BID-OPEN'),
  );
  const order = ['trade', 'buy', 'EUR/USD', '5', '--account', '654061', '--stop', '40pips'];
  svc('Print the request of an order. A dry run does not connect.', [...order, '--dry-run'], (out) =>
    out.includes('/trading/open_trade'),
  );
  const filled = svc(
    'Place it. svc writes it to a journal, sends it once and waits for its trades. (This market is open at weekends, too.)',
    [...order, '--wait', '10s', '--yes'],
    (out) => out.includes('filled'),
  );
  const [, id] = /^trade (\d+) /m.exec(filled) ?? [];
  svc('Stream three prices.', ['trade', 'stream', 'EUR/USD', '--until', '3'], (out) => out.includes('EUR/USD'));
  svc(
    'Close the trade, and print the rate.',
    ['trade', 'close', id, '--wait', '10s', '--yes'],
    (out) => out.includes(id) && out.includes('filled'),
  );
  svc('List what was sent from this machine, and the outcomes.', ['trade', 'journal'], (out) =>
    out.includes('accepted'),
  );
}

process.stdout.write(
  'svc, one command for four services. Each step has a comment, the command line ($ svc …) and its output.\n',
);
const options = ['sandbox', 'start'];
shown('Start a sandbox with all services on this machine. It ends with this demo.', options, ' &');
const sandbox = start(options);
try {
  await sandbox.printed(/Ctrl-C/);
  for (const [, name, value] of sandbox.texts.stdout.matchAll(/^export (\w+)=(.*)$/gm)) env[name] = value;
  svc('List the addresses of the services.', ['sandbox', 'status'], (out) => out.match(/ http:\S+/g)?.length === 4);
  delete env.SVC_WEBHOOKS_TOKEN; // it would override the login
  chapter('1 of 4: alerts and silences');
  alerts();
  chapter('2 of 4: recording events by webhook, signed');
  await signIn();
  await webhooks();
  chapter('3 of 4: products and prices');
  catalog();
  chapter('4 of 4: trading');
  trade();
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  process.stdout.write(`
Done: ${steps} steps in ${seconds} s, each checked. To continue on your own:
  node bin/svc.cjs sandbox start                      # in one terminal
  eval "$(node bin/svc.cjs sandbox status --env)"     # in another terminal, then:
  node bin/svc.cjs --help
`);
} catch (error) {
  process.stdout.write(interrupted ? '\ninterrupted\n' : `\ndemo failed: ${error.message}\n`);
  process.exitCode = interrupted ? 130 : 1;
} finally {
  sandbox.child.kill('SIGTERM');
  await sandbox.ended;
  rmSync(home, { recursive: true, force: true });
}
