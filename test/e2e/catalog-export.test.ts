/** `svc catalog export` and `report` as processes that are killed, or have no space on their disk. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type InterruptedExport, interruptedExport } from '../features/catalog/export/interrupted.ts';
import { freshFolder, killedAt, namesIn, stepsOf } from '../hard/file-steps.ts';
import { environment, HOME, start } from './binary.ts';
import { named } from './terminal.ts';

let exporting: InterruptedExport;
beforeAll(async () => {
  exporting = await interruptedExport('parquet', join(HOME, 'export'));
});
afterAll(() => exporting.end());

it('is resumed after kill -9, with the same files', async () => {
  const first = freshFolder();
  exporting.prepare(first);
  const { points } = await stepsOf(first, undefined, (env) => exporting.run(first, env));
  const random = Math.floor(Math.random() * points.length);
  for (const at of [points.lastIndexOf('within writeFileSync'), points.lastIndexOf('before renameSync'), random]) {
    const root = freshFolder();
    exporting.prepare(root);
    const point = `${at + 1} of ${points.length}: ${points[at]}`;
    expect({ point, ...(await exporting.run(root, killedAt(root, at + 1))) }).toMatchObject({ signal: 'SIGKILL' });
    exporting.expectWhole(root, point);
    await exporting.expectResumed(root, point);
    expect(namesIn(root), point).toEqual(['offers.parquet', 'snapshots.parquet', 'state.ndjson']);
  }
});

const noMount =
  spawnSync('unshare', ['-rm', 'mount', '-t', 'tmpfs', 'none', '/mnt'], { env: environment() }).status !== 0;

describe.skipIf(noMount)(named('a disk that is full', noMount), () => {
  // Full to the last byte, and then with space for what is read, but not for the files.
  it.each([0, 8])('leaves the earlier files intact with %i KiB left', async (kilobytes) => {
    const [cwd, copy] = [freshFolder(), freshFolder()];
    mkdirSync(join(cwd, 'disk'));
    exporting.prepare(cwd);
    const script = `mount -t tmpfs -o size=1m none disk && cp prices/* disk && head -c ${kilobytes}k /dev/zero > disk/left
      cat /dev/zero > disk/full 2>&-; rm disk/left; "$@"; status=$?; rm disk/full; cp -r disk ${copy}/prices; exit $status`;
    const command = ['svc', 'catalog', 'export', 'disk', '--format', 'parquet'];
    const { code, stderr } = await start('unshare', ['-rm', 'bash', '-c', script, '-', ...command], {
      cwd,
      env: { SVC_CATALOG_URL: exporting.url },
    }).ended;
    expect([code, stderr]).toEqual([2, expect.stringContaining('no space left on device')]);
    exporting.expectWhole(copy, 'full');
    expect(namesIn(copy).filter((name) => name.endsWith('.new'))).toEqual([]);
    await exporting.expectResumed(copy, 'full');
  });

  it('leaves the earlier page of a report intact', async () => {
    const cwd = freshFolder();
    mkdirSync(join(cwd, 'disk'));
    writeFileSync(join(cwd, 'report.yaml'), 'sections: [{type: history, id: p0}]');
    const script = `mount -t tmpfs -o size=64k none disk && echo earlier > disk/page.html
      cat /dev/zero > disk/full 2>&-; "$@"; status=$?; cp -r disk/page.html .; ls disk; exit $status`;
    const command = ['svc', 'catalog', 'report', 'report.yaml', '--html', 'disk/page.html', '--force'];
    const { code, stdout, stderr } = await start('unshare', ['-rm', 'bash', '-c', script, '-', ...command], {
      cwd,
      env: { SVC_CATALOG_URL: exporting.url },
    }).ended;
    expect([code, stderr]).toEqual([2, expect.stringContaining('no space left on device')]);
    expect(stdout).toBe('full\npage.html\n');
    expect(readFileSync(join(cwd, 'page.html'), 'utf8')).toBe('earlier\n');
  });
});
