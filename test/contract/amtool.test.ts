import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { startAlertmanagerEmulator } from '../../src/sandbox/alerts/server.ts';
import { amtoolBinary } from '../support/peers.ts';

const amtool = amtoolBinary();

it.skipIf(amtool === undefined)('amtool works with the emulator', async () => {
  const server = await startAlertmanagerEmulator({ now: () => Date.now() });
  const run = async (...args: string[]): Promise<string> => {
    const options = { env: { ...process.env, ...amtool?.env }, timeout: 10_000 };
    const { stdout } = await promisify(execFile)(
      amtool?.command ?? '',
      ['--alertmanager.url', server.url, ...args],
      options,
    );
    return stdout.trim();
  };
  try {
    await run('alert', 'add', 'DiskFull', 'instance=node-1', 'team=platform', '--annotation=summary=full');
    await run('alert', 'add', 'DiskFull', 'instance=node-2', 'team=platform');
    const id = await run(
      'silence',
      'add',
      'DiskFull',
      'instance=~node-[13]',
      '--comment=volume grows',
      '--author=me',
      '-d',
      '2h',
    );
    const shown = async (...args: string[]): Promise<unknown[]> =>
      (JSON.parse(await run('-o', 'json', 'alert', 'query', ...args)) as { labels: { instance: string } }[]).map(
        ({ labels }) => labels.instance,
      );
    expect(await shown()).toEqual(['node-2']);
    expect(await shown('-s', 'team=platform')).toEqual(['node-1']);
    expect(await run('silence', 'query', '-q', 'instance=~node-[13]')).toBe(id);
    await run('silence', 'update', id, '--comment=still growing');
    expect(JSON.parse(await run('-o', 'json', 'silence', 'query'))).toMatchObject([{ id, comment: 'still growing' }]);
    await run('silence', 'expire', id);
    expect(await run('silence', 'query', '-q')).toBe('');
    expect(await run('silence', 'query', '-q', '--expired')).toBe(id);
    expect(await shown()).toEqual(expect.arrayContaining(['node-1', 'node-2']));
    expect(await run('config', 'show')).toContain('receiver: operations');
  } finally {
    await server.close();
  }
});
