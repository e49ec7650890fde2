import { describe, expect, it } from 'vitest';
import { getJson } from '../../../support/alertmanager.ts';
import { answer, faultServer } from '../../../support/servers.ts';
import { svc } from '../../../support/svc.ts';
import { lines, printed, sharedService } from './service.ts';

interface WireStatus {
  readonly uptime: string;
  readonly versionInfo: { readonly version: string; readonly revision: string; readonly goVersion: string };
  readonly config: { readonly original: string };
}

const service = sharedService();

describe('svc alerts status', () => {
  const status = (...argv: string[]) => service.svc(['alerts', 'status', ...argv]);
  const answered = () => getJson<WireStatus>(service.url(), '/api/v2/status');

  it('version, start and cluster; the JSON is that of the service', async () => {
    const { versionInfo, uptime } = await answered();
    const run = await status();
    expect([run.code, run.stderr, lines(run.sent)]).toEqual([0, '', ['GET /api/v2/status']]);
    for (const text of [versionInfo.version, versionInfo.goVersion, 'disabled', uptime.slice(0, 10)]) {
      expect(run.stdout).toContain(text);
    }
    expect(printed(await status('-o', 'json'))).toEqual(await answered());
    expect((await status('-q')).stdout).toBe(`${versionInfo.version}\n`);
  });

  it("--config prints the server's configuration byte for byte", async () => {
    const run = await status('--config');
    expect([run.code, run.stderr]).toEqual([0, '']);
    expect(run.stdout).toBe((await answered()).config.original);
    expect(run.stdout).toMatch(/^route:$/m);
  });

  it('--config -o json is the same text as one JSON value', async () => {
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

  it('prints its name and its peers with their addresses', async () => {
    await using server = await faultServer((socket) => socket.write(answer(200, JSON.stringify(full))));
    const run = await svc(['alerts', 'status', '--base-url', server.url]);
    for (const text of ['01HZX', 'settling', 'a 10.0.0.1:9094', 'b 10.0.0.2:9094', '2026-11-20']) {
      expect(run.stdout).toContain(text);
    }
  });

  it('does not invent missing values', async () => {
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
