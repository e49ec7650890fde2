/** What newer Alertmanagers have and older ones lack. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { getJson, type RunningAlertmanager, startAlertmanager } from '../../../support/alertmanager.ts';
import { describeRealServers } from '../../../support/alertmanagers.ts';
import { svc } from '../../../support/svc.ts';

const LIMITS = ['--silences.max-silences=3', '--silences.max-silence-size-bytes=400'];

describeRealServers(({ release }) => {
  const hasLimits = release >= '0.28';
  let server: RunningAlertmanager;
  beforeAll(async () => {
    server = await startAlertmanager({ release, args: hasLimits ? LIMITS : [] });
  });
  afterAll(() => server.stop());
  const run = (...argv: string[]) => svc([...argv, '--base-url', server.url]);
  const silences = () => getJson<unknown[]>(server.url, '/api/v2/silences');

  it.runIf(hasLimits)('a limit of the server is exit 6, and nothing is stored', async () => {
    const create = (value: string, comment = 'why') => run('silences', 'create', `limit=${value}`, '-c', comment);
    const large = await create('large', 'x'.repeat(400));
    expect([large.code, large.stderr]).toEqual([6, expect.stringContaining('exceeded maximum size')]);
    for (let count = (await silences()).length; count < 3; count++) expect((await create(`${count}`)).code).toBe(0);
    const before = await silences();
    const { code, stderr } = await create('more');
    expect([code, stderr]).toEqual([6, expect.stringContaining('exceeded maximum number of silences')]);
    expect(await silences()).toEqual(before);
  });
});
