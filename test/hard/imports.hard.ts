/** `svc silences import`, killed at random moments: run again, every silence is there exactly once. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sharedService } from '../features/alerts/commands/service.ts';
import { start } from '../features/silences/commands/built.ts';
import { getJson } from '../support/alertmanager.ts';
import { temporaryHome } from '../support/svc.ts';
import { counted, scaled } from './scale.ts';

const KILLS = scaled(50);
const SILENCES = 300;

interface Stored {
  readonly comment: string;
  readonly matchers: unknown;
}

const service = sharedService();

test(`${KILLS} times`, async ({ task }) => {
  const file = join(temporaryHome(), 'silences.json');
  const argv = ['silences', 'import', file, '-o', 'ndjson'];
  let longest = 0;
  for (let round = 0; round < KILLS; round++) {
    const comment = `round ${round}`;
    const stored = async (): Promise<Stored[]> =>
      (await getJson<Stored[]>(service.url(), '/api/v2/silences')).filter((one) => one.comment === comment);
    const list = Array.from({ length: SILENCES }, (_, i) => ({
      matchers: [{ name: 'row', value: `${round}-${i}`, isRegex: false, isEqual: true }],
      startsAt: new Date().toISOString(),
      endsAt: new Date(Date.now() + 4 * 3_600_000).toISOString(),
      createdBy: 'ann',
      comment,
    }));
    writeFileSync(file, JSON.stringify(list));
    if (round === 0) {
      const began = performance.now();
      expect(await start(argv, service.url()).ended).toMatchObject({ code: 0 });
      longest = performance.now() - began;
    } else {
      const moment = Math.random() * longest;
      const cut = start(argv, service.url());
      setTimeout(() => cut.kill('SIGKILL'), moment);
      await cut.ended;
      const left = (await stored()).length;
      const again = await start(argv, service.url()).ended;
      expect({ moment, left, ...again }).toMatchObject({ code: 0 });
    }
    const names = (await stored()).map(({ matchers }) => JSON.stringify(matchers));
    expect({ round, names: names.length, different: new Set(names).size }).toEqual({
      round,
      names: SILENCES,
      different: SILENCES,
    });
    counted(task, 1);
  }
});
