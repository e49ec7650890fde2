/** Features of newer Alertmanagers, which svc does not request from older ones. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { describeRealServers } from '../../../contract/servers.ts';
import { answer, faultServer } from '../../../http/servers.ts';
import { getJson, type RunningAlertmanager, startAlertmanager } from '../../../support/alertmanager.ts';
import { svc } from '../../../support/svc.ts';

const CONFIG = `
route: { receiver: db }
receivers:
  - name: db
    labels: { owner: dba }
  - name: web
    labels: { owner: frontend }
`;
const LIMITS = ['--silences.max-silences=3', '--silences.max-silence-size-bytes=400'];

describeRealServers(({ release }) => {
  const hasLabels = release >= '0.33';
  const hasLimits = release >= '0.28';
  let server: RunningAlertmanager;
  beforeAll(async () => {
    server = await startAlertmanager({
      release,
      ...(hasLabels ? { config: CONFIG } : {}),
      args: hasLimits ? LIMITS : [],
    });
  });
  afterAll(() => server.stop());
  const run = (...argv: string[]) => svc([...argv, '--base-url', server.url]);
  const silences = () => getJson<unknown[]>(server.url, '/api/v2/silences');

  test('sets and shows annotations of a silence, or refuses them before sending', async () => {
    const create = ['silences', 'create', 'team=db', '-c', 'why', '--annotation', 'ticket=CHG-1'];
    expect(await run(...create, '--dry-run')).toMatchObject({ code: 0, stdout: expect.stringContaining('CHG-1') });
    const { code, stdout, stderr } = await run(...create, '-q');
    if (!hasLabels) {
      expect([code, stderr]).toEqual([3, expect.stringContaining('--annotation needs Alertmanager 0.32 or newer')]);
      expect(await silences()).toEqual([]);
      return;
    }
    expect(code).toBe(0);
    expect((await run('silences', 'get', stdout.trim())).stdout).toContain('ticket=CHG-1');
    expect((await run('silences', 'list', '-o', 'wide')).stdout).toContain('ticket=CHG-1');
    await run('silences', 'update', stdout.trim(), '--annotation', 'owner=ann');
    expect(await silences()).toEqual([expect.objectContaining({ annotations: { ticket: 'CHG-1', owner: 'ann' } })]);
  });

  test.runIf(hasLimits)('a limit of the server is exit 6, and nothing is stored', async () => {
    const create = (value: string, comment = 'why') => run('silences', 'create', `limit=${value}`, '-c', comment);
    const large = await create('large', 'x'.repeat(400));
    expect([large.code, large.stderr]).toEqual([6, expect.stringContaining('exceeded maximum size')]);
    for (let count = (await silences()).length; count < 3; count++) expect((await create(`${count}`)).code).toBe(0);
    const before = await silences();
    const { code, stderr } = await create('more');
    expect([code, stderr]).toEqual([6, expect.stringContaining('exceeded maximum number of silences')]);
    expect(await silences()).toEqual(before);
  });

  test.runIf(hasLabels)('receivers have labels', async () => {
    expect((await run('alerts', 'receivers', '-o', 'wide')).stdout).toContain('owner=frontend');
  });
});

const statusOf = (version: string) =>
  answer(
    200,
    JSON.stringify({ cluster: { status: 'ready' }, versionInfo: { version }, config: { original: '' }, uptime: '' }),
  );

describe('the version', () => {
  test.each([
    ['0.33.1', 0],
    ['1.0.0', 0],
    ['', 0],
    ['0.31.0', 3],
  ])('%j: exit %d', async (version, code) => {
    await using server = await faultServer((socket, { path, method }) => {
      if (path.endsWith('/status')) socket.write(statusOf(version));
      else socket.write(answer(200, method === 'POST' ? '{"silenceID":"2f1a0000-0000-4000-8000-000000000000"}' : '[]'));
    });
    const argv = ['silences', 'create', 'a=b', '-c', 'why', '--annotation', 'ticket=1', '--base-url', server.url];
    const run = await svc(argv);
    expect(run.code).toBe(code);
    if (code === 3) expect(run.stderr).toContain('needs Alertmanager 0.32 or newer');
    expect(server.requests.filter(({ method }) => method === 'POST')).toHaveLength(code === 0 ? 1 : 0);
  });
});
