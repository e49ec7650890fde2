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

  it('prints version, start and cluster, and in JSON the response of the server', async () => {
    const { versionInfo, uptime } = await answered();
    const run = await status();
    expect([run.code, run.stderr, lines(run.sent)]).toEqual([0, '', ['GET /api/v2/status']]);
    for (const text of [versionInfo.version, versionInfo.goVersion, 'disabled', uptime.slice(0, 10)]) {
      expect(run.stdout).toContain(text);
    }
    expect(printed(await status('-o', 'json'))).toEqual(await answered());
    expect((await status('-q')).stdout).toBe(`${versionInfo.version}\n`);
  });

  it("prints with --config the server's configuration byte for byte, and in JSON as one text", async () => {
    const { original } = (await answered()).config;
    const run = await status('--config');
    expect([run.code, run.stderr, run.stdout]).toEqual([0, '', original]);
    expect(original).toMatch(/^route:$/m);
    expect(printed(await status('--config', '-o', 'json'))).toBe(original);
  });

  it.each([
    ['everything but the version', { versionInfo: { version: '1' } }, '1'],
    [
      'everything but the cluster',
      { cluster: { status: 'ready', peers: null }, versionInfo: null, config: null },
      'ready',
    ],
    ['everything but its start', { uptime: '2026-11-20T12:00:00.000Z' }, '2026-11-20'],
    ['the configuration', { config: { original: null }, versionInfo: {}, uptime: 17 }, ''],
  ])('invents nothing for a server that lacks %s', async (_, body, text) => {
    await using server = await faultServer((socket) => socket.write(answer(200, JSON.stringify(body))));
    for (const format of ['table', 'wide', 'csv', 'json']) {
      const run = await svc(['alerts', 'status', '-o', format, '--base-url', server.url]);
      expect([format, run.code, run.stderr]).toEqual([format, 0, '']);
      expect(run.stdout).toContain(text);
      expect(run.stdout).not.toMatch(/undefined|\[object/);
    }
  });
});
