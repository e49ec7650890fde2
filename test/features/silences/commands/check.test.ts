import { describe, expect, it } from 'vitest';
import { postSilence } from '../../../support/alertmanager.ts';
import { printed, sharedService } from '../../alerts/commands/service.ts';

const HOUR = 3_600_000;
const service = sharedService();

describe('svc silences check', () => {
  const check = (...argv: string[]) => service.svc(['silences', 'check', ...argv]);

  it('lists what ends within the time, the first to end at the top, and exits 1', async () => {
    const seed = (hours: number): Promise<string> =>
      postSilence(service.url(), {
        matchers: [{ name: 'hours', value: `${hours}`, isRegex: false }],
        comment: 'CHECK',
        endsAt: new Date(Date.now() + hours * HOUR).toISOString(),
      });
    const [second, first] = [await seed(2), await seed(1), await seed(5)];
    const failed = await check('--comment', 'CHECK', '--expiring-within', '3h', '-o', 'json');
    expect([failed.code, printed<{ id: string }[]>(failed).map(({ id }) => id)]).toEqual([1, [first, second]]);
    const table = await check('--comment', 'CHECK', '--expiring-within', '90m');
    expect([table.code, table.stderr]).toEqual([1, 'failed: 1 silence ends within 1h30m\n']);
    expect(table.stdout).toContain(first);
  });

  it('exits 0 if none ends within the time', async () => {
    expect(await check('--comment', 'CHECK', '--expiring-within', '30m')).toMatchObject({
      code: 0,
      stdout: '',
      stderr: 'ok: no matching silence ends within this time\n',
    });
  });

  it('needs a time', async () => {
    expect(await check()).toMatchObject({ code: 2, sent: [] });
  });
});
