/** Every write names its server, once, and nothing else does. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { oneIn } from '../support/turns.ts';
import { CASES, isWrite, type Peer, startPeer } from './invoke.ts';

let peer: Peer;
beforeAll(async () => {
  peer = await startPeer();
});
afterAll(() => peer.close());

const REMOTE = CASES.filter(({ command }) => command.service !== undefined);
const named = new Set<string>();

describe.each(REMOTE)('svc $name', (what) => {
  it('names the server of a write on stderr', async () => {
    const run = await peer.run(what);
    const hasWritten = run.requests.some(isWrite);
    const variable = `SVC_${what.command.service?.toUpperCase()}_URL`;
    if (hasWritten) named.add(what.command.id);
    if (what.command.effect === 'read' && !hasWritten) expect(run.server).toBeUndefined();
    if (what.command.effect !== 'read' && hasWritten) {
      expect(run.server).toBe(`server: ${new URL(peer.url).host} (${variable})`);
    }
    expect(run.stderr).not.toMatch(/^server: /m);
    if (!oneIn(3, REMOTE).includes(what)) return;
    expect((await peer.run(what, { args: ['--dry-run'] })).server).toBeUndefined();
  });
});

it('visited writes to the services', () => expect(named.size).toBeGreaterThan(20));
