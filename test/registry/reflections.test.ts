/** Every command against a service that repeats its credential, in ten places and six encodings: no form of it comes out. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { SvcError } from '../../src/errors.ts';
import { base64, formsOf, lowerHex, percent, units } from '../support/secret-forms.ts';
import { answer, type Fault } from '../support/servers.ts';
import { inTurn } from '../support/turns.ts';
import { CASES, type Case, MARKER, type Peer, startPeer } from './invoke.ts';

const CANARY = 'CANARY/abc+def/9f8e7d6c';

const json = (body: string) => answer(400, body, { 'content-type': 'application/json' });
const text = (status: number, body: string) => answer(status, body, { 'content-type': 'text/plain' });

/** In JSON, the escapes are those of the JSON itself. */
const ENCODINGS: Readonly<Record<string, (secret: string) => readonly string[]>> = {
  plain: (secret) => [secret],
  'JSON escapes': (secret) => [secret.replaceAll('/', '\\/').replaceAll('+', '\\u002B')],
  'unicode escapes': (secret) => [units(secret)],
  percent: (secret) => [encodeURIComponent(secret), lowerHex(encodeURIComponent(secret)), percent(secret)],
  base64: (secret) => [base64(secret), base64(`ann:${secret}`), Buffer.from(secret).toString('base64url')],
  hex: (secret) => [Buffer.from(secret).toString('hex'), Buffer.from(secret).toString('hex').toUpperCase()],
};

const CARRIERS: Readonly<Record<string, (forms: readonly string[], all: string) => string>> = {
  'body text': (_, all) => text(403, `denied: ${all}`),
  'JSON message': (_, all) => json(`{"code":400,"message":"bad token ${all}","error":"${all}"}`),
  'field errors': (_, all) => json(`{"detail":[{"loc":["query","${all}"],"msg":"not ${all}","type":"value_error"}]}`),
  'an error within an error': (_, all) => json(`{"response":{"executed":false,"error":"Error: ${all}"}}`),
  'redirect Location': (forms) =>
    answer(302, '', { location: `http://idp.example/login/${forms[0]}?${forms.map((one) => `rd=${one}`).join('&')}` }),
  header: (_, all) => answer(403, '', { 'x-echo': all, 'set-cookie': `a=${all}` }),
  'www-authenticate': (_, all) => answer(401, '', { 'www-authenticate': `Bearer error_description="${all}"` }),
  'HTML title': (_, all) => answer(502, `<!doctype html><title>${all}</title>`, { 'content-type': 'text/html' }),
  'a page as text': (_, all) => text(500, `<!doctype html>\n<title>${all}</title>\n<p>${all}`),
  'OAuth error_description': (_, all) => json(`{"error":"invalid_request","error_description":"unknown ${all}"}`),
};
const REFLECTIONS: Readonly<Record<string, (secret: string) => string>> = Object.fromEntries(
  Object.entries(CARRIERS).flatMap(([carrier, write]) =>
    Object.entries(ENCODINGS).map(([encoding, forms]) => [
      `${carrier}, ${encoding}`,
      (secret: string) => write(forms(secret), forms(secret).join(' ')),
    ]),
  ),
);
const NAMES = Object.keys(REFLECTIONS);

/** One call of every command that sends requests. */
const COMMANDS = CASES.filter(
  ({ command, sample }, at) =>
    command.service !== undefined &&
    sample.apart === undefined &&
    !sample.silent &&
    CASES.findIndex(
      (other) => other.command === command && other.sample.apart === undefined && !other.sample.silent,
    ) === at,
);

let peer: Peer;
const visited = new Set<string>();
beforeAll(async () => {
  peer = await startPeer();
});
afterAll(() => peer.close());

/** `after`: how many requests are answered well before. */
async function reflects(what: Case, name: string, options: readonly string[], after: number): Promise<void> {
  const secret = what.sample.signedIn ? MARKER : CANARY;
  const bytes = REFLECTIONS[name]?.(secret) ?? '';
  let reached = 0;
  const ended = new AbortController();
  const fault: Fault = (socket) => {
    reached += 1;
    socket.write(bytes);
    // A stream tries again and again.
    if (reached > 1 && what.command.streams !== undefined) ended.abort(new SvcError('interrupted', 'interrupted'));
  };
  const variable = `SVC_${what.command.service?.toUpperCase()}_TOKEN`;
  const env = what.sample.signedIn ? {} : { [variable]: CANARY };
  const signal = what.command.streams === undefined ? {} : { signal: ended.signal };
  const { stdout, stderr } = await peer.run(what, { args: options, env, ...signal }, fault, after);
  if (reached > 0) visited.add(`${what.command.id}: ${name}`);
  for (const form of formsOf(secret)) {
    expect(stdout + stderr, `${what.name} ${options.join(' ')}: ${name}`).not.toContain(form);
  }
  // Not all commands send this many requests.
  if (reached === 0 && after > 0) await reflects(what, name, options, 0);
}

/** To the gateway the first request connects: every second reflection comes later. */
const later = ({ command }: Case, at: number): number =>
  command.service === 'trade' && command.streams === undefined ? at % 2 : 0;

const WAYS: readonly (readonly string[])[] = [[], ['-v'], ['-o', 'json']];

it.each(COMMANDS.map((what, at) => ({ what, at, name: what.name })))(
  '$name prints no form of a credential that the service repeats',
  async ({ what, at }) => {
    for (const name of inTurn(NAMES, at, 2)) await reflects(what, name, ['--debug'], later(what, NAMES.indexOf(name)));
    for (const options of inTurn(WAYS, at, 1)) {
      if (options.includes('json') && what.sample.draws) continue;
      await reflects(what, NAMES[at % NAMES.length] ?? '', options, later(what, at));
    }
  },
);

it('visited every command with all reflections of its turn', () => {
  expect(COMMANDS.length).toBeGreaterThan(60);
  expect(NAMES).toHaveLength(10 * 6);
  for (const [at, { command }] of COMMANDS.entries())
    for (const name of inTurn(NAMES, at, 2)) expect(visited, command.id).toContain(`${command.id}: ${name}`);
});
