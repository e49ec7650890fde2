/** amtool decides which receivers an alert has, and which configuration is valid. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readRoutingConfig } from '../../../../src/features/alerts/routing/config.ts';
import { matchRoutes } from '../../../../src/features/alerts/routing/tree.ts';
import { ALERTMANAGER_RELEASES, amtoolBinary } from '../../../support/peers.ts';
import { damaged, randomConfig, randomLabels, seededRandom } from './random-configs.ts';

const isHard = process.env['SVC_HARD'] !== undefined;
const SEED = 20_261_123;

describe.each(ALERTMANAGER_RELEASES.map((release) => ({ release })))('amtool $release', ({ release }) => {
  const peer = amtoolBinary(release);
  let folder = '';
  let file = '';
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'svc-routing-'));
    file = join(folder, 'alertmanager.yml');
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test.skipIf(peer === undefined)('the same receivers on random trees and labels', { timeout: 600_000 }, async () => {
    const random = seededRandom(SEED);
    for (let round = 0; round < (isHard ? 2000 : 20); round++) {
      const source = randomConfig(random);
      const labels = randomLabels(random);
      writeFileSync(file, source);
      const checked = await readRoutingConfig(source, release);
      if ('problems' in checked) throw new Error(`${JSON.stringify(checked.problems)}\n${source}`);
      const ours = (await matchRoutes(checked.config.route, labels)).map(({ receiver }) => receiver).join(',');
      const args = Object.entries(labels).map(([name, value]) => `${name}=${value}`);
      const theirs = execFileSync(peer?.command ?? '', ['config', 'routes', 'test', `--config.file=${file}`, ...args], {
        encoding: 'utf8',
        env: { ...process.env, HOME: folder },
        stdio: ['ignore', 'pipe', 'ignore'],
      });
      expect(ours, `${JSON.stringify(labels)}\n${source}`).toBe(theirs.trim().split('\n').at(-1)); // warnings of its parser come first
    }
  });

  test.skipIf(peer === undefined)('the same verdict on damaged files', { timeout: 600_000 }, async () => {
    const random = seededRandom(SEED + 1);
    const verdicts = { valid: 0, invalid: 0 };
    for (let round = 0; round < (isHard ? 500 : 40); round++) {
      const source = damaged(randomConfig(random), random);
      writeFileSync(file, source);
      const checked = await readRoutingConfig(source, release);
      const theirs = spawnSync(peer?.command ?? '', ['check-config', file], {
        encoding: 'utf8',
        env: { ...process.env, HOME: folder },
      });
      const problems = 'problems' in checked ? checked.problems : [];
      verdicts[theirs.status === 0 ? 'valid' : 'invalid']++;
      expect(problems.length === 0, `${JSON.stringify(problems)}\n${theirs.stdout}\n${source}`).toBe(
        theirs.status === 0,
      );
      for (const { line, column } of problems) {
        expect(line).toBeLessThanOrEqual(source.split('\n').length);
        expect(column).toBeGreaterThan(0);
      }
    }
    expect(Math.min(verdicts.valid, verdicts.invalid)).toBeGreaterThan(isHard ? 10 : 3);
  });
});
