import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { answer, faultServer } from '../support/servers.ts';
import { HOME } from './binary.ts';
import { named, noTmux, ShellTerminal } from './terminal.ts';

const SPINNER = /^[⠋-⠿] (127\.0\.0\.1:\d+) {2}\d+ s$/;

describe.skipIf(noTmux)(named('a slow service at a terminal', noTmux), () => {
  let terminal: ShellTerminal;
  afterEach(() => terminal.close());

  it('is named with the seconds until it responds, and then erased', async () => {
    let socket: Socket | undefined;
    await using server = await faultServer((asked, _request, index) => {
      // The first try fails, so that the wait for the next one is shown, too.
      if (index === 1) asked.write(answer(503, '"later"'));
      else socket = asked;
    });
    terminal = new ShellTerminal(100, 20, { SVC_ALERTS_URL: server.url });
    terminal.begin('svc alerts list');
    const lines = await terminal.showsLines((all) => SPINNER.test(all[0] ?? '') && socket !== undefined);
    expect(SPINNER.exec(lines[0] ?? '')?.[1]).toBe(server.url.slice('http://'.length));
    socket?.write(answer(200, '[]'));
    expect(await terminal.finish()).toEqual({ lines: [expect.stringMatching(/^no active alerts match/)], status: 0 });
  });

  // With this timeout they end when the spinner has been on the screen for a while, where there is one.
  it.each(['svc alerts list -q --timeout 900ms', 'CI=1 svc alerts list --timeout 900ms'])(
    'is not named by %s',
    async (line) => {
      await using server = await faultServer(() => {});
      terminal = new ShellTerminal(100, 20, { SVC_ALERTS_URL: server.url });
      await terminal.run(`script -qec "${line}" "${join(HOME, 'spinner')}"; echo`);
      expect(readFileSync(join(HOME, 'spinner'), 'utf8')).not.toMatch(/[⠋-⠿]/);
    },
  );
});
