import { describe, expect, test } from 'vitest';
import { answer, faultServer } from '../../../http/servers.ts';
import { getJson } from '../../../support/alertmanager.ts';
import { failure, svc } from '../../../support/svc.ts';
import { lines, onEveryService, printed } from './service.ts';

interface WireStatus {
  readonly uptime: string;
  readonly versionInfo: { readonly version: string; readonly revision: string; readonly goVersion: string };
  readonly config: { readonly original: string };
}

onEveryService((service) => {
  const status = (...argv: string[]) => service.svc(['alerts', 'status', ...argv]);
  const answered = () => getJson<WireStatus>(service.url(), '/api/v2/status');

  test('version, start and cluster; the JSON is that of the service', async () => {
    const { versionInfo, uptime } = await answered();
    const run = await status();
    expect([run.code, run.stderr, lines(run.sent)]).toEqual([0, '', ['GET /api/v2/status']]);
    for (const text of [versionInfo.version, versionInfo.goVersion, 'disabled', uptime.slice(0, 10)]) {
      expect(run.stdout).toContain(text);
    }
    expect(printed(await status('-o', 'json'))).toEqual(await answered());
    expect((await status('-q')).stdout).toBe(`${versionInfo.version}\n`);
  });

  test("--config prints the server's configuration byte for byte", async () => {
    const run = await status('--config');
    expect([run.code, run.stderr]).toEqual([0, '']);
    expect(run.stdout).toBe((await answered()).config.original);
    expect(run.stdout).toMatch(/^route:$/m);
  });

  test('--config -o json is the same text as one JSON value', async () => {
    expect(printed(await status('--config', '-o', 'json'))).toBe((await answered()).config.original);
  });
});

describe('a cluster', () => {
  const full = {
    cluster: {
      name: '01HZX',
      status: 'settling',
      peers: [
        { name: 'a', address: '10.0.0.1:9094' },
        { name: 'b', address: '10.0.0.2:9094', version: 'new' },
      ],
    },
    versionInfo: {
      version: '0.28.1',
      revision: 'b2099eaa',
      branch: 'HEAD',
      buildUser: 'u',
      buildDate: 'd',
      goVersion: 'go',
    },
    config: { original: 'route: {}' },
    uptime: '2026-11-20T12:00:00.000Z',
  };

  test('prints its name and its peers with their addresses', async () => {
    await using server = await faultServer((socket) => socket.write(answer(200, JSON.stringify(full))));
    const run = await svc(['alerts', 'status', '--base-url', server.url]);
    for (const text of ['01HZX', 'settling', 'a 10.0.0.1:9094', 'b 10.0.0.2:9094', '2026-11-20']) {
      expect(run.stdout).toContain(text);
    }
  });

  test('does not invent missing values', async () => {
    const bare = { ...full, cluster: { status: 'disabled', peers: null }, versionInfo: { version: '1' } };
    await using server = await faultServer((socket) => socket.write(answer(200, JSON.stringify(bare))));
    for (const format of ['table', 'wide', 'csv']) {
      const run = await svc(['alerts', 'status', '-o', format, '--base-url', server.url]);
      expect([run.code, run.stderr]).toEqual([0, '']);
      expect(run.stdout).toContain('disabled');
      expect(run.stdout).not.toMatch(/undefined|null|\[object/);
    }
  });
});

describe('--wait-ready', () => {
  const status = (state: string) => ({
    cluster: { status: state, name: '01HZX', peers: [] },
    versionInfo: { version: '0.28.1' },
    config: { original: 'route: {}' },
    uptime: '2026-11-20T12:00:00.000Z',
  });

  /** What the server says at each request, the last for ever, and a clock of a second a request. */
  async function wait(answers: readonly string[], ...argv: string[]) {
    await using server = await faultServer((socket, _request, index) => {
      socket.write(answers[Math.min(index, answers.length) - 1] ?? '');
    });
    const now = () => 1_800_000_000_000 + server.requests.length * 1000;
    const run = await svc(['alerts', 'status', '--base-url', server.url, ...argv], { now });
    return { ...run, looks: server.requests.length };
  }
  const says = (state: string) => answer(200, JSON.stringify(status(state)));

  test.each([
    [['ready'], 1],
    [['disabled'], 1],
    [['settling', 'settling', 'ready'], 3],
  ])('%j: exit 0', async (states, looks) => {
    const run = await wait(states.map(says), '--wait-ready', '1m');
    expect(run).toMatchObject({ code: 0, looks });
    expect(run.stdout).toContain(states.at(-1));
  });

  test('still settling: exit 9, and the status is still printed', async () => {
    const run = await wait([says('settling')], '--wait-ready', '5s', '-o', 'json');
    expect([run.code, printed(run)]).toEqual([9, status('settling')]);
    expect((await wait([says('settling')], '--wait-ready', '5s', '--config')).code).toBe(9);
  });

  test('without it, a settling cluster exits 0', async () => {
    expect(await wait([says('settling')])).toMatchObject({ code: 0, looks: 1 });
  });

  test('waits for a server that is not up yet; exits 9 if it never comes', async () => {
    const down = answer(503, '"later"');
    const run = await wait([down, down, down, down, says('ready')], '--wait-ready', '1m');
    expect(run).toMatchObject({ code: 0, looks: 5 });
    expect(run.stderr).toContain('waiting for it');
    const never = await wait([down], '--wait-ready', '10s', '-o', 'json');
    expect([never.code, never.stdout]).toEqual([9, '']);
    expect(failure(never)).toMatchObject({
      code: 'still_pending',
      message: expect.stringMatching(/^not ready after 10s: .*later/),
      http_status: 503,
    });
    expect(await wait([answer(401, '"no"')], '--wait-ready', '10s')).toMatchObject({ code: 4, looks: 1 });
  });
});
