/** A credential that is given in another way than as a token: it is sent, and never printed. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { VARIABLES } from '../../src/store/setting-keys.ts';
import { SCRATCH } from '../support/scratch.ts';
import { answer, type Fault } from '../support/servers.ts';
import { type Case, expectClean, MARKER, type Peer, REMOTE, SAMPLED, startPeer } from './invoke.ts';

let peer: Peer;
const folder = mkdtempSync(join(SCRATCH, 'svc-registry-'));
beforeAll(async () => {
  peer = await startPeer();
});
afterAll(async () => {
  await peer.close();
  rmSync(folder, { recursive: true });
});

/** Services and proxies may repeat what they were sent. */
const refused: Fault = (socket, { headers }) => {
  const echo = `denied: ${headers['authorization']} ${headers['x-gate']}`;
  socket.write(answer(401, echo, { 'content-type': 'text/plain', 'x-api-key': MARKER }));
};

const prefixOf = ({ command }: Case): string => `SVC_${command.service?.toUpperCase()}`;

/** The gateway takes a token whatever else is sent. */
function withoutToken(what: Case): Record<string, undefined> {
  return what.command.service === 'trade' ? {} : { [`${prefixOf(what)}_TOKEN`]: undefined };
}

const WITH_PASSWORD = REMOTE.filter((what) => VARIABLES.some(({ name }) => name === `${prefixOf(what)}_PASSWORD`));
const reads = new Map(
  WITH_PASSWORD.filter(({ command }) => command.effect === 'read').map((what) => [prefixOf(what), what]),
);
const writes = new Map(
  WITH_PASSWORD.filter(({ command }) => command.effect !== 'read').map((what) => [prefixOf(what), what]),
);

it.each([...reads.values(), ...writes.values()])(
  '$name sends a user and a password as a Basic credential and never prints them',
  async (what) => {
    const prefix = prefixOf(what);
    const env = { ...withoutToken(what), [`${prefix}_USER`]: 'ann', [`${prefix}_PASSWORD`]: MARKER };
    const encoded = Buffer.from(`ann:${MARKER}`).toString('base64');
    for (const fault of [undefined, refused]) {
      const run = await peer.run(what, { args: ['--debug'], env }, fault);
      expect(run.requests[0]?.headers['authorization']).toBe(`Basic ${encoded}`);
      expectClean(run, 'password');
      expect(run.stdout + run.stderr).not.toContain(encoded);
    }
  },
);

it.each(SAMPLED.filter((what) => REMOTE.includes(what)))(
  '$name sends the headers of --header-file and never prints them',
  async (what) => {
    const file = join(folder, 'headers');
    writeFileSync(file, `X-Gate: ${MARKER}\n`);
    const env = withoutToken(what);
    const run = await peer.run(what, { args: ['--debug', '--header-file', file], env }, refused);
    expect({ code: run.code, header: run.requests[0]?.headers['x-gate'] }).toEqual({ code: 4, header: MARKER });
    expectClean(run, 'header file');
    if (what.command.effect === 'read') return;
    // No curl line can send a request of a live trading session.
    for (const option of what.command.service === 'trade' ? ['--dry-run'] : ['--dry-run', '--dry-run=curl']) {
      const dry = await peer.run(what, { args: [option, '--header-file', file], env });
      expect(dry.stdout).toContain('x-gate');
      expectClean(dry, option);
    }
  },
);
